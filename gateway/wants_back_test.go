package gateway_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestWhatAModelWantsBack: what clients drop and a provider insists on (F115,
// F116) is put back, from what its own answer held, or in the words that it
// takes where that isn't known.
func TestWhatAModelWantsBack(t *testing.T) {
	const asked = `{"role":"user","content":"a"}`
	for _, c := range []struct {
		id      string
		member  string // of the answer's message or call
		inCall  bool
		refusal string
		unknown string // what goes where the answer isn't known
	}{
		{"F115", `"extra_content":{"google":{"thought_signature":"SIG"}}`, true, "Function call is missing a thought_signature in functionCall parts.", `"skip_thought_signature_validator"`},
		{"F116", `"reasoning_content":"I look."`, false, "The reasoning_content in the thinking mode must be passed back to the API.", `"reasoning_content":""`},
	} {
		for _, stream := range []string{"false", "true"} {
			t.Run(c.id+"/stream "+stream, func(t *testing.T) {
				var bodies []string
				name, _, _ := strings.Cut(strings.Trim(c.member, `"`), `"`)
				if c.inCall {
					name = "thought_signature"
				}
				call, beside := `{"index":0,"id":"call_1","type":"function","function":{"name":"get_weather","arguments":"{\"city\":\"Oslo\"}"}}`, ","+c.member
				if c.inCall {
					call, beside = strings.TrimSuffix(call, "}")+beside+"}", ""
				}
				url := inFrontOf(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					b, _ := io.ReadAll(r.Body)
					bodies = append(bodies, string(b))
					messages := member(b, "messages")
					w.Header().Set("Content-Type", "application/json")
					switch {
					case strings.Contains(messages, "tool_calls") && !strings.Contains(messages, `"`+name+`"`):
						w.WriteHeader(400)
						_, _ = io.WriteString(w, asError(c.refusal))
					case stream == "true":
						w.Header().Set("Content-Type", "text/event-stream")
						_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"role":"assistant"`+beside+`,"tool_calls":[`+call+`]},"finish_reason":"tool_calls"}]}`+"\n\ndata: [DONE]\n\n")
					default:
						_, _ = io.WriteString(w, `{"choices":[{"index":0,"message":{"role":"assistant","content":null`+beside+`,"tool_calls":[`+call+`]},"finish_reason":"tool_calls"}]}`)
					}
				}))
				ask := func(messages string) heard {
					bodies = nil
					return listen(t, url, `{"model":"m","stream":`+stream+`,"messages":[`+messages+`],"tools":[{"type":"function","function":{"name":"get_weather","parameters":{"type":"object"}}}]}`)
				}
				// A call that the gateway never saw.
				strange := asked + `,{"role":"assistant","content":null,"tool_calls":[{"id":"call_0","type":"function","function":{"name":"get_weather","arguments":"{}"}}]},{"role":"tool","tool_call_id":"call_0","content":"4C"}`
				h := ask(strange)
				if len(h.Calls) != 1 || len(bodies) != 2 || !strings.Contains(bodies[1], c.unknown) {
					t.Fatalf("%+v\n%s", h, bodies)
				}
				// And its answer to that, of which the client drops half.
				next := strange + `,{"role":"assistant","content":null,"tool_calls":[{"id":"` + h.Calls[0].ID + `","type":"function","function":{"name":"get_weather","arguments":"{\"city\":\"Oslo\"}"}}]},{"role":"tool","tool_call_id":"` + h.Calls[0].ID + `","content":"5C"}`
				h = ask(next)
				if len(h.Calls) != 1 || len(bodies) != 1 || !strings.Contains(bodies[0], c.member) {
					t.Errorf("%+v\n%s", h, bodies)
				}
			})
		}
	}
}
