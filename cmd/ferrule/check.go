package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/ferrule/ferrule/args"
	"github.com/ferrule/ferrule/schema"
)

// checkCmd reads the arguments of one call, as a turn would, and checks them
// against the tool.
type checkCmd struct {
	File          string   `arg:"" optional:""`
	Tool          string   `help:"The tool, as OpenAI, Anthropic, Gemini or MCP write it." placeholder:"FILE"`
	JSON          bool     `name:"json" help:"Print {ok, arguments, repairs, notes, problems, explain}."`
	JSONL         bool     `name:"jsonl" help:"Read {tool, arguments, finish?, options?} per line, print what --json prints per line."`
	Finish        string   `help:"How the answer ended: with stop, missing closers at the end are added; with length, the call is refused."`
	UnknownFields string   `help:"What becomes of fields that the schema doesn't speak of: keep or drop." placeholder:"WORD"`
	Ref           []string `sep:"none" help:"A field that is a reference: [ref=e12] means e12. May be repeated." placeholder:"FIELD"`
	Write         bool     `help:"The tool changes something: a call that would lose a part is refused."`
	Verbosity     string   `help:"How much a model is told: full, short or terse." placeholder:"WORD"`
}

// checked is one answer of --json and --jsonl.
type checked struct {
	OK        bool              `json:"ok"`
	Arguments json.RawMessage   `json:"arguments"`       // null: there is none to run
	Calls     []json.RawMessage `json:"calls,omitempty"` // the arguments of all, where they are several calls
	Repairs   []string          `json:"repairs"`
	Notes     []string          `json:"notes"`
	Class     string            `json:"class,omitempty"`
	Problems  []problem         `json:"problems"`
	Explain   string            `json:"explain"` // what a model would be told; "" where it passed
	Error     string            `json:"error,omitempty"`
	Severity  args.Severity     `json:"severity,omitempty"`
	Category  args.Category     `json:"category,omitempty"`
	Retryable bool              `json:"retryable,omitempty"`
}

// problem is one thing that is wrong with the arguments.
type problem struct {
	Path    string   `json:"path"`
	Pointer string   `json:"pointer"`
	Keyword string   `json:"keyword"`
	Want    string   `json:"want"`
	Got     string   `json:"got"`
	Allowed []string `json:"allowed"`
}

// verbosities are the words for how much a model is told.
var verbosities = map[string]args.Verbosity{"": args.Full, "full": args.Full, "short": args.Short, "terse": args.Terse}

const (
	unknownKeep = "keep"
	unknownDrop = "drop"
)

func (c checkCmd) Run(p *program) error {
	p.name = "ferrule check"
	if c.JSONL {
		return c.lines(p)
	}
	q, err := c.inquiry()
	if err != nil {
		return usageError{err}
	}
	in, err := openInput(c.File)
	if err != nil {
		return err
	}
	defer in.Close()
	if q.text, err = readText(in, longestInput); err != nil {
		return err
	}
	if len(q.text) > longestInput {
		return fmt.Errorf("the arguments are longer than %d bytes", longestInput)
	}
	got, err := q.answer(nil)
	if err != nil {
		return usageError{fmt.Errorf("%s: %w", c.Tool, err)}
	}
	if err := got.print(p, c.JSON); err != nil {
		return err
	}
	if !got.OK {
		return errors.New(got.Error)
	}
	return nil
}

// lines answers each line with a line.
func (c checkCmd) lines(p *program) error {
	if c.JSON || c.Tool != "" || c.Finish != "" || c.UnknownFields != "" || len(c.Ref) > 0 || c.Write || c.Verbosity != "" {
		return usageError{errors.New("--jsonl goes with no other flag: each line has its own tool, finish and options")}
	}
	in, err := openInput(c.File)
	if err != nil {
		return err
	}
	defer in.Close()
	cache := &schema.Cache{} // the same tool stands in many lines
	return p.answerLines(in, func(line []byte) (any, error) {
		q, err := readInquiry(line)
		if err != nil {
			return unread(err), err
		}
		got, err := q.answer(cache)
		if err != nil {
			return unread(err), err
		}
		return got, nil
	})
}

// inquiry is what the flags ask, but for the text.
func (c checkCmd) inquiry() (q inquiry, err error) {
	if c.Tool == "" {
		return q, errors.New("--tool FILE says which tool is called; with --jsonl each line does")
	}
	if err := oneOf("--unknown-fields", c.UnknownFields, unknownKeep, unknownDrop); err != nil {
		return q, err
	}
	if err := oneOf("--verbosity", c.Verbosity, "full", "short", "terse"); err != nil {
		return q, err
	}
	b, err := os.ReadFile(c.Tool)
	if err != nil {
		return q, fmt.Errorf("read the tool: %w", err)
	}
	if q.tool, q.writes, err = readTool(b); err != nil {
		return q, fmt.Errorf("read the tool: %s: %w", c.Tool, err)
	}
	q.finish, q.refs, q.writes = c.Finish, c.Ref, q.writes || c.Write
	q.drop, q.verbosity = c.UnknownFields == unknownDrop, verbosities[c.Verbosity]
	return q, nil
}

// print prints the arguments, or what a model would be told. Notes are no part
// of the arguments and stand beside them.
func (c checked) print(p *program, asJSON bool) error {
	if asJSON {
		return printLine(p.stdout, c)
	}
	if !c.OK {
		_, err := fmt.Fprintln(p.stdout, onScreen(c.Explain))
		return err
	}
	for _, n := range c.Notes {
		fmt.Fprintln(p.stderr, "note: "+oneLine(n))
	}
	calls := c.Calls
	if calls == nil {
		calls = []json.RawMessage{c.Arguments}
	}
	var out bytes.Buffer
	for _, a := range calls {
		out.Write(a)
		if !bytes.HasSuffix(a, []byte("\n")) {
			out.WriteByte('\n')
		}
	}
	_, err := p.stdout.Write(out.Bytes())
	return err
}

// unread is the answer to a line that can't be read.
func unread(err error) checked {
	return checked{Repairs: []string{}, Notes: []string{}, Problems: []problem{}, Error: err.Error()}
}

// answerOf tells a reading in the words of --json.
func answerOf(r args.Reading, v args.Verbosity) checked {
	c := checked{
		OK: r.Problems == nil, Problems: []problem{},
		Repairs: append([]string{}, r.Repairs...), Notes: append([]string{}, r.Notes...),
	}
	for _, call := range r.Calls {
		c.Calls = append(c.Calls, call.Args)
	}
	if len(c.Calls) > 0 {
		c.Arguments = c.Calls[0]
	}
	if len(c.Calls) == 1 {
		c.Calls = nil
	}
	if bad := r.Problems; bad != nil {
		c.Class, c.Error, c.Explain = bad.Class, bad.Error(), args.Explain(bad, v, nil)
		c.Severity, c.Category, c.Retryable = bad.Severity(), bad.Category(), bad.Retryable()
		for _, q := range bad.List {
			c.Problems = append(c.Problems, problem{q.Path, q.Pointer, q.Keyword, q.Want, q.Got, append([]string{}, q.Allowed...)})
		}
	}
	return c
}
