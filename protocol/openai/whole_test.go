package openai_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ferrule/ferrule/chat"
)

// message writes a whole reply with one message.
func message(m, finish string) string {
	return `{"id":"c1","model":"m","created":7,"object":"chat.completion","choices":[{"index":0,"message":` + m +
		`,"finish_reason":"` + finish + `"}],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5,` +
		`"prompt_tokens_details":{"cached_tokens":1},"completion_tokens_details":{"reasoning_tokens":1}}}`
}

// A reply means the same whether it came whole or in pieces.
func TestWholeMeansTheSameAsStreamed(t *testing.T) {
	for name, c := range map[string]struct{ message, finish string }{
		"text":      {`{"role":"assistant","content":"Hé \ud83c\udf0d","refusal":null}`, "stop"},
		"reasoning": {`{"content":"a","reasoning_content":"hm"}`, "stop"},
		"other key": {`{"content":"a","reasoning":"hm"}`, "stop"},
		"list":      {`{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"a"}]}`, "stop"},
		"refusal":   {`{"content":null,"refusal":"No."}`, "stop"},
		"calls": {`{"content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\":1}"}},` +
			`{"id":"b","type":"function","function":{"name":"g","arguments":""},"extra_content":{"google":{"thought_signature":"s"}}}]}`, "tool_calls"},
		"objects":    {`{"content":"a","tool_calls":[{"id":"a","function":{"name":"f","arguments":{"x":1}}}]}`, "stop"},
		"custom":     {`{"content":null,"tool_calls":[{"id":"a","type":"custom","custom":{"name":"f","input":"raw \"text\""}}]}`, "tool_calls"},
		"older form": {`{"content":null,"function_call":{"name":"f","arguments":"{}"}}`, "function_call"},
		"cut":        {`{"content":"a","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{\"x"}}]}`, "length"},
	} {
		t.Run(name, func(t *testing.T) {
			whole := hear(t, strings.NewReader(message(c.message, c.finish)), "application/json")
			var m map[string]json.RawMessage
			if err := json.Unmarshal([]byte(c.message), &m); err != nil {
				t.Fatal(err)
			}
			usage := value(t, []byte(message(c.message, c.finish))).(map[string]any)["usage"]
			u, _ := json.Marshal(usage)
			streamed := hearEvents(t, delta(indexed(t, c.message)), finish(c.finish),
				`{"id":"c1","choices":[],"usage":`+string(u)+`}`, "[DONE]")
			if d := cmp.Diff(whole, streamed, ignoreFrames, cmpopts.EquateEmpty()); d != "" {
				t.Error(d)
			}
			if !errors.Is(whole.Err, io.EOF) || len(whole.frames) != 1 || !whole.frames[0].Whole {
				t.Errorf("end %v, frames %+v", whole.Err, whole.frames)
			}
			if whole.Usage != (chat.Usage{Input: 3, Output: 2, Total: 5, Cached: 1, Reasoning: 1, Known: true}) {
				t.Errorf("usage %+v", whole.Usage)
			}
		})
	}
}

// indexed adds to each call of a message the index that it has in a stream.
func indexed(t *testing.T, m string) string {
	v := value(t, []byte(m)).(map[string]any)
	calls, _ := v["tool_calls"].([]any)
	for i, c := range calls {
		c.(map[string]any)["index"] = i
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestWholeKeepsItsBytes(t *testing.T) {
	plain := `{"role":"assistant","content":"a","x":[1]}`
	for name, c := range map[string]struct {
		body string
		raw  bool
	}{
		"plain":        {" " + message(plain, "stop") + "\n", true},
		"with a mark":  {"\ufeff" + message(plain, "stop"), true},
		"doubled":      {message(`{"content":"a","content":"b"}`, "stop"), false},
		"same ids":     {message(`{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}},{"id":"a","function":{"name":"g","arguments":"{}"}}]}`, "tool_calls"), false},
		"two ids":      {message(`{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}},{"id":"b","function":{"name":"g","arguments":"{}"}}]}`, "tool_calls"), true},
		"objects":      {message(`{"tool_calls":[{"id":"a","function":{"name":"f","arguments":{}}}]}`, "tool_calls"), false},
		"no id":        {message(`{"tool_calls":[{"function":{"name":"f","arguments":"{}"}}]}`, "tool_calls"), false},
		"an error":     {`{"error":{"message":"x"}}`, true},
		"other choice": {`{"choices":[{"message":{"content":"a"},"finish_reason":"tool_calls"},{"message":{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			h := hear(t, strings.NewReader(c.body), "application/json")
			raw, ok := h.raw()
			if ok != c.raw || ok && !bytes.Equal(raw, []byte(c.body)) {
				t.Errorf("keeps its bytes: %t, want %t", ok, c.raw)
			}
		})
	}
}

func TestWholeWithoutFinish(t *testing.T) {
	text := hear(t, strings.NewReader(`{"choices":[{"message":{"content":"a"}}]}`), "application/json")
	if text.Finish != chat.FinishStop || !errors.Is(text.Err, io.EOF) {
		t.Errorf("text: finish %q, end %v", text.Finish, text.Err)
	}
	call := hear(t, strings.NewReader(`{"choices":[{"message":{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}]}}]}`), "application/json")
	if len(call.Calls) != 0 || !errors.Is(call.Err, io.ErrUnexpectedEOF) {
		t.Errorf("call: %+v, end %v", call.Calls, call.Err)
	}
}
