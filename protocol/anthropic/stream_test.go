package anthropic_test

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
	"github.com/ferrule/ferrule/protocol/anthropic"
)

var words = []string{start, open(0, textBlock), ping, says(0, "a"), says(0, "é😀"), shut(0), ended("end_turn"), over}

// bodies are answers in the forms that they come in.
var bodies = map[string][]byte{
	"plain":      events(words...),
	"calls":      events(start, open(0, callBlock), args(0, `{"x"`), args(0, `:1}`), shut(0), ended("tool_use"), over),
	"crlf":       bytes.ReplaceAll(events(words...), []byte("\n"), []byte("\r\n")),
	"cr":         bytes.ReplaceAll(events(words...), []byte("\n"), []byte("\r")),
	"comments":   append([]byte(": hello\n\n"), events(words...)...),
	"no names":   []byte("data: " + strings.Join(words, "\n\ndata: ") + "\n\n"),
	"no end":     bytes.TrimRight(events(words...), "\n"),
	"more":       append(events(words...), events(says(0, "behind the end"))...),
	"single":     []byte("data: " + strings.Join(words, "\ndata: ") + "\n"),
	"two lines":  []byte("event: message_start\ndata: " + start[:24] + "\ndata: " + start[24:] + "\n\n" + string(events(words[1:]...))),
	"cut inside": events(words...)[:150],
	"no finish":  events(words[:5]...),
	"fault":      events(start, open(0, textBlock), says(0, "a"), `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`),
	"whole":      []byte(`{"id":"m","type":"message","content":[{"type":"text","text":"é"},` + callBlock + `],"stop_reason":"tool_use"}`),
	"nonsense":   []byte("event: message_start\ndata: nonsense\n\n" + string(events(words...))),
	"not UTF-8":  bytes.ReplaceAll(events(words...), []byte("é"), []byte{0xc3}),
	"empty":      nil,
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

// TestFrames: bytes are kept where every client reads the same in them.
func TestFrames(t *testing.T) {
	for name, want := range map[string]struct {
		frames, misread int
		exact           bool
		err             error
	}{
		"plain":      {8, 0, true, io.EOF},
		"calls":      {7, 0, true, io.EOF},
		"crlf":       {8, 0, true, io.EOF},
		"cr":         {8, 0, true, io.EOF},
		"comments":   {9, 0, true, io.EOF},
		"no names":   {8, 0, false, io.EOF},
		"no end":     {8, 0, true, io.EOF},
		"more":       {8, 0, true, io.EOF},
		"single":     {8, 0, false, io.EOF},
		"two lines":  {8, 0, false, io.EOF},
		"cut inside": {1, 0, false, io.ErrUnexpectedEOF},
		"no finish":  {5, 0, true, io.ErrUnexpectedEOF},
		"fault":      {4, 0, true, io.ErrUnexpectedEOF},
		"whole":      {1, 0, true, io.EOF},
		"nonsense":   {9, 0, false, io.ErrUnexpectedEOF},
		"not UTF-8":  {8, 0, false, io.EOF},
		"empty":      {0, 0, true, io.ErrUnexpectedEOF},
	} {
		h := hear(t, bytes.NewReader(bodies[name]), "text/event-stream")
		raw, exact := h.raw()
		if len(h.frames) != want.frames || h.misread() != want.misread || exact != want.exact || !errors.Is(h.err, want.err) {
			t.Errorf("%s: %d frames, %d of them misread, exact: %v, end %v; want %+v\n%s", name, len(h.frames), h.misread(), exact, h.err, want, h)
		}
		if exact && !bytes.HasPrefix(bodies[name], raw) {
			t.Errorf("%s: the frames' bytes aren't the body's: %q", name, raw)
		}
	}
}

// TestDoubledKeys: what two readers could read differently doesn't go out as it
// came; a key in another case is another key.
func TestDoubledKeys(t *testing.T) {
	for _, doubled := range []string{
		delta(0, `{"type":"text_delta","text":"a","text":"b"}`),
		open(0, `{"type":"tool_use","id":"i","name":"read_file","name":"bash","input":{}}`),
		open(0, `{"type":"tool_use","id":"i","name":"f","input":{"x":1,"x":2}}`),
	} {
		if h := hear(t, bytes.NewReader(events(doubled)), ""); h.frames[0].Raw != nil {
			t.Errorf("%s goes out as it came", doubled)
		}
	}
	h := hear(t, bytes.NewReader(events(start, open(0, `{"type":"tool_use","id":"i","name":"read_file","NAME":"bash","Input":{"x":1},"input":{}}`), ended("tool_use"), over)), "")
	if !strings.Contains(h.String(), "call 0 i read_file {}") {
		t.Errorf("another case of a key was read: %s", h)
	}
}

// TestMisread: a client that puts blocks together by their indices would take
// these for something else.
func TestMisread(t *testing.T) {
	whole := func(content, why string) []byte {
		return []byte(`{"type":"message","content":[` + content + `],"stop_reason":"` + why + `"}`)
	}
	for _, c := range []struct {
		name    string
		body    []byte
		misread bool
	}{
		{"in order", events(start, open(0, textBlock), says(0, "a"), shut(0), open(1, callBlock), args(1, "{}"), shut(1), ended("tool_use"), over), false},
		{"a gap", events(start, open(1, textBlock), says(1, "a"), shut(1), ended("end_turn"), over), true},
		{"the same again", events(start, open(0, textBlock), shut(0), open(0, callBlock), shut(0), ended("tool_use"), over), true},
		{"another's piece", events(start, open(0, textBlock), args(0, "{}"), shut(0), ended("end_turn"), over), true},
		{"a piece of nothing", events(start, says(0, "a"), ended("end_turn"), over), true},
		{"a late piece", events(start, open(0, callBlock), shut(0), args(0, "{}"), ended("tool_use"), over), true},
		{"the end of nothing", events(start, shut(0), ended("end_turn"), over), true},
		{"no id", events(start, open(0, `{"type":"tool_use","name":"f"}`), shut(0), ended("tool_use"), over), true},
		{"pieces that grow", events(start, open(0, callBlock), args(0, `{"x"`), args(0, `{"x":1}`), shut(0), ended("tool_use"), over), true},
		{"calls that say they aren't", events(start, open(0, callBlock), shut(0), ended("end_turn"), over), true},
		{"whole", whole(callBlock, "tool_use"), false},
		{"whole, calls that say they aren't", whole(callBlock, "end_turn"), true},
		{"whole, no id", whole(`{"type":"tool_use","name":"f"}`, "tool_use"), true},
	} {
		if h := hear(t, bytes.NewReader(c.body), ""); h.misread() > 0 != c.misread {
			t.Errorf("%s: %d frames are misread\n%s", c.name, h.misread(), h)
		}
	}
}

func TestBounds(t *testing.T) {
	huge := strings.Repeat("x", 5<<20)
	if h := hear(t, bytes.NewReader(events(says(0, huge))), ""); !strings.Contains(h.String(), "upstream_event_too_large") {
		t.Error("an event of 5 MB is taken")
	}
	if h := hear(t, strings.NewReader(`{"type":"message","content":[{"type":"text","text":"`+huge+`"}],"stop_reason":"end_turn"}`), ""); h.finish != chat.FinishStop {
		t.Error("a whole reply of 5 MB isn't taken")
	}
	calls := func(n int) io.Reader {
		ps := []string{start}
		for i := range n {
			ps = append(ps, open(i, fmt.Sprintf(`{"type":"tool_use","id":"t%d","name":"f","input":{}}`, i)))
		}
		return bytes.NewReader(events(append(ps, ended("tool_use"), over)...))
	}
	if h := hear(t, calls(1025), ""); h.finish != chat.FinishNone || !strings.Contains(h.String(), "more than 1024") {
		t.Error("1025 calls are taken")
	}
	if h := hear(t, calls(1024), ""); h.finish != chat.FinishCalls {
		t.Error("1024 calls aren't taken")
	}
	blocks := []string{start}
	for i := range 1<<14 + 1 {
		blocks = append(blocks, open(i, textBlock))
	}
	if h := hear(t, bytes.NewReader(events(blocks...)), ""); !strings.Contains(h.String(), "more than 16384 blocks") {
		t.Error("16385 blocks are taken")
	}
	inputs := []string{start}
	for i := range 5 {
		inputs = append(inputs, open(i, fmt.Sprintf(`{"type":"tool_use","id":"t%d","name":"f","input":{"x":"%s"}}`, i, huge[:3<<20+512<<10])))
	}
	if h := hear(t, bytes.NewReader(events(append(inputs, ended("tool_use"), over)...)), ""); !strings.Contains(h.String(), "more than 16 MB") || h.finish != chat.FinishNone {
		t.Error("17 MB of inputs that come whole are taken")
	}
	deep := open(0, `{"type":"tool_use","id":"a","name":"f","input":{"x":`+strings.Repeat("[", 600)+strings.Repeat("]", 600)+`}}`)
	if h := hear(t, bytes.NewReader(events(deep)), ""); !strings.Contains(h.String(), "can't be read") {
		t.Error("an event that nests 600 deep is taken")
	}
}

// TestThinkingIsKeptWhole: thinking that is too long to be kept isn't kept in part.
func TestThinkingIsKeptWhole(t *testing.T) {
	for size, kept := range map[int]bool{1 << 10: true, 500 << 10: false} {
		long := strings.Repeat("x", size)
		h := hear(t, bytes.NewReader(events(start,
			open(0, `{"type":"thinking","thinking":"","signature":""}`), delta(0, `{"type":"thinking_delta","thinking":"a"}`), delta(0, `{"type":"signature_delta","signature":"s1"}`), shut(0),
			open(1, `{"type":"thinking","thinking":"","signature":""}`), delta(1, `{"type":"thinking_delta","thinking":"`+long+`"}`), delta(1, `{"type":"signature_delta","signature":"s2"}`), shut(1),
			open(2, callBlock), shut(2), ended("tool_use"), over)), "")
		if got := strings.Contains(h.String(), "after [") && strings.Contains(h.String(), "s1") && strings.Contains(h.String(), "s2"); got != kept {
			t.Errorf("%d bytes of thinking: kept %v", size, got)
		}
		if !kept && strings.Contains(h.String(), "after") {
			t.Error("a part of the thinking is kept")
		}
	}
}

func TestStreamReads(t *testing.T) {
	broken := errors.New("the wire broke")
	s := anthropic.Client{}.Decode(io.MultiReader(bytes.NewReader(events(start)), iotest.ErrReader(broken)), "")
	if _, err := s.Next(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Next(); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	if !s.(protocol.Readier).Ready() {
		t.Error("an ended stream answers without waiting")
	}
	s = anthropic.Client{}.Decode(bytes.NewReader(bodies["plain"]), "")
	if err := errors.Join(s.Close(), s.Close()); err != nil {
		t.Error(err)
	}
	if _, err := s.Next(); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a closed stream says %v", err)
	}
}

// TestMintedIDs: a call without an id gets one in the API's form, and no two the same.
func TestMintedIDs(t *testing.T) {
	seen := map[string]bool{}
	s := anthropic.Client{}.Decode(strings.NewReader(`{"type":"message","content":[`+strings.Repeat(`{"type":"tool_use","name":"f"},`, 99)+`{"type":"tool_use","name":"f"}],"stop_reason":"tool_use"}`), "")
	f, err := s.Next()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range f.Events {
		if e.Kind != chat.EventCallEnd {
			continue
		}
		rest, ok := strings.CutPrefix(e.Call.ID, "toolu_")
		if !ok || len(rest) != 24 || strings.Trim(rest, "abcdefghijklmnopqrstuvwxyz0123456789") != "" || seen[rest] {
			t.Errorf("id %q", e.Call.ID)
		}
		seen[rest] = true
	}
	if len(seen) != 100 {
		t.Errorf("%d ids", len(seen))
	}
}
