package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/ferrule/ferrule/args"
	"github.com/ferrule/ferrule/config"
	"github.com/ferrule/ferrule/history"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/protocol"
	"github.com/ferrule/ferrule/protocol/anthropic"
	"github.com/ferrule/ferrule/protocol/gemini"
	"github.com/ferrule/ferrule/protocol/openai"
	"github.com/ferrule/ferrule/provider"
	"github.com/ferrule/ferrule/schema"
	"github.com/ferrule/ferrule/words"
)

// sources are the flags that say where models come from.
type sources struct {
	Config   string `help:"Read this file. Default: $FERRULE_CONFIG, else ./ferrule.yaml where it exists." placeholder:"FILE"`
	Upstream string `help:"Serve this OpenAI-compatible endpoint, without a file." placeholder:"URL"`
	KeyEnv   string `help:"The environment variable that holds the upstream's key." placeholder:"NAME"`
	Tools    string `help:"How the upstream's models take tools: auto, native, emulated or none." placeholder:"MODE"`
}

// clients lists the protocols that an upstream may speak.
func clients() map[string]protocol.Client {
	return map[string]protocol.Client{
		anthropic.Name: anthropic.Client{},
		gemini.Name:    gemini.Client{},
		openai.Name:    openai.Client{},
	}
}

func (p *program) configEnv() config.Env {
	e := config.Env{Lookup: p.lookup, Syntaxes: append([]string{profile.AutoSyntax}, words.Known()...), Dialects: schema.Dialects(), History: historyForm, Repairs: args.Repairs()}
	for name := range clients() {
		e.Protocols = append(e.Protocols, name)
	}
	slices.Sort(e.Protocols)
	return e
}

// read returns the configuration that the flags point to: a file, the one
// upstream, or what is found on this machine.
func (f sources) read(p *program) (*config.Config, error) {
	if f.Upstream != "" {
		return f.single(p)
	}
	if f.KeyEnv != "" || f.Tools != "" {
		return nil, usageError{errors.New("--key-env and --tools go with --upstream; in a file they are key and tools of a provider")}
	}
	e := p.configEnv()
	path, err := config.Find(f.Config, e)
	if err != nil {
		return nil, err
	}
	if path != "" {
		return config.Load(path, e)
	}
	return p.found(), nil
}

// single is the configuration of one upstream that was named on the command line.
func (f sources) single(p *program) (*config.Config, error) {
	if f.Config != "" {
		return nil, usageError{errors.New("--upstream and --config can't go together: put the upstream into the file")}
	}
	mode := profile.Mode(f.Tools)
	if mode != "" && !slices.Contains(profile.Modes, mode) {
		return nil, usageError{fmt.Errorf("--tools is %q: it must be one of %v", f.Tools, profile.Modes)}
	}
	c := config.Provider{Name: "upstream", Protocol: openai.Name, URL: f.Upstream, Profile: profile.Profile{Tools: mode}}
	if f.KeyEnv != "" {
		key, _ := p.lookup(f.KeyEnv)
		if key == "" {
			return nil, fmt.Errorf("--key-env: the environment variable %s isn't set or is empty", f.KeyEnv)
		}
		c.Key = config.Secret(key)
	}
	return &config.Config{Listen: config.DefaultListen, Providers: []config.Provider{c}}, nil
}

// found is the configuration of what is there without one.
func (p *program) found() *config.Config {
	c := &config.Config{Listen: config.DefaultListen}
	for _, f := range provider.Discover(p.ctx, p.lookup, provider.Probe{}) {
		place := config.Provider{Name: f.Name, Protocol: cmp.Or(f.Protocol, openai.Name), URL: f.URL, Profile: profile.Profile{Server: f.Server}}
		if f.KeyEnv != "" {
			key, _ := p.lookup(f.KeyEnv)
			place.Key = config.Secret(key)
		}
		c.Providers = append(c.Providers, place)
	}
	return c
}

// origin tells people where the configuration came from.
func (f sources) origin(c *config.Config) string {
	switch {
	case c.File != "":
		return c.File
	case f.Upstream != "":
		return "from the command line"
	}
	return "no configuration: this was found"
}

// historyForm tells what is wrong with the name of a form of histories.
func historyForm(name string) error {
	_, err := history.Parse(name)
	return err
}
