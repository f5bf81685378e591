package catalog_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ferrule/ferrule/catalog"
	"github.com/ferrule/ferrule/internal/cases"
	"github.com/ferrule/ferrule/rawjson"
)

var yes, no = true, false

// TestListed reads what lists say of a model, in the forms of their providers;
// what they don't say isn't known.
func TestListed(t *testing.T) {
	for _, c := range []struct {
		name, entry string
		want        catalog.Ability
	}{
		{"OpenAI", `{"id":"gpt-5","object":"model","created":1,"owned_by":"openai"}`, catalog.Ability{}},
		{"OpenRouter, with tools", `{"id":"x/a","context_length":131072,"architecture":{"input_modalities":["text","image"]},"supported_parameters":["max_tokens","tools","tool_choice","structured_outputs","reasoning"]}`, catalog.Ability{Tools: &yes, Pictures: &yes, Schema: &yes, Thinks: &yes, Context: 131072}},
		{"OpenRouter, without", `{"id":"x/b","context_length":8192,"architecture":{"input_modalities":["text"]},"supported_parameters":["max_tokens","temperature"]}`, catalog.Ability{Tools: &no, Pictures: &no, Schema: &no, Thinks: &no, Context: 8192}},
		{"Mistral", `{"id":"m","max_context_length":32768,"capabilities":{"completion_chat":true,"function_calling":false,"vision":true}}`, catalog.Ability{Tools: &no, Pictures: &yes, Context: 32768}},
		{"LM Studio says of training only", `{"key":"m","max_context_length":131072,"capabilities":{"vision":true,"trained_for_tool_use":false},"loaded_instances":[{"id":"m","config":{"context_length":4096}}]}`, catalog.Ability{Pictures: &yes, Context: 4096}},
		{"LM Studio, earlier", `{"id":"m","type":"vlm","max_context_length":32768,"loaded_context_length":8192,"capabilities":["tool_use"]}`, catalog.Ability{Pictures: &yes, Context: 8192}},
		{"vLLM", `{"id":"m","max_model_len":16384}`, catalog.Ability{Context: 16384}},
		{"Gemini", `{"name":"models/g","inputTokenLimit":1048576}`, catalog.Ability{Context: 1048576}},
		{"odd values", `{"id":"m","context_length":"big","supported_parameters":"tools","architecture":[],"capabilities":{"vision":"yes"},"type":7,"loaded_instances":[1]}`, catalog.Ability{}},
		{"an empty list says no", `{"supported_parameters":[]}`, catalog.Ability{Tools: &no, Schema: &no, Thinks: &no}},
		{"no object", `[1]`, catalog.Ability{}},
		{"no JSON", `{"id":`, catalog.Ability{}},
		{"nothing", ``, catalog.Ability{}},
	} {
		if d := cmp.Diff(c.want, catalog.Listed([]byte(c.entry))); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
	}
}

// TestServersOwn reads what servers say of a model where they are asked for it.
func TestServersOwn(t *testing.T) {
	for _, c := range []struct {
		name string
		got  catalog.Ability
		want catalog.Ability
	}{
		{"Ollama, with tools", catalog.Shown([]byte(`{"parameters":"temperature 0.7\nnum_ctx                        16384","capabilities":["completion","tools","thinking"],"model_info":{"qwen3.context_length":40960}}`)), catalog.Ability{Tools: &yes, Pictures: &no, Thinks: &yes, Context: 16384}},
		{"Ollama, without", catalog.Shown([]byte(`{"capabilities":["completion","vision"]}`)), catalog.Ability{Tools: &no, Pictures: &yes, Thinks: &no}},
		{"Ollama before it had them", catalog.Shown([]byte(`{"template":"{{ .Prompt }}"}`)), catalog.Ability{}},
		{"llama.cpp", catalog.Props([]byte(`{"default_generation_settings":{"n_ctx":8192},"total_slots":1,"modalities":{"vision":false},"chat_template":"x"}`)), catalog.Ability{Pictures: &no, Context: 8192}},
		{"another server at that path", catalog.Props([]byte(`{"error":"not found"}`)), catalog.Ability{}},
		{"a page", catalog.Shown([]byte(`<html>`)), catalog.Ability{}},
	} {
		if d := cmp.Diff(c.want, c.got); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
	}
}

// FuzzRead: whatever a server says is read, and what is known of a window is a
// number of tokens.
func FuzzRead(f *testing.F) {
	for _, s := range []string{`{"data":[{"id":"a","supported_parameters":["tools"]}]}`, `{"models":[{"key":"a","loaded_instances":[{}]}]}`, `{"capabilities":["tools"],"parameters":"num_ctx -1"}`, `{"default_generation_settings":{"n_ctx":1e9}}`, `[{"id":"a"}]`, `{"data":{}}`} {
		f.Add([]byte(s))
	}
	for line := range cases.Lines(f, "fieldlog/cases.jsonl") {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for name, a := range catalog.List(body) {
			if name == "" || a.Context < 0 {
				t.Errorf("%q: %+v", name, a)
			}
		}
		for _, a := range []catalog.Ability{catalog.Listed(body), catalog.Shown(body), catalog.Props(body)} {
			if a.Context < 0 || rawjson.Valid(body, rawjson.MaxDepth) != nil && a != (catalog.Ability{}) {
				t.Errorf("%+v", a)
			}
		}
	})
}
