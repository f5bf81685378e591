package anthropic_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/protocol/anthropic"
)

var update = flag.Bool("update", false, "rewrite the outcomes in testdata")

// zeros makes every minted id the same.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// heard is what an answer says.
type heard struct {
	lines  []string // joined text, calls, faults, finish, in order; usage last
	frames []chat.Frame
	finish chat.Finish
	err    error
}

func (h heard) String() string { return strings.Join(h.lines, "\n") + "\n" }

// raw joins the frames' bytes; ok is false where a frame has none.
func (h heard) raw() (b []byte, ok bool) {
	for _, f := range h.frames {
		if f.Raw == nil {
			return nil, false
		}
		b = append(b, f.Raw...)
	}
	return b, true
}

// misread counts the frames that a plain client would take for something else.
func (h heard) misread() (n int) {
	for _, f := range h.frames {
		if f.Misread {
			n++
		}
	}
	return n
}

// hear reads an answer to its end and holds it to the rules of every stream: a
// call begins, says its arguments in pieces, and ends with the whole of them.
func hear(t testing.TB, r io.Reader, contentType string) (h heard) {
	t.Helper()
	s := anthropic.Client{Rand: zeros{}}.Decode(r, contentType)
	defer s.Close()
	usage, words, kind := "", "", chat.EventOther
	pieces := map[int]string{}
	flush := func() {
		if words != "" {
			h.lines = append(h.lines, fmt.Sprintf("%s %q", map[chat.Kind]string{chat.EventText: "text", chat.EventReasoning: "reasoning"}[kind], words))
		}
		words = ""
	}
	for {
		f, err := s.Next()
		if err != nil {
			if _, again := s.Next(); !errors.Is(again, err) {
				t.Errorf("after %v the stream says %v", err, again)
			}
			flush()
			if h.err = err; usage != "" {
				h.lines = append(h.lines, usage)
			}
			h.lines = append(h.lines, "end "+err.Error())
			return h
		}
		f = f.Clone()
		h.frames = append(h.frames, f)
		if f.Protocol != anthropic.Name || len(f.Events) == 0 {
			t.Errorf("a frame of protocol %q with %d events", f.Protocol, len(f.Events))
		}
		for _, e := range f.Events {
			if e.Kind != kind && e.Kind != chat.EventUsage && e.Kind != chat.EventOther {
				flush()
				kind = e.Kind
			}
			switch e.Kind {
			case chat.EventStart:
				h.lines = append(h.lines, fmt.Sprintf("start %s %s", e.Meta.ID, e.Meta.Model))
			case chat.EventText, chat.EventReasoning:
				words += e.Text
			case chat.EventCallStart:
				if _, twice := pieces[e.Index]; twice {
					t.Errorf("call %d begins twice", e.Index)
				}
				pieces[e.Index] = ""
			case chat.EventCallArgs:
				pieces[e.Index] += e.Text
			case chat.EventCallEnd:
				if said, ok := pieces[e.Index]; !ok || said != string(e.Call.Args) && !f.Misread {
					t.Errorf("call %d says %q and ends with %q", e.Index, said, e.Call.Args)
				}
				line := fmt.Sprintf("call %d %s %s %s", e.Index, e.Call.ID, e.Call.Name, e.Call.Args)
				if thinking := e.Call.Extra["anthropic.thinking"]; thinking != nil {
					line += " after " + string(thinking)
				}
				h.lines = append(h.lines, line)
			case chat.EventFault:
				h.lines = append(h.lines, fmt.Sprintf("fault %d %s: %s", e.Fault.Status, e.Fault.Code, e.Fault.Text))
			case chat.EventFinish:
				h.finish = e.Finish
				h.lines = append(h.lines, "finish "+string(e.Finish))
			case chat.EventUsage:
				u := e.Usage
				usage = fmt.Sprintf("usage %d in, %d of them cached; %d out, %d of them thoughts; %d", u.Input, u.Cached, u.Output, u.Reasoning, u.Total)
			}
			if e.Kind == chat.EventCallStart || e.Kind == chat.EventCallArgs || e.Kind == chat.EventCallEnd {
				if !f.Calls {
					t.Error("a frame with a piece of a call doesn't say so")
				}
			}
		}
	}
}

// each runs over the cases in a folder; a case's last file is its outcome, which
// -update rewrites.
func each(t *testing.T, dir string, run func(t *testing.T, in []txtar.File) string) {
	paths, err := filepath.Glob(filepath.Join("testdata", dir, "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatal("no cases", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			last := len(a.Files) - 1
			if last < 1 || a.Files[last].Name != "want" || len(bytes.TrimSpace(a.Comment)) == 0 {
				t.Fatal("a case is a comment with its source, what comes in, and what comes of it")
			}
			got := run(t, a.Files[:last])
			if *update {
				a.Files[last].Data = []byte(got)
				if err := os.WriteFile(path, txtar.Format(a), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if d := cmp.Diff(string(a.Files[last].Data), got); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}

// events writes payloads as the API's event stream.
func events(payloads ...string) []byte {
	var b strings.Builder
	for _, p := range payloads {
		kind := strings.SplitN(p, `"`, 5)
		fmt.Fprintf(&b, "event: %s\ndata: %s\n\n", kind[3], p)
	}
	return []byte(b.String())
}

// The events of an answer, one by one.

const (
	start = `{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":3,"output_tokens":1}}}`
	over  = `{"type":"message_stop"}`
	ping  = `{"type":"ping"}`
)

func open(i int, block string) string {
	return fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":%s}`, i, block)
}

func delta(i int, d string) string {
	return fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":%s}`, i, d)
}

func shut(i int) string { return fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, i) }

func says(i int, words string) string {
	return delta(i, fmt.Sprintf(`{"type":"text_delta","text":%q}`, words))
}

func args(i int, piece string) string {
	return delta(i, fmt.Sprintf(`{"type":"input_json_delta","partial_json":%q}`, piece))
}

func ended(why string) string {
	return fmt.Sprintf(`{"type":"message_delta","delta":{"stop_reason":%q,"stop_sequence":null},"usage":{"output_tokens":5}}`, why)
}

const (
	textBlock = `{"type":"text","text":""}`
	callBlock = `{"type":"tool_use","id":"toolu_1","name":"f","input":{}}`
)

// pieces is a reader that gives its pieces one at a time.
type pieces [][]byte

func (p *pieces) Read(b []byte) (int, error) {
	for len(*p) > 0 && len((*p)[0]) == 0 {
		*p = (*p)[1:]
	}
	if len(*p) == 0 {
		return 0, io.EOF
	}
	n := copy(b, (*p)[0])
	(*p)[0] = (*p)[0][n:]
	return n, nil
}
