package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/history"
	"github.com/ferrule/ferrule/protocol/openai"
	"github.com/ferrule/ferrule/rawjson"
)

// shapeCmd puts a conversation into the form that a provider takes.
type shapeCmd struct {
	File    string `arg:"" optional:""`
	Flavour string `help:"What the provider takes: mistral, gemini, openai and others, or a rule by its name." placeholder:"NAME"`
	JSONL   bool   `name:"jsonl" help:"Read {messages, flavour} per line, print {messages, notes} per line."`
}

// shapedLine is one answer of --jsonl.
type shapedLine struct {
	Messages json.RawMessage `json:"messages,omitempty"`
	Notes    []string        `json:"notes"` // the rules that changed something
	Error    string          `json:"error,omitempty"`
}

func (c shapeCmd) Run(p *program) error {
	p.name = "ferrule shape"
	if c.JSONL && c.Flavour != "" {
		return usageError{errors.New("--jsonl goes with no other flag: each line has its own flavour")}
	}
	in, err := openInput(c.File)
	if err != nil {
		return err
	}
	defer in.Close()
	if c.JSONL {
		return p.answerLines(in, shapeLine)
	}
	messages, err := readText(in, longestInput)
	if err != nil {
		return err
	}
	l, err := shape(messages, c.Flavour)
	if err != nil {
		return usageError{err}
	}
	fmt.Fprintln(p.stdout, string(l.Messages))
	for _, n := range l.Notes {
		fmt.Fprintln(p.stderr, n)
	}
	return nil
}

// shape shapes a list of messages in OpenAI's form.
func shape(messages []byte, flavour string) (shapedLine, error) {
	l := shapedLine{Notes: []string{}}
	if _, ok := history.Rules(flavour); !ok {
		return l, fmt.Errorf("there is no flavour %.64q: there are %s, and the rules %s", flavour, strings.Join(history.Flavours(), ", "), strings.Join(history.Names(), ", "))
	}
	body, err := rawjson.Edit([]byte(`{"model":"m"}`), rawjson.Change{Key: "messages", Value: messages})
	if err == nil {
		err = rawjson.Valid(messages, rawjson.MaxDepth)
	}
	if err != nil {
		return l, fmt.Errorf("the messages: %w", err)
	}
	q, fault := openai.Server{}.DecodeRequest("/v1/chat/completions", chat.Wire{Protocol: openai.Name, Body: body})
	if fault != nil {
		return l, errors.New("the messages: " + fault.Text)
	}
	q, made := history.Shape(q, flavour)
	_, out, err := openai.Client{}.EncodeRequest(q)
	if err != nil {
		return l, err
	}
	l.Messages, _ = rawjson.Get(out, "messages")
	l.Notes = append(l.Notes, made...)
	return l, nil
}

// shapeLine answers one line of --jsonl.
func shapeLine(line []byte) (said any, bad error) {
	l, err := func() (shapedLine, error) {
		if err := rawjson.Valid(line, rawjson.MaxDepth); err != nil {
			return shapedLine{Notes: []string{}}, err
		}
		messages, ok := rawjson.Get(line, "messages")
		flavour, named := stringOf(line, "flavour")
		if !ok || !named {
			return shapedLine{Notes: []string{}}, errors.New(`it must be an object with "messages" and a "flavour"`)
		}
		return shape(messages, flavour)
	}()
	if err != nil {
		l.Error = err.Error()
	}
	return l, err
}
