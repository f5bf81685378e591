// Package catalog tells what models can do by what their providers say of them,
// and looks it up: one question at a time, whose answer is kept for a while.
// What nobody says counts as able.
package catalog

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ferrule/ferrule/rawjson"
)

// Ability is what a provider says that a model can do. What is nil or 0 it
// doesn't say.
type Ability struct {
	Tools    *bool // it takes tools
	Pictures *bool
	Schema   *bool // its answers can be held to a JSON Schema
	Thinks   *bool
	Context  int    // window in tokens: the one in force before the one that would be possible
	From     string // what said so: a path of the provider's, or the name of a list
}

// Merge returns a with what b says besides.
func Merge(a, b Ability) Ability {
	if a.From == "" {
		a.From = b.From
	}
	for _, f := range []struct{ to, from **bool }{{&a.Tools, &b.Tools}, {&a.Pictures, &b.Pictures}, {&a.Schema, &b.Schema}, {&a.Thinks, &b.Thinks}} {
		if *f.to == nil {
			*f.to = *f.from
		}
	}
	if a.Context == 0 {
		a.Context = b.Context
	}
	return a
}

// contextKeys are the names under which servers tell a model's context window,
// the one in force before the one that would be possible.
var contextKeys = []string{"loaded_context_length", "context_length", "context_window", "max_model_len", "max_context_length", "inputTokenLimit", "max_input_tokens"}

// Listed reads what a list of models says of one of them, in any of the forms
// that providers have: OpenRouter's supported_parameters and
// architecture.input_modalities (openrouter.ai/docs/api-reference/list-available-models),
// Mistral's capabilities (docs.mistral.ai/api, "List available models"), LM
// Studio's (lmstudio.ai/docs/developer/rest), and names of windows.
func Listed(entry []byte) (a Ability) {
	if rawjson.Valid(entry, rawjson.MaxDepth) != nil || rawjson.Kind(entry) != '{' {
		return a
	}
	for _, key := range contextKeys {
		if a.Context = number(member(entry, key)); a.Context > 0 {
			break
		}
	}
	if list, ok := words(member(entry, "supported_parameters")); ok {
		a.Tools = said(slices.Contains(list, "tools"))
		a.Schema = said(slices.Contains(list, "structured_outputs") || slices.Contains(list, "response_format"))
		a.Thinks = said(slices.Contains(list, "reasoning") || slices.Contains(list, "include_reasoning"))
	}
	if list, ok := words(member(entry, "architecture", "input_modalities")); ok {
		a.Pictures = said(slices.Contains(list, "image"))
	}
	// A server that teaches tools to models that weren't trained on them says so
	// of training alone, which is no "no".
	can := member(entry, "capabilities")
	if rawjson.Kind(can) == '{' {
		a.Tools = either(a.Tools, truth(member(can, "function_calling")))
		a.Pictures = either(a.Pictures, truth(member(can, "vision")))
		a.Thinks = either(a.Thinks, truth(member(can, "reasoning")))
	}
	if kind, err := rawjson.String(member(entry, "type")); err == nil && kind == "vlm" {
		a.Pictures = said(true)
	}
	// LM Studio's list of what is loaded, each with its own window.
	_ = rawjson.Elements(orList(member(entry, "loaded_instances")), func(v []byte) bool {
		if n := number(member(v, "config", "context_length")); n > 0 {
			a.Context = n
		}
		return false
	})
	return a
}

// Shown reads Ollama's answer to POST /api/show (docs.ollama.com/api): its list
// of capabilities is whole, and it refuses what isn't in it.
func Shown(body []byte) (a Ability) {
	if rawjson.Valid(body, rawjson.MaxDepth) != nil {
		return a
	}
	if list, ok := words(member(body, "capabilities")); ok {
		a.Tools = said(slices.Contains(list, "tools"))
		a.Pictures = said(slices.Contains(list, "vision"))
		a.Thinks = said(slices.Contains(list, "thinking"))
	}
	// The window in force is what the model's own file sets; what the weights
	// could do isn't what the server gives them.
	params, _ := rawjson.String(member(body, "parameters"))
	for line := range strings.Lines(params) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == "num_ctx" {
			a.Context, _ = strconv.Atoi(f[1])
		}
	}
	a.Context = max(a.Context, 0)
	return a
}

// Props reads llama.cpp's answer to GET /props (tools/server/README.md there).
// Its server teaches tools to any template, so that it says nothing of them.
func Props(body []byte) (a Ability) {
	if rawjson.Valid(body, rawjson.MaxDepth) != nil {
		return a
	}
	a.Context = number(member(body, "default_generation_settings", "n_ctx"))
	a.Pictures = truth(member(body, "modalities", "vision"))
	return a
}

// each calls f with the entries of a list of models, in the forms of OpenAI's
// list, a bare one and LM Studio's, by name.
func each(body []byte, f func(name string, entry []byte)) {
	if rawjson.Valid(body, rawjson.MaxDepth) != nil {
		return
	}
	list := body
	for _, key := range []string{"data", "models"} {
		if v := member(body, key); rawjson.Kind(v) == '[' {
			list = v
			break
		}
	}
	_ = rawjson.Elements(orList(list), func(entry []byte) bool {
		for _, key := range []string{"id", "key", "name"} {
			if name, err := rawjson.String(member(entry, key)); err == nil && name != "" {
				f(name, entry)
				break
			}
		}
		return true
	})
}

// member is a value at a path; nil where there is none.
func member(b []byte, path ...string) []byte {
	for _, key := range path {
		if rawjson.Kind(b) != '{' {
			return nil
		}
		b, _ = rawjson.Get(b, key)
	}
	return b
}

func orList(b []byte) []byte {
	if rawjson.Kind(b) == '[' {
		return b
	}
	return []byte("[]")
}

// words are the texts of a list.
func words(b []byte) (list []string, ok bool) {
	if rawjson.Kind(b) != '[' {
		return nil, false
	}
	_ = rawjson.Elements(b, func(v []byte) bool {
		if s, err := rawjson.String(v); err == nil {
			list = append(list, s)
		}
		return true
	})
	return list, true
}

func number(b []byte) int {
	n, err := strconv.Atoi(string(b))
	if err != nil || n < 0 {
		return 0
	}
	return n
}

func truth(b []byte) *bool {
	switch string(b) {
	case "true":
		return said(true)
	case "false":
		return said(false)
	}
	return nil
}

func said(b bool) *bool { return &b }

func either(a, b *bool) *bool {
	if a != nil {
		return a
	}
	return b
}
