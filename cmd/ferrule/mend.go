package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/ferrule/ferrule/jsonmend"
	"github.com/ferrule/ferrule/rawjson"
)

// mendCmd reads almost-JSON. Nothing that the text doesn't say is known of it,
// so what isn't closed is refused unless the finish is given.
type mendCmd struct {
	File   string `arg:"" optional:""`
	JSON   bool   `name:"json" help:"Print {value, repairs} instead of the value alone."`
	JSONL  bool   `name:"jsonl" help:"Read {text, finish?} per line, print {ok, value, repairs, error} per line."`
	Finish string `help:"How the answer ended: with stop, missing closers at the end are added."`
}

// mendedLine is one answer of --json and --jsonl.
type mendedLine struct {
	OK      *bool           `json:"ok,omitempty"`
	Value   json.RawMessage `json:"value,omitempty"`
	Repairs []mendedRepair  `json:"repairs"`
	Error   string          `json:"error,omitempty"`
}

type mendedRepair struct {
	Repair  jsonmend.Repair `json:"repair"`
	Offset  int             `json:"offset"`
	Dropped string          `json:"dropped,omitempty"`
}

func (c mendCmd) Run(p *program) error {
	if c.JSON && c.JSONL || c.JSONL && c.Finish != "" {
		return usageError{errors.New("--jsonl goes with neither --json nor --finish")}
	}
	in, err := openInput(c.File)
	if err != nil {
		return err
	}
	defer in.Close()
	if c.JSONL {
		return p.answerLines(in, mendLine)
	}
	text, err := readText(in, jsonmend.DefaultMaxBytes)
	if err != nil {
		return err
	}
	r, err := jsonmend.Mend(text, mendOptions(c.Finish))
	if err != nil {
		if errors.Is(err, jsonmend.ErrCut) && c.Finish == "" {
			return fmt.Errorf("%w; --finish stop says that the model ended by itself", err)
		}
		return err
	}
	if c.JSON {
		return printLine(p.stdout, mendedLine{Value: r.Value, Repairs: repairsOf(r)})
	}
	out := r.Value
	if !bytes.HasSuffix(out, []byte("\n")) {
		out = append(bytes.Clone(out), '\n')
	}
	_, err = p.stdout.Write(out)
	return err
}

// mendLine answers one line of --jsonl. A refusal is an answer there.
func mendLine(line []byte) (said any, bad error) {
	ok := false
	text, finish, bad := mendInput(line)
	if bad != nil {
		return mendedLine{OK: &ok, Repairs: []mendedRepair{}, Error: bad.Error()}, bad
	}
	r, err := jsonmend.Mend([]byte(text), mendOptions(finish))
	ok = err == nil
	l := mendedLine{OK: &ok, Value: r.Value, Repairs: repairsOf(r)}
	if err != nil {
		l.Error = err.Error()
	}
	return l, nil
}

// mendInput reads one line of --jsonl.
func mendInput(line []byte) (text, finish string, err error) {
	if err := rawjson.Valid(line, rawjson.MaxDepth); err != nil {
		return "", "", err
	}
	raw, ok := rawjson.Get(line, "text")
	if !ok || rawjson.Kind(raw) != '"' {
		return "", "", errors.New(`it must be an object with a string "text"`)
	}
	if text, err = rawjson.String(raw); err != nil {
		return "", "", err
	}
	if raw, ok := rawjson.Get(line, "finish"); ok && rawjson.Kind(raw) == '"' {
		finish, err = rawjson.String(raw)
	}
	return text, finish, err
}

func mendOptions(finish string) jsonmend.Options {
	return jsonmend.Options{Stopped: endings[finish].itself, Object: true}
}

func repairsOf(r jsonmend.Result) []mendedRepair {
	list := []mendedRepair{}
	for _, m := range r.Repairs {
		list = append(list, mendedRepair{m.Repair, m.Offset, m.Dropped})
	}
	return list
}
