package openai_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/protocol/openai"
)

// Law: no cut shows; the frames' bytes are the body's, up to what ends it.
func FuzzDecodeStream(f *testing.F) {
	for _, b := range bodies {
		f.Add(b, 10)
	}
	f.Fuzz(func(t *testing.T, body []byte, cut int) {
		const contentType = "text/event-stream"
		want := hear(t, bytes.NewReader(body), contentType)
		cut = max(0, min(cut, len(body)))
		got := hear(t, &pieces{body[:cut], body[cut:]}, contentType)
		if !reflect.DeepEqual(want, got) {
			t.Fatal(cmp.Diff(want, got, ignoreFrames), cmp.Diff(want.frames, got.frames))
		}
		raw, ok := want.raw()
		if ok && !bytes.HasPrefix(body, raw) {
			t.Errorf("the frames' bytes aren't the body's: %q", raw)
		}
		if done := len(want.frames) > 0 && bytes.Contains(want.frames[len(want.frames)-1].Raw, []byte("[DONE]")); ok && !done && len(raw) != len(body) {
			t.Errorf("%d of %d bytes", len(raw), len(body))
		}
		if errors.Is(want.Err, io.EOF) && want.Finish == chat.FinishNone {
			t.Error("a good end without a finish")
		}
		forwardAll(t, want)
	})
}

// forwardAll encodes what was read, to clients of both kinds.
func forwardAll(t *testing.T, h heard) {
	for _, q := range []string{`{"messages":[],"stream":true,"stream_options":{"include_usage":true}}`, `{"messages":[]}`} {
		var out bytes.Buffer
		e := openai.Server{}.Encoder(&out, request(t, q))
		var err error
		exact := false
		for _, f := range h.frames {
			exact = f.Whole && f.Raw != nil && !f.Misread
			if err == nil {
				err = e.Frame(f)
			}
		}
		if err == nil {
			err = e.Close(nil)
		}
		if q[len(q)-2] == ']' && err == nil && !exact && !json.Valid(out.Bytes()) {
			t.Errorf("the reply isn't JSON: %s", out.Bytes())
		}
	}
}

// Law: a reply that is kept is kept to the byte; nothing is both good and cut.
func FuzzDecodeBody(f *testing.F) {
	f.Add([]byte(message(`{"role":"assistant","content":"a"}`, "stop")))
	f.Add([]byte(message(`{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}]}`, "tool_calls")))
	f.Add([]byte(`{"error":{"message":"x","code":429}}`))
	f.Add([]byte("<html><title>x</title>"))
	f.Fuzz(func(t *testing.T, body []byte) {
		h := hear(t, bytes.NewReader(body), "application/json")
		if len(h.frames) == 1 && h.frames[0].Whole {
			if raw := h.frames[0].Raw; raw != nil && !bytes.Equal(raw, body) {
				t.Errorf("it is kept as %q", raw)
			}
			forwardAll(t, h)
		}
		if errors.Is(h.Err, io.EOF) && h.Finish == chat.FinishNone {
			t.Error("a good end without a finish")
		}
		fault := openai.Client{}.DecodeFault(500, chat.Wire{Body: body})
		if fault.Text == "" || fault.Code == "" {
			t.Errorf("a fault that says nothing: %+v", fault)
		}
		if status, out := (openai.Server{}).EncodeFault(fault); status != 500 || len(body) > 0 && !bytes.Equal(out, body) {
			t.Errorf("it goes out as %d %q", status, out)
		}
	})
}

// Laws: what is taken goes out as it came; written anew it means the same.
func FuzzDecodeRequest(f *testing.F) {
	for _, b := range requests {
		f.Add([]byte(b))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		q, fault := openai.Server{}.DecodeRequest("", chat.Wire{Body: body})
		if fault != nil {
			if fault.Status != 400 || fault.Code == "" || fault.Text == "" {
				t.Errorf("fault %+v", fault)
			}
			return
		}
		if got := encode(t, q); got != string(body) {
			t.Errorf("it goes out as %s", got)
		}
		again := encode(t, q.Edit(everything))
		if !json.Valid([]byte(again)) {
			t.Fatalf("written anew it isn't JSON: %s", again)
		}
		if _, fault := (openai.Server{}).DecodeRequest("", chat.Wire{Body: []byte(again)}); fault != nil && fault.Code != "nesting_too_deep" {
			t.Errorf("written anew it is refused: %v: %s", fault, again)
		}
	})
}

const everything = chat.FieldMessages | chat.FieldTools | chat.FieldFormat | chat.FieldSampling | chat.FieldStream

// requests are bodies in the forms that clients send.
var requests = []string{
	`{"model":"m","messages":[{"role":"user","content":"hi"}]}`,
	`{"messages":[{"role":"system","content":[{"type":"text","text":"s"}]},{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"r"}],"tools":[{"type":"function","function":{"name":"f"}},{"type":"custom","custom":{"name":"c"}},{"type":"web_search"}],"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"type":"function","function":{"name":"f"}}]}}}`,
	`{"messages":[{"role":"assistant","function_call":{"name":"f","arguments":"{}"}},{"role":"function","name":"f","content":"r"}],"functions":[{"name":"f","parameters":{"type":"object"}}],"function_call":"auto"}`,
	`{"messages":[1,{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AA"}},{"type":"file"}]}],"stream":true,"stream_options":{"include_usage":true},"response_format":{"type":"json_schema","json_schema":{"name":"r","schema":{}}},"max_tokens":3,"stop":"x"}`,
}

// Law: a reply whose calls are changed says the same in all else, and is read
// as what its events say.
func FuzzChangedReply(f *testing.F) {
	f.Add([]byte(message(`{"content":"a","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}},{"id":"a","function":{"name":"g","arguments":{}}}]}`, "stop")), false)
	f.Add([]byte(message(`{"function_call":{"name":"f","arguments":""},"tool_calls":null}`, "function_call")), true)
	f.Add([]byte(`{"choices":[{"index":1,"message":{"tool_calls":[{"id":"a","function":{"name":"f"}}]}},{"message":{}},{"index":0,"message":{"content":"x"},"finish_reason":"stop"}]}`), false)
	f.Add([]byte(`{"choices":[{"index":0,"message":{"content":"x"},"finish_reason":"length"},{"index":1,"message":{"tool_calls":[{"id":"a","function":{"name":"f"}}]}}]}`), true)
	f.Fuzz(func(t *testing.T, body []byte, none bool) {
		h := hear(t, bytes.NewReader(body), "application/json")
		if len(h.frames) != 1 || !h.frames[0].Whole || h.frames[0].Raw == nil || len(h.Faults) > 0 {
			return
		}
		fr := h.frames[0]
		var es []chat.Event
		calls := 0
		for _, e := range fr.Events {
			switch e.Kind {
			case chat.EventCallStart, chat.EventCallArgs:
				continue
			case chat.EventCallEnd:
				if none {
					continue
				}
				calls++
				e.Call.Args = []byte(`{"x":1}`)
				e.Call.Extra = nil
			}
			es = append(es, e)
		}
		fr.Changed, fr.Events = true, es
		out := written(t, &chat.Request{Model: "m"}, fr)
		again := hear(t, bytes.NewReader([]byte(out)), "application/json")
		if again.Text != h.Text || len(again.Calls) != calls || len(again.Faults) > 0 {
			t.Fatalf("text %q, calls %+v, faults %v in %s", again.Text, again.Calls, again.Faults, out)
		}
		for i, c := range again.Calls {
			if c.Name != h.Calls[i].Name || string(c.Args) != `{"x":1}` {
				t.Errorf("call %+v in %s", c, out)
			}
		}
	})
}
