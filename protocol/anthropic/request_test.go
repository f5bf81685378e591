package anthropic_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/protocol/anthropic"
	"github.com/ferrule/ferrule/protocol/openai"
	"github.com/ferrule/ferrule/rawjson"
)

// TestRequests: what an OpenAI client's request becomes.
func TestRequests(t *testing.T) {
	each(t, "requests", func(t *testing.T, in []txtar.File) string {
		q, fault := openai.Server{}.DecodeRequest("", chat.Wire{Body: bytes.TrimSpace(in[0].Data)})
		if fault != nil {
			t.Fatal(fault)
		}
		path, body, err := anthropic.Client{}.EncodeRequest(q)
		var refused *chat.Fault
		if errors.As(err, &refused) {
			return "refused " + refused.Code + ": " + refused.Text + "\n"
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := rawjson.Valid(body, rawjson.MaxDepth); err != nil {
			t.Fatalf("%v: %s", err, body)
		}
		if err := obeys(body); err != nil {
			t.Error(err)
		}
		var pretty bytes.Buffer
		if err := json.Indent(&pretty, body, "", " "); err != nil {
			t.Fatal(err)
		}
		return path + "\n" + pretty.String() + "\n"
	})
}

func encode(t *testing.T, q *chat.Request) string {
	t.Helper()
	_, b, err := anthropic.Client{}.EncodeRequest(q)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestEdited: of a request in this protocol only what is named changes.
func TestEdited(t *testing.T) {
	const body = `{"model":"m","max_tokens": 7, "system":[ {"type":"text","text":"s","cache_control":{"type":"ephemeral"}} ],"messages": [ {"role":"user","content":"hi"} ],"thinking":{"type":"adaptive"},"output_config":{"effort":"low"},"metadata":{}}`
	q := &chat.Request{Model: "m", Wire: &chat.Wire{Protocol: anthropic.Name, Body: []byte(body)}}
	if got := encode(t, q); got != body {
		t.Errorf("untouched it goes out as %s", got)
	}
	q.Model = "n"
	if got := encode(t, q); got != strings.Replace(body, `"m"`, `"n"`, 1) {
		t.Errorf("with another model it goes out as %s", got)
	}
	q.Model = "m"
	half := 0.5
	e := q.Edit(chat.FieldSampling | chat.FieldStream)
	seven := 7
	e.Sampling, e.Stream = chat.Sampling{Temperature: &half, MaxTokens: &seven}, true
	want := strings.Replace(body, `"max_tokens": 7`, `"max_tokens": 7`, 1)
	want = strings.TrimSuffix(want, "}") + `,"temperature":0.5,"stream":true}`
	if got := encode(t, e); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	e = q.Edit(chat.FieldFormat)
	e.Format = &chat.Format{Type: "json_schema", Schema: []byte(`{"type":"object"}`)}
	want = strings.Replace(body, `{"effort":"low"}`, `{"effort":"low","format":{"type":"json_schema","schema":{"type":"object"}}}`, 1)
	if got := encode(t, e); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	e = q.Edit(chat.FieldMessages | chat.FieldTools)
	e.System = []chat.Part{chat.Text{Text: "s", Extra: chat.Extra{"anthropic.cache_control": []byte(`{"type":"ephemeral"}`), "openai.x": []byte("1")}}}
	e.Messages = []chat.Message{{Role: chat.RoleUser, Parts: []chat.Part{chat.Opaque{Protocol: anthropic.Name, Raw: []byte(`{"type":"document"}`)}}}}
	e.Tools = []chat.Tool{
		{Name: "web_search", Kind: chat.ToolHosted, Extra: chat.Extra{"anthropic.tool": []byte(`{"type":"web_search_20250305","name":"web_search"}`)}},
		{Name: "f", Kind: chat.ToolFunction, Schema: []byte(`{"type":"object"}`), Extra: chat.Extra{"anthropic.strict": []byte("true")}},
	}
	got := encode(t, e)
	for _, part := range []string{
		`"system":[{"type":"text","text":"s","cache_control":{"type":"ephemeral"}}]`,
		`"messages": [{"role":"user","content":[{"type":"document"}]}]`,
		`"tools":[{"type":"web_search_20250305","name":"web_search"},{"name":"f","input_schema":{"type":"object"},"strict":true}]`,
	} {
		if !strings.Contains(got, part) {
			t.Errorf("no %s in %s", part, got)
		}
	}
}

// TestExtra: members that Ferrule sets win over its own.
func TestExtra(t *testing.T) {
	q := &chat.Request{Model: "m", Extra: chat.Extra{"anthropic.messages": []byte("[1]"), "anthropic.thinking": []byte(`{"type":"disabled"}`), "openai.x": []byte("1")}}
	if got := encode(t, q); got != `{"model":"m","max_tokens":8192,"messages":[1],"thinking":{"type":"disabled"}}` {
		t.Errorf("got %s", got)
	}
	_, b, err := anthropic.Client{MaxTokens: 5}.EncodeRequest(&chat.Request{Model: "m"})
	if err != nil || string(b) != `{"model":"m","max_tokens":5,"messages":[]}` {
		t.Errorf("got %s, %v", b, err)
	}
}

// TestThinking: thinking goes back where it is signed, at the head of its turn,
// and nowhere else.
func TestThinking(t *testing.T) {
	const one, two = `{"type":"thinking","thinking":"a","signature":"s1"}`, `{"type":"redacted_thinking","data":"d"}`
	call := func(id, list string) chat.Call {
		c := chat.Call{ID: id, Name: "f", Args: []byte("{}")}
		if list != "" {
			c.Extra = chat.Extra{"anthropic.thinking": []byte(list)}
		}
		return c
	}
	signed := chat.Reasoning{Text: "a", Extra: chat.Extra{"anthropic.signature": []byte(`"s1"`)}}
	hidden := chat.Reasoning{Extra: chat.Extra{"anthropic.data": []byte(`"d"`)}}
	const a, b, words = `{"type":"tool_use","id":"a","name":"f","input":{}}`, `{"type":"tool_use","id":"b","name":"f","input":{}}`, `{"type":"text","text":"x"}`
	x := chat.Text{Text: "x"}
	for _, c := range []struct {
		name  string
		parts []chat.Part
		want  string
	}{
		{"of a call", []chat.Part{call("a", "["+one+"]")}, one + "," + a},
		{"before the words of its turn", []chat.Part{x, call("a", "["+one+","+two+"]")}, one + "," + two + "," + words + "," + a},
		{"of the second call", []chat.Part{x, call("a", "["+one+"]"), call("b", "["+two+"]")}, one + "," + words + "," + a + "," + two + "," + b},
		{"of the second call alone", []chat.Part{call("a", ""), call("b", "["+two+"]")}, a + "," + two + "," + b},
		{"of the client", []chat.Part{signed, hidden, x, call("a", "")}, one + "," + two + "," + words + "," + a},
		{"of both", []chat.Part{signed, call("a", "["+two+"]")}, one + "," + a},
		{"unsigned", []chat.Part{chat.Reasoning{Text: "a"}, x, call("a", "")}, words + "," + a},
		{"unsigned, and of a call", []chat.Part{chat.Reasoning{Text: "a"}, call("a", "["+one+"]")}, one + "," + a},
		{"nonsense", []chat.Part{call("a", "[1")}, a},
		{"an empty signature", []chat.Part{chat.Reasoning{Text: "a", Extra: chat.Extra{"anthropic.signature": []byte(`""`)}}, call("a", "")}, a},
	} {
		body := encode(t, &chat.Request{Model: "m", Messages: []chat.Message{{Role: chat.RoleAssistant, Parts: c.parts}}})
		if d := cmp.Diff(`{"model":"m","max_tokens":8192,"messages":[{"role":"assistant","content":[`+c.want+`]}]}`, body); d != "" {
			t.Errorf("%s (-want +got)\n%s", c.name, d)
		}
	}
	// A turn of nothing but unsigned thinking is none.
	body := encode(t, &chat.Request{Model: "m", Messages: []chat.Message{
		{Role: chat.RoleUser, Parts: []chat.Part{x}}, {Role: chat.RoleAssistant, Parts: []chat.Part{chat.Reasoning{Text: "a"}}}, {Role: chat.RoleUser, Parts: []chat.Part{x}},
	}})
	if body != `{"model":"m","max_tokens":8192,"messages":[{"role":"user","content":[`+words+","+words+`]}]}` {
		t.Errorf("got %s", body)
	}
}

// TestRefused: what has no place in the protocol is refused with what it is;
// its twin goes out.
func TestRefused(t *testing.T) {
	two, one := 2, 1
	user := func(p chat.Part) *chat.Request {
		return &chat.Request{Messages: []chat.Message{{Role: chat.RoleUser, Parts: []chat.Part{p}}}}
	}
	result := func(p chat.Part) *chat.Request {
		return &chat.Request{Messages: []chat.Message{{Role: chat.RoleTool, Parts: []chat.Part{chat.Result{ID: "a", Parts: []chat.Part{p}}}}}}
	}
	tool := func(tool chat.Tool) *chat.Request { return &chat.Request{Tools: []chat.Tool{tool}} }
	format := func(f chat.Format) *chat.Request { return &chat.Request{Format: &f} }
	for _, c := range []struct {
		name, code string
		bad, good  *chat.Request
	}{
		{"another protocol's part", "content_unsupported", user(chat.Opaque{Protocol: "openai", Raw: []byte(`{}`)}), user(chat.Opaque{Protocol: "anthropic", Raw: []byte(`{}`)})},
		{"a picture that can't be read", "content_unsupported", user(chat.Image{URL: "data:nonsense"}), user(chat.Image{URL: "data:image/svg+xml,%3Csvg/%3E"})},
		{"a picture of no type", "content_unsupported", user(chat.Image{Data: []byte("x")}), user(chat.Image{Data: []byte("x"), Media: "image/png"})},
		{"a picture in the system prompt", "content_unsupported", &chat.Request{System: []chat.Part{chat.Image{URL: "https://x/a.png"}}}, &chat.Request{System: []chat.Part{chat.Text{Text: "x"}}}},
		{"a call in a result", "content_unsupported", result(chat.Call{}), result(chat.Image{URL: "https://x/a.png"})},
		{"another protocol's part in a result", "content_unsupported", result(chat.Opaque{Protocol: "openai"}), result(chat.Opaque{Protocol: "anthropic", Raw: []byte(`{}`)})},
		{"a hosted tool", "tool_kind_unsupported", tool(chat.Tool{Name: "web_search", Kind: chat.ToolHosted}), tool(chat.Tool{Name: "web_search", Kind: chat.ToolHosted, Extra: chat.Extra{"anthropic.tool": []byte(`{}`)}})},
		{"a tool of text", "tool_kind_unsupported", tool(chat.Tool{Name: "patch", Kind: chat.ToolCustom}), tool(chat.Tool{Name: "patch"})},
		{"a choice in another word", "tool_choice_unknown", &chat.Request{Tools: []chat.Tool{{Name: "f"}}, Choice: chat.Choice{Mode: "sometimes"}}, &chat.Request{Tools: []chat.Tool{{Name: "f"}}, Choice: chat.Choice{Mode: chat.ChoiceAuto}}},
		{"several answers", "n_unsupported", &chat.Request{Sampling: chat.Sampling{Choices: &two}}, &chat.Request{Sampling: chat.Sampling{Choices: &one}}},
		{"JSON of any kind", "format_unsupported", format(chat.Format{Type: "json_object"}), format(chat.Format{Type: "json_schema", Schema: []byte(`{}`)})},
	} {
		_, _, err := anthropic.Client{}.EncodeRequest(c.bad)
		var f *chat.Fault
		if !errors.As(err, &f) || f.Code != c.code || f.Status != 400 || f.Param == "" {
			t.Errorf("%s: %v", c.name, err)
		}
		if _, _, err := (anthropic.Client{}).EncodeRequest(c.good); err != nil {
			t.Errorf("the twin of %s: %v", c.name, err)
		}
	}
}
