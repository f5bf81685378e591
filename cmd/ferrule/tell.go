package main

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"

	"github.com/ferrule/ferrule/rawjson"
)

// quiet is above all that a demonstration needs to log.
const quiet = slog.LevelError

// titles say what a step is.
var titles = map[string]string{
	stepSent:   "The client sends an ordinary request with tools:",
	stepSaw:    "The model sees",
	stepWrote:  "The model writes:",
	stepGot:    "The client gets:",
	stepRan:    "The client runs its tool:",
	stepAnswer: "So the answer is:",
}

// teller returns what prints the steps, for people or for scripts.
func (p *program) teller(asJSON bool, model string) func(step) {
	if asJSON {
		enc := json.NewEncoder(p.stdout)
		enc.SetEscapeHTML(false)
		return func(s step) { _ = enc.Encode(s) }
	}
	t := &narrator{p: p, model: model}
	return t.tell
}

// narrator prints the steps as a story.
type narrator struct {
	p     *program
	model string
	shown int // messages of the prompt that have been printed
	n     int
}

func (t *narrator) tell(s step) {
	t.n++
	out := t.p.stdout
	title := titles[s.Step]
	if s.Step == stepSaw {
		title += how(s.Tools)
	}
	fmt.Fprintf(out, "%d. %s\n\n", t.n, title)
	switch s.Step {
	case stepSent:
		t.request(s)
	case stepSaw:
		t.prompt(s.Messages)
	case stepRan:
		c := s.Calls[0].Function
		t.block(c.Name + "(" + c.Arguments + ")\n→ " + string(*s.Result))
	case stepAnswer:
		t.block(s.Text)
		t.next()
	default:
		t.answer(s)
	}
}

// request prints a whole request, and of the next one what is new.
func (t *narrator) request(s step) {
	if s.Turn == 1 {
		t.block("POST " + s.Path + "\n" + indented(s.Body))
		return
	}
	list, _ := rawjson.Get(s.Body, "messages")
	i := 0
	_ = rawjson.Elements(list, func(v []byte) bool {
		if i++; i == 1 {
			t.block("(as before, with two more messages)")
		} else {
			t.block(indented(v))
		}
		return true
	})
}

func how(api bool) string {
	if api {
		return " the tools through its own tools API:"
	}
	return " no tools API, only words:"
}

// prompt prints the messages that weren't there in the turn before.
func (t *narrator) prompt(ms []message) {
	if t.shown > 0 && t.shown < len(ms) {
		t.block(fmt.Sprintf("(the first %d messages as before)", t.shown))
		ms = ms[t.shown:]
	} else {
		t.shown = len(ms)
	}
	for _, m := range ms {
		t.block("[" + m.Role + "]\n" + m.Text)
	}
}

func (t *narrator) answer(s step) {
	if s.Text != "" {
		t.block(s.Text)
	}
	for _, c := range s.Calls {
		if raw, err := json.Marshal(c); err == nil {
			t.block("tool_calls: " + string(raw))
		}
	}
	if s.Headers != nil {
		t.block("finish_reason: " + s.Finish + "\nFerrule-Tools: " + s.Headers.Header + "\nFerrule-Tools (trailer): " + s.Headers.Trailer)
	}
}

// block prints text that others wrote: set off, nothing in it acting on the terminal.
func (t *narrator) block(text string) {
	for line := range strings.Lines(strings.TrimRight(onScreen(text), "\n")) {
		fmt.Fprint(t.p.stdout, "   │ ", line)
	}
	fmt.Fprint(t.p.stdout, "\n\n")
}

func (t *narrator) next() {
	fmt.Fprint(t.p.stdout, `Try next:

  ferrule demo --model wrapper      an endpoint that drops system prompts
  ferrule demo --model native       an endpoint with a tools API
  ferrule serve                     the same in front of what runs on this machine
  ferrule serve --upstream URL      the same in front of any OpenAI-compatible endpoint
`)
}

// indented lays JSON out for reading; what is no JSON stays as it is.
func indented(raw []byte) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(json.RawMessage(raw)); err != nil {
		return string(raw)
	}
	return b.String()
}
