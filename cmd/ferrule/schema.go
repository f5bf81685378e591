package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ferrule/ferrule/rawjson"
	"github.com/ferrule/ferrule/schema"
)

// schemaCmd writes a tool's schema as a provider takes it.
type schemaCmd struct {
	File    string `arg:"" optional:""`
	Dialect string `help:"What the provider takes: gemini, openai, minimal and others." placeholder:"NAME"`
	JSON    bool   `name:"json" help:"Print {schema, name, notes} instead of the schema alone."`
	JSONL   bool   `name:"jsonl" help:"Read {schema, dialect, name?} per line, print {schema, name, notes} per line."`
}

// spokenSchema is one answer of --json and --jsonl.
type spokenSchema struct {
	Schema json.RawMessage `json:"schema,omitempty"`
	Name   string          `json:"name,omitempty"`
	Notes  []schema.Note   `json:"notes"`
	Error  string          `json:"error,omitempty"`
}

func (c schemaCmd) Run(p *program) error {
	p.name = "ferrule schema"
	if c.JSONL && (c.JSON || c.Dialect != "") {
		return usageError{errors.New("--jsonl goes with no other flag: each line has its own dialect")}
	}
	if !c.JSONL && !slices.Contains(schema.Dialects(), c.Dialect) {
		return usageError{fmt.Errorf("--dialect is %q: it must be one of %s", c.Dialect, strings.Join(schema.Dialects(), ", "))}
	}
	in, err := openInput(c.File)
	if err != nil {
		return err
	}
	defer in.Close()
	if c.JSONL {
		return p.answerLines(in, schemaLine)
	}
	src, err := readText(in, longestInput)
	if err != nil {
		return err
	}
	out, notes, err := schema.In(c.Dialect, src)
	if err != nil {
		return usageError{err}
	}
	if c.JSON {
		return printLine(p.stdout, spokenSchema{Schema: out, Notes: append([]schema.Note{}, notes...)})
	}
	fmt.Fprintln(p.stdout, strings.TrimRight(string(out), "\n"))
	for _, n := range notes {
		fmt.Fprintf(p.stderr, "%s: %s\n", oneLine(at(n)), oneLine(n.What))
	}
	return nil
}

// schemaLine answers one line of --jsonl.
func schemaLine(line []byte) (said any, bad error) {
	l, err := func() (l spokenSchema, err error) {
		if err := rawjson.Valid(line, rawjson.MaxDepth); err != nil {
			return l, err
		}
		src, ok := rawjson.Get(line, "schema")
		dialect, named := stringOf(line, "dialect")
		if !ok || !named {
			return l, errors.New(`it must be an object with a "schema" and a "dialect"`)
		}
		out, notes, err := schema.In(dialect, src)
		if err != nil {
			return l, err
		}
		l.Schema, l.Notes = out, notes
		if name, ok := stringOf(line, "name"); ok {
			l.Name = schema.Names(dialect, []string{name})[0]
		}
		return l, nil
	}()
	l.Notes = append([]schema.Note{}, l.Notes...)
	if err != nil {
		l.Error = err.Error()
	}
	return l, err
}

// stringOf is a string among a line's members.
func stringOf(line []byte, key string) (string, bool) {
	raw, ok := rawjson.Get(line, key)
	if !ok || rawjson.Kind(raw) != '"' {
		return "", false
	}
	s, err := rawjson.String(raw)
	return s, err == nil
}

// at is where a note is about.
func at(n schema.Note) string {
	if n.At == "" {
		return "the schema"
	}
	return n.At
}
