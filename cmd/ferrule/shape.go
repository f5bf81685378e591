package main

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/history"
	"github.com/ferrule/ferrule/protocol/openai"
	"github.com/ferrule/ferrule/rawjson"
)

// shapeCmd puts a transcript into the form that a template takes.
type shapeCmd struct {
	File    string `arg:"" optional:""`
	Flavour string `help:"What the template takes: flavours and rules by name, separated by commas." default:"any" placeholder:"NAME"`
	JSON    bool   `name:"json" help:"Print {messages, notes} instead of the messages alone."`
	JSONL   bool   `name:"jsonl" help:"Read {messages, flavour?, tools?} per line, print {messages, notes, error?} per line."`
}

// shapedTalk is one answer of --json and --jsonl.
type shapedTalk struct {
	Messages json.RawMessage `json:"messages"`
	Notes    []history.Note  `json:"notes"`
	Error    string          `json:"error,omitempty"`
}

func (c shapeCmd) Run(p *program) error {
	p.name = "ferrule shape"
	if c.JSONL && (c.JSON || c.Flavour != "any") {
		return usageError{errors.New("--jsonl goes with no other flag: each line has its own flavour")}
	}
	in, err := openInput(c.File)
	if err != nil {
		return err
	}
	defer in.Close()
	if c.JSONL {
		return p.answerLines(in, func(line []byte) (any, error) {
			s, err := shapeLine(line)
			if err != nil {
				s = shapedTalk{Messages: json.RawMessage("[]"), Notes: []history.Note{}, Error: err.Error()}
			}
			return s, err
		})
	}
	text, err := readText(in, longestInput)
	if err != nil {
		return err
	}
	if len(text) > longestInput {
		return fmt.Errorf("the transcript is longer than %d bytes", longestInput)
	}
	if rawjson.Kind(text) == '[' {
		text = append(append([]byte(`{"messages":`), text...), '}')
	}
	s, err := shapeText(text, c.Flavour)
	switch {
	case err != nil:
		return usageError{err}
	case c.JSON:
		return printLine(p.stdout, s)
	}
	return printLine(p.stdout, s.Messages)
}

// shapeLine answers one line of --jsonl.
func shapeLine(line []byte) (s shapedTalk, err error) {
	if err := rawjson.Valid(line, rawjson.MaxDepth); err != nil {
		return s, err
	}
	if rawjson.Kind(line) != '{' {
		return s, errors.New(`it must be an object with "messages"`)
	}
	flavour, err := textAt(line, "flavour")
	if err != nil {
		return s, err
	}
	if _, said := rawjson.Get(line, "flavour"); !said {
		flavour = "any"
	}
	return shapeText(line, flavour)
}

// shapeText shapes the messages of a request as OpenAI has it.
func shapeText(text []byte, flavour string) (s shapedTalk, err error) {
	rules, err := history.Parse(flavour)
	if err != nil {
		return s, err
	}
	q, fault := openai.Server{}.DecodeRequest("", chat.Wire{Body: text})
	if fault != nil {
		return s, errors.New(fault.Text)
	}
	if _, said := rawjson.Get(text, "tools"); !said {
		q.Tools = calledTools(q)
	}
	shaped, notes := history.Shape(q, rules)
	_, body, err := openai.Client{}.EncodeRequest(shaped)
	if err != nil {
		return s, err
	}
	s.Messages, _ = rawjson.Get(body, "messages")
	s.Notes = append([]history.Note{}, notes...)
	return s, nil
}

// calledTools are the tools that a transcript calls: one that says nothing of
// its tools is taken to offer them.
func calledTools(q *chat.Request) (tools []chat.Tool) {
	seen := map[string]bool{}
	for _, m := range q.Messages {
		for _, p := range m.Parts {
			if c, ok := p.(chat.Call); ok && !seen[c.Name] {
				seen[c.Name] = true
				tools = append(tools, chat.Tool{Name: c.Name, Kind: chat.ToolFunction})
			}
		}
	}
	return tools
}
