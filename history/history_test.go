package history_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/history"
	"github.com/ferrule/ferrule/internal/cases"
	"github.com/ferrule/ferrule/protocol/openai"
	"github.com/ferrule/ferrule/rawjson"
)

// elsewhere are cases of the log that no rewrite of a history answers.
var elsewhere = map[string]string{
	"F115": "opaque fields pass as they came: TestOpaqueFieldsStay",
	"F116": "reasoning that must go back: turn's memory",
	"F119": "arguments as an object: a protocol's own form",
	"F121": "a result as JSON: a protocol's own form",
}

func decode(t *testing.T, messages json.RawMessage, tools bool) *chat.Request {
	t.Helper()
	body := `{"model":"m","messages":` + string(messages)
	if tools {
		body += `,"tools":[{"type":"function","function":{"name":"get_weather","parameters":{"type":"object"}}}]`
	}
	q, fault := openai.Server{}.DecodeRequest("/v1/chat/completions", chat.Wire{Protocol: openai.Name, Body: []byte(body + "}")})
	if fault != nil {
		t.Fatal(fault.Text)
	}
	return q
}

func encode(t *testing.T, q *chat.Request) json.RawMessage {
	t.Helper()
	_, body, err := openai.Client{}.EncodeRequest(q)
	if err != nil {
		t.Fatal(err)
	}
	ms, _ := rawjson.Get(body, "messages")
	return json.RawMessage(ms)
}

func alike(a, b json.RawMessage) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

func roles(ms json.RawMessage) (rs []string) {
	var list []struct{ Role string }
	_ = json.Unmarshal(ms, &list)
	for _, m := range list {
		rs = append(rs, m.Role)
	}
	return rs
}

// TestFieldLog: the log's refused histories in the form of whom refused them.
func TestFieldLog(t *testing.T) {
	ran := 0
	for line := range cases.Lines(t, "fieldlog/cases.jsonl") {
		var c struct {
			ID    string
			Kind  int
			Input struct {
				Messages json.RawMessage
				Tools    *[]any
				Flavour  string
			}
			Expect struct {
				Messages json.RawMessage
				Roles    []string
				ID       string `json:"id_pattern"`
			}
		}
		if json.Unmarshal(line, &c) != nil || c.Kind != 6 {
			continue
		}
		if why := elsewhere[c.ID]; why != "" {
			continue
		}
		ran++
		t.Run(c.ID, func(t *testing.T) {
			if _, ok := history.Rules(c.Input.Flavour); !ok {
				t.Fatalf("there is no flavour %s", c.Input.Flavour)
			}
			q := decode(t, c.Input.Messages, c.Input.Tools == nil)
			before := encode(t, q)
			shaped, made := history.Shape(q, c.Input.Flavour)
			got := encode(t, shaped)
			if len(made) == 0 {
				t.Errorf("nothing changed: %s", got)
			}
			if c.Expect.Messages != nil && !alike(got, c.Expect.Messages) {
				t.Errorf("%v\ngot  %s\nwant %s", made, got, c.Expect.Messages)
			}
			if c.Expect.Roles != nil && !slices.Equal(slices.DeleteFunc(roles(got), func(r string) bool { return r == "system" }), c.Expect.Roles) {
				t.Errorf("roles %v, want %v: %s", roles(got), c.Expect.Roles, got)
			}
			if c.Expect.ID != "" {
				ids := regexp.MustCompile(`"(?:id|tool_call_id)":"([^"]*)"`).FindAllStringSubmatch(string(got), -1)
				if len(ids) != 2 || ids[0][1] != ids[1][1] || !regexp.MustCompile(c.Expect.ID).MatchString(ids[0][1]) {
					t.Errorf("ids %v", ids)
				}
			}
			if after := encode(t, q); !alike(before, after) {
				t.Errorf("the client's own request changed: %s", after)
			}
		})
	}
	if t.Logf("%d cases, %d elsewhere", ran, len(elsewhere)); ran < 10 {
		t.Errorf("only %d cases", ran)
	}
}

// TestOpaqueFieldsStay: what only the provider understands stays where it was (F115).
func TestOpaqueFieldsStay(t *testing.T) {
	q := decode(t, json.RawMessage(`[{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"},"extra_content":{"google":{"thought_signature":"SIG"}}}]},{"role":"tool","tool_call_id":"c1","content":"5C"}]`), true)
	for _, f := range history.Flavours() {
		if f == "alternating-template" {
			continue // it has no calls
		}
		shaped, _ := history.Shape(q, f)
		if got := encode(t, shaped); !strings.Contains(string(got), `"thought_signature":"SIG"`) {
			t.Errorf("%s lost it: %s", f, got)
		}
	}
}

// conversations draws odd ones.
func conversations() *rapid.Generator[*chat.Request] {
	return rapid.Custom(func(t *rapid.T) *chat.Request {
		q := &chat.Request{}
		if rapid.Bool().Draw(t, "tools") {
			q.Tools = []chat.Tool{{Name: "f"}}
		}
		if rapid.Bool().Draw(t, "system") {
			q.System = []chat.Part{chat.Text{Text: "word0 be kind"}}
		}
		n := 1
		word := func() chat.Text {
			n++
			return chat.Text{Text: rapid.SampledFrom([]string{fmt.Sprintf("word%d", n), fmt.Sprintf("word%d", n), ""}).Draw(t, "text")}
		}
		ids := rapid.SampledFrom([]string{"c1", "c2", "call_PTLP8xhu3uwZk4l3nlnrrJha", "abcdef123", ""})
		for range rapid.IntRange(0, 7).Draw(t, "messages") {
			m := chat.Message{Role: rapid.SampledFrom([]chat.Role{chat.RoleUser, chat.RoleAssistant, chat.RoleTool, chat.RoleSystem}).Draw(t, "role")}
			switch m.Role {
			case chat.RoleTool:
				parts := []chat.Part{word()}
				if rapid.Bool().Draw(t, "picture") {
					parts = append(parts, chat.Image{URL: "data:image/png;base64,iVBORw0KGgo="})
				}
				m.Parts = []chat.Part{chat.Result{ID: ids.Draw(t, "result id"), Name: "f", Parts: parts}}
			case chat.RoleAssistant:
				if rapid.Bool().Draw(t, "words") {
					m.Parts = append(m.Parts, word())
				}
				for range rapid.IntRange(0, 3).Draw(t, "calls") {
					m.Parts = append(m.Parts, chat.Call{ID: ids.Draw(t, "call id"), Name: "f", Args: []byte(`{}`)})
				}
			default:
				m.Parts = []chat.Part{word()}
			}
			q.Messages = append(q.Messages, m)
		}
		return q
	})
}

func everyWord(q *chat.Request) (out []string) {
	var in func(ps []chat.Part)
	in = func(ps []chat.Part) {
		for _, p := range ps {
			switch p := p.(type) {
			case chat.Text:
				out = append(out, regexp.MustCompile(`word\d+`).FindAllString(p.Text, -1)...)
			case chat.Result:
				in(p.Parts)
			}
		}
	}
	in(q.System)
	for _, m := range q.Messages {
		in(m.Parts)
	}
	slices.Sort(out)
	return out
}

// TestShapesAreWhole: whatever the conversation, nobody's words are lost, the
// request itself stays, and once shaped it is as it should be; alone and in pairs.
func TestShapesAreWhole(t *testing.T) {
	names := append(history.Flavours(), history.Names()...)
	rapid.Check(t, func(t *rapid.T) {
		q := conversations().Draw(t, "conversation")
		before := fmt.Sprintf("%#v", q)
		first := rapid.SampledFrom(names).Draw(t, "first")
		one, _ := history.Shape(q, first)
		if got, want := everyWord(one), everyWord(q); !slices.Equal(got, want) {
			t.Fatalf("%s: words %v became %v", first, want, got)
		}
		if again, made := history.Shape(one, first); len(made) > 0 {
			t.Fatalf("%s changes what it made: %v\n%#v\n%#v", first, made, one.Messages, again.Messages)
		}
		second := rapid.SampledFrom(names).Draw(t, "second")
		two, _ := history.Shape(one, second)
		if got, want := everyWord(two), everyWord(q); !slices.Equal(got, want) {
			t.Fatalf("%s and %s: words %v became %v", first, second, want, got)
		}
		if after := fmt.Sprintf("%#v", q); after != before {
			t.Fatalf("%s changed the request itself:\n%s\n%s", first, before, after)
		}
	})
}
