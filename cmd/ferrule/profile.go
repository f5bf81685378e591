package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/ferrule/ferrule/config"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/schema"
	"github.com/ferrule/ferrule/words"
)

// profileCmd prints what applies to a model.
type profileCmd struct {
	Model  string `arg:"" help:"The model, with its provider in front where the configuration has several: provider/model."`
	Config string `help:"Read this file. Default: $FERRULE_CONFIG, else ./ferrule.yaml where it exists." placeholder:"FILE"`
	JSON   bool   `name:"json" help:"Print a list of {field, value, from, why}."`
}

// trait is one thing that is known of a model.
type trait struct {
	Field string `json:"field"` // as the configuration spells it
	Value string `json:"value"`
	From  string `json:"from"` // the file and line that says so; "" where nobody did
	Why   string `json:"why,omitempty"`
}

func (c profileCmd) Run(p *program) error {
	p.name = "ferrule profile"
	cfg, err := c.read(p)
	if err != nil {
		return err
	}
	place, model, err := placeOf(cfg, c.Model)
	if err != nil {
		return usageError{err}
	}
	traits := traitsOf(cfg, place, model)
	if c.JSON {
		return printLine(p.stdout, traits)
	}
	w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "Field\tValue\tFrom\tWhy")
	for _, t := range traits {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", t.Field, oneLine(t.Value), cmp.Or(oneLine(t.From), "-"), t.Why)
	}
	return w.Flush()
}

// read returns the file's configuration; without a file an empty one.
func (c profileCmd) read(p *program) (*config.Config, error) {
	e := p.configEnv()
	path, err := config.Find(c.Config, e)
	if err != nil {
		return nil, err
	}
	if path == "" {
		return &config.Config{}, nil
	}
	return config.Load(path, e)
}

// placeOf finds the provider that a model's name begins with, or the only one;
// nil where there is none.
func placeOf(cfg *config.Config, name string) (place *config.Provider, model string, err error) {
	if to, ok := cfg.Aliases[name]; ok {
		name = to
	}
	var names []string
	for i := range cfg.Providers {
		pr := &cfg.Providers[i]
		if rest, ok := strings.CutPrefix(name, pr.Name+"/"); ok {
			return pr, rest, nil
		}
		names = append(names, pr.Name)
	}
	switch len(names) {
	case 0:
		return nil, name, nil
	case 1:
		return &cfg.Providers[0], name, nil
	}
	return nil, "", fmt.Errorf("%q doesn't say whose: put one of %s and a slash in front", name, strings.Join(names, ", "))
}

// traitsOf lists what applies to a model: what the configuration says, else what
// the table of models says, else what holds for any.
func traitsOf(cfg *config.Config, place *config.Provider, model string) []trait {
	var own, all profile.Profile
	path := ""
	if place != nil {
		path = "providers." + place.Name
		all, own = place.Profile, place.Models[model]
		if all.Server == "" {
			all.Server = serverOf(*place)
		}
	}
	merged := all.Merge(own)
	known := profile.About(model)
	line := func(field string) string {
		for _, at := range []string{path + ".models." + model + "." + field, path + "." + field} {
			if n := cfg.Line(at); n > 0 && path != "" {
				return fmt.Sprintf("%s:%d", cfg.File, n)
			}
		}
		return ""
	}
	var out []trait
	add := func(field, value, otherwise string, row *profile.Row) {
		t := trait{Field: field, Value: cmp.Or(value, otherwise), From: line(field)}
		if t.From == "" && row != nil {
			t.From, t.Why = fmt.Sprintf("%s:%d", profile.ModelsFile, row.Line), row.Why
		}
		out = append(out, t)
	}
	add("tools", string(merged.Tools), string(profile.Auto), nil)
	add("server", merged.Server, "not known", nil)
	if at := &out[len(out)-1]; merged.Server != "" && at.From == "" {
		at.Why = "its address is known"
	}
	out = append(out, syntaxTrait(merged, model, known, line("syntax")))
	add("thinking_calls", string(merged.Thinks(model)), string(profile.ThinkingLast), known.Row(profile.ThinkingField))
	add("estimator", merged.Tokens(model), "general", known.Row(profile.TokensField))
	full := merged.Of(model)
	for _, f := range []struct {
		field, value, otherwise string
		row                     profile.Field
	}{
		{"context", number(full.Context), "what the provider's list says", profile.ContextField},
		{"descriptions", string(full.Descriptions), string(profile.DescribeFull), profile.DescriptionsField},
		{"system", string(full.System), string(profile.Honoured), profile.SystemField},
		{"history", full.History, "as sent, until it is refused", profile.HistoryField},
		{"arguments", string(full.Arguments), string(profile.ArgumentsHeld), profile.ArgumentsField},
		{"repairs", switched(full.Repairs), "all on", profile.RepairsField},
		{"reasoning_tags", strings.Join(full.Tags, " "), "those that are known", profile.TagsField},
		{"examples", yes(full.Examples), "false", profile.ExamplesField},
	} {
		add(f.field, f.value, f.otherwise, known.Row(f.row))
	}
	add("dialect", merged.Dialect, "as sent; once refused, "+cmp.Or(merged.Refused(model), schema.Minimal), known.Row(profile.DialectField))
	for _, f := range []struct{ field, value, otherwise string }{
		{"origin", string(merged.Origin), string(profile.Reading)},
		{"stream", string(merged.Stream), string(profile.StreamAsked)},
		{"constrain", string(merged.Constrain), string(profile.ConstrainForced)},
		{"corrections", string(merged.Corrections), "by context"},
		{"on_invalid", string(merged.OnInvalid), string(profile.Retry)},
		{"leaks", string(merged.Leaks), string(profile.LeaksOn)},
		{"notes", string(merged.Notes), string(profile.NotesEmulated)},
		{"unknown_fields", string(merged.Unknown), string(profile.Keep)},
		{"wrapper", yes(&merged.Wrapper), ""},
		{"thinking_opened", yes(merged.Opened), "false"},
		{"sees", yes(merged.Sees), "not known"},
		{"describe", merged.Describe, "none"},
	} {
		add(f.field, f.value, f.otherwise, nil)
	}
	return out
}

// syntaxTrait is the call syntax that the model is asked for where its tools
// travel in words, and why it is that one.
func syntaxTrait(p profile.Profile, model string, known profile.Known, said string) trait {
	names, _ := p.Asked(model)
	asked, _ := words.Resolve(names...)
	if asked == "" {
		asked = words.Default(p.System == profile.Dropped)
	}
	if p.Origin == profile.Proof {
		asked = words.Proving()
	}
	t := trait{Field: "syntax", Value: asked, From: said}
	server, row := profile.ServerNamed(p.Server), known.Row(profile.SyntaxField)
	switch {
	case said != "" && p.Syntax != profile.AutoSyntax:
	case p.Origin == profile.Proof:
		t.Why = "a call must prove where it is from"
	case p.System == profile.Dropped:
		t.Why = "the endpoint drops system prompts"
	case server.Syntax != "" && server.Name == "":
		t.Why = "no server acts on this mark by itself, and what serves the model isn't known"
	case server.Syntax != "":
		t.Why = "no server acts on this mark by itself, and " + server.Name + " acts on others"
	case row != nil && !(row.Special && server.Strips):
		t.From, t.Why = fmt.Sprintf("%s:%d", profile.ModelsFile, row.Line), row.Why
	case row != nil:
		t.Why = "the server doesn't let through the tokens that the model's own syntax is made of"
	default:
		t.Why = "what most models were trained on"
	}
	return t
}

// switched lists repairs as on or off.
func switched(repairs map[string]bool) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(repairs)) {
		state := "off"
		if repairs[name] {
			state = "on"
		}
		list = append(list, name+": "+state)
	}
	return strings.Join(list, ", ")
}

func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func yes(b *bool) string {
	if b == nil {
		return ""
	}
	return strconv.FormatBool(*b)
}
