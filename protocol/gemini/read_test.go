package gemini_test

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
	"github.com/ferrule/ferrule/protocol/gemini"
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

func hear(t testing.TB, r io.Reader, contentType string) (h heard) {
	t.Helper()
	s := gemini.Client{Rand: zeros{}}.Decode(r, contentType)
	defer s.Close()
	usage, words, kind := "", "", chat.EventOther
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
		if f.Protocol != gemini.Name || len(f.Events) == 0 {
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
			case chat.EventCallEnd:
				line := fmt.Sprintf("call %d %s %s %s", e.Index, e.Call.ID, e.Call.Name, e.Call.Args)
				if sig := e.Call.Extra["gemini.thoughtSignature"]; sig != nil {
					line += " signed " + string(sig)
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
		}
	}
}

// events writes payloads as the API's event stream.
func events(payloads ...string) []byte {
	var b strings.Builder
	for _, p := range payloads {
		b.WriteString("data: " + p + "\r\n\r\n")
	}
	return []byte(b.String())
}

// each runs over the cases in a folder; a case's last file is its outcome, which
// -update rewrites.
func each(t *testing.T, dir string, run func(t *testing.T, in string) string) {
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
			if len(a.Files) != 2 || len(bytes.TrimSpace(a.Comment)) == 0 {
				t.Fatal("a case is a comment with its source, what comes in, and what comes of it")
			}
			got := run(t, strings.TrimSuffix(string(a.Files[0].Data), "\n"))
			if *update {
				a.Files[1].Data = []byte(got)
				if err := os.WriteFile(path, txtar.Format(a), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if d := cmp.Diff(string(a.Files[1].Data), got); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}

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
