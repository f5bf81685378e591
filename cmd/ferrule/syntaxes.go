package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/ferrule/ferrule/words"
)

// syntaxesCmd lists how models may write their calls.
type syntaxesCmd struct {
	JSON bool `name:"json" help:"Print a list of {name, written, families}."`
}

func (c syntaxesCmd) Run(p *program) error {
	if c.JSON {
		return printLine(p.stdout, words.Syntaxes())
	}
	w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "Name\tAsked for\tFamilies")
	for _, s := range words.Syntaxes() {
		written := "yes"
		if !s.Written {
			written = "read only"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", s.Name, written, strings.Join(s.Families, ", "))
	}
	return w.Flush()
}
