package refusal_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/internal/cases"
	"github.com/ferrule/ferrule/refusal"
)

// actions are the field log's words for what to do, and ours.
var actions = map[string]string{
	"emulate":                                      refusal.Emulate,
	"emulate_or_plain":                             refusal.Emulate,
	"retry_without_native_tools_as_emulated":       refusal.Emulate,
	"report":                                       refusal.Report,
	"retry_with_tool_choice_auto_then_check":       refusal.DropChoice,
	"retry_with_tool_choice_auto_then_emulate":     refusal.DropChoice,
	"drop_param_named_in_text_and_retry":           refusal.DropChoice, // the parameter that it names is the choice
	"retry_native_nonstream_and_synthesise_stream": refusal.Unstream,
	"retry_once_then_emulated":                     refusal.RetryOnce,
	"retry_once_then_loosen_schema_or_emulate":     refusal.RetryOnce,
	"declare_tools_seen_in_history_or_flatten":     refusal.Reshape,
	"split_parallel_calls_and_retry":               refusal.Reshape,
	"drop_param_and_retry":                         refusal.DropParam,
}

// without are the cases of kinds 7 and 10 that no fault stands in.
var without = map[string]bool{"F188": true, "F189": true, "F194": true, "F195": true, "F197": true}

// kindOf is the class of the provider_error of a kind's cases.
var kindOf = map[int]string{3: refusal.SchemaRefused, 5: refusal.SchemaRefused, 6: refusal.HistoryRejected}

type logged struct {
	ID    string `json:"id"`
	Kind  int    `json:"kind"`
	Input struct {
		Status int      `json:"status"`
		Body   string   `json:"body"`
		Error  string   `json:"provider_error"`
		SSE    []string `json:"sse"`
	} `json:"input"`
	Expect struct {
		Outcome  string         `json:"outcome"`
		Class    string         `json:"class"`
		NotClass string         `json:"not_class"`
		Action   string         `json:"action"`
		Scope    string         `json:"scope"`
		Tool     string         `json:"tool"`
		Param    string         `json:"param"`
		Parsed   map[string]int `json:"parsed"`
		Siblings []struct {
			Message string `json:"message"`
			Class   string `json:"class"`
			Action  string `json:"action"`
		} `json:"siblings"`
	} `json:"expect"`
}

func fieldLog(t *testing.T, f func(t *testing.T, c logged)) {
	t.Helper()
	for line := range cases.Lines(t, "fieldlog/cases.jsonl") {
		var c logged
		if err := json.Unmarshal(line, &c); err != nil {
			continue // of a form that no fault stands in
		}
		t.Run(c.ID, func(t *testing.T) { f(t, c) })
	}
}

func asked(edit func(*chat.Request)) *chat.Request {
	return request(func(q *chat.Request) {
		q.Tools = append(q.Tools, chat.Tool{Name: "HassTurnOff"}, chat.Tool{Name: "check"})
		if edit != nil {
			edit(q)
		}
	})
}

// TestFieldLog: the cases that say how a fault is to be understood.
func TestFieldLog(t *testing.T) {
	seen := 0
	fieldLog(t, func(t *testing.T, c logged) {
		if c.Expect.Outcome != "refusal_classified" {
			if (c.Kind == 7 || c.Kind == 10) && !without[c.ID] && c.ID != "F161" {
				t.Errorf("the test doesn't know what to do with a %s", c.Expect.Outcome)
			}
			return
		}
		seen++
		action, ok := actions[c.Expect.Action]
		if !ok {
			t.Fatalf("the test has no action for %q", c.Expect.Action)
		}
		for way, f := range ways(c.Input.Status, c.Input.Body) {
			v := refusal.Classify(f, asked(nil))
			if v.Class != c.Expect.Class || v.Action != action || c.Expect.Scope != "" && v.Scope != c.Expect.Scope {
				t.Errorf("%s: got %+v, want %s, %s, %s", way, v, c.Expect.Class, action, c.Expect.Scope)
			}
			if c.Expect.Tool != v.Tool || c.Expect.Param != "" && c.Expect.Param != v.Param {
				t.Errorf("%s: it names %q and %q, want %q and %q", way, v.Tool, v.Param, c.Expect.Tool, c.Expect.Param)
			}
			if v.Class == c.Expect.NotClass {
				t.Errorf("%s: it is %s", way, v.Class)
			}
			if n := refusal.Classify(f, nil); n.Class != v.Class || n.Action != v.Action {
				t.Errorf("%s: without a request it is %+v", way, n)
			}
		}
		for _, s := range c.Expect.Siblings {
			v := refusal.Classify(fault(400, fmt.Sprintf(`{"error":{"message":%q}}`, s.Message)), asked(nil))
			if v.Class != s.Class || v.Action != actions[s.Action] {
				t.Errorf("%q: got %+v, want %s, %s", s.Message, v, s.Class, s.Action)
			}
		}
		got := refusal.FiguresOf(fault(c.Input.Status, c.Input.Body))
		want := c.Expect.Parsed
		if got != (refusal.Figures{
			Limit: want["limit"], Requested: want["requested"], Prompt: want["prompt"],
			Messages: want["messages"], Functions: want["functions"], Completion: want["completion"],
		}) {
			t.Errorf("the figures are %+v, want %v", got, want)
		}
	})
	if seen < 25 {
		t.Errorf("%d cases", seen)
	}
}

// ways are the forms in which the same refusal comes: an error's body, a 200
// body and an event in a stream, and those through a gateway that wraps it.
func ways(status int, body string) map[string]*chat.Fault {
	all := map[string]*chat.Fault{"a status": fault(status, body)}
	for _, s := range []int{200, 400, 404, 405, 422, 500} {
		all[fmt.Sprint("status ", s)] = fault(s, body)
	}
	all["an event in a stream"] = &chat.Fault{Status: 502, Code: "upstream_error", Wire: &chat.Wire{Protocol: "openai", Body: []byte(body)}}
	all["text"] = &chat.Fault{Status: 502, Text: body}
	if strings.HasPrefix(body, "{") {
		wrapped, _ := json.Marshal(map[string]any{"error": map[string]any{"message": "Provider returned error", "code": 400, "metadata": map[string]string{"raw": body}}})
		all["by way of a gateway"] = fault(400, string(wrapped))
	}
	return all
}

// TestRescuedFieldLog: what a model wrote is read before any row is looked at.
func TestRescuedFieldLog(t *testing.T) {
	seen := 0
	fieldLog(t, func(t *testing.T, c logged) {
		if c.Expect.Outcome != "rescued_from_error" || c.Input.Body == "" {
			return
		}
		seen++
		v := refusal.Classify(fault(c.Input.Status, c.Input.Body), asked(nil))
		if v.Class != refusal.OutputRejected || v.Action != refusal.Rescue {
			t.Errorf("got %+v", v)
		}
	})
	if seen < 2 {
		t.Errorf("%d cases", seen)
	}
}

// TestProvidersErrors: the texts of the cases about schemas, names and history.
func TestProvidersErrors(t *testing.T) {
	other := map[string]string{"F063": refusal.TemplateFailed}
	seen := 0
	fieldLog(t, func(t *testing.T, c logged) {
		if c.Input.Error == "" {
			return
		}
		seen++
		want := kindOf[c.Kind]
		if o, ok := other[c.ID]; ok {
			want = o
		}
		body, _ := json.Marshal(map[string]any{"error": map[string]string{"message": c.Input.Error}})
		for way, f := range ways(400, string(body)) {
			if v := refusal.Classify(f, asked(nil)); v.Class != want {
				t.Errorf("%s: got %+v, want %s", way, v, want)
			}
		}
	})
	if seen < 30 {
		t.Errorf("%d cases", seen)
	}
}

// TestOtherFaultsOfTheFieldLog: a count of tools, and an event in a stream.
func TestOtherFaultsOfTheFieldLog(t *testing.T) {
	fieldLog(t, func(t *testing.T, c logged) {
		f := fault(c.Input.Status, c.Input.Body)
		switch {
		case c.Expect.Outcome == "policy" && c.Expect.Class != "" && c.Input.Body != "":
		case c.Expect.Outcome == "upstream_error" && len(c.Input.SSE) > 0:
			f = &chat.Fault{Status: 502, Wire: &chat.Wire{Body: []byte(c.Input.SSE[0])}}
		default:
			return
		}
		if v := refusal.Classify(f, asked(nil)); v.Class != c.Expect.Class || v.Action != refusal.Report {
			t.Errorf("got %+v, want %s", v, c.Expect.Class)
		}
	})
}
