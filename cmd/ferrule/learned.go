package main

import (
	"errors"
	"fmt"
	"text/tabwriter"
	"time"
)

// learnedCmd shows what was learned of models, or forgets it.
type learnedCmd struct {
	Config   string `help:"Read this file. Default: $FERRULE_CONFIG, else ./ferrule.yaml where it exists." placeholder:"FILE"`
	Clear    string `help:"Forget what was learned of this model: provider/model, or its own name." placeholder:"MODEL"`
	ClearAll bool   `help:"Forget all."`
	JSON     bool   `name:"json" help:"Print a list of {provider, model, owner, field, value, why, tools, until, confirmed}."`
}

// learnedLine is one fact as --json prints it.
type learnedLine struct {
	Provider  string    `json:"provider"`
	Model     string    `json:"model"`
	Owner     string    `json:"owner,omitempty"` // the client key whose request met it
	Field     string    `json:"field"`
	Value     string    `json:"value"`
	Why       string    `json:"why"`
	Tools     string    `json:"tools,omitempty"` // the digest of the tools that it holds for
	Until     time.Time `json:"until"`
	Confirmed int       `json:"confirmed"`
}

func (c learnedCmd) Run(p *program) error {
	p.name = "ferrule learned"
	if c.ClearAll && c.Clear != "" || c.JSON && (c.ClearAll || c.Clear != "") {
		return usageError{errors.New("--clear, --clear-all and --json don't go together")}
	}
	cfg, err := profileCmd{Config: c.Config}.read(p)
	if err != nil {
		return err
	}
	s, path, err := p.openStore(cfg)
	if err != nil {
		return err
	}
	if s == nil {
		if c.JSON {
			return printLine(p.stdout, []learnedLine{})
		}
		if path == "" {
			fmt.Fprintln(p.stdout, "Nothing is kept: the configuration says store: memory.")
		} else {
			fmt.Fprintln(p.stdout, "Nothing has been learned.")
		}
		return nil
	}
	defer s.Close()
	if c.ClearAll || c.Clear != "" {
		n, err := s.Clear(c.Clear)
		if err == nil {
			fmt.Fprintf(p.stdout, "%d forgotten. A gateway that runs on this file hears of it within seconds.\n", n)
		}
		return err
	}
	facts, err := s.All()
	if err != nil {
		return err
	}
	now := time.Now()
	lines := []learnedLine{}
	for _, f := range facts {
		if now.Before(f.Until) {
			lines = append(lines, learnedLine{f.Provider, f.Model, f.Owner, f.Field, f.Value, f.Why, f.Tools, f.Until.UTC(), f.Confirmed})
		}
	}
	if c.JSON {
		return printLine(p.stdout, lines)
	}
	if len(lines) == 0 {
		fmt.Fprintln(p.stdout, "Nothing that still holds has been learned.")
		return nil
	}
	w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "Model\tField\tValue\tWhy\tFor\tHolds until")
	for _, l := range lines {
		who := "everybody"
		if l.Owner != "" {
			who = l.Owner
		}
		if l.Tools != "" {
			who += ", tools " + l.Tools
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", oneLine(l.Provider+"/"+l.Model), l.Field, oneLine(l.Value), l.Why, oneLine(who), l.Until.Format("2006-01-02 15:04 MST"))
	}
	return w.Flush()
}
