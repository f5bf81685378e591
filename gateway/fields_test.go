package gateway_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestReservedFields: a template that takes a field's name for a method refuses
// in an event of a good answer (F063). The field has another name upstream and
// its own for the client, in calls and in the history, from then on.
func TestReservedFields(t *testing.T) {
	const tools = `"tools":[{"type":"function","function":{"name":"save","parameters":{"type":"object","properties":{"items":{"type":"array","items":{"type":"string"}}},"required":[]}}}]`
	for _, stream := range []string{"false", "true"} {
		t.Run("stream "+stream, func(t *testing.T) {
			var asked []string
			url := inFrontOf(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				b, _ := io.ReadAll(r.Body)
				asked = append(asked, string(b))
				w.Header().Set("Content-Type", "application/json")
				if stream == "true" {
					w.Header().Set("Content-Type", "text/event-stream")
				}
				call := `"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"save","arguments":"{\"items_\": [\"a\"]}"}}]`
				switch {
				case strings.Contains(string(b), `"properties":{"items":`) && stream == "true":
					_, _ = io.WriteString(w, "event: error\ndata: {\"error\":{\"message\":\"Error rendering prompt with jinja template: \\\"Cannot call something that is not a function: got ObjectValue\\\"\"}}\n\n")
				case strings.Contains(string(b), `"properties":{"items":`):
					_, _ = io.WriteString(w, `{"error":{"message":"Error rendering prompt with jinja template: \"Cannot call something that is not a function: got ObjectValue\""}}`)
				case stream == "true":
					_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"role":"assistant",`+call+`},"finish_reason":"tool_calls"}]}`+"\n\ndata: [DONE]\n\n")
				default:
					_, _ = io.WriteString(w, `{"choices":[{"index":0,"message":{"role":"assistant","content":null,`+call+`},"finish_reason":"tool_calls"}]}`)
				}
			}))
			ask := `{"model":"m","stream":` + stream + `,` + tools + `,"messages":[{"role":"user","content":"Save."},{"role":"assistant","content":null,"tool_calls":[{"id":"call_0","type":"function","function":{"name":"save","arguments":"{\"items\":[\"b\"]}"}}]},{"role":"tool","tool_call_id":"call_0","content":"ok"}]}`
			for i, requests := range []int{2, 1} {
				asked = nil
				h := listen(t, url, ask)
				if len(asked) != requests || len(h.Calls) != 1 || !sameJSON(h.Calls[0].Args, `{"items":["a"]}`) {
					t.Fatalf("request %d took %d upstream: %+v", i+1, len(asked), h)
				}
				if last := asked[len(asked)-1]; !strings.Contains(last, `"items_":{`) || !strings.Contains(last, `{\"items_\":[\"b\"]}`) {
					t.Errorf("request %d: %s", i+1, last)
				}
			}
		})
	}
}
