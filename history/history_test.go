package history_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/history"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Each file of testdata/shape is named after a rule or a flavour and holds
// transcripts, one a line, and what becomes of them: the messages, and a line of
// notes behind each; "as it came" where there is nothing to do.
func TestShape(t *testing.T) {
	files, err := filepath.Glob("testdata/shape/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]bool{}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		told[name] = true
		t.Run(name, func(t *testing.T) {
			rules, err := history.Parse(name)
			if err != nil {
				t.Fatal(err)
			}
			a, err := txtar.ParseFile(file)
			if err != nil || len(a.Files) != 2 {
				t.Fatal(len(a.Files), err)
			}
			got := shapes(t, string(a.Files[0].Data), rules)
			if *update {
				a.Files[1].Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(a), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if d := cmp.Diff(string(a.Files[1].Data), got); d != "" {
				t.Error(d)
			}
		})
	}
	for _, name := range history.Names() {
		if !told[name] {
			t.Errorf("no golden file for %s", name)
		}
	}
}

func shapes(t *testing.T, lines string, rules history.Rules) string {
	var out strings.Builder
	for _, line := range strings.Split(strings.TrimSpace(lines), "\n") {
		tools := `,"tools":[{"type":"function","function":{"name":"f"}}]`
		if rest, ok := strings.CutPrefix(line, "no tools: "); ok {
			line, tools = rest, ""
		}
		q := decode(t, `{"messages":`+line+tools+`}`)
		shaped, notes := history.Shape(q, rules)
		if shaped == q {
			if notes != nil {
				t.Errorf("nothing was done, and %v", notes)
			}
			out.WriteString("as it came\n")
			continue
		}
		var b bytes.Buffer
		if err := json.Compact(&b, encoded(t, shaped)); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "%s\n", strings.ReplaceAll(b.String(), `},{"role"`, "},\n {\"role\""))
		for _, n := range notes {
			fmt.Fprintf(&out, "# %s: %s (%d)\n", n.Rule, n.What, n.Count)
		}
	}
	return out.String()
}

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "",
		"ids-nine":                "ids-nine",
		"alternate, ids-nine":     "ids-nine,alternate",
		"alternate\tids-nine,":    "ids-nine,alternate",
		"deepseek":                "system-first,drop-orphans,results-first,answer-calls",
		"single-call-template":    "drop-orphans,results-first,answer-calls,one-call",
		"any one-call ids-toolu":  "drop-orphans,results-first,answer-calls,one-call,ids-toolu",
		"arguments-object,openai": "drop-orphans,results-first,answer-calls,stub-arguments,arguments-object,arguments-string,ids-plain,no-pictures-in-results",
	} {
		rules, err := history.Parse(text)
		if err != nil || rules.String() != want {
			t.Errorf("%q is %q, %v", text, rules, err)
		}
		again, err := history.Parse(rules.String())
		if err != nil || again != rules {
			t.Errorf("%q doesn't come back: %q, %v", text, again, err)
		}
	}
	for _, text := range []string{"nothing", "IDs-nine", "ids-nine;alternate", strings.Repeat("x", 1000)} {
		if _, err := history.Parse(text); err == nil || len(err.Error()) > 1200 || !strings.Contains(err.Error(), "the rules are no-system") {
			t.Errorf("%.20q: %v", text, err)
		}
	}
}

func TestImplied(t *testing.T) {
	if !history.Alternate.Has(history.LeadingUser|history.SystemFirst) || history.Alternate.Has(history.NoSystem) {
		t.Error("alternate")
	}
	if r := history.ArgumentsObject | history.ArgumentsString; !r.Has(history.ArgumentsObject) || r.Has(history.ArgumentsString) {
		t.Error("of rivals the first counts")
	}
	for _, name := range history.Names() {
		if history.Source(name) == "" {
			t.Errorf("%s comes from nowhere", name)
		}
	}
	if history.Source("nothing") != "" {
		t.Error("a source of nothing")
	}
}

// TestAsked: what a refusal says asks for rules, as text and inside a body.
func TestAsked(t *testing.T) {
	for text, want := range map[string]string{
		"Unexpected role 'system' after role 'assistant'":                                                    "system-first",
		"messages: Unexpected role \"system\". The Messages API accepts a top-level `system` param":          "system-first",
		"Conversation roles must alternate user/assistant/user/assistant/...":                                "no-system,no-tool-role,alternate",
		"After the optional system message, conversation roles must alternate user and assistant":            "no-tool-role,alternate",
		"Only user and assistant roles are supported!":                                                       "no-system,no-tool-role",
		"jinja2.exceptions.TemplateError: System role not supported":                                         "no-system",
		"Error: Jinja Exception: System message must be at the beginning.":                                   "one-system",
		"messages.2.content.1.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'":                   "ids-plain",
		"Invalid 'messages[10].tool_calls[0].id': string too long. Expected a string with maximum":           "ids-plain",
		"messages.0: all messages must have non-empty content except for the optional final":                 "no-empty",
		"'messages.1' : for 'role:assistant' [('messages.1' : property 'reasoning_content' is unsupported)]": "no-reasoning",
		"`tool_use` ids were found without `tool_result` blocks immediately after: toolu_1":                  "drop-orphans,results-first,answer-calls",
		"Multiple tool calls are not supported.":                                                             "one-call",
		"The requested tool does not exist":                                                                  "only-offered-calls",
		"* GenerateContentRequest.contents[2].parts[0].function_response.name: Name cannot be empty.":        "name-results",
		"Failed to parse tool call arguments as JSON: [json.exception.parse_error.101]":                      "stub-arguments",
		"No user query found in messages.":                                                                   "leading-user",
		"messages must be fine":                                                                              "",
		"":                                                                                                   "",
		"This model does not support tools":                                                                  "",
		"Unexpected role of the moderator":                                                                   "",
		"maximum context length is 8192 tokens":                                                              "",
		"Conversation roles may alternate":                                                                   "",
		"a tool use id must be chosen by the user":                                                           "",
	} {
		body, err := json.Marshal(map[string]any{"error": map[string]any{"message": text}})
		if err != nil {
			t.Fatal(err)
		}
		for what, f := range map[string]*chat.Fault{
			"text": {Text: text},
			"body": {Status: 500, Wire: &chat.Wire{Body: body}},
		} {
			if got := history.Asked(f).String(); got != want {
				t.Errorf("%s %q asks for %q, want %q", what, text, got, want)
			}
		}
	}
	if history.Asked(nil) != 0 {
		t.Error("no fault")
	}
}

// FuzzAsked: whatever an upstream says, as text or as a body, it asks for known
// rules or for none.
func FuzzAsked(f *testing.F) {
	f.Add([]byte(`{"error":{"message":"Conversation roles must alternate user/assistant"}}`))
	f.Add([]byte("\xff\\\"unexpected role \\\"user\\\" after role 'tool'"))
	f.Fuzz(func(t *testing.T, said []byte) {
		for _, fault := range []*chat.Fault{{Text: string(said)}, {Wire: &chat.Wire{Body: said}}} {
			rules := history.Asked(fault)
			if again, err := history.Parse(rules.String()); err != nil || again != rules {
				t.Fatalf("%q: %v", rules, err)
			}
		}
	})
}

// TestIDsAreStable: an id is the same on every later turn, whatever comes behind.
func TestIDsAreStable(t *testing.T) {
	turn := func(i int) []chat.Message {
		id := []string{"x y", "abcdef123", "x y", "", "functions.f:2"}[i%5]
		return []chat.Message{
			{Role: chat.RoleAssistant, Parts: []chat.Part{chat.Call{ID: id, Name: "f"}, chat.Call{ID: id + "2", Name: "f"}}},
			{Role: chat.RoleTool, Parts: []chat.Part{chat.Result{ID: id, Name: "f"}, chat.Result{ID: id + "2", Name: "f"}}},
		}
	}
	for _, rules := range []history.Rules{history.IDsNine, history.IDsToolu, history.IDsFunctions, history.IDsPlain} {
		q := &chat.Request{}
		var last *chat.Request
		for i := range 12 {
			q.Messages = append(q.Messages, turn(i)...)
			out, _ := history.Shape(q, rules)
			if last != nil {
				if d := cmp.Diff(last.Messages, out.Messages[:len(last.Messages)]); d != "" {
					t.Fatalf("%s: %s", rules, d)
				}
			}
			last = out
		}
		back := history.ClientIDs(q, rules)
		for i, m := range last.Messages {
			for k, p := range m.Parts {
				c, ok := p.(chat.Call)
				if !ok {
					continue
				}
				was := q.Messages[i].Parts[k].(chat.Call).ID
				if id, mapped := back[c.ID]; mapped && id != was || !mapped && c.ID != was {
					t.Errorf("%s: %q is %q, and comes back as %q", rules, was, c.ID, id)
				}
				if r := last.Messages[i+1].Parts[k].(chat.Result); r.ID != c.ID {
					t.Errorf("%s: the result %q of %q", rules, r.ID, c.ID)
				}
			}
		}
	}
}

// TestHostileSizes: what pairs with nothing, repeats its id or never ends is
// shaped all the same, and comes to an end.
func TestHostileSizes(t *testing.T) {
	const n = 4_000
	q := &chat.Request{}
	for i := range n {
		q.Messages = append(q.Messages, chat.Message{Role: chat.RoleAssistant, Parts: []chat.Part{
			chat.Call{ID: fmt.Sprintf("functions.f:%d", n-i), Name: "f"}, chat.Call{ID: "same", Name: "f"},
		}})
	}
	for range n {
		q.Messages = append(q.Messages, chat.Message{Role: chat.RoleTool, Parts: []chat.Part{
			chat.Result{ID: "same"}, chat.Result{ID: "other", Parts: []chat.Part{chat.Text{Text: "x"}}},
		}})
	}
	for _, name := range append(history.Flavours(), "one-call ids-functions alternate no-pictures-in-results bridge-results") {
		rules, err := history.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		out, _ := history.Shape(q, rules)
		if again, notes := history.Shape(out, rules); again != out {
			t.Errorf("%s isn't at its end: %v", name, notes)
		}
	}
}

// TestRestore: what the client dropped comes back, what it sent wins.
func TestRestore(t *testing.T) {
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	kept := map[string]history.Kept{
		"c1": {Reasoning: "hm", Extra: chat.Extra{"openai.extra_content": raw("1"), "gemini.thoughtSignature": raw("2")}},
		"c2": {Reasoning: "later"},
	}
	recall := func(c chat.Call) (history.Kept, bool) { k, ok := kept[c.ID]; return k, ok }
	c1, c2, c3 := chat.Call{ID: "c1", Name: "f"}, chat.Call{ID: "c2", Name: "f"}, chat.Call{ID: "c3", Name: "f"}
	signed, own := c1, c1
	signed.Extra = kept["c1"].Extra
	own.Extra = chat.Extra{"openai.extra_content": raw("mine")}
	both := own
	both.Extra = chat.Extra{"openai.extra_content": raw("mine"), "gemini.thoughtSignature": raw("2")}
	for name, c := range map[string]struct {
		rules       history.Rules
		parts, want []chat.Part
		notes       int
	}{
		"both come back":           {history.ReasoningBack, []chat.Part{c1, c2}, []chat.Part{chat.Reasoning{Text: "hm"}, signed, c2}, 2},
		"thinking is refused":      {0, []chat.Part{c1}, []chat.Part{signed}, 1},
		"thinking is there":        {history.ReasoningBack, []chat.Part{chat.Reasoning{Text: "x"}, c1}, []chat.Part{chat.Reasoning{Text: "x"}, signed}, 1},
		"the client's own wins":    {0, []chat.Part{own}, []chat.Part{both}, 1},
		"of the second call":       {history.ReasoningBack, []chat.Part{c3, c2}, []chat.Part{chat.Reasoning{Text: "later"}, c3, c2}, 1},
		"all is there":             {0, []chat.Part{signed}, []chat.Part{signed}, 0},
		"forgotten":                {history.ReasoningBack, []chat.Part{c3}, []chat.Part{c3}, 0},
		"a message without a call": {history.ReasoningBack, []chat.Part{chat.Text{Text: "b"}}, []chat.Part{chat.Text{Text: "b"}}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			q := &chat.Request{Messages: []chat.Message{{Role: chat.RoleAssistant, Parts: c.parts}}}
			before := clone(q)
			out, notes := history.Restore(q, c.rules, recall)
			if d := cmp.Diff(c.want, out.Messages[0].Parts); d != "" || len(notes) != c.notes || (out == q) != (c.notes == 0) {
				t.Errorf("notes %v: %s", notes, d)
			}
			if d := cmp.Diff(before, q); d != "" {
				t.Errorf("it changed its input: %s", d)
			}
		})
	}
}

// BenchmarkShape: a session of 100 turns that is in order, and one whose ids
// must be mapped.
func BenchmarkShape(b *testing.B) {
	q := &chat.Request{}
	for i := range 100 {
		id := fmt.Sprintf("call_%d", i)
		q.Messages = append(
			q.Messages,
			chat.Message{Role: chat.RoleUser, Parts: []chat.Part{chat.Text{Text: "a"}}},
			chat.Message{Role: chat.RoleAssistant, Parts: []chat.Part{chat.Call{ID: id, Name: "f", Args: []byte("{}")}}},
			chat.Message{Role: chat.RoleTool, Parts: []chat.Part{chat.Result{ID: id, Name: "f", Parts: []chat.Part{chat.Text{Text: "b"}}}}},
			chat.Message{Role: chat.RoleAssistant, Parts: []chat.Part{chat.Text{Text: "c"}}},
		)
	}
	for _, flavour := range []string{"any", "openai", "mistral"} {
		rules, err := history.Parse(flavour)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(flavour, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				history.Shape(q, rules)
			}
		})
	}
}
