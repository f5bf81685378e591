package conformance

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// sloppyUpstream has a tools API and a model that can't write JSON: the calls
// stand in single quotes, and in a stream they come without an index and end
// with "stop".
func sloppyUpstream(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var q struct {
		Stream bool
		Model  string
	}
	if json.Unmarshal(body, &q) != nil {
		http.NotFound(w, r) // the list of models
		return
	}
	call := func(args string) string {
		b, _ := json.Marshal(args)
		return `{"id":"call_1","type":"function","function":{"name":"Get-Weather","arguments":` + string(b) + `}}`
	}
	leaks := q.Model == "leak"
	const head = `{"id":"r1","created":1,"model":"m","object":"chat.completion`
	if !q.Stream {
		w.Header().Set("Content-Type", "application/json")
		if leaks {
			fmt.Fprint(w, head+`","choices":[{"index":0,"message":{"role":"assistant","content":"Let me see.\n<tool_call>{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Paris\"}}</tool_call>"},"finish_reason":"stop"}]}`)
			return
		}
		fmt.Fprint(w, head+`","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[`+call(`{'city': 'Paris',}`)+`]},"finish_reason":"stop"}]}`)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	deltas := []string{
		`{"role":"assistant","content":"Let me see."}`,
		`{"tool_calls":[` + call(`{'city': `) + `]}`,
		`{"tool_calls":[{"function":{"arguments":"'Paris',}"}}]}`,
	}
	if leaks {
		deltas = []string{
			`{"role":"assistant","content":"Let me see.\n<tool"}`,
			`{"content":"_call>{\"name\": \"get_weather\", \"arguments\": "}`,
			`{"content":"{\"city\": \"Paris\"}}</tool_call>"}`,
		}
	}
	for _, delta := range deltas {
		fmt.Fprint(w, "data: "+head+`.chunk","choices":[{"index":0,"delta":`+delta+`,"finish_reason":null}]}`+"\n\n")
	}
	fmt.Fprint(w, "data: "+head+`.chunk","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
}

// TestSloppyNativeCall: the SDK gets a call that it can use, whether the model
// writes it badly or the endpoint leaves it in the text.
func TestSloppyNativeCall(t *testing.T) {
	for _, model := range []string{"sloppy/m", "sloppy/leak"} {
		for _, stream := range []bool{false, true} {
			r, err := ask(t.Context(), stream, request(model, "the weather?"))
			if err != nil {
				t.Fatal(err)
			}
			m := r.Choices[0].Message
			if len(m.ToolCalls) != 1 || m.ToolCalls[0].ID == "" || m.ToolCalls[0].Function.Name != "get_weather" || r.Choices[0].FinishReason != "tool_calls" {
				t.Fatalf("%s, stream=%v: %+v", model, stream, r.Choices[0])
			}
			var args struct{ City string }
			if err := json.Unmarshal([]byte(m.ToolCalls[0].Function.Arguments), &args); err != nil || args.City != "Paris" {
				t.Errorf("%s, stream=%v: arguments %s", model, stream, m.ToolCalls[0].Function.Arguments)
			}
			if (stream || model == "sloppy/leak") && strings.TrimSpace(m.Content) != "Let me see." {
				t.Errorf("%s, stream=%v: words %q", model, stream, m.Content)
			}
		}
	}
}
