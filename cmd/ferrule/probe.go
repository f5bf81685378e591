package main

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/ferrule/ferrule/catalog"
	"github.com/ferrule/ferrule/config"
	"github.com/ferrule/ferrule/probe"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/provider"
	"github.com/ferrule/ferrule/provider/demo"
)

// probeCmd finds out what a model can do, by asking it.
type probeCmd struct {
	Model  string `arg:"" help:"The provider and the model: provider/model. The model may be left out where the provider has one."`
	Config string `help:"Read this file. Default: $FERRULE_CONFIG, else ./ferrule.yaml where it exists." placeholder:"FILE"`
	Yes    bool   `help:"Don't ask before it starts."`
	Write  bool   `help:"Print what was found out as a block for ferrule.yaml, instead of learning it."`
	JSON   bool   `name:"json" help:"Print {findings, settings} and learn nothing."`
}

// probed is what --json prints.
type probed struct {
	Findings []probe.Finding   `json:"findings"`
	Settings map[string]string `json:"settings"`
}

func (c probeCmd) Run(p *program) error {
	p.name = "ferrule probe"
	cfg, err := profileCmd{Config: c.Config}.read(p)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(p.ctx)
	defer stop()
	place, model, err := c.place(ctx, cfg)
	if err != nil {
		return err
	}
	up, err := provider.New(provider.Config{
		Name: place.Name, URL: place.URL, Key: provider.Secret(place.Key),
		Protocol: place.Protocol, Client: clients()[place.Protocol], Version: version(),
	})
	if err != nil {
		return err
	}
	defer up.Close()
	if model == "" {
		if model, err = only(ctx, up, place.Name); err != nil {
			return usageError{err}
		}
	}
	if err := c.agreed(p, place.Name+"/"+model); err != nil {
		return err
	}
	pr := place.Profile.Merge(place.Models[model])
	if pr.Server == "" {
		pr.Server = serverOf(place)
	}
	tell := func(f probe.Finding) {
		if !c.JSON {
			fmt.Fprintf(p.stderr, "%-8s %s%s\n", f.Answer, f.Question, detail(f))
		}
	}
	asker := &probe.Probe{Upstream: up, Provider: place.Name, Model: model, Profile: pr, Key: []byte(rand.Text() + rand.Text())}
	found, err := asker.Run(ctx, tell)
	if err != nil {
		return err
	}
	settings := settingsOf(probe.Settings(found))
	window := told(ctx, up, pr.Server, model)
	tell(window.finding)
	found = append(found, window.finding)
	if window.tokens > 0 && (c.JSON || c.Write) { // it is no fact that is learned: it is looked up anyway
		settings["context"] = strconv.Itoa(window.tokens)
	}
	switch {
	case c.JSON:
		return printLine(p.stdout, probed{found, settings})
	case c.Write:
		fmt.Fprint(p.stdout, block(place.Name, model, settings))
		return nil
	}
	return p.learn(cfg, place, model, settings)
}

// window is a model's context window, and what tells of it.
type window struct {
	tokens  int
	finding probe.Finding
}

// told looks a model's window up, where its provider tells of it.
func told(ctx context.Context, up *provider.Provider, server, model string) window {
	a := catalog.For(server, up).Of(ctx, model)
	if ms, err := up.Models(ctx); err == nil {
		for _, m := range ms {
			if m.ID == model {
				a = catalog.Merge(a, catalog.Listed(m.Entry))
			}
		}
	}
	f := probe.Finding{Question: "tells how large its context window is", Answer: probe.No}
	if a.Context > 0 {
		f.Answer, f.Detail = probe.Yes, fmt.Sprintf("%d tokens, by %s", a.Context, cmp.Or(a.From, "the list of models"))
	}
	return window{a.Context, f}
}

func detail(f probe.Finding) string {
	if f.Detail == "" {
		return ""
	}
	return " (" + onScreen(f.Detail) + ")"
}

// place finds the provider that is meant, the built-in one too.
func (c probeCmd) place(ctx context.Context, cfg *config.Config) (config.Provider, string, error) {
	name, model, _ := strings.Cut(c.Model, "/")
	for _, place := range cfg.Providers {
		if place.Name == name {
			return place, model, nil
		}
	}
	if name == demoName {
		url, _, err := demo.Start(ctx)
		place := demoPlace(url)
		place.Models = nil // nothing is known of them: that is what is to be found out
		return place, model, err
	}
	names := []string{demoName}
	for _, place := range cfg.Providers {
		names = append(names, place.Name)
	}
	return config.Provider{}, "", usageError{fmt.Errorf("there is no provider %q: there are %s", name, strings.Join(names, ", "))}
}

// only is the one model that a provider has.
func only(ctx context.Context, up *provider.Provider, name string) (string, error) {
	ms, err := up.Models(ctx)
	if err != nil {
		return "", fmt.Errorf("%s gives no list of models (%w): say which: %s/MODEL", name, err, name)
	}
	if len(ms) == 1 {
		return ms[0].ID, nil
	}
	var ids []string
	for _, m := range ms[:min(len(ms), 8)] {
		ids = append(ids, name+"/"+oneLine(m.ID))
	}
	return "", fmt.Errorf("%s has %d models: say which: %s", name, len(ms), strings.Join(ids, ", "))
}

// agreed says what it costs, and asks unless that was answered.
func (c probeCmd) agreed(p *program, what string) error {
	requests, tokens := probe.Most()
	fmt.Fprintf(p.stderr, "%s will be asked at most %d times, for at most %d tokens in all.\n", oneLine(what), requests, tokens)
	if c.Yes {
		return nil
	}
	if s, err := os.Stdin.Stat(); err != nil || s.Mode()&os.ModeCharDevice == 0 {
		return usageError{errors.New("--yes agrees to it where nobody can be asked")}
	}
	fmt.Fprint(p.stderr, "Go on? [y/N] ")
	line, _ := bufio.NewReader(os.Stdin).ReadString('\n')
	if answer := strings.ToLower(strings.TrimSpace(line)); answer != "y" && answer != "yes" {
		return errors.New("nothing was asked")
	}
	return nil
}

// settingsOf are settings as the configuration spells them.
func settingsOf(p profile.Profile) map[string]string {
	out := map[string]string{}
	for key, value := range map[string]string{
		"tools": string(p.Tools), "system": string(p.System), "stream": string(p.Stream), "dialect": p.Dialect,
	} {
		if value != "" {
			out[key] = value
		}
	}
	return out
}

// block is a piece of ferrule.yaml.
func block(place, model string, settings map[string]string) string {
	if len(settings) == 0 {
		return "# Nothing was found out that would have to be said.\n"
	}
	var said []string
	for _, key := range sortedKeys(settings) {
		said = append(said, key+": "+settings[key])
	}
	return fmt.Sprintf("providers:\n  %s:\n    models:\n      %q: { %s }\n", place, model, strings.Join(said, ", "))
}

func sortedKeys(m map[string]string) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// learn keeps what was found out, for everybody.
func (p *program) learn(cfg *config.Config, place config.Provider, model string, settings map[string]string) error {
	if place.Name == demoName && !named(cfg.Providers, demoName) {
		fmt.Fprint(p.stdout, block(place.Name, model, settings))
		return nil // its address is another one each time: nothing that is learned would hold
	}
	s, path, err := p.storeOf(cfg)
	if err != nil {
		return err
	}
	if s == nil {
		fmt.Fprint(p.stdout, block(place.Name, model, settings))
		fmt.Fprintln(p.stderr, "Nothing is learned, since the configuration says store: memory. The block above is for ferrule.yaml.")
		return nil
	}
	defer s.Close()
	at := profile.Place{Provider: place.Name, Model: model}
	for _, key := range sortedKeys(settings) {
		if key == "tools" && settings[key] == string(profile.Native) {
			s.Unlearn(at, key) // that is what is tried anyway
			continue
		}
		s.Learn(at, profile.Fact{Field: key, Value: settings[key], Why: "probe"})
	}
	if len(settings) == 0 {
		fmt.Fprintln(p.stdout, "Nothing was found out that would have to be learned.")
		return nil
	}
	fmt.Fprintf(p.stdout, "Learned for everybody, in %s: %s. `ferrule learned` shows it; what ferrule.yaml says wins.\n", path, strings.Join(saidOf(settings), ", "))
	return nil
}

func saidOf(settings map[string]string) (said []string) {
	for _, key := range sortedKeys(settings) {
		said = append(said, key+" "+settings[key])
	}
	return said
}
