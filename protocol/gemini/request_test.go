package gemini_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/protocol/gemini"
	"github.com/ferrule/ferrule/protocol/openai"
	"github.com/ferrule/ferrule/rawjson"
)

// TestRequests: what an OpenAI client's request becomes.
func TestRequests(t *testing.T) {
	each(t, "requests", func(t *testing.T, in string) string {
		q, fault := openai.Server{}.DecodeRequest("", chat.Wire{Body: []byte(in)})
		if fault != nil {
			t.Fatal(fault)
		}
		path, body, err := gemini.Client{}.EncodeRequest(q)
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
		var pretty bytes.Buffer
		if err := json.Indent(&pretty, body, "", " "); err != nil {
			t.Fatal(err)
		}
		return path + "\n" + pretty.String() + "\n"
	})
}

func encode(t *testing.T, q *chat.Request) (path, body string) {
	t.Helper()
	path, b, err := gemini.Client{}.EncodeRequest(q)
	if err != nil {
		t.Fatal(err)
	}
	return path, string(b)
}

func TestModelPath(t *testing.T) {
	for model, want := range map[string]string{
		"gemini-2.5-flash":        "/models/gemini-2.5-flash",
		"models/gemini-2.5-flash": "/models/gemini-2.5-flash",
		"tunedModels/mine":        "/tunedModels/mine",
		"org/model":               "/models/org%2Fmodel",
		"../../v1/x":              "/models/..%2F..%2Fv1%2Fx",
		"x?key=a#b":               "/models/x%3Fkey=a%23b",
		"x:deleteModel":           "/models/x%3AdeleteModel",
		"a b%":                    "/models/a%20b%25",
	} {
		for stream, method := range map[bool]string{false: ":generateContent", true: ":streamGenerateContent?alt=sse"} {
			if path, _ := encode(t, &chat.Request{Model: model, Stream: stream}); path != want+method {
				t.Errorf("%s: %s", model, path)
			}
		}
	}
}

// TestEdited: of a request in this protocol only what is named changes.
func TestEdited(t *testing.T) {
	const body = `{"contents": [ {"parts":[{"text":"hi"}]} ],"safetySettings":[1], "generationConfig":{"thinkingConfig":{"thinkingBudget":0},"topK":3,"temperature":1}}`
	q := &chat.Request{Model: "m", Wire: &chat.Wire{Protocol: gemini.Name, Body: []byte(body)}}
	if _, got := encode(t, q); got != body {
		t.Errorf("untouched it goes out as %s", got)
	}
	half, n := 0.5, 7
	e := q.Edit(chat.FieldSampling)
	e.Sampling = chat.Sampling{Temperature: &half, MaxTokens: &n}
	want := strings.Replace(body, `"temperature":1}`, `"temperature":0.5,"maxOutputTokens":7}`, 1)
	if _, got := encode(t, e); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	e = q.Edit(chat.FieldMessages)
	e.Messages = []chat.Message{{Role: chat.RoleUser, Parts: []chat.Part{chat.Opaque{Protocol: gemini.Name, Raw: []byte(`{"videoMetadata":{}}`)}}}}
	want = strings.Replace(body, `[ {"parts":[{"text":"hi"}]} ]`, `[{"role":"user","parts":[{"videoMetadata":{}}]}]`, 1)
	if _, got := encode(t, e); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestExtra: members that Ferrule sets win over its own.
func TestExtra(t *testing.T) {
	q := &chat.Request{Model: "m", Extra: chat.Extra{"gemini.contents": []byte("[1]"), "gemini.cachedContent": []byte(`"c"`), "openai.x": []byte("1")}}
	if _, got := encode(t, q); got != `{"cachedContent":"c","contents":[1]}` {
		t.Errorf("got %s", got)
	}
}

// TestSignatures: on which part a signature goes back, and where the value that
// stands for none is sent.
func TestSignatures(t *testing.T) {
	const none = "skip_thought_signature_validator"
	signed := func(id, sig string) chat.Call {
		return chat.Call{ID: id, Name: "f", Args: []byte("{}"), Extra: chat.Extra{"gemini.thoughtSignature": []byte(`"` + sig + `"`)}}
	}
	bare := func(id string) chat.Call { return chat.Call{ID: id, Name: "f", Args: []byte("{}")} }
	client := bare("c")
	client.Extra = chat.Extra{"openai.extra_content": []byte(`{"google":{"thought_signature":"client"}}`)}
	junk := bare("j")
	junk.Extra = chat.Extra{"openai.extra_content": []byte(`{"google":{"thought_signature":7}}`), "gemini.thoughtSignature": []byte(`""`)}
	for _, c := range []struct {
		name, model string
		calls       []chat.Part
		want        []string
	}{
		{"its own", "gemini-3-pro", []chat.Part{signed("a", "one"), bare("b")}, []string{"one", ""}},
		{"each its own", "gemini-3-pro", []chat.Part{signed("a", "one"), signed("b", "two")}, []string{"one", "two"}},
		{"the client's", "gemini-3-pro", []chat.Part{client, bare("b")}, []string{"client", ""}},
		{"forgotten", "gemini-3-pro", []chat.Part{bare("a"), bare("b")}, []string{none, ""}},
		{"forgotten of the first", "models/gemini-3-pro", []chat.Part{bare("a"), signed("b", "two")}, []string{none, "two"}},
		{"nothing like one", "gemini-3-pro", []chat.Part{junk}, []string{none}},
		{"a model that isn't known", "gemini-flash-latest", []chat.Part{bare("a")}, []string{none}},
		{"a family that takes calls without", "gemini-2.5-pro", []chat.Part{bare("a"), bare("b")}, []string{"", ""}},
		{"such a family's own", "gemini-2.5-pro", []chat.Part{signed("a", "one")}, []string{"one"}},
		{"behind words", "gemini-3-pro", []chat.Part{chat.Text{Text: "x"}, bare("a")}, []string{"", none}},
	} {
		q := &chat.Request{Model: c.model, Messages: []chat.Message{{Role: chat.RoleAssistant, Parts: c.calls}}}
		_, body := encode(t, q)
		var got struct {
			Contents []struct {
				Parts []struct{ ThoughtSignature string }
			}
		}
		if err := json.Unmarshal([]byte(body), &got); err != nil {
			t.Fatal(err)
		}
		var sigs []string
		for _, p := range got.Contents[0].Parts {
			sigs = append(sigs, p.ThoughtSignature)
		}
		if d := cmp.Diff(c.want, sigs); d != "" {
			t.Errorf("%s (-want +got)\n%s", c.name, d)
		}
	}
}

// TestSchemas: which schemas are the provider's own, and which are JSON Schema.
func TestSchemas(t *testing.T) {
	for _, c := range []struct{ schema, field string }{
		{`{"type":"object","properties":{"a":{"type":"string","nullable":true,"description":"d"}},"required":["a"]}`, "parameters"},
		{`{"type":"OBJECT","properties":{"a":{"type":"ARRAY","items":{"type":"NUMBER","format":"double","minimum":1}}}}`, "parameters"},
		{`{"type":"object","properties":{"a":{"anyOf":[{"type":"string","enum":["x"]},{"type":"integer"}]}}}`, "parameters"},
		{`{"type":"object","properties":{}}`, ""},
		{`{"$schema":"x","type":"object","properties":{},"required":[],"additionalProperties":false}`, ""},
		{``, ""},
		{`true`, ""},
		{`{"type":"object"}`, "parametersJsonSchema"},
		{`{"type":"object","properties":{"a":{"type":["string","null"]}}}`, "parametersJsonSchema"},
		{`{"type":"object","properties":{"a":{"type":"object"}}}`, "parametersJsonSchema"},
		{`{"type":"object","properties":{"a":{"type":"object","properties":{}}}}`, "parametersJsonSchema"},
		{`{"type":"object","properties":{"a":{"type":"array"}}}`, "parametersJsonSchema"},
		{`{"type":"object","properties":{"a":{"description":"half or full"}}}`, "parametersJsonSchema"},
		{`{"type":"object","properties":{"a":{"type":"string"}},"required":["b"]}`, "parametersJsonSchema"},
		{`{"type":"object","properties":{"a":{"type":"string"}},"required":[]}`, "parametersJsonSchema"},
		{`{"type":"object","properties":{"a":{"type":"string","enum":["","x"]}}}`, "parametersJsonSchema"},
		{`{"type":"object","properties":{"a":{"type":"integer","enum":[1]}}}`, "parametersJsonSchema"},
		{`{"type":"object","properties":{"a":{"type":"string","properties":{"b":{"type":"string"}}}}}`, "parametersJsonSchema"},
		{`{"type":"object","properties":{"a":{"type":"string","format":"uri"}}}`, "parametersJsonSchema"},
		{`{"type":"object","properties":{"a":{"const":"x"}},"additionalProperties":false}`, "parametersJsonSchema"},
		{`{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{}}}`, "parametersJsonSchema"},
		{`{"type":"object","properties":{"a":{"type":"string","type":"integer"}}}`, "parametersJsonSchema"},
		{`{"type":"object","properties":{"a":true}}`, "parametersJsonSchema"},
		{`{"type":"object","properties":{"a":{"type":"string","default":"x"}}}`, "parametersJsonSchema"},
	} {
		q := &chat.Request{Model: "m", Tools: []chat.Tool{{Name: "f", Schema: []byte(c.schema), Kind: chat.ToolFunction}}}
		_, body := encode(t, q)
		want := `{"name":"f"}`
		if c.field != "" {
			want = `{"name":"f","` + c.field + `":` + c.schema + `}`
		}
		if got := `{"contents":[],"tools":[{"functionDeclarations":[` + want + `]}]}`; got != body {
			t.Errorf("%s\ngot  %s\nwant %s", c.schema, body, got)
		}
	}
}

// TestRefused: what has no place in the protocol is refused with what it is;
// its twin goes out.
func TestRefused(t *testing.T) {
	two, one := 2, 1
	user := func(p chat.Part) *chat.Request {
		return &chat.Request{Messages: []chat.Message{{Role: chat.RoleUser, Parts: []chat.Part{p}}}}
	}
	tool := func(tool chat.Tool) *chat.Request { return &chat.Request{Tools: []chat.Tool{tool}} }
	for _, c := range []struct {
		name, code string
		bad, good  *chat.Request
	}{
		{"another protocol's part", "content_unsupported", user(chat.Opaque{Protocol: "openai", Raw: []byte(`{}`)}), user(chat.Opaque{Protocol: "gemini", Raw: []byte(`{}`)})},
		{"a picture that can't be read", "content_unsupported", user(chat.Image{URL: "data:nonsense"}), user(chat.Image{URL: "data:image/svg+xml,%3Csvg/%3E"})},
		{"a picture of no type", "content_unsupported", user(chat.Image{Data: []byte("x")}), user(chat.Image{Data: []byte("x"), Media: "image/png"})},
		{"a hosted tool", "tool_kind_unsupported", tool(chat.Tool{Name: "web_search", Kind: chat.ToolHosted}), tool(chat.Tool{Name: "web_search", Kind: chat.ToolHosted, Extra: chat.Extra{"gemini.tool": []byte(`{"googleSearch":{}}`)}})},
		{"a tool of text", "tool_kind_unsupported", tool(chat.Tool{Name: "patch", Kind: chat.ToolCustom}), tool(chat.Tool{Name: "patch"})},
		{"a choice in another word", "tool_choice_unknown", &chat.Request{Tools: []chat.Tool{{Name: "f"}}, Choice: chat.Choice{Mode: "sometimes"}}, &chat.Request{Tools: []chat.Tool{{Name: "f"}}, Choice: chat.Choice{Mode: chat.ChoiceAuto}}},
		{"several answers", "n_unsupported", &chat.Request{Sampling: chat.Sampling{Choices: &two}}, &chat.Request{Sampling: chat.Sampling{Choices: &one}}},
	} {
		_, _, err := gemini.Client{}.EncodeRequest(c.bad)
		var f *chat.Fault
		if !errors.As(err, &f) || f.Code != c.code || f.Status != 400 || f.Param == "" {
			t.Errorf("%s: %v", c.name, err)
		}
		if _, _, err := (gemini.Client{}).EncodeRequest(c.good); err != nil {
			t.Errorf("the twin of %s: %v", c.name, err)
		}
	}
}

// TestRoundTrip: a call that an answer makes goes back on the next turn as it
// came, whatever it is called and holds, and its result right behind it.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type part struct {
			FunctionCall struct {
				ID   string          `json:"id"`
				Name string          `json:"name"`
				Args json.RawMessage `json:"args"`
			} `json:"functionCall"`
			ThoughtSignature string `json:"thoughtSignature,omitempty"`
		}
		n := rapid.IntRange(1, 4).Draw(t, "calls")
		parts := make([]part, n)
		for i := range parts {
			p := &parts[i]
			p.FunctionCall.ID = rapid.StringMatching(`[a-z]{3}`).Draw(t, "id") + string(rune('0'+i))
			p.FunctionCall.Name = rapid.StringMatching(`[a-zA-Z_][a-zA-Z0-9_.:-]{0,20}`).Draw(t, "name")
			args, _ := json.Marshal(rapid.MapOf(rapid.String(), rapid.String()).Draw(t, "args"))
			p.FunctionCall.Args = args
			p.ThoughtSignature = rapid.StringMatching(`[A-Za-z0-9+/]{0,8}`).Draw(t, "signature")
		}
		came, _ := json.Marshal(parts)
		s := gemini.Client{}.Decode(strings.NewReader(`{"candidates":[{"content":{"parts":`+string(came)+`},"finishReason":"STOP"}]}`), "")
		f, err := s.Next()
		if err != nil {
			t.Fatal(err)
		}
		said, results := chat.Message{Role: chat.RoleAssistant}, chat.Message{Role: chat.RoleTool}
		for _, e := range f.Events {
			if e.Kind == chat.EventCallEnd {
				said.Parts = append(said.Parts, e.Call)
				results.Parts = append(results.Parts, chat.Result{ID: e.Call.ID, Parts: []chat.Part{chat.Text{Text: "ok"}}})
			}
		}
		_, body, err := gemini.Client{}.EncodeRequest(&chat.Request{Model: "gemini-2.5-pro", Messages: []chat.Message{said, results}})
		if err != nil {
			t.Fatal(err)
		}
		var sent struct {
			Contents []struct {
				Role  string
				Parts json.RawMessage
			}
		}
		if err := json.Unmarshal(body, &sent); err != nil {
			t.Fatal(err)
		}
		if len(sent.Contents) != 2 || sent.Contents[0].Role != "model" || sent.Contents[1].Role != "user" {
			t.Fatalf("%s", body)
		}
		if !rawjson.Same(came, sent.Contents[0].Parts) {
			t.Errorf("came %s\nsent %s", came, sent.Contents[0].Parts)
		}
		var back []struct {
			FunctionResponse struct{ ID, Name string }
		}
		if err := json.Unmarshal(sent.Contents[1].Parts, &back); err != nil {
			t.Fatal(err)
		}
		for i, b := range back {
			if b.FunctionResponse.ID != parts[i].FunctionCall.ID || b.FunctionResponse.Name != parts[i].FunctionCall.Name {
				t.Errorf("result %d is %+v", i, b)
			}
		}
	})
}
