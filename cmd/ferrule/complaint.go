package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"strconv"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/protocol/openai"
	"github.com/ferrule/ferrule/rawjson"
	"github.com/ferrule/ferrule/refusal"
	"github.com/ferrule/ferrule/turn"
)

// complaint is an error that a provider answered with.
type complaint struct {
	status  int
	body    []byte
	request *chat.Request // nil: nothing is known of it
}

// complaintOf reads one line of classify --jsonl.
func complaintOf(line []byte) (e complaint, err error) {
	if err := rawjson.Valid(line, rawjson.MaxDepth); err != nil {
		return e, err
	}
	if rawjson.Kind(line) != '{' {
		return e, errors.New(`it must be an object with "status" and "body"`)
	}
	members, err := membersOf(line)
	if err != nil {
		return e, err
	}
	if v, ok := members["status"]; ok && rawjson.Kind(v) != 'n' {
		if e.status, err = strconv.Atoi(string(bytes.TrimSpace(v))); err != nil {
			return e, errors.New(`"status" must be a whole number`)
		}
	}
	switch body := members["body"]; rawjson.Kind(body) {
	case '"':
		s, err := rawjson.String(body)
		if err != nil {
			return e, err
		}
		e.body = []byte(s)
	case '{', '[':
		e.body = body
	default:
		return e, errors.New(`it must have a "body": a string, or the JSON that it was`)
	}
	request, tools := members["request"], members["tools"]
	if request == nil && tools == nil || rawjson.Kind(request) == 'n' {
		return e, nil
	}
	e.request, err = requestOf(request, tools)
	return e, err
}

// requestOf reads a request of OpenAI's Chat Completions, of which anything may
// be missing. Its tools may be written in any protocol's way.
func requestOf(b, tools []byte) (*chat.Request, error) {
	if len(b) == 0 {
		b = []byte(`{}`)
	}
	if err := rawjson.Valid(b, rawjson.MaxDepth); err != nil {
		return nil, err
	}
	if rawjson.Kind(b) != '{' {
		return nil, errors.New("the request must be an object")
	}
	if tools == nil {
		tools, _ = rawjson.Get(b, "tools")
	}
	read, unread := readTools(tools)
	if tools != nil && unread == nil {
		var err error
		if b, err = rawjson.Edit(b, rawjson.Change{Key: "tools"}); err != nil {
			return nil, err
		}
	}
	if _, ok := rawjson.Get(b, "messages"); !ok {
		var err error
		if b, err = rawjson.Edit(b, rawjson.Change{Key: "messages", Value: []byte(`[]`)}); err != nil {
			return nil, err
		}
	}
	q, fault := openai.Server{}.DecodeRequest("", chat.Wire{Body: b})
	if fault != nil {
		return nil, errors.New(fault.Text)
	}
	if tools != nil && unread == nil {
		q.Tools = read
		for i := range q.Tools {
			q.Tools[i].Kind = chat.ToolFunction
		}
	}
	return q, nil
}

// fault is the error as a turn would see it: with an error's status, in a 200
// or as an event of a stream.
func (e complaint) fault() *chat.Fault {
	if e.status >= 400 {
		return openai.Client{}.DecodeFault(e.status, chat.Wire{Body: e.body})
	}
	kind := "application/json"
	if b := bytes.TrimSpace(e.body); bytes.HasPrefix(b, []byte("data:")) || bytes.HasPrefix(b, []byte("event:")) || bytes.HasPrefix(b, []byte(":")) {
		kind = "text/event-stream"
	}
	s := openai.Client{}.Decode(bytes.NewReader(e.body), kind)
	defer s.Close()
	for {
		f, err := s.Next()
		for _, ev := range f.Events {
			if ev.Kind == chat.EventFault && ev.Fault != nil {
				return ev.Fault
			}
		}
		if err != nil {
			return &chat.Fault{Status: e.status, Wire: &chat.Wire{Body: e.body}}
		}
	}
}

func (e complaint) classify(ctx context.Context, table refusal.Table) classified {
	f := e.fault()
	v := table.Classify(f, e.request)
	c := classified{
		Class: v.Class, Scope: v.Scope, Action: v.Action, Tool: v.Tool, Param: v.Param, Source: v.Source,
		Calls: e.calls(ctx, f),
	}
	switch v.Class {
	case refusal.Other:
		c.Sample = refusal.Sample(f)
	case refusal.ContextOverflow:
		c.Figures = figures(refusal.FiguresOf(f))
	}
	return c
}

func figures(f refusal.Figures) map[string]int {
	out := map[string]int{}
	for name, n := range map[string]int{
		"limit": f.Limit, "requested": f.Requested, "prompt": f.Prompt,
		"messages": f.Messages, "functions": f.Functions, "completion": f.Completion,
	} {
		if n > 0 {
			out[name] = n
		}
	}
	return out
}

// refuser is an upstream that answers with one error.
type refuser struct{ fault *chat.Fault }

func (r refuser) Send(context.Context, *chat.Request) (chat.Stream, error) { return nil, r.fault }

// calls returns the calls that a turn would take out of the error.
func (e complaint) calls(ctx context.Context, f *chat.Fault) (out []rescuedCall) {
	if _, ok := refusal.Generated(f); !ok || e.request == nil || len(e.request.Tools) == 0 {
		return nil
	}
	r := turn.Runner{Key: []byte(rand.Text())}
	_, err := r.Run(ctx, turn.Target{Model: e.request.Model, Upstream: refuser{f}}, e.request, func(f chat.Frame) error {
		for _, ev := range f.Events {
			if ev.Kind == chat.EventCallEnd {
				out = append(out, rescuedCall{ev.Call.Name, bytes.Clone(ev.Call.Args)})
			}
		}
		return nil
	})
	if err != nil {
		return nil
	}
	return out
}
