package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/ferrule/ferrule/args"
	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
	"github.com/ferrule/ferrule/words"
)

// readCmd reads the calls in an answer, as a turn with tools in words would.
type readCmd struct {
	File   string `arg:"" optional:""`
	Tools  string `help:"The tools: a list, as OpenAI, Anthropic, Gemini or MCP write them." placeholder:"FILE"`
	Syntax string `help:"The syntax, or the family of models, that is read first; see ferrule syntaxes." default:"auto"`
	Finish string `help:"How the answer ended." default:"stop"`
	JSON   bool   `name:"json" help:"Print {text, reasoning, calls, failed}."`
	JSONL  bool   `name:"jsonl" help:"Read {text or chunks, tools, syntax?, finish?, context?} per line, print what --json prints per line."`
}

// reply is an answer to read.
type reply struct {
	tools   []chat.Tool
	syntax  string
	finish  string
	context []string // what the model was shown before
	chunks  []string
}

// heardReply is what an answer holds.
type heardReply struct {
	Text      string       `json:"text"`
	Reasoning string       `json:"reasoning"`
	Calls     []heardCall  `json:"calls"`  // those that passed the check of their arguments
	Failed    []failedCall `json:"failed"` // those that didn't
	Error     string       `json:"error,omitempty"`
}

type heardCall struct {
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Syntax    string          `json:"syntax"`
	Repairs   []string        `json:"repairs"`
}

type failedCall struct {
	Raw string `json:"raw"`
	Why string `json:"why"`
}

func (c readCmd) Run(p *program) error {
	p.name = "ferrule read"
	in, err := openInput(c.File)
	if err != nil {
		return err
	}
	defer in.Close()
	if c.JSONL {
		if c.JSON || c.Tools != "" || c.Syntax != "auto" || c.Finish != "stop" {
			return usageError{errors.New("--jsonl goes with no other flag: each line has its own tools, syntax and finish")}
		}
		return p.answerLines(in, func(line []byte) (any, error) {
			r, err := replyOf(line)
			var h heardReply
			if err == nil {
				h, err = r.read()
			}
			if err != nil {
				return heardReply{Calls: []heardCall{}, Failed: []failedCall{}, Error: err.Error()}, err
			}
			return h, nil
		})
	}
	r := reply{syntax: c.Syntax, finish: c.Finish}
	if c.Tools == "" {
		return usageError{errors.New("--tools FILE says which tools there are; with --jsonl each line does")}
	}
	if r.tools, err = toolsOf(c.Tools); err != nil {
		return usageError{err}
	}
	text, err := readText(in, longestInput)
	if err != nil {
		return err
	}
	if len(text) > longestInput {
		return fmt.Errorf("the answer is longer than %d bytes", longestInput)
	}
	r.chunks = []string{string(text)}
	h, err := r.read()
	if err != nil {
		return usageError{err}
	}
	return h.print(p, c.JSON)
}

// read reads the answer chunk by chunk.
func (r reply) read() (h heardReply, err error) {
	forms, ok := words.Forms(r.syntax)
	if !ok {
		return h, fmt.Errorf("there is no syntax or family %.64q: ferrule syntaxes lists them", r.syntax)
	}
	set, err := args.Compile(r.tools, args.Options{Loose: true, Parallel: true})
	if err != nil {
		return h, err
	}
	q := &chat.Request{Tools: r.tools}
	for _, text := range r.context {
		q.Messages = append(q.Messages, chat.Message{Role: chat.RoleUser, Parts: []chat.Part{chat.Text{Text: text}}})
	}
	shown := words.NewShown(q)
	known := func(name string) bool { t, _, _ := set.Find(name); return t != nil }
	reader := words.NewReader(forms, words.Frame{}, known, shown.Quoted)
	reader.MayThink()
	h.Calls, h.Failed = []heardCall{}, []failedCall{}
	take := func(i words.Item) {
		switch i.Kind {
		case words.ItemText:
			h.Text += string(i.Text)
		case words.ItemReasoning:
			h.Reasoning += string(i.Text)
		case words.ItemCall:
			i.Call.Stopped = endings[r.finish].itself
			h.add(*i.Call, set.Read(*i.Call))
		}
	}
	for _, chunk := range r.chunks {
		reader.Write([]byte(chunk), take)
	}
	finish := chat.FinishStop
	if endings[r.finish].cut {
		finish = chat.FinishLength
	}
	reader.Close(finish, take)
	return h, nil
}

// add tells of a written call what became of it.
func (h *heardReply) add(w chat.Written, r args.Reading) {
	if r.Problems != nil {
		raw := string(w.Raw)
		if raw == "" {
			raw = w.Name + string(w.JSON)
		}
		h.Failed = append(h.Failed, failedCall{raw, r.Problems.Error()})
		return
	}
	for _, c := range r.Calls {
		h.Calls = append(h.Calls, heardCall{c.ID, c.Name, c.Args, w.Syntax, append([]string{}, r.Repairs...)})
	}
}

func (h heardReply) print(p *program, asJSON bool) error {
	if asJSON {
		return printLine(p.stdout, h)
	}
	if text := strings.TrimSpace(h.Text); text != "" {
		fmt.Fprintln(p.stdout, onScreen(text))
	}
	for _, c := range h.Calls {
		fmt.Fprintf(p.stdout, "call %s %s\n", oneLine(c.Name), oneLine(string(c.Arguments)))
	}
	for _, f := range h.Failed {
		fmt.Fprintf(p.stderr, "not a call that can be run: %s\n", oneLine(f.Why))
	}
	return nil
}

// replyOf reads one line of read --jsonl.
func replyOf(line []byte) (r reply, err error) {
	if err := rawjson.Valid(line, rawjson.MaxDepth); err != nil {
		return r, err
	}
	if rawjson.Kind(line) != '{' {
		return r, errors.New(`it must be an object with "text" or "chunks", and "tools"`)
	}
	members, err := membersOf(line)
	if err != nil {
		return r, err
	}
	if tools, ok := members["tools"]; ok {
		if r.tools, err = readTools(tools); err != nil {
			return r, fmt.Errorf("the tools: %w", err)
		}
	}
	text, whole := members["text"]
	chunks, pieces := members["chunks"]
	switch {
	case whole == pieces:
		return r, errors.New(`it must have either "text" or "chunks"`)
	case whole:
		s, err := rawjson.String(text)
		if err != nil {
			return r, errors.New(`"text" must be a string`)
		}
		r.chunks = []string{s}
	default:
		if r.chunks, err = listOfTexts("chunks", chunks); err != nil {
			return r, err
		}
	}
	if context, ok := members["context"]; ok && rawjson.Kind(context) != 'n' {
		if r.context, err = listOfTexts("context", context); err != nil {
			return r, err
		}
	}
	if r.syntax, err = textAt(line, "syntax"); err != nil {
		return r, err
	}
	if r.finish, err = textAt(line, "finish"); err != nil {
		return r, err
	}
	if r.finish == "" {
		r.finish = "stop"
	}
	return r, nil
}

// readTools reads a list of tools.
func readTools(b []byte) (out []chat.Tool, err error) {
	if err := rawjson.Valid(b, rawjson.MaxDepth); err != nil {
		return nil, err
	}
	if inner, ok := rawjson.Get(b, "tools"); ok && rawjson.Kind(b) == '{' {
		b = inner
	}
	if rawjson.Kind(b) != '[' {
		return nil, errors.New("they must be a list")
	}
	_ = rawjson.Elements(b, func(v []byte) bool {
		var t chat.Tool
		if t, _, err = readTool(v); err != nil {
			err = fmt.Errorf("tool %d: %w", len(out), err)
		}
		out = append(out, t)
		return err == nil
	})
	return out, err
}

func listOfTexts(what string, b []byte) (out []string, err error) {
	bad := fmt.Errorf("%q must be a list of strings", what)
	if rawjson.Kind(b) != '[' {
		return nil, bad
	}
	_ = rawjson.Elements(b, func(v []byte) bool {
		s, e := rawjson.String(v)
		if e != nil {
			err = bad
		}
		out = append(out, s)
		return e == nil
	})
	return out, err
}
