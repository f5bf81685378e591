package history_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/history"
	"github.com/ferrule/ferrule/internal/cases"
	"github.com/ferrule/ferrule/protocol/openai"
)

// historyCase is a transcript that was refused, and what should have been sent.
type historyCase struct {
	ID    string `json:"id"`
	Kind  int    `json:"kind"`
	Input struct {
		Messages json.RawMessage `json:"messages"`
		Tools    json.RawMessage `json:"tools"`
		Error    string          `json:"provider_error"`
		Flavour  string          `json:"flavour"`
	} `json:"input"`
	Expect struct {
		Outcome      string            `json:"outcome"`
		Messages     []json.RawMessage `json:"messages"`
		Rule         string            `json:"rule"`
		Roles        []string          `json:"roles"`
		IDPattern    string            `json:"id_pattern"`
		MustHave     []string          `json:"must_have"`
		MustKeep     []string          `json:"must_keep"`
		Alternatives []string          `json:"alternatives"`
	} `json:"expect"`
}

// message is one of a request's, as it goes out.
type message struct {
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	ID        string          `json:"tool_call_id"`
	ToolName  string          `json:"tool_name"`
	Reasoning *string         `json:"reasoning_content"`
	Calls     []struct {
		ID       string `json:"id"`
		Function struct {
			Arguments json.RawMessage `json:"arguments"`
		} `json:"function"`
		Extra json.RawMessage `json:"extra_content"`
	} `json:"tool_calls"`
}

// notAsked are cases whose refusal asks for nothing that a rule does: F121's is
// about a block of another protocol.
var notAsked = map[string]bool{"F121": true}

// TestFieldLogHistory runs the log's transcripts through the flavour that they
// name, and through the rules that their refusals ask for.
func TestFieldLogHistory(t *testing.T) {
	seen := 0
	for line := range cases.Lines(t, "fieldlog/cases.jsonl") {
		var c historyCase
		if err := json.Unmarshal(line, &c); err != nil || c.Kind != 6 {
			continue
		}
		seen++
		t.Run(c.ID, func(t *testing.T) {
			if c.Expect.Outcome != "messages_rewritten" {
				t.Fatalf("an outcome that isn't known: %s", c.Expect.Outcome)
			}
			rules, err := history.Parse(c.Input.Flavour)
			if err != nil {
				t.Fatal(err)
			}
			t.Run("flavour", func(t *testing.T) { c.check(t, rules) })
			asked := history.Asked(&chat.Fault{Text: c.Input.Error})
			body := history.Asked(&chat.Fault{Wire: &chat.Wire{Body: []byte(c.Input.Error)}})
			if (asked == 0) != notAsked[c.ID] || body != asked {
				t.Fatalf("the refusal asks for %q, its body for %q", asked, body)
			}
			t.Run("refusal", func(t *testing.T) { c.check(t, asked) })
		})
	}
	if seen == 0 {
		t.Error("no case of a history")
	}
}

func (c *historyCase) check(t *testing.T, rules history.Rules) {
	body := `{"messages":` + string(c.Input.Messages) + `,"tools":`
	if c.Input.Tools != nil {
		body += string(c.Input.Tools) + `}`
	} else {
		body += `[{"type":"function","function":{"name":"get_weather"}}]}`
	}
	q := decode(t, body)
	out, _ := history.Shape(q, rules)
	sent := encoded(t, out)
	var ms []message
	var raw []json.RawMessage
	if json.Unmarshal(sent, &ms) != nil || json.Unmarshal(sent, &raw) != nil {
		t.Fatalf("%s", sent)
	}
	if c.Expect.Messages != nil {
		if d := cmp.Diff(values(t, c.Expect.Messages), values(t, raw)); d != "" {
			t.Errorf("%s: %s", rules, d)
		}
	}
	if c.Expect.Roles != nil {
		if d := cmp.Diff(c.Expect.Roles, roles(ms)); d != "" {
			t.Errorf("%s: %s", rules, d)
		}
	}
	if c.Expect.IDPattern != "" {
		id := ms[1].Calls[0].ID
		again, _ := history.Shape(decode(t, body), rules)
		if !regexp.MustCompile(c.Expect.IDPattern).MatchString(id) || ms[2].ID != id || string(encoded(t, again)) != string(sent) {
			t.Errorf("%s", sent)
		}
	}
	has := map[string]bool{
		"messages[1].reasoning_content":                          ms[1].Reasoning != nil && *ms[1].Reasoning == "",
		"messages[1].tool_calls[0].function.arguments is object": len(ms[1].Calls) > 0 && ms[1].Calls[0].Function.Arguments[0] == '{',
		"messages[2].tool_name == get_weather":                   len(ms) > 2 && ms[2].ToolName == "get_weather",
		"tool_calls[0].extra_content.google.thought_signature":   len(ms[1].Calls) > 0 && strings.Contains(string(ms[1].Calls[0].Extra), `"SIG"`),
		"bridge_or_fold_text_into_result":                        slices.Equal(roles(ms), []string{"user", "assistant", "tool", "assistant", "user"}),
		"json_block_only_for_objects":                            len(ms) > 2 && string(ms[2].Content) == `"[{\"id\":1}]"`,
		"history_flattened_to_text":                              !strings.Contains(string(sent), "tool_call") && strings.Contains(string(sent), "5C"),
	}
	for _, want := range append(append(c.Expect.MustHave, c.Expect.MustKeep...), first(c.Expect.Alternatives)...) {
		if !has[want] {
			t.Errorf("%s: %s isn't there: %s", rules, want, sent)
		}
	}
	if held, known := has[c.Expect.Rule]; known && !held {
		t.Errorf("%s: %s doesn't hold: %s", rules, c.Expect.Rule, sent)
	}
}

func first(list []string) []string { return list[:min(1, len(list))] }

func roles(ms []message) (out []string) {
	for _, m := range ms {
		out = append(out, m.Role)
	}
	return out
}

func values(t *testing.T, raw []json.RawMessage) (out []any) {
	for _, r := range raw {
		var v any
		if err := json.Unmarshal(r, &v); err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

func decode(t testing.TB, body string) *chat.Request {
	t.Helper()
	q, fault := openai.Server{}.DecodeRequest("", chat.Wire{Body: []byte(body)})
	if fault != nil {
		t.Fatal(fault)
	}
	return q
}

// encoded returns the messages as they go upstream.
func encoded(t testing.TB, q *chat.Request) json.RawMessage {
	t.Helper()
	_, body, err := openai.Client{}.EncodeRequest(q)
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		Messages json.RawMessage `json:"messages"`
	}
	if err := json.Unmarshal(body, &r); err != nil {
		t.Fatal(err)
	}
	return r.Messages
}
