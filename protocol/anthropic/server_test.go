package anthropic_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/protocol/anthropic"
	"github.com/ferrule/ferrule/rawjson"
)

func decode(t testing.TB, body string) *chat.Request {
	t.Helper()
	q, fault := anthropic.Server{}.DecodeRequest("/v1/messages", chat.Wire{Body: []byte(body)})
	if fault != nil {
		t.Fatal(fault)
	}
	return q
}

// TestDecodeRequest reads what Claude Code sends, part by part.
func TestDecodeRequest(t *testing.T) {
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	one, limit := false, 32000
	q := decode(t, `{"model":"m","max_tokens":32000,"stream":true,"system":[
		{"type":"text","text":"x-anthropic-billing-header: cc_version=1; cch=abc;"},
		{"type":"text","text":"Be brief.","cache_control":{"type":"ephemeral"}}],
	"messages":[
		{"role":"user","content":"hi"},
		{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"sig"},{"type":"text","text":"Look."},{"type":"tool_use","id":"toolu_1","name":"read","input":{"path": "a"}}]},
		{"role":"user","content":[{"type":"text","text":"and"},{"type":"tool_result","tool_use_id":"toolu_1","is_error":true,"content":[{"type":"text","text":"no"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}]}]},
		{"role":"user","content":[{"type":"document","source":{"type":"text","data":"d"}}]}],
	"tools":[{"name":"read","description":"Reads.","input_schema":{"type":"object"},"cache_control":{"type":"ephemeral"}},{"type":"custom","name":"edit","input_schema":{"type":"object"}},{"type":"web_search_20250305","name":"web_search","max_uses":5}],
	"tool_choice":{"type":"tool","name":"read","disable_parallel_tool_use":true},
	"metadata":{"user_id":"u"},"thinking":{"type":"adaptive"}}`)
	q.Wire = nil
	want := &chat.Request{
		Model: "m", Stream: true, Usage: true, Parallel: &one, Sampling: chat.Sampling{MaxTokens: &limit},
		System: []chat.Part{chat.Text{Text: "Be brief.", Extra: chat.Extra{"anthropic.cache_control": raw(`{"type":"ephemeral"}`)}}},
		Messages: []chat.Message{
			{Role: chat.RoleUser, Parts: []chat.Part{chat.Text{Text: "hi"}}},
			{Role: chat.RoleAssistant, Parts: []chat.Part{
				chat.Reasoning{Text: "hm", Extra: chat.Extra{"anthropic.signature": raw(`"sig"`)}},
				chat.Text{Text: "Look."},
				chat.Call{ID: "toolu_1", Name: "read", Args: []byte(`{"path": "a"}`)},
			}},
			{Role: chat.RoleTool, Parts: []chat.Part{chat.Result{ID: "toolu_1", Name: "read", Error: true, Parts: []chat.Part{chat.Text{Text: "no"}, chat.Image{URL: "data:image/png;base64,AAAA", Media: "image/png"}}}}},
			{Role: chat.RoleUser, Parts: []chat.Part{chat.Text{Text: "and"}}},
			{Role: chat.RoleUser, Parts: []chat.Part{chat.Opaque{Protocol: "anthropic", Raw: raw(`{"type":"document","source":{"type":"text","data":"d"}}`)}}},
		},
		Tools: []chat.Tool{
			{Name: "read", Description: "Reads.", Kind: chat.ToolFunction, Schema: []byte(`{"type":"object"}`), Extra: chat.Extra{"anthropic.cache_control": raw(`{"type":"ephemeral"}`)}},
			{Name: "edit", Kind: chat.ToolFunction, Schema: []byte(`{"type":"object"}`), Extra: chat.Extra{"anthropic.type": raw(`"custom"`)}},
			{Name: "web_search", Kind: chat.ToolHosted, Extra: chat.Extra{"anthropic.tool": raw(`{"type":"web_search_20250305","name":"web_search","max_uses":5}`)}},
		},
		Choice: chat.Choice{Mode: chat.ChoiceNamed, Name: "read"},
	}
	if d := cmp.Diff(want, q); d != "" {
		t.Error(d)
	}
}

// TestDecodeRefuses: what can't be read at all, and its twin.
func TestDecodeRefuses(t *testing.T) {
	for body, code := range map[string]string{
		`{"model":"m","messages":[]}`:    "",
		`{"messages":[{"role":"user"}]}`: "",
		`{"model":"m"}`:                  "invalid_request",
		`{"model":7,"messages":[]}`:      "invalid_request",
		`[]`:                             "invalid_request",
		`{"model":`:                      "invalid_json",
		``:                               "invalid_json",
		`{"model":"a","model":"b","messages":[]}`:                                                   "duplicate_key",
		`{"model":"a","model":"a","messages":[]}`:                                                   "",
		`{"messages":` + strings.Repeat("[", 70) + strings.Repeat("]", 70) + `}`:                    "nesting_too_deep",
		`{"messages":[` + strings.Repeat(`{"role":"user","content":"x"},`, 70000) + `{}` + `]}`:     "too_many_items",
		`{"messages":[{"role":"user","content":[1,null,"x",{"type":"text"},{"type":"tool_use"}]}]}`: "",
	} {
		_, fault := anthropic.Server{}.DecodeRequest("", chat.Wire{Body: []byte(body)})
		got := ""
		if fault != nil {
			got = fault.Code
		}
		if got != code {
			t.Errorf("%.60s: %q, want %q", body, got, code)
		}
	}
}

// FuzzRequest: a request that is read goes out as the bytes that it came in;
// written anew it is JSON, and reads the same from then on.
func FuzzRequest(f *testing.F) {
	f.Add([]byte(`{"model":"m","messages":[{"role":"user","content":"hi"}]}`))
	f.Add([]byte(`{"model":"m","system":[{"type":"text","text":"s","cache_control":{}}],"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}},{"type":"redacted_thinking","data":"d"}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"}]}],"tools":[{"name":"f"},{"type":"x"}],"tool_choice":{"type":"any"},"output_config":{"format":{"type":"json_schema","schema":{}}}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		q, fault := anthropic.Server{}.DecodeRequest("", chat.Wire{Body: body})
		if fault != nil {
			if fault.Status != 400 || fault.Text == "" {
				t.Errorf("%+v", fault)
			}
			return
		}
		if model, ok := rawjson.Get(body, "model"); ok && rawjson.Kind(model) == '"' && q.Model != "" {
			if _, out, err := (anthropic.Client{}).EncodeRequest(q); err != nil || !bytes.Equal(out, body) && !rawjson.Same(out, body) {
				t.Errorf("%s became %s: %v", body, out, err)
			}
		}
		all := q.Edit(chat.FieldMessages | chat.FieldTools | chat.FieldFormat | chat.FieldSampling | chat.FieldStream)
		all.Wire = nil
		_, out, err := anthropic.Client{}.EncodeRequest(all)
		var refused *chat.Fault
		if errors.As(err, &refused) {
			return
		}
		if err != nil || rawjson.Valid(out, rawjson.MaxDepth) != nil {
			t.Fatalf("%s became %s: %v", body, out, err)
		}
		again, fault := anthropic.Server{}.DecodeRequest("", chat.Wire{Body: out})
		if fault != nil {
			t.Fatalf("%s can't be read: %v", out, fault)
		}
		again.Wire = nil
		_, twice, err := anthropic.Client{}.EncodeRequest(again)
		if err != nil || !bytes.Equal(out, twice) && !rawjson.Same(out, twice) {
			t.Errorf("%s\nbecame %s\nand then %s: %v", body, out, twice, err)
		}
	})
}

// drawEvents makes an answer as a turn makes them: words, thoughts, calls.
func drawEvents(t *rapid.T) []chat.Event {
	es := []chat.Event{{Kind: chat.EventStart, Meta: &chat.Meta{ID: "msg_1", Model: "m"}}}
	calls := 0
	for range rapid.IntRange(0, 6).Draw(t, "n") {
		switch rapid.SampledFrom([]string{"text", "thought", "call"}).Draw(t, "kind") {
		case "text":
			es = append(es, chat.Event{Kind: chat.EventText, Text: rapid.SampledFrom([]string{"a", "\n", "ü\"\\", "</x>"}).Draw(t, "words")})
		case "thought":
			es = append(es, chat.Event{Kind: chat.EventReasoning, Text: "hm"})
		case "call":
			c := chat.Call{ID: "toolu_" + string(rune('a'+calls)), Name: "f", Args: []byte(`{"x":1}`)}
			es = append(es, chat.Event{Kind: chat.EventCallStart, Index: calls, Call: c}, chat.Event{Kind: chat.EventCallArgs, Index: calls, Text: `{"x"`}, chat.Event{Kind: chat.EventCallArgs, Index: calls, Text: `:1}`}, chat.Event{Kind: chat.EventCallEnd, Index: calls, Call: c})
			calls++
		}
	}
	finish := chat.FinishStop
	if calls > 0 {
		finish = chat.FinishCalls
	}
	return append(es, chat.Event{Kind: chat.EventUsage, Usage: chat.Usage{Input: 12, Output: 5, Cached: 2, Known: true}}, chat.Event{Kind: chat.EventFinish, Finish: finish})
}

// TestEncoderLaws: what the encoder writes of any answer, streamed or whole, in
// however many frames, the client reads as that answer, and nothing in it is
// what the protocol doesn't want.
func TestEncoderLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		es := drawEvents(t)
		encode := func(stream, apart bool) string {
			var b bytes.Buffer
			e := anthropic.Server{}.Encoder(&b, &chat.Request{Model: "m", Stream: stream})
			fs := []chat.Frame{{Events: es}}
			if apart {
				fs = nil
				for i := range es {
					fs = append(fs, chat.Frame{Events: es[i : i+1]})
				}
			}
			for _, f := range fs {
				if err := e.Frame(f); err != nil {
					t.Fatal(err)
				}
			}
			if err := e.Close(nil); err != nil {
				t.Fatal(err)
			}
			return b.String()
		}
		if encode(true, true) != encode(true, false) || encode(false, true) != encode(false, false) {
			t.Error("the cut into frames shows")
		}
		var outcomes [2]string
		for i, stream := range []bool{true, false} {
			body := encode(stream, true)
			media := "application/json"
			if stream {
				media = "text/event-stream"
			}
			s := anthropic.Client{}.Decode(strings.NewReader(body), media)
			var text, thought, calls string
			var usage chat.Usage
			for {
				f, err := s.Next()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatalf("%v in %s", err, body)
				}
				if f.Misread {
					t.Errorf("the protocol doesn't want %s", f.Raw)
				}
				for _, e := range f.Events {
					switch e.Kind {
					case chat.EventText:
						text += e.Text
					case chat.EventReasoning:
						thought += e.Text
					case chat.EventCallEnd:
						calls += e.Call.ID + e.Call.Name + string(e.Call.Args)
					case chat.EventUsage:
						usage = e.Usage
					}
				}
			}
			if usage.Input != 12 || usage.Output != 5 || usage.Cached != 2 {
				t.Errorf("the usage is %+v in %s", usage, body)
			}
			outcomes[i] = text + "|" + thought + "|" + calls
		}
		var text, thought, calls string
		for _, e := range es {
			switch e.Kind {
			case chat.EventText:
				text += e.Text
			case chat.EventReasoning:
				thought += e.Text
			case chat.EventCallEnd:
				calls += e.Call.ID + e.Call.Name + string(e.Call.Args)
			}
		}
		want := text + "|" + thought + "|" + calls
		if outcomes[0] != want {
			t.Errorf("streamed: %q, want %q", outcomes[0], want)
		}
		if outcomes[1] != want {
			t.Errorf("whole: %q, want %q", outcomes[1], want)
		}
	})
}

// TestEncodeFault: an upstream's own words pass; ours have the protocol's shape.
func TestEncodeFault(t *testing.T) {
	for _, c := range []struct {
		f      *chat.Fault
		status int
		body   string
	}{
		{&chat.Fault{Status: 400, Code: "x", Text: "t", Wire: &chat.Wire{Protocol: "anthropic", Body: []byte(`{"type":"error","error":{}}`)}}, 400, `{"type":"error","error":{}}`},
		{&chat.Fault{Status: 401, Code: "invalid_api_key", Text: "no"}, 401, `{"type":"error","error":{"type":"authentication_error","message":"no","code":"invalid_api_key"}}`},
		{&chat.Fault{Status: 429, Text: "slow", Wire: &chat.Wire{Protocol: "openai", Body: []byte(`{}`)}}, 429, `{"type":"error","error":{"type":"rate_limit_error","message":"slow"}}`},
		{&chat.Fault{Status: 502, Code: "upstream_cut", Text: "cut"}, 502, `{"type":"error","error":{"type":"api_error","message":"cut","code":"upstream_cut"}}`},
		{&chat.Fault{Status: 400, Code: chat.CodeContext, Text: "too much", Window: 8192, Prompt: 9000}, 400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9000 tokens > 8192 maximum. too much","code":"context_length_exceeded"}}`},
		{&chat.Fault{Text: "?"}, 500, `{"type":"error","error":{"type":"api_error","message":"?"}}`},
		{nil, 500, `{"type":"error","error":{"type":"api_error","message":"Something failed without saying why.","code":"internal_error"}}`},
	} {
		status, body := anthropic.Server{}.EncodeFault(c.f)
		if status != c.status || string(body) != c.body {
			t.Errorf("%d %s, want %d %s", status, body, c.status, c.body)
		}
	}
}
