package gemini_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/protocol"
	"github.com/ferrule/ferrule/protocol/gemini"
)

// TestAnswers: the same pieces say the same as an event stream, as the list that
// a stream without events is, and, where it is one piece, as a whole reply.
func TestAnswers(t *testing.T) {
	each(t, "answers", func(t *testing.T, in string) string {
		payloads := strings.Split(in, "\n")
		want := hear(t, bytes.NewReader(events(payloads...)), "text/event-stream")
		for _, f := range want.frames {
			if f.Whole {
				t.Error("a piece of a stream is a whole reply")
			}
		}
		list := hear(t, strings.NewReader("["+strings.Join(payloads, "\n,\r\n")+"]"), "application/json")
		if d := cmp.Diff(want.String(), list.String()); d != "" {
			t.Errorf("-stream +list\n%s", d)
		}
		if len(payloads) == 1 {
			whole := hear(t, strings.NewReader(in), "application/json; charset=UTF-8")
			if d := cmp.Diff(want.String(), whole.String()); d != "" {
				t.Errorf("-stream +whole\n%s", d)
			}
			if len(whole.frames) != 1 || !whole.frames[0].Whole {
				t.Errorf("%d frames", len(whole.frames))
			}
		}
		return want.String()
	})
}

// bodies are streams in the forms that upstreams give them.
var bodies = map[string][]byte{
	"plain":      events(piece(`{"text":"Hé"}`), piece(`{"text":"llo \ud83c\udf0d"}`), last(`{"text":""}`, "STOP")),
	"calls":      events(piece(`{"text":"hm","thought":true}`), piece(`{"functionCall":{"name":"f","args":{"x":"ü"}},"thoughtSignature":"c2ln"}`), last("", "STOP")),
	"lf":         bytes.ReplaceAll(events(piece(`{"text":"a"}`), last("", "STOP")), []byte("\r\n"), []byte("\n")),
	"cr":         bytes.ReplaceAll(events(piece(`{"text":"a"}`), last("", "STOP")), []byte("\r\n"), []byte("\r")),
	"comments":   []byte("\ufeff: hello\n\ndata: " + piece(`{"text":"a"}`) + "\n\n: ping\n\nevent: x\nid: 4\ndata:" + last("", "STOP") + "\n\n"),
	"no end":     bytes.TrimRight(events(piece(`{"text":"a"}`), last("", "STOP")), "\r\n"),
	"done":       events(piece(`{"text":"a"}`), last("", "STOP"), "[DONE]"),
	"single":     bytes.ReplaceAll(events(piece(`{"text":"a"}`), piece(`{"text":"b"}`), last("", "STOP")), []byte("\r\n\r\n"), []byte("\n")),
	"two lines":  []byte("data: {\"candidates\":[{\"index\":0,\ndata: \"content\":{\"parts\":[{\"text\":\"a\"}]}}]}\n\n" + string(events(last("", "STOP")))),
	"pretty":     []byte("data: {\"candidates\": [\ndata:   {\"content\": {\"parts\": [{\"text\": \"a\"}]}, \"finishReason\": \"STOP\"}\ndata: ]}\n\n"),
	"cut inside": events(piece(`{"text":"a"}`), last("", "STOP"))[:100],
	"no finish":  events(piece(`{"text":"a"}`)),
	"fault":      events(piece(`{"text":"a"}`), `{"error":{"code":503,"message":"busy","status":"UNAVAILABLE"}}`),
	"list":       []byte("[" + piece(`{"text":"a"}`) + "\n,\n" + last("", "STOP") + "]"),
	"whole":      []byte(last(`{"text":"a"}`, "STOP")),
	"nonsense":   events("nonsense", last("", "STOP")),
	"empty":      nil,
}

func piece(part string) string {
	return `{"candidates":[{"content":{"parts":[` + part + `],"role":"model"},"index":0}],"modelVersion":"m","responseId":"r"}`
}

func last(part, finish string) string {
	return `{"candidates":[{"content":{"parts":[` + part + `],"role":"model"},"finishReason":"` + finish + `","index":0}],"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":2,"totalTokenCount":5},"modelVersion":"m","responseId":"r"}`
}

func TestEverySplit(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for name, body := range bodies {
		t.Run(name, func(t *testing.T) {
			want := hear(t, bytes.NewReader(body), "text/event-stream")
			check := func(how string, cuts ...int) {
				t.Helper()
				var p pieces
				from := 0
				for _, c := range append(cuts, len(body)) {
					p = append(p, body[from:c])
					from = c
				}
				if got := hear(t, &p, "text/event-stream"); !reflect.DeepEqual(want, got) {
					t.Fatalf("%s: %s%s", how, cmp.Diff(want.String(), got.String()), cmp.Diff(want.frames, got.frames))
				}
			}
			var all []int
			for i := range body {
				all = append(all, i)
				check(fmt.Sprintf("cut at %d", i), i)
			}
			check("byte by byte", all...)
			for n := range 100 {
				if len(body) == 0 {
					break
				}
				a, b := rnd.IntN(len(body)), rnd.IntN(len(body))
				check(fmt.Sprintf("cuts %d", n), min(a, b), max(a, b))
			}
		})
	}
}

// TestFrames: bytes are kept where every reader reads the same in them.
func TestFrames(t *testing.T) {
	for name, want := range map[string]struct {
		frames int
		exact  bool
		err    error
	}{
		"plain":      {4, true, io.EOF},
		"calls":      {4, true, io.EOF},
		"lf":         {3, true, io.EOF},
		"cr":         {3, true, io.EOF},
		"comments":   {5, true, io.EOF},
		"no end":     {3, true, io.EOF},
		"done":       {3, true, io.EOF},
		"single":     {4, false, io.EOF},
		"two lines":  {3, false, io.EOF},
		"pretty":     {2, false, io.EOF},
		"cut inside": {1, false, io.ErrUnexpectedEOF},
		"no finish":  {1, true, io.ErrUnexpectedEOF},
		"fault":      {2, true, io.ErrUnexpectedEOF},
		"list":       {1, true, io.EOF},
		"whole":      {1, true, io.EOF},
		"nonsense":   {2, false, io.ErrUnexpectedEOF},
		"empty":      {0, true, io.ErrUnexpectedEOF},
	} {
		h := hear(t, bytes.NewReader(bodies[name]), "text/event-stream")
		raw, exact := h.raw()
		if len(h.frames) != want.frames || exact != want.exact || !errors.Is(h.err, want.err) {
			t.Errorf("%s: %d frames, exact: %v, end %v; want %+v\n%s", name, len(h.frames), exact, h.err, want, h)
		}
		if exact && !bytes.Equal(raw, bodies[name]) {
			t.Errorf("%s: the frames' bytes aren't the body's: %q", name, raw)
		}
	}
	for _, doubled := range []string{
		piece(`{"text":"a","text":"b"}`),
		piece(`{"functionCall":{"name":"read_file","name":"bash","args":{}}}`),
		piece(`{"functionCall":{"name":"f","args":{"x":1,"x":2}}}`),
		piece("{\"text\":\"\xff\"}"),
	} {
		if h := hear(t, bytes.NewReader(events(doubled)), ""); h.frames[0].Raw != nil {
			t.Errorf("%s goes out as it came", doubled)
		}
	}
	if h := hear(t, bytes.NewReader(events(piece(`{"functionCall":{"name":"f","NAME":"bash","args":{}}}`))), ""); h.frames[0].Events[1].Call.Name != "f" {
		t.Errorf("another case of a key was read: %s", h)
	}
}

func TestBounds(t *testing.T) {
	huge := strings.Repeat("x", 5<<20)
	if h := hear(t, strings.NewReader("data: "+piece(`{"text":"`+huge+`"}`)+"\n\n"), ""); !strings.Contains(h.String(), "upstream_event_too_large") {
		t.Error("an event of 5 MB is taken")
	}
	if h := hear(t, strings.NewReader(last(`{"text":"`+huge+`"}`, "STOP")), ""); h.finish != chat.FinishStop {
		t.Error("a whole reply of 5 MB isn't taken")
	}
	many := strings.Repeat(`{"functionCall":{"name":"f"}},`, 1025)
	if h := hear(t, strings.NewReader(last(many[:len(many)-1], "STOP")), ""); h.finish != chat.FinishNone || !strings.Contains(h.String(), "more than 1024") {
		t.Error("1025 calls are taken")
	}
	deep := piece(`{"functionCall":{"name":"f","args":{"x":` + strings.Repeat("[", 600) + strings.Repeat("]", 600) + `}}}`)
	if h := hear(t, bytes.NewReader(events(deep)), ""); !strings.Contains(h.String(), "can't be read") {
		t.Error("an event that nests 600 deep is taken")
	}
}

func TestStreamReads(t *testing.T) {
	broken := errors.New("the wire broke")
	s := gemini.Client{}.Decode(io.MultiReader(bytes.NewReader(events(piece(`{"text":"a"}`))), iotest.ErrReader(broken)), "")
	if _, err := s.Next(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Next(); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	if !s.(protocol.Readier).Ready() {
		t.Error("an ended stream answers without waiting")
	}
	s = gemini.Client{}.Decode(bytes.NewReader(bodies["plain"]), "")
	if err := errors.Join(s.Close(), s.Close()); err != nil {
		t.Error(err)
	}
	if _, err := s.Next(); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a closed stream says %v", err)
	}
}

// TestMintedIDs: a call without an id gets one of nine letters and digits, and
// no two the same.
func TestMintedIDs(t *testing.T) {
	seen := map[string]bool{}
	s := gemini.Client{}.Decode(strings.NewReader(last(strings.Repeat(`{"functionCall":{"name":"f"}},`, 99)+`{"functionCall":{"name":"f"}}`, "STOP")), "")
	f, err := s.Next()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range f.Events {
		if e.Kind != chat.EventCallEnd {
			continue
		}
		if id := e.Call.ID; len(id) != 9 || strings.Trim(id, "abcdefghijklmnopqrstuvwxyz0123456789") != "" || seen[id] {
			t.Errorf("id %q", id)
		}
		seen[e.Call.ID] = true
	}
	if len(seen) != 100 {
		t.Errorf("%d ids", len(seen))
	}
}
