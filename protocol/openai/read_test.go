package openai_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/protocol/openai"
)

// heard is what a client of the stream understood.
type heard struct {
	Meta      chat.Meta
	Text      string
	Reasoning string
	Calls     []chat.Call
	Pieces    map[int]string // what CallArgs said
	Finish    chat.Finish
	Usage     chat.Usage
	Faults    []chat.Fault
	Err       error

	frames []chat.Frame
}

// raw joins the frames' bytes; ok is false where a frame has none.
func (h heard) raw() (b []byte, ok bool) {
	for _, f := range h.frames {
		if f.Raw == nil || f.Misread {
			return nil, false
		}
		b = append(b, f.Raw...)
	}
	return b, true
}

func hear(t testing.TB, r io.Reader, contentType string) heard {
	t.Helper()
	s := openai.Client{}.Decode(r, contentType)
	defer s.Close()
	h := heard{Pieces: map[int]string{}}
	ended := map[int]bool{}
	for {
		f, err := s.Next()
		if err != nil {
			h.Err = err
			if _, again := s.Next(); !errors.Is(again, err) {
				t.Errorf("after %v the stream says %v", err, again)
			}
			return h
		}
		f = f.Clone()
		h.frames = append(h.frames, f)
		if f.Protocol != openai.Name || len(f.Events) == 0 {
			t.Errorf("a frame of protocol %q with %d events", f.Protocol, len(f.Events))
		}
		for _, e := range f.Events {
			switch e.Kind {
			case chat.EventStart:
				h.Meta = *e.Meta
			case chat.EventText:
				h.Text += e.Text
			case chat.EventReasoning:
				h.Reasoning += e.Text
			case chat.EventCallArgs:
				h.Pieces[e.Index] += e.Text
			case chat.EventCallEnd:
				if ended[e.Index] {
					t.Errorf("call %d ended twice", e.Index)
				}
				ended[e.Index] = true
				h.Calls = append(h.Calls, e.Call)
			case chat.EventUsage:
				h.Usage = e.Usage
			case chat.EventFinish:
				h.Finish = e.Finish
			case chat.EventFault:
				f := *e.Fault
				f.Wire = nil
				h.Faults = append(h.Faults, f)
			}
		}
	}
}

// events writes payloads as an event stream.
func events(payloads ...string) []byte {
	var b strings.Builder
	for _, p := range payloads {
		b.WriteString("data: " + p + "\n\n")
	}
	return []byte(b.String())
}

func hearEvents(t testing.TB, payloads ...string) heard {
	t.Helper()
	return hear(t, bytes.NewReader(events(payloads...)), "text/event-stream")
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

func value(t testing.TB, raw []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("not JSON: %v: %s", err, raw)
	}
	return v
}

// delta writes a chunk with a delta of choice 0.
func delta(d string) string {
	return `{"id":"c1","model":"m","created":7,"choices":[{"index":0,"delta":` + d + `,"finish_reason":null}]}`
}

// finish writes the chunk that ends choice 0.
func finish(word string) string {
	return `{"id":"c1","model":"m","created":7,"choices":[{"index":0,"delta":{},"finish_reason":"` + word + `"}]}`
}

// piece writes a chunk with one piece of a call.
func piece(call string) string { return delta(`{"tool_calls":[` + call + `]}`) }
