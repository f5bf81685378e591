package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/ferrule/ferrule/config"
	"github.com/ferrule/ferrule/refusal"
)

// classifyCmd tells what a provider's error means and what would be done about it.
type classifyCmd struct {
	File    string `arg:"" optional:""`
	Status  int    `help:"The HTTP status that the error came with." default:"400"`
	Request string `help:"The request that it answers, as OpenAI's Chat Completions has it." placeholder:"FILE"`
	Config  string `help:"Hold it against the refusals in this file first." placeholder:"FILE"`
	JSON    bool   `name:"json" help:"Print {class, scope, action, tool, param, source, calls, figures, sample}."`
	JSONL   bool   `name:"jsonl" help:"Read {status, body, request?, tools?} per line, print what --json prints per line."`
}

// classified is one answer of --json and --jsonl.
type classified struct {
	Class   string         `json:"class,omitempty"`
	Scope   string         `json:"scope,omitempty"`
	Action  string         `json:"action,omitempty"`
	Tool    string         `json:"tool,omitempty"`
	Param   string         `json:"param,omitempty"`
	Source  string         `json:"source,omitempty"`
	Calls   []rescuedCall  `json:"calls,omitempty"`   // those that the error carries and that pass
	Figures map[string]int `json:"figures,omitempty"` // tokens
	Sample  string         `json:"sample,omitempty"`  // what the log would have of an error that no row knows
	Error   string         `json:"error,omitempty"`
}

type rescuedCall struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

func (c classifyCmd) Run(p *program) error {
	p.name = "ferrule classify"
	table, err := c.table(p)
	if err != nil {
		return err
	}
	in, err := openInput(c.File)
	if err != nil {
		return err
	}
	defer in.Close()
	if c.JSONL {
		if c.JSON || c.Request != "" || c.Status != 400 {
			return usageError{errors.New("--jsonl goes only with --config: each line has its own status and request")}
		}
		return p.answerLines(in, func(line []byte) (any, error) {
			e, err := complaintOf(line)
			if err != nil {
				return classified{Error: err.Error()}, err
			}
			return e.classify(p.ctx, table), nil
		})
	}
	e := complaint{status: c.Status}
	if c.Request != "" {
		b, err := os.ReadFile(c.Request)
		if err != nil {
			return usageError{fmt.Errorf("read the request: %w", err)}
		}
		if e.request, err = requestOf(b, nil); err != nil {
			return usageError{fmt.Errorf("read the request: %s: %w", c.Request, err)}
		}
	}
	if e.body, err = readText(in, longestInput); err != nil {
		return err
	}
	if len(e.body) > longestInput {
		return fmt.Errorf("the error is longer than %d bytes", longestInput)
	}
	return e.classify(p.ctx, table).print(p, c.JSON)
}

// table is the rows of the file, if one is named, and the built-in ones.
func (c classifyCmd) table(p *program) (refusal.Table, error) {
	if c.Config == "" {
		return refusal.Table{}, nil
	}
	f, err := config.Load(c.Config, p.configEnv())
	if err != nil {
		return refusal.Table{}, err
	}
	return refusal.NewTable(f.Refusals)
}

func (c classified) print(p *program, asJSON bool) error {
	if asJSON {
		return printLine(p.stdout, c)
	}
	for _, row := range [][2]string{
		{"class", c.Class}, {"scope", c.Scope}, {"action", c.Action}, {"tool", c.Tool}, {"param", c.Param}, {"source", c.Source}, {"sample", c.Sample},
	} {
		if row[1] != "" {
			fmt.Fprintf(p.stdout, "%-6s %s\n", row[0], oneLine(row[1]))
		}
	}
	for _, call := range c.Calls {
		fmt.Fprintf(p.stdout, "call   %s %s\n", oneLine(call.Name), oneLine(string(call.Arguments)))
	}
	return nil
}
