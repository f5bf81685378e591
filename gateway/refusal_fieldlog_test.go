package gateway_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/ferrule/ferrule/internal/cases"
	"github.com/ferrule/ferrule/rawjson"
)

// refusalCase is a case of the log in which a provider refuses a request.
type refusalCase struct {
	ID    string
	Kind  int
	Input struct {
		Status int
		Body   string
		Tools  json.RawMessage
	}
	Expect struct {
		Outcome, Class, Action, Tool, Param string
		Parsed                              map[string]int
		Calls                               []struct {
			Name      string
			Arguments json.RawMessage
		}
	}
}

// causes say which requests a provider refuses, by what the log wants done about
// it, and how many upstream requests the first client request takes.
var causes = map[string]struct {
	refuses  func(body []byte) bool
	requests int
}{
	"emulate":                                withTools,
	"emulate_or_plain":                       withTools,
	"retry_without_native_tools_as_emulated": withTools,
	"":                                       {func([]byte) bool { return true }, 1}, // a policy: it is reported
	"report":                                 {func([]byte) bool { return true }, 1},
	"retry_with_tool_choice_auto_then_check": withChoice,
	"retry_with_tool_choice_auto_then_emulate":     withChoice,
	"drop_param_named_in_text_and_retry":           withChoice,
	"retry_native_nonstream_and_synthesise_stream": {func(b []byte) bool { return member(b, "tools") != "" && member(b, "stream") == "true" }, 2},
	"retry_once_then_emulated":                     withTools2,
	"retry_once_then_loosen_schema_or_emulate":     withTools2,
	"declare_tools_seen_in_history_or_flatten":     {func(b []byte) bool { return strings.Contains(member(b, "messages"), "tool_calls") }, 2},
	"drop_param_and_retry":                         {func(b []byte) bool { return member(b, "tool_stream") != "" }, 2},
}

type cause = struct {
	refuses  func(body []byte) bool
	requests int
}

var (
	withTools  = cause{func(b []byte) bool { return member(b, "tools") != "" }, 2}
	withTools2 = cause{withTools.refuses, 3} // once more as it was, then in words
	withChoice = cause{func(b []byte) bool { return member(b, "tool_choice") == `"required"` }, 2}
)

const (
	onCall     = `{"id":"c1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"check","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`
	onCallsSSE = `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"check","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}` + "\n\ndata: [DONE]\n\n"
)

// TestFieldLogRefusals: what the log's providers say when they refuse, as an
// error, as a body with status 200, and as an event of a stream, streamed and
// not; what can be healed is, and the next request knows.
func TestFieldLogRefusals(t *testing.T) {
	ran := 0
	for line := range cases.Lines(t, "fieldlog/cases.jsonl") {
		var c refusalCase
		if json.Unmarshal(line, &c) != nil || c.Kind != 7 && c.Kind != 10 && c.ID != "F060" || c.Input.Body == "" {
			continue
		}
		ran++
		for _, way := range []string{"as an error", "in a 200"} {
			for _, stream := range []bool{false, true} {
				name := c.ID + "/" + way
				if stream {
					name += ", streamed"
				}
				t.Run(name, func(t *testing.T) { c.run(t, way == "in a 200", stream) })
			}
		}
	}
	if ran < 28 {
		t.Errorf("only %d cases", ran)
	}
}

func (c *refusalCase) run(t *testing.T, in200, stream bool) {
	if in200 && !strings.HasPrefix(c.Input.Body, "{") {
		t.Skip("a body with status 200 that is no JSON is no answer")
	}
	why, ok := causes[c.Expect.Action]
	if c.Expect.Outcome == "rescued_from_error" {
		why, ok = cause{withTools.refuses, 1}, true
	}
	if !ok {
		t.Fatalf("the test has no cause for %q", c.Expect.Action)
	}
	asked := 0
	url := inFrontOf(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked++
		streams := member(body, "stream") == "true"
		switch refuses := why.refuses(body); {
		case refuses && in200 && streams:
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "data: "+c.Input.Body+"\n\n")
		case refuses:
			if w.Header().Set("Content-Type", "application/json"); !in200 {
				w.WriteHeader(c.Input.Status)
			}
			_, _ = io.WriteString(w, c.Input.Body)
		case strings.HasPrefix(member(body, "tools"), "[") && streams:
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, onCallsSSE)
		case strings.HasPrefix(member(body, "tools"), "["):
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, onCall)
		default: // in words, as this syntax has them
			text := "<ferrule_call>\n{\"name\": \"check\", \"arguments\": {}}\n</ferrule_call>"
			quoted := string(rawjson.AppendString(nil, text))
			if streams {
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = io.WriteString(w, strings.Replace(strings.Replace(helloSSE, `"hel"`, quoted, 1), `"lo"`, `""`, 1))
				return
			}
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, strings.Replace(helloJSON, `"hello"`, quoted, 1))
		}
	}))
	tools := c.Input.Tools
	if tools == nil {
		tools = json.RawMessage(`[{"name":"check","parameters":{"type":"object"}},{"name":"HassTurnOff","parameters":{"type":"object","properties":{"domain":{"type":"array","items":{"type":"string"}}}}}]`)
	}
	list, _ := json.Marshal(asFunctions(t, tools))
	ask := func(choice string) heard {
		messages := `{"role":"user","content":"Check it, as you did."}`
		if c.Expect.Class == "history_rejected" {
			messages += `,{"role":"assistant","content":null,"tool_calls":[{"id":"call_0","type":"function","function":{"name":"gone","arguments":"{}"}}]},{"role":"tool","tool_call_id":"call_0","content":"fine"}`
		}
		body := `{"model":"m","messages":[` + messages + `],"tools":` + string(list) + `,"tool_choice":` + choice
		if c.Expect.Param == "tool_stream" {
			body += `,"tool_stream":true`
		}
		if stream {
			body += `,"stream":true`
		}
		return listen(t, url, body+"}")
	}
	choice := `"auto"`
	if c.Expect.Class == "tool_choice_unsupported" || strings.Contains(c.Expect.Action, "tool_choice") {
		choice = `"required"`
	}
	h, want := ask(choice), why.requests
	if !stream && strings.HasSuffix(c.Expect.Class, "_streaming") {
		want = 1
	}
	if asked != want {
		t.Errorf("%d upstream requests, want %d: %s", asked, want, h.report)
	}
	switch {
	case c.Expect.Action == "report" || c.Expect.Outcome == "policy":
		c.reported(t, h)
		return
	case len(h.Calls) != 1 || h.Finish != "tool_calls":
		t.Fatalf("%+v\n%s", h, h.body)
	case c.Expect.Outcome == "rescued_from_error":
		if g := c.Expect.Calls[0]; h.Calls[0].Name != g.Name || !sameJSON(h.Calls[0].Args, string(g.Arguments)) {
			t.Errorf("%+v", h.Calls)
		}
		return
	case h.Calls[0].Name != "check":
		t.Errorf("%+v", h.Calls)
	}
	// What holds for the model is known by now; what hung on one answer isn't.
	asked = 0
	if h = ask(choice); len(h.Calls) != 1 {
		t.Fatalf("the next one: %+v\n%s", h, h.body)
	}
	if lasting := c.Expect.Class == "tools_unsupported" || c.Expect.Class == "server_misconfigured" && choice == `"auto"` || c.Expect.Class == "tools_unsupported_streaming"; lasting && asked != 1 {
		t.Errorf("the next one took %d upstream requests", asked)
	}
}

// reported: the client hears of it in its own protocol's words, with the figures.
func (c *refusalCase) reported(t *testing.T, h heard) {
	as := strings.Contains(h.body, strings.Trim(c.Input.Body, "{}")) // or as it came
	if h.Status < 400 && h.Code == "" && !as || len(h.Calls) > 0 {
		t.Fatalf("%+v\n%s", h, h.body)
	}
	if c.Expect.Class != "context_overflow" {
		return
	}
	if h.Code != "context_length_exceeded" {
		t.Errorf("the code is %q: %s", h.Code, h.body)
	}
	for _, key := range []string{"limit", "prompt", "requested"} {
		if n := c.Expect.Parsed[key]; n > 0 && !strings.Contains(h.body, string(rawNumber(n))) {
			t.Errorf("%d isn't told: %s", n, h.body)
		}
	}
}

func rawNumber(n int) []byte { b, _ := json.Marshal(n); return b }
