package openai_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/protocol"
	"github.com/ferrule/ferrule/protocol/openai"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Each file of testdata/encoder holds a client's request, the steps of an
// answer, and what the client gets. A step is a line: an event (text,
// reasoning, meta, start, args, end, usage, finish, fault), an upstream's own
// payload (data) or body (whole), ping, or close.
func TestEncoder(t *testing.T) {
	files, err := filepath.Glob("testdata/encoder/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			part := map[string]*txtar.File{}
			for i := range a.Files {
				part[a.Files[i].Name] = &a.Files[i]
			}
			got := play(t, string(bytes.TrimSpace(part["request"].Data)), string(part["steps"].Data))
			if *update {
				part["want"].Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(a), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if d := cmp.Diff(string(part["want"].Data), got); d != "" {
				t.Error(d)
			}
		})
	}
}

// play runs the steps and returns what was written, errors included.
func play(t *testing.T, body, steps string) string {
	t.Helper()
	var out bytes.Buffer
	s := openai.Server{Now: func() time.Time { return time.Unix(1764500000, 0) }}
	e := s.Encoder(&out, request(t, body))
	for _, line := range strings.Split(strings.TrimSpace(steps), "\n") {
		if err := step(t, e, line); err != nil {
			fmt.Fprintf(&out, "error: %v", err)
		}
	}
	return strings.TrimRight(out.String(), "\n") + "\n"
}

func step(t *testing.T, e protocol.Encoder, line string) error {
	word, rest, _ := strings.Cut(line, " ")
	arg := strings.SplitN(rest, " ", 4)
	num := func(i int) int {
		n, err := strconv.Atoi(arg[i])
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		return n
	}
	fault := &chat.Fault{Code: arg[0], Text: "It failed.", Status: 502}
	var ev chat.Event
	switch word {
	case "ping":
		return e.Ping()
	case "close":
		if rest == "" {
			return e.Close(nil)
		}
		return e.Close(fault)
	case "data", "tail", "whole":
		return forwarded(t, e, word, rest)
	case "text", "reasoning":
		ev = chat.Event{Kind: map[string]chat.Kind{"text": chat.EventText, "reasoning": chat.EventReasoning}[word]}
		if err := json.Unmarshal([]byte(rest), &ev.Text); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	case "meta":
		ev = chat.Event{Kind: chat.EventStart, Meta: &chat.Meta{ID: arg[0], Model: arg[1], Created: int64(num(2))}}
	case "start", "end":
		ev = chat.Event{Kind: chat.EventCallStart, Index: num(0), Call: chat.Call{ID: strings.Trim(arg[1], "-"), Name: arg[2]}}
		if word == "end" {
			ev.Kind = chat.EventCallEnd
			if len(arg) > 3 {
				ev.Call.Args = []byte(arg[3])
			}
		}
	case "args":
		ev = chat.Event{Kind: chat.EventCallArgs, Index: num(0), Text: strings.TrimPrefix(rest, arg[0]+" ")}
	case "usage":
		ev = chat.Event{Kind: chat.EventUsage, Usage: chat.Usage{Input: num(0), Output: num(1), Cached: 1, Reasoning: 2, Known: true}}
	case "finish":
		ev = chat.Event{Kind: chat.EventFinish, Finish: chat.Finish(rest)}
	case "fault":
		ev = chat.Event{Kind: chat.EventFault, Fault: fault}
	default:
		t.Fatalf("unknown step %q", line)
	}
	return e.Frame(chat.Frame{Events: []chat.Event{ev}})
}

// forwarded passes on what an upstream sent: a payload as an event, one that
// the body's end cut the empty line of, or a whole reply.
func forwarded(t *testing.T, e protocol.Encoder, word, body string) error {
	contentType := "text/event-stream"
	switch word {
	case "data":
		body = "data: " + body + "\n\n"
	case "tail":
		body = "data: " + body
	case "whole":
		contentType = "application/json"
	}
	s := openai.Client{}.Decode(strings.NewReader(body), contentType)
	defer s.Close()
	f, err := s.Next()
	if err != nil {
		t.Fatal(err)
	}
	return e.Frame(f)
}

func TestEncoderWritesOncePerFrame(t *testing.T) {
	w := &counter{}
	e := openai.Server{}.Encoder(w, request(t, `{"messages":[],"stream":true}`))
	frame := chat.Frame{Events: []chat.Event{
		{Kind: chat.EventReasoning, Text: "a"},
		{Kind: chat.EventText, Text: "b"},
		{Kind: chat.EventCallEnd, Call: chat.Call{Name: "f"}},
	}}
	if err := e.Frame(frame); err != nil || w.n != 1 {
		t.Errorf("%d writes, %v", w.n, err)
	}
	w.err = os.ErrClosed
	if err := e.Frame(frame); err == nil {
		t.Error("a failed write went unseen")
	}
}

type counter struct {
	n   int
	err error
}

func (c *counter) Write(b []byte) (int, error) {
	c.n++
	return len(b), c.err
}

// What an upstream sends reaches the client as it came, to the byte.
func TestForwardedBytes(t *testing.T) {
	for name, body := range bodies {
		h := hear(t, bytes.NewReader(body), "text/event-stream")
		want, ok := h.raw()
		if !ok {
			continue
		}
		var out bytes.Buffer
		e := openai.Server{}.Encoder(&out, request(t, `{"messages":[],"stream":true}`))
		for _, f := range h.frames {
			if err := e.Frame(f); err != nil {
				t.Fatal(err)
			}
		}
		if bytes.Contains(want, []byte("[DONE]")) {
			if err := e.Close(nil); err != nil {
				t.Fatal(err)
			}
		}
		if d := cmp.Diff(string(want), out.String()); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}
