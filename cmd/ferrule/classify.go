package main

import (
	"errors"
	"strconv"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/protocol/openai"
	"github.com/ferrule/ferrule/rawjson"
	"github.com/ferrule/ferrule/refusal"
)

// classifyCmd tells what a provider's error means for a request's tools.
type classifyCmd struct {
	File   string `arg:"" optional:""`
	Status int    `help:"The status that the error came with." default:"400"`
	JSONL  bool   `name:"jsonl" help:"Read {status, body, request?} per line, print {class, scope, action, calls?} per line."`
}

// classified is one answer.
type classified struct {
	Class  string      `json:"class"`
	Scope  string      `json:"scope"`
	Action string      `json:"action"`
	Source string      `json:"source,omitempty"` // where the row that matched was learned
	Calls  []heardCall `json:"calls,omitempty"`  // that the error carries
	Error  string      `json:"error,omitempty"`
}

func (c classifyCmd) Run(p *program) error {
	p.name = "ferrule classify"
	in, err := openInput(c.File)
	if err != nil {
		return err
	}
	defer in.Close()
	if c.JSONL {
		return p.answerLines(in, classifyLine)
	}
	body, err := readText(in, longestInput)
	if err != nil {
		return err
	}
	return printLine(p.stdout, classify(c.Status, string(body), anyTool()))
}

// anyTool is a request with a tool of which nothing is known.
func anyTool() *chat.Request {
	return &chat.Request{Tools: []chat.Tool{{Schema: []byte(`{"type":"object"}`)}}}
}

func classify(status int, body string, q *chat.Request) classified {
	f := &chat.Fault{Status: status, Wire: &chat.Wire{Body: []byte(body)}}
	v := refusal.Classify(f, q)
	said := classified{Class: v.Class, Scope: v.Scope, Action: v.Action, Source: v.Source}
	if g, ok := refusal.Generated(f); ok && g.Extent == refusal.Whole {
		r := reply{tools: q.Tools, syntax: "auto", chunks: []string{g.Text}}
		if h, err := r.read(); err == nil {
			said.Calls = h.Calls
		}
	}
	return said
}

// classifyLine answers one line of --jsonl.
func classifyLine(line []byte) (said any, bad error) {
	fail := func(err error) (any, error) { return classified{Error: err.Error()}, err }
	if err := rawjson.Valid(line, rawjson.MaxDepth); err != nil {
		return fail(err)
	}
	raw, ok := rawjson.Get(line, "status")
	status, err := strconv.Atoi(string(raw))
	body, isText := stringOf(line, "body")
	if !ok || err != nil || !isText {
		return fail(errors.New(`it must be an object with a number "status" and a string "body"`))
	}
	q := anyTool()
	if r, ok := rawjson.Get(line, "request"); ok {
		decoded, fault := openai.Server{}.DecodeRequest("/v1/chat/completions", chat.Wire{Protocol: openai.Name, Body: r})
		if fault != nil {
			return fail(errors.New("the request: " + fault.Text))
		}
		q = decoded
	}
	return classify(status, body, q), nil
}
