package openai_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/protocol/openai"
)

func request(t testing.TB, body string) *chat.Request {
	t.Helper()
	q, fault := openai.Server{}.DecodeRequest("/v1/chat/completions", chat.Wire{Body: []byte(body)})
	if fault != nil {
		t.Fatalf("refused: %v", fault)
	}
	return q
}

func encode(t testing.TB, q *chat.Request) string {
	t.Helper()
	path, body, err := openai.Client{}.EncodeRequest(q)
	if err != nil || path != "/chat/completions" {
		t.Fatalf("path %q, error %v", path, err)
	}
	return string(body)
}

func TestRefusedRequests(t *testing.T) {
	deep := func(n int) string {
		return `{"messages":[],"x":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}`
	}
	for name, c := range map[string]struct{ body, code, param string }{
		"empty":             {``, "invalid_json", ""},
		"cut":               {`{"messages":[`, "invalid_json", ""},
		"two values":        {`{"messages":[]}{}`, "invalid_json", ""},
		"not UTF-8":         {"{\"messages\":[],\"x\":\"\xff\"}", "invalid_json", ""},
		"a list":            {`[]`, "invalid_request", ""},
		"no messages":       {`{"model":"m"}`, "invalid_request", "messages"},
		"other case":        {`{"Messages":[]}`, "invalid_request", "messages"},
		"messages a string": {`{"messages":"hi"}`, "invalid_request", "messages"},
		"model a number":    {`{"model":1,"messages":[]}`, "invalid_request", "model"},
		"too deep":          {deep(64), "nesting_too_deep", ""},
		"doubled":           {`{"messages":[],"tools":[],"tools":[{}]}`, "duplicate_key", "tools"},
		"doubled, escaped":  {`{"messages":[],"model":"a","m\u006fdel":"b"}`, "duplicate_key", "model"},
		"many messages":     {`{"messages":[` + strings.Repeat("1,", 1<<16) + `1]}`, "too_many_items", "messages"},
		"many parts":        {`{"messages":[{"role":"user","content":[` + strings.Repeat("1,", 1<<16) + `1]}]}`, "too_many_items", "messages"},
		"many tools":        {`{"messages":[],"tools":[` + strings.Repeat("1,", 1<<16) + `1]}`, "too_many_items", "messages"},
		"many fit":          {`{"messages":[` + strings.Repeat("1,", 1<<15) + `1]}`, "", ""},
		"deep fits":         {deep(63), "", ""},
		"doubled alike":     {`{"messages":[],"model":"a","model":"\u0061"}`, "", ""},
		"doubled unread":    {`{"messages":[],"user":"a","user":"b"}`, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, f := openai.Server{}.DecodeRequest("", chat.Wire{Body: []byte(c.body)})
			switch {
			case f == nil && c.code != "":
				t.Error("it was taken")
			case f != nil && (f.Code != c.code || f.Param != c.param || f.Status != 400 || f.Text == ""):
				t.Errorf("fault %+v", f)
			}
		})
	}
}

func TestDecodeRequest(t *testing.T) {
	body := `{"model":"m","stream":true,"stream_options":{"include_usage":true,"x":1},"messages":[
	{"role":"developer","content":"rules"},{"role":"system","content":[{"type":"text","text":"more","cache_control":{"type":"e"}}]},
	{"role":"user","name":"Ann","content":[{"type":"text","text":"see"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AA","detail":"low"}},{"type":"input_audio","input_audio":{"data":"x"}}]},
	{"role":"assistant","content":null,"reasoning_content":"hm","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\": 1}"}},{"id":"b","function":{"name":"g","arguments":{"y":2}},"extra_content":{"k":1}}]},
	{"role":"tool","tool_call_id":"a","content":"one"},{"role":"tool","tool_call_id":"b","content":[{"type":"text","text":"two"}]},
	{"role":"system","content":"late"},{"role":"critic","content":"?"},7,
	{"role":"assistant","content":"","function_call":{"name":"h","arguments":"{}"}},{"role":"function","name":"h","content":"three"}],
	"max_tokens":5,"max_completion_tokens":10,"temperature":0.5,"top_p":1,"stop":["a","b"],"n":2,
	"response_format":{"type":"json_schema","json_schema":{"name":"r","schema":{"type":"object"},"strict":true}}}`
	q := request(t, body)
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	n10, n2, half, one, yes := 10, 2, 0.5, 1.0, true
	want := &chat.Request{
		Model: "m", Stream: true, Usage: true,
		System: []chat.Part{chat.Text{Text: "rules"}, chat.Text{Text: "more", Extra: chat.Extra{"openai.cache_control": raw(`{"type":"e"}`)}}},
		Messages: []chat.Message{
			{
				Role: chat.RoleUser, Extra: chat.Extra{"openai.name": raw(`"Ann"`)},
				Parts: []chat.Part{
					chat.Text{Text: "see"},
					chat.Image{URL: "data:image/png;base64,AA", Media: "image/png", Extra: chat.Extra{"openai.detail": raw(`"low"`)}},
					chat.Opaque{Protocol: "openai", Raw: raw(`{"type":"input_audio","input_audio":{"data":"x"}}`)},
				},
			},
			{Role: chat.RoleAssistant, Parts: []chat.Part{
				chat.Reasoning{Text: "hm"},
				chat.Call{ID: "a", Name: "f", Args: []byte(`{"x": 1}`)},
				chat.Call{ID: "b", Name: "g", Args: []byte(`{"y":2}`), Extra: chat.Extra{"openai.extra_content": raw(`{"k":1}`), "openai.arguments_as": raw(`"object"`)}},
			}},
			{Role: chat.RoleTool, Parts: []chat.Part{chat.Result{ID: "a", Name: "f", Parts: []chat.Part{chat.Text{Text: "one"}}}}},
			{Role: chat.RoleTool, Parts: []chat.Part{chat.Result{ID: "b", Name: "g", Parts: []chat.Part{chat.Text{Text: "two"}}}}},
			{Role: chat.RoleSystem, Parts: []chat.Part{chat.Text{Text: "late"}}},
			{Role: "critic", Parts: []chat.Part{chat.Text{Text: "?"}}},
			{Parts: []chat.Part{chat.Opaque{Protocol: "openai", Raw: raw("7")}}},
			{Role: chat.RoleAssistant, Parts: []chat.Part{chat.Call{Name: "h", Args: []byte("{}")}}},
			{Role: chat.RoleTool, Parts: []chat.Part{chat.Result{Name: "h", Parts: []chat.Part{chat.Text{Text: "three"}}}}},
		},
		Format:   &chat.Format{Type: "json_schema", Name: "r", Schema: []byte(`{"type":"object"}`), Strict: &yes},
		Sampling: chat.Sampling{MaxTokens: &n10, Choices: &n2, Temperature: &half, TopP: &one, Stop: []string{"a", "b"}},
		Wire:     &chat.Wire{Protocol: "openai", Body: []byte(body)},
	}
	if d := cmp.Diff(want, q); d != "" {
		t.Error(d)
	}
	if got := encode(t, q); got != body {
		t.Errorf("undisturbed it goes out as %s", got)
	}
}

func TestDecodeTools(t *testing.T) {
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	no, yes := false, true
	for name, c := range map[string]struct {
		body string
		want chat.Request
	}{
		"none":   {`"tools":[]`, chat.Request{}},
		"absent": {`"tools":null,"tool_choice":null`, chat.Request{}},
		"kinds": {
			`"tools":[{"type":"function","function":{"name":"f","description":"d","parameters":{"type": "object"},"strict":true},"cache_control":1},
			{"type":"custom","custom":{"name":"c","format":{"type":"text"}}},{"type":"web_search","x":1},3],"parallel_tool_calls":true`,
			chat.Request{Parallel: &yes, Tools: []chat.Tool{
				{Name: "f", Description: "d", Schema: []byte(`{"type": "object"}`), Kind: chat.ToolFunction, Extra: chat.Extra{"openai.strict": raw("true"), "openai.tool.cache_control": raw("1")}},
				{Name: "c", Kind: chat.ToolCustom, Extra: chat.Extra{"openai.format": raw(`{"type":"text"}`)}},
				{Name: "web_search", Kind: chat.ToolHosted, Extra: chat.Extra{"openai.tool": raw(`{"type":"web_search","x":1}`)}},
				{Kind: chat.ToolHosted, Extra: chat.Extra{"openai.tool": raw("3")}},
			}},
		},
		"older form": {
			`"functions":[{"name":"f","parameters":{}}],"function_call":{"name":"f"}`,
			chat.Request{Parallel: &no, Tools: []chat.Tool{{Name: "f", Schema: []byte("{}"), Kind: chat.ToolFunction}}, Choice: chat.Choice{Mode: chat.ChoiceNamed, Name: "f"}},
		},
		"auto":        {`"tool_choice":"auto"`, chat.Request{Choice: chat.Choice{Mode: chat.ChoiceAuto}}},
		"no tool":     {`"tool_choice":"none"`, chat.Request{Choice: chat.Choice{Mode: chat.ChoiceNone}}},
		"required":    {`"tool_choice":"required"`, chat.Request{Choice: chat.Choice{Mode: chat.ChoiceRequired}}},
		"other word":  {`"tool_choice":"maybe"`, chat.Request{Choice: chat.Choice{Mode: "maybe"}}},
		"named":       {`"tool_choice":{"type":"function","function":{"name":"f"}}`, chat.Request{Choice: chat.Choice{Mode: chat.ChoiceNamed, Name: "f"}}},
		"named other": {`"tool_choice":{"type":"custom","custom":{"name":"f"}}`, chat.Request{Choice: chat.Choice{Mode: chat.ChoiceNamed, Name: "f"}}},
		"allowed": {
			`"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"required","tools":[{"type":"function","function":{"name":"f"}},{"type":"custom","custom":{"name":"c"}}]}}`,
			chat.Request{Choice: chat.Choice{Mode: chat.ChoiceRequired, Allowed: []string{"f", "c"}}},
		},
		"allowed nothing": {
			`"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[]}}`,
			chat.Request{Choice: chat.Choice{Mode: chat.ChoiceAuto, Allowed: []string{}}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			q := request(t, `{"messages":[],`+c.body+`}`)
			got := chat.Request{Tools: q.Tools, Choice: q.Choice, Parallel: q.Parallel}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestEditRequest(t *testing.T) {
	const tool = `{"type":"function","function":{"name":"f"}}`
	seven := 7
	for name, c := range map[string]struct {
		body   string
		fields chat.Fields
		edit   func(q *chat.Request)
		want   string
	}{
		"model": {
			` {"x" : 1, "model":"a/m","messages":[ ]}`, 0, func(q *chat.Request) { q.Model = "m" },
			` {"x" : 1, "model":"m","messages":[ ]}`,
		},
		"no model": {`{"messages":[]}`, 0, func(q *chat.Request) { q.Model = "m" }, `{"messages":[],"model":"m"}`},
		"messages": {
			`{"messages":[{"role":"user","content":"a"}], "user":"u"}`, chat.FieldMessages, func(q *chat.Request) {
				q.System = []chat.Part{chat.Text{Text: "s"}, chat.Text{Text: "t"}}
			},
			`{"messages":[{"role":"system","content":"s\n\nt"},{"role":"user","content":"a"}], "user":"u"}`,
		},
		"arguments and names of a history": {
			`{"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":{"y": 2}}},{"id":"b","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"1","name":"f"},{"role":"tool","tool_call_id":"b","content":"2"}]}`,
			chat.FieldMessages, func(*chat.Request) {},
			`{"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":{"y": 2}}},{"id":"b","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"1","name":"f"},{"role":"tool","tool_call_id":"b","content":"2"}]}`,
		},
		"arguments that are no object stay a string": {
			`{"messages":[]}`, chat.FieldMessages, func(q *chat.Request) {
				as := chat.Extra{"openai.arguments_as": []byte(`"object"`)}
				q.Messages = []chat.Message{{Role: chat.RoleAssistant, Parts: []chat.Part{chat.Call{ID: "a", Name: "f", Args: []byte(`{"y`), Extra: as}}}}
			},
			`{"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\"y"}}]}]}`,
		},
		"tools out": {
			`{"messages":[],"tools":[` + tool + `],"tool_choice":"auto","parallel_tool_calls":false,"z":0}`, chat.FieldTools,
			func(q *chat.Request) { q.Tools, q.Parallel = nil, nil }, `{"messages":[],"z":0}`,
		},
		"tools": {
			`{"tools":[` + tool + `],"messages":[]}`, chat.FieldTools, func(q *chat.Request) {
				q.Choice = chat.Choice{Mode: chat.ChoiceRequired, Allowed: []string{"f"}}
			},
			`{"tools":[` + tool + `],"messages":[],"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"required","tools":[` + tool + `]}}}`,
		},
		"functions": {
			`{"functions":[{"name":"f"}],"messages":[]}`, chat.FieldTools, func(q *chat.Request) {
				q.Tools[0].Schema = []byte(`{"type":"object"}`)
			},
			`{"functions":[{"name":"f","parameters":{"type":"object"}}],"messages":[]}`,
		},
		"format": {
			`{"messages":[]}`, chat.FieldFormat, func(q *chat.Request) {
				q.Format = &chat.Format{Type: "json_schema", Name: "r", Schema: []byte("{}")}
			},
			`{"messages":[],"response_format":{"type":"json_schema","json_schema":{"name":"r","schema":{}}}}`,
		},
		"format out": {`{"response_format":{"type":"text"},"messages":[]}`, chat.FieldFormat, func(q *chat.Request) { q.Format = nil }, `{"messages":[]}`},
		"limit": {
			`{"max_completion_tokens":5,"messages":[]}`, chat.FieldSampling, func(q *chat.Request) {
				q.Sampling.MaxTokens, q.Sampling.Stop = &seven, []string{"x"}
			},
			`{"max_completion_tokens":7,"messages":[],"stop":["x"]}`,
		},
		"usage": {
			`{"stream":true,"stream_options":{"x":1},"messages":[]}`, chat.FieldStream, func(q *chat.Request) { q.Usage = true },
			`{"stream":true,"stream_options":{"x":1,"include_usage":true},"messages":[]}`,
		},
		"no usage": {
			`{"stream":true,"stream_options":{"include_usage":true},"messages":[]}`, chat.FieldStream, func(q *chat.Request) { q.Usage = false },
			`{"stream":true,"messages":[]}`,
		},
		"no stream": {
			`{"stream":true,"stream_options":{"include_usage":true},"messages":[]}`, chat.FieldStream, func(q *chat.Request) { q.Stream = false },
			`{"stream":false,"messages":[]}`,
		},
		"stream": {`{"messages":[]}`, chat.FieldStream, func(q *chat.Request) { q.Stream = true }, `{"messages":[],"stream":true}`},
	} {
		t.Run(name, func(t *testing.T) {
			q := request(t, c.body).Edit(c.fields)
			c.edit(q)
			if got := encode(t, q); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestBuildRequest(t *testing.T) {
	n := 9
	q := &chat.Request{
		Model: "m", Stream: true, Usage: true,
		System: []chat.Part{chat.Text{Text: "s"}},
		Messages: []chat.Message{
			{Role: chat.RoleUser, Parts: []chat.Part{chat.Text{Text: "a"}, chat.Image{Media: "image/png", Data: []byte{1}}}},
			{Role: chat.RoleAssistant, Parts: []chat.Part{chat.Text{Text: "b"}, chat.Call{ID: "x", Name: "f", Args: []byte(`{"k":"v"}`)}, chat.Call{ID: "y", Name: "f"}}},
			{Role: chat.RoleTool, Parts: []chat.Part{chat.Result{ID: "x", Parts: []chat.Part{chat.Text{Text: "r"}}}, chat.Result{ID: "y"}}},
		},
		Tools:    []chat.Tool{{Name: "f", Kind: chat.ToolFunction, Schema: []byte(`{}`), Extra: chat.Extra{"other.x": json.RawMessage("1")}}},
		Choice:   chat.Choice{Mode: chat.ChoiceNamed, Name: "f"},
		Sampling: chat.Sampling{MaxTokens: &n},
	}
	want := `{"model":"m","messages":[{"role":"system","content":"s"},` +
		`{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AQ=="}}]},` +
		`{"role":"assistant","content":"b","tool_calls":[{"id":"x","type":"function","function":{"name":"f","arguments":"{\"k\":\"v\"}"}},` +
		`{"id":"y","type":"function","function":{"name":"f","arguments":"{}"}}]},` +
		`{"role":"tool","tool_call_id":"x","content":"r"},{"role":"tool","tool_call_id":"y","content":""}],` +
		`"tools":[{"type":"function","function":{"name":"f","parameters":{}}}],"tool_choice":{"type":"function","function":{"name":"f"}},` +
		`"max_tokens":9,"stream":true,"stream_options":{"include_usage":true}}`
	if got := encode(t, q); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, p := range []chat.Part{chat.Opaque{Protocol: "other", Raw: json.RawMessage("{}")}, chat.Result{}} {
		q.Messages = []chat.Message{{Role: chat.RoleUser, Parts: []chat.Part{p}}}
		if _, _, err := (openai.Client{}).EncodeRequest(q); err == nil {
			t.Errorf("a %T went out", p)
		}
	}
	q.Messages, q.Tools = nil, []chat.Tool{{Name: "search", Kind: chat.ToolHosted}}
	if _, _, err := (openai.Client{}).EncodeRequest(q); err == nil {
		t.Error("a foreign hosted tool went out")
	}
}

func TestUndisturbedRequestIsTheSameSlice(t *testing.T) {
	body := []byte(`{"messages":[],"model":"m"}`)
	q, fault := openai.Server{}.DecodeRequest("", chat.Wire{Body: body, Edited: chat.FieldTools})
	if fault != nil {
		t.Fatal(fault)
	}
	if got := []byte(encode(t, q)); !bytes.Equal(got, body) || &q.Wire.Body[0] != &body[0] {
		t.Errorf("got %s", got)
	}
}
