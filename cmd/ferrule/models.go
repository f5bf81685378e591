package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/ferrule/ferrule/profile"
)

type modelsCmd struct {
	sources
	JSON bool `help:"Print what GET /v1/models answers."`
}

// toolCalling is a mode in the words of the table.
var toolCalling = map[profile.Mode]string{
	profile.Native: "yes", profile.Emulated: "emulated", profile.None: "no",
}

func (c modelsCmd) Run(p *program) error {
	cfg, err := c.read(p)
	if err != nil {
		return err
	}
	a, err := p.assemble(passing(cfg), nil)
	if err != nil {
		return err
	}
	defer a.stop()
	list := a.server.Models(p.ctx)
	if c.JSON {
		return json.NewEncoder(p.stdout).Encode(list)
	}
	w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "Model\tProvider\tTool calling\tContext")
	for _, m := range list.Data {
		context := "-"
		if m.Context > 0 {
			context = strconv.Itoa(m.Context)
		}
		fmt.Fprintln(w, strings.Join([]string{oneLine(m.ID), m.OwnedBy, toolCalling[m.Mode], context}, "\t"))
	}
	return w.Flush()
}
