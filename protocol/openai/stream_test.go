package openai_test

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
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/protocol"
	"github.com/ferrule/ferrule/protocol/openai"
)

var ignoreFrames = cmp.Options{cmpopts.IgnoreUnexported(heard{}), cmpopts.EquateErrors()}

// bodies are streams in the forms that upstreams give them.
var bodies = map[string][]byte{
	"plain": events(delta(`{"role":"assistant","content":"Hé"}`), delta(`{"content":"llo \ud83c\udf0d"}`), finish("stop"),
		`{"id":"c1","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}`, "[DONE]"),
	"calls": events(delta(`{"reasoning_content":"hm"}`), piece(`{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":""}}`),
		piece(`{"index":0,"function":{"arguments":"{\"x\":"}}`), piece(`{"index":1,"id":"b","function":{"name":"g"}}`),
		piece(`{"index":0,"function":{"arguments":"1}"}}`), finish("tool_calls"), "[DONE]"),
	"crlf":       bytes.ReplaceAll(events(delta(`{"content":"a"}`), finish("stop"), "[DONE]"), []byte("\n"), []byte("\r\n")),
	"cr":         bytes.ReplaceAll(events(delta(`{"content":"a"}`), finish("stop"), "[DONE]"), []byte("\n"), []byte("\r")),
	"comments":   []byte("\ufeff: hello\n\ndata: " + delta(`{"content":"a"}`) + "\n\n: ping\n\n\n\nevent: x\nid: 4\ndata:" + finish("stop") + "\n\ndata: [DONE]\n\n"),
	"no end":     bytes.TrimRight(events(delta(`{"content":"a"}`), finish("stop")), "\n"),
	"done open":  bytes.TrimRight(events(delta(`{"content":"a"}`), finish("stop"), "[DONE]"), "\n"),
	"single":     bytes.ReplaceAll(events(delta(`{"content":"a"}`), delta(`{"content":"b"}`), finish("stop"), "[DONE]"), []byte("\n\n"), []byte("\n")),
	"two lines":  []byte("data: {\"choices\":[{\"index\":0,\ndata: \"delta\":{\"content\":\"a\"}}]}\n\n" + string(events(finish("stop"), "[DONE]"))),
	"cut inside": events(delta(`{"content":"a"}`), finish("stop"))[:200],
	"fault":      events(delta(`{"content":"a"}`), `{"error":{"message":"busy","code":429}}`, "[DONE]"),
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
				got := hear(t, &p, "text/event-stream")
				if reflect.DeepEqual(want, got) {
					return
				}
				t.Fatalf("%s: %s%s", how, cmp.Diff(want, got, ignoreFrames), cmp.Diff(want.frames, got.frames))
			}
			all := make([]int, len(body))
			for i := range body {
				all[i] = i
				check(fmt.Sprintf("cut at %d", i), i)
			}
			check("byte by byte", all...)
			for n := range 200 {
				a, b, c := rnd.IntN(len(body)), rnd.IntN(len(body)), rnd.IntN(len(body))
				a, c = min(a, b, c), max(a, b, c)
				b = a + rnd.IntN(c-a+1)
				check(fmt.Sprintf("cuts %d", n), a, b, c)
			}
		})
	}
}

func TestFrames(t *testing.T) {
	for name, want := range map[string]struct {
		frames int
		exact  bool // every frame keeps its bytes
		text   string
		err    error
	}{
		"plain":      {5, true, "Héllo 🌍", io.EOF},
		"calls":      {7, false, "", io.EOF},
		"crlf":       {3, true, "a", io.EOF},
		"cr":         {3, true, "a", io.EOF},
		"comments":   {7, true, "a", io.EOF},
		"no end":     {2, true, "a", io.EOF},
		"done open":  {3, true, "a", io.EOF},
		"single":     {4, false, "ab", io.EOF},
		"two lines":  {3, false, "a", io.EOF},
		"cut inside": {3, false, "a", io.ErrUnexpectedEOF},
		"fault":      {3, true, "a", io.ErrUnexpectedEOF},
	} {
		t.Run(name, func(t *testing.T) {
			h := hear(t, bytes.NewReader(bodies[name]), "text/event-stream")
			if h.Text != want.text || !errors.Is(h.Err, want.err) {
				t.Errorf("text %q, end %v", h.Text, h.Err)
			}
			if name != "cut inside" && len(h.frames) != want.frames {
				t.Errorf("%d frames, want %d", len(h.frames), want.frames)
			}
			raw, ok := h.raw()
			if ok != want.exact {
				t.Errorf("all frames keep their bytes: %t", ok)
			}
			if ok && !bytes.Equal(raw, bodies[name]) {
				t.Errorf("the frames' bytes are %q", raw)
			}
		})
	}
}

func TestRawIsOnlyWhatClientsReadAlike(t *testing.T) {
	for name, c := range map[string]struct {
		event string
		raw   bool
	}{
		"json":            {"data: " + delta(`{"content":"a"}`), true},
		"with an event":   {"event: message\ndata: " + delta(`{"content":"a"}`), true},
		"comment":         {": ping", true},
		"empty data":      {"data:", true},
		"doubled content": {"data: " + delta(`{"content":"a","content":"b"}`), false},
		"doubled deep":    {`data: {"choices":[{"index":0,"delta":{"content":"a"},"logprobs":{"x":[{"y":1,"y":1}]}}]}`, false},
		"doubled escaped": {"data: " + delta(`{"content":"a","\u0063ontent":"b"}`), false},
		"other case":      {"data: " + delta(`{"content":"a","CONTENT":"b"}`), false},
		"unknown line":    {"data: " + delta(`{"content":"a"}`) + "\n{\"choices\":[]}", false},
		"not UTF-8":       {"data: " + delta("{\"content\":\"a\xff\"}"), false},
		"two values":      {"data: " + delta(`{"content":"a"}`) + "{}", false},
	} {
		t.Run(name, func(t *testing.T) {
			h := hear(t, strings.NewReader(c.event+"\n\n"), "text/event-stream")
			if got := h.frames[0].Raw != nil && !h.frames[0].Misread; got != c.raw {
				t.Errorf("keeps its bytes: %t, want %t", got, c.raw)
			}
		})
	}
	h := hearEvents(t, delta(`{"content":"a","content":"b"}`), finish("stop"))
	if h.Text != "b" {
		t.Errorf("of doubled keys the last counts; read %q", h.Text)
	}
}

// A chunk that looks like the one before is still read whole.
func TestAlikeChunks(t *testing.T) {
	first := delta(`{"content":"a"}`)
	for name, c := range map[string]struct {
		second, text string
		raw          bool
	}{
		"alike":     {delta(`{"content":"b \"\u00e9\""}`), "b \"é\"", true},
		"doubled":   {delta(`{"content":"b","content":"c"}`), "c", false},
		"a call":    {delta(`{"content":"b","tool_calls":[{"id":"a","index":0,"function":{"name":"f","arguments":""}}],"x":""}`), "b", true},
		"not text":  {delta(`{"content":null}`), "", true},
		"empty":     {delta(`{"content":""}`), "", true},
		"broken":    {delta(`{"content":"b\x"}`), "", false},
		"not UTF-8": {delta("{\"content\":\"b\xff\"}"), "b\ufffd", false},
		"shorter":   {`{"choices":[]}`, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			h := hearEvents(t, first, first, c.second, finish("stop"), "[DONE]")
			if h.Text != "aa"+c.text || (h.frames[2].Raw != nil && !h.frames[2].Misread) != c.raw {
				t.Errorf("text %q, keeps its bytes: %t", h.Text, h.frames[2].Raw != nil)
			}
			if want := name == "a call"; (len(h.Calls) == 1) != want {
				t.Errorf("calls %+v", h.Calls)
			}
		})
	}
}

func TestAssembly(t *testing.T) {
	call := func(id, name, args string) chat.Call { return chat.Call{ID: id, Name: name, Args: []byte(args)} }
	for name, c := range map[string]struct {
		chunks []string
		calls  []chat.Call
	}{
		"no index, new id": {
			[]string{piece(`{"id":"a","function":{"name":"f","arguments":"{}"}}`), piece(`{"id":"b","function":{"name":"f","arguments":"{}"}}`)},
			[]chat.Call{call("a", "f", "{}"), call("b", "f", "{}")},
		},
		"no index, no id, one list": {
			[]string{piece(`{"function":{"name":"f","arguments":"{}"}},{"function":{"name":"f","arguments":"{}"}}`)},
			[]chat.Call{call("", "f", "{}"), call("", "f", "{}")},
		},
		"one index, no ids, complete": {
			[]string{piece(`{"index":0,"id":"","function":{"name":"f","arguments":"{\"a\":1}"}}`), piece(`{"index":0,"id":"","function":{"name":"f","arguments":"{\"a\":2}"}}`)},
			[]chat.Call{call("", "f", `{"a":1}`), call("", "f", `{"a":2}`)},
		},
		"one index, other id and name, no arguments": {
			[]string{piece(`{"index":0,"id":"a","function":{"name":"f","arguments":""}}`), piece(`{"index":0,"id":"b","function":{"name":"g","arguments":"{\"a\":2}"}}`)},
			[]chat.Call{call("a", "f", `{}`), call("b", "g", `{"a":2}`)},
		},
		"id comes late": {
			[]string{piece(`{"index":0,"function":{"name":"f"}}`), piece(`{"index":0,"id":"a","function":{"arguments":"{}"}}`)},
			[]chat.Call{call("a", "f", "{}")},
		},
		"name comes last": {
			[]string{piece(`{"index":0,"id":"a","function":{"arguments":"{\"x\":"}}`), piece(`{"index":0,"function":{"name":"f","arguments":"1}"}}`)},
			[]chat.Call{call("a", "f", `{"x":1}`)},
		},
		"never a name": {
			[]string{piece(`{"index":0,"id":"a","function":{"arguments":"{}"}}`)},
			[]chat.Call{call("a", "", "{}")},
		},
		"indices with a gap": {
			[]string{piece(`{"index":3,"id":"a","function":{"name":"f","arguments":"{}"}}`), piece(`{"index":1,"id":"b","function":{"name":"g","arguments":"{}"}}`)},
			[]chat.Call{call("a", "f", "{}"), call("b", "g", "{}")},
		},
		"older form": {
			[]string{delta(`{"function_call":{"name":"f"}}`), delta(`{"function_call":{"arguments":"{\"x\":"}}`), delta(`{"function_call":{"arguments":"1}"}}`)},
			[]chat.Call{call("", "f", `{"x":1}`)},
		},
		"pair cut in two": {
			[]string{piece(`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":\"\ud83c"}}`), piece(`{"index":0,"function":{"arguments":"\udf0d\"}"}}`)},
			[]chat.Call{call("a", "f", `{"x":"🌍"}`)},
		},
		"broken arguments stay": {
			[]string{piece(`{"index":0,"id":"a","function":{"name":"f","arguments":"{'x':"}}`), piece(`{"index":0,"function":{"arguments":"1}"}}`)},
			[]chat.Call{call("a", "f", `{'x':1}`)},
		},
		"finish in every chunk": {
			[]string{
				`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":"}}]},"finish_reason":"stop"}]}`,
				`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]},"finish_reason":"stop"}]}`,
				`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"b","function":{"name":"g","arguments":"{}"}}]},"finish_reason":"stop"}]}`,
			},
			[]chat.Call{call("a", "f", `{"x":1}`), call("b", "g", "{}")},
		},
		"in another choice": {
			[]string{delta(`{"content":"hi"}`), `{"choices":[{"index":1,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]}}]}`},
			[]chat.Call{call("a", "f", "{}")},
		},
		"in another choice that speaks": {
			[]string{delta(`{"content":"hi"}`), `{"choices":[{"index":1,"delta":{"content":"ho","tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]}}]}`},
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := hearEvents(t, append(c.chunks, finish("tool_calls"), "[DONE]")...)
			if d := cmp.Diff(c.calls, h.Calls); d != "" {
				t.Error(d)
			}
			if len(h.Faults) > 0 || !errors.Is(h.Err, io.EOF) {
				t.Errorf("faults %+v, end %v", h.Faults, h.Err)
			}
		})
	}
}

func TestNoFinishNoCall(t *testing.T) {
	body := []string{piece(`{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}`)}
	for _, end := range [][]string{nil, {"[DONE]"}} {
		h := hearEvents(t, append(body, end...)...)
		if len(h.Calls) > 0 || !errors.Is(h.Err, io.ErrUnexpectedEOF) {
			t.Errorf("calls %+v, end %v", h.Calls, h.Err)
		}
	}
	h := hearEvents(t, append(body, finish("tool_calls"))...)
	if len(h.Calls) != 1 || !errors.Is(h.Err, io.EOF) {
		t.Errorf("the twin: calls %+v, end %v", h.Calls, h.Err)
	}
}

func TestFinishes(t *testing.T) {
	for name, c := range map[string]struct {
		words []string
		want  chat.Finish
	}{
		"stop":       {[]string{"stop"}, chat.FinishStop},
		"calls":      {[]string{"tool_calls"}, chat.FinishCalls},
		"older form": {[]string{"function_call"}, chat.FinishCalls},
		"filter":     {[]string{"content_filter"}, chat.FinishFilter},
		"unknown":    {[]string{"eos"}, "eos"},
		"first wins": {[]string{"stop", "tool_calls"}, chat.FinishStop},
		"cut wins":   {[]string{"stop", "length"}, chat.FinishLength},
		"cut stays":  {[]string{"length", "stop"}, chat.FinishLength},
	} {
		t.Run(name, func(t *testing.T) {
			var chunks []string
			for _, w := range c.words {
				chunks = append(chunks, finish(w))
			}
			if h := hearEvents(t, append(chunks, "[DONE]")...); h.Finish != c.want {
				t.Errorf("finish %q, want %q", h.Finish, c.want)
			}
		})
	}
}

func TestBadAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		contentType, body, code, text string
		status                        int
	}{
		"page":           {"text/html", "<html>login</html>", "upstream_invalid_response", "<html>login", 502},
		"empty":          {"application/json", "", "upstream_invalid_response", "0 bytes", 502},
		"cut json":       {"application/json", `{"choices":[{"message":{"content":"a`, "upstream_invalid_response", "choices", 502},
		"no choices":     {"application/json", `{"ok":true}`, "upstream_invalid_response", "ok", 502},
		"error":          {"application/json", `{"error":{"message":"full","type":"server_error","code":503}}`, "server_error", "full", 503},
		"error text":     {"application/json", `{"error":"no such model"}`, "upstream_error", "no such model", 502},
		"error flat":     {"application/json", `{"object":"error","message":"bad","type":"BadRequestError","code":400}`, "BadRequestError", "bad", 400},
		"error as event": {"text/event-stream", `{"error":{"message":"full"}}`, "upstream_error", "full", 502},
		"page as event":  {"text/event-stream", "<html>", "upstream_invalid_response", "<html>", 502},
		"text in stream": {"text/event-stream", "data: Internal Server Error\n\n", "upstream_invalid_response", "Internal Server Error", 502},
	} {
		t.Run(name, func(t *testing.T) {
			h := hear(t, strings.NewReader(c.body), c.contentType)
			if len(h.Faults) != 1 || !errors.Is(h.Err, io.ErrUnexpectedEOF) {
				t.Fatalf("faults %+v, end %v", h.Faults, h.Err)
			}
			f := h.Faults[0]
			if f.Code != c.code || f.Status != c.status || !strings.Contains(f.Text, c.text) {
				t.Errorf("fault %+v", f)
			}
		})
	}
}

func TestBounds(t *testing.T) {
	for size, want := range map[int]int{3 << 20: 0, 5 << 20: 1} {
		body := events(delta(`{"content":"`+strings.Repeat("x", size)+`"}`), finish("stop"))
		for _, r := range []io.Reader{bytes.NewReader(body), iotest.HalfReader(bytes.NewReader(body))} {
			h := hear(t, r, "text/event-stream")
			if len(h.Faults) != want || want > 0 && h.Faults[0].Code != "upstream_event_too_large" {
				t.Errorf("%d bytes: %d faults", size, len(h.Faults))
			}
			if want == 0 && len(h.Text) != size {
				t.Errorf("%d bytes: read %d", size, len(h.Text))
			}
		}
	}
	h := hear(t, strings.NewReader("data: "+strings.Repeat("[", 5000)+"\n\n"), "text/event-stream")
	if len(h.Faults) != 1 {
		t.Errorf("deep nesting: %+v", h)
	}
}

// What costs more to hold than to send is refused, never swallowed.
func TestManyOfThem(t *testing.T) {
	call := func(i int) string {
		return fmt.Sprintf(`{"index":%d,"id":"c%d","function":{"name":"f","arguments":"{}"}}`, i, i)
	}
	for n, faults := range map[int]int{1000: 0, 1025: 1} {
		var list, chunks []string
		for i := range n {
			list = append(list, call(i))
			chunks = append(chunks, piece(call(i)))
		}
		for how, h := range map[string]heard{
			"one list":    hearEvents(t, piece(strings.Join(list, ",")), finish("tool_calls")),
			"many chunks": hearEvents(t, append(chunks, finish("tool_calls"))...),
		} {
			if len(h.Faults) != faults || faults == 0 && len(h.Calls) != n {
				t.Errorf("%d calls in %s: %d, faults %+v", n, how, len(h.Calls), h.Faults)
			}
		}
	}
	h := hearEvents(t, `{"choices":[`+strings.Repeat("0,", 1<<20)+`0]}`)
	if len(h.Faults) != 1 {
		t.Errorf("many choices: %+v", h.Faults)
	}
}

func TestReaderErrors(t *testing.T) {
	broken := errors.New("reset")
	body := events(delta(`{"content":"a"}`))
	h := hear(t, io.MultiReader(bytes.NewReader(body), iotest.ErrReader(broken)), "text/event-stream")
	if h.Text != "a" || !errors.Is(h.Err, broken) {
		t.Errorf("text %q, end %v", h.Text, h.Err)
	}
	h = hear(t, io.MultiReader(strings.NewReader(`{"choices"`), iotest.ErrReader(broken)), "application/json")
	if !errors.Is(h.Err, broken) {
		t.Errorf("end %v", h.Err)
	}
}

func TestReady(t *testing.T) {
	one := events(delta(`{"content":"a"}`))
	two := events(delta(`{"content":"b"}`), finish("stop"))
	s := openai.Client{}.Decode(&pieces{append(bytes.Clone(one), two[:20]...), two[20:]}, "text/event-stream")
	r := s.(protocol.Readier)
	var ready []bool
	for {
		ready = append(ready, r.Ready())
		if _, err := s.Next(); err != nil {
			break
		}
	}
	if d := cmp.Diff([]bool{false, false, true, false}, ready); d != "" {
		t.Error(d)
	}
	if !r.Ready() {
		t.Error("an ended stream answers without waiting")
	}
}
