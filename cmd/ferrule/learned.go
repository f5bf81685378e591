package main

import (
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/ferrule/ferrule/store"
	"github.com/ferrule/ferrule/turn"
)

// learnedCmd shows what was learned of models, or forgets it.
type learnedCmd struct {
	Config   string `help:"Read this file. Default: $FERRULE_CONFIG, else ./ferrule.yaml where it exists." placeholder:"FILE"`
	Clear    string `help:"Forget what was learned of this model: provider/model, or its own name." placeholder:"MODEL"`
	ClearAll bool   `help:"Forget all."`
	Counts   bool   `help:"Show how the models' calls ended instead."`
	JSON     bool   `name:"json" help:"Print a list of {provider, model, owner, field, value, why, tools, until, confirmed}, with --counts of {provider, model, calls}."`
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
	if clears := c.ClearAll || c.Clear != ""; c.ClearAll && c.Clear != "" || clears && (c.JSON || c.Counts) {
		return usageError{errors.New("--clear and --clear-all go with no other flag but --config")}
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
	if c.Counts {
		return c.counts(p, s)
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

// countsLine is one model's calls as --json prints them.
type countsLine struct {
	Provider string         `json:"provider"`
	Model    string         `json:"model"`
	Calls    map[string]int `json:"calls"` // by how they ended
}

// counts shows how calls ended.
func (c learnedCmd) counts(p *program, s *store.Store) error {
	all, err := s.Counts()
	if err != nil {
		return err
	}
	lines := []countsLine{}
	for _, m := range all {
		lines = append(lines, countsLine(m))
	}
	if c.JSON {
		return printLine(p.stdout, lines)
	}
	if len(lines) == 0 {
		fmt.Fprintln(p.stdout, "No model has called a tool.")
		return nil
	}
	w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "Model\tCalls\tClean\tRepaired\tRetried\tFailed\tPassed\tQuoted")
	for _, l := range lines {
		n := 0
		for _, calls := range l.Calls {
			n += calls
		}
		fmt.Fprintf(w, "%s\t%d", oneLine(l.Provider+"/"+l.Model), n)
		for _, how := range []string{turn.Clean, turn.Repaired, turn.Retried, turn.Failed, turn.Passed, turn.Quoted} {
			fmt.Fprintf(w, "\t%d", l.Calls[how])
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}
