// Package dialects holds schemas to the rules of providers, for tests: written
// from what they refuse, and not from what rewrites schemas.
package dialects

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// spot is one schema within a schema.
type spot struct {
	o     map[string]any
	root  bool
	kind  string // its type, if it has one
	props map[string]any
}

// rule says what is wrong with a spot; "" for nothing.
type rule func(s spot) string

// rules are what each dialect's providers ask for, besides an object at the root.
var rules = map[string][]rule{
	"gemini":        {oneRoot, only(geminiKeywords), typedOrChoice, fieldsOfObjects, noEmptyFields, itemsSaid, textOptions, definedRequired, noReference},
	"minimal":       {oneRoot, only(minimalKeywords), typedOrChoice, fieldsOfObjects, itemsSaid, textOptions, definedRequired, noReference},
	"anthropic":     {oneRoot},
	"bedrock":       {oneRoot},
	"openai":        {oneRoot, itemsSaid},
	"openai-strict": {oneRoot, closed},
	"moonshot":      {oneRoot, typedOrChoice, noTypeBesideChoice, noReference},
	"mistral":       {oneRoot, noReference},
	"ollama":        {oneRoot, noReference},
	"lmstudio":      {noReference},
	"llamacpp":      {without("pattern")},
}

// noBooleans are the dialects in which every schema is an object.
var noBooleans = []string{"gemini", "minimal", "moonshot", "openai-strict", "lmstudio", "llamacpp", "ollama"}

const (
	geminiKeywords  = "type description enum items properties required nullable anyOf minItems maxItems minimum maximum"
	minimalKeywords = "type description enum items properties required"
)

func oneRoot(s spot) string {
	for _, k := range []string{"anyOf", "oneOf", "allOf"} {
		if s.root && s.o[k] != nil {
			return k + " at the root"
		}
	}
	return ""
}

func only(keywords string) rule {
	return func(s spot) string {
		for k := range s.o {
			if !slices.Contains(strings.Fields(keywords), k) {
				return "the keyword " + k
			}
		}
		return ""
	}
}

func without(keyword string) rule {
	return func(s spot) string { return said(s.o[keyword] != nil, "the keyword "+keyword) }
}

func said(wrong bool, what string) string {
	if wrong {
		return what
	}
	return ""
}

func typedOrChoice(s spot) string {
	return said(s.o["type"] == nil && s.o["anyOf"] == nil, "no type")
}

func fieldsOfObjects(s spot) string {
	return said(s.o["properties"] != nil && s.kind != "object", "properties of no object")
}

func noEmptyFields(s spot) string {
	return said(s.o["properties"] != nil && len(s.props) == 0, "empty properties")
}

func itemsSaid(s spot) string {
	return said(s.kind == "array" && s.o["items"] == nil && s.o["prefixItems"] == nil, "no items")
}

func textOptions(s spot) string {
	options, _ := s.o["enum"].([]any)
	for _, e := range options {
		if text, ok := e.(string); !ok || text == "" {
			return "an option that is no text"
		}
	}
	return said(s.o["enum"] != nil && (len(options) == 0 || s.kind != "string"), "options of no text")
}

func definedRequired(s spot) string {
	required, _ := s.o["required"].([]any)
	for _, r := range required {
		if name, ok := r.(string); !ok || s.props[name] == nil {
			return "a required field that isn't there"
		}
	}
	return ""
}

func noReference(s spot) string { return said(s.o["$ref"] != nil, "a reference") }

func noTypeBesideChoice(s spot) string {
	return said(!s.root && s.kind != "" && s.o["anyOf"] != nil, "a type beside anyOf")
}

func closed(s spot) string {
	required, _ := s.o["required"].([]any)
	return said(s.kind == "object" && (len(required) != len(s.props) || s.o["additionalProperties"] != false), "not closed, or not all required")
}

// Wrong says what in a schema breaks the rules of a dialect.
func Wrong(dialect string, src []byte) (wrong []string) {
	fail := func(at, what string) { wrong = append(wrong, fmt.Sprintf("%s: %s: %s: %s", dialect, at, what, src)) }
	list, known := rules[dialect]
	if !known {
		return nil // it takes whatever is sent
	}
	var root any
	if err := json.Unmarshal(src, &root); err != nil {
		fail("", err.Error())
		return wrong
	}
	if o, ok := root.(map[string]any); !ok || o["type"] != "object" {
		fail("", "the root isn't an object")
		return wrong
	}
	var check func(at string, v any)
	check = func(at string, v any) {
		o, ok := v.(map[string]any)
		if !ok {
			if _, is := v.(bool); is && slices.Contains(noBooleans, dialect) {
				fail(at, "it is a boolean")
			}
			return
		}
		s := spot{o: o, root: at == ""}
		s.kind, _ = o["type"].(string)
		s.props, _ = o["properties"].(map[string]any)
		for _, r := range list {
			if what := r(s); what != "" {
				fail(at, what)
			}
		}
		for name, p := range s.props {
			check(at+"."+name, p)
		}
		for _, k := range []string{"items", "additionalProperties"} {
			if _, is := o[k].(bool); o[k] != nil && !is {
				check(at+"."+k, o[k])
			}
		}
		if branches, ok := o["anyOf"].([]any); ok {
			for _, b := range branches {
				check(at+".anyOf", b)
			}
		}
	}
	check("", root)
	return wrong
}
