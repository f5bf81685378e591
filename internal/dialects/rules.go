// Package dialects holds schemas to the rules of providers, for tests.
package dialects

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// known are the keywords of a dialect that keeps a list of them, as its rules
// have it, apart from the table.
var known = map[string]string{
	"gemini":  "type description enum items properties required nullable anyOf minItems maxItems minimum maximum",
	"minimal": "type description enum items properties required",
}

func among(dialect, list string) bool { return slices.Contains(strings.Fields(list), dialect) }

// Wrong says what in a schema breaks the rules of a dialect, as its providers
// have them: written from what they refuse, and not from what rewrites schemas.
func Wrong(dialect string, src []byte) (wrong []string) {
	fail := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	var root any
	if err := json.Unmarshal(src, &root); err != nil {
		fail("%s: %v", dialect, err)
		return wrong
	}
	o, ok := root.(map[string]any)
	if dialect != "permissive" && (!ok || o["type"] != "object") {
		fail("%s: the root isn't an object: %s", dialect, src)
		return wrong
	}
	for _, k := range []string{"anyOf", "oneOf", "allOf"} {
		if o[k] != nil && among(dialect, "anthropic openai openai-strict bedrock gemini minimal mistral ollama moonshot") {
			fail("%s: %s at the root: %s", dialect, k, src)
		}
	}
	var check func(at string, v any)
	check = func(at string, v any) {
		o, ok := v.(map[string]any)
		if !ok {
			if _, is := v.(bool); is && among(dialect, "gemini minimal moonshot openai-strict lmstudio llamacpp ollama") {
				fail("%s: %s is a boolean: %s", dialect, at, src)
			}
			return
		}
		fault := func(what string) { fail("%s: %s: %s: %s", dialect, at, what, src) }
		if list := known[dialect]; list != "" {
			for k := range o {
				if !strings.Contains(" "+list+" ", " "+k+" ") {
					fault("the keyword " + k)
				}
			}
		}
		kind, _ := o["type"].(string)
		props, _ := o["properties"].(map[string]any)
		switch dialect {
		case "gemini", "minimal":
			if kind == "" && o["anyOf"] == nil {
				fault("no type")
			}
			if o["properties"] != nil && kind != "object" {
				fault("properties of no object")
			}
			if dialect == "gemini" && o["properties"] != nil && len(props) == 0 {
				fault("empty properties")
			}
			if kind == "array" && o["items"] == nil {
				fault("no items")
			}
			options, _ := o["enum"].([]any)
			if o["enum"] != nil && (len(options) == 0 || kind != "string") {
				fault("options")
			}
			for _, e := range options {
				if s, ok := e.(string); !ok || s == "" {
					fault("an option that is no text")
				}
			}
			required, _ := o["required"].([]any)
			for _, r := range required {
				if _, ok := props[r.(string)]; !ok {
					fault("a required field that isn't there")
				}
			}
		case "openai-strict":
			if kind == "object" {
				required, _ := o["required"].([]any)
				if len(required) != len(props) || o["additionalProperties"] != false {
					fault("not closed, or not all required")
				}
			}
		case "moonshot":
			if kind == "" && o["anyOf"] == nil || kind != "" && o["anyOf"] != nil && at != "" {
				if _, list := o["type"].([]any); !list {
					fault("a type beside anyOf, or none")
				}
			}
		case "llamacpp":
			if o["pattern"] != nil {
				fault("a pattern")
			}
		case "openai":
			if kind == "array" && o["items"] == nil && o["prefixItems"] == nil {
				fault("no items")
			}
		}
		if among(dialect, "gemini minimal moonshot lmstudio mistral ollama") && o["$ref"] != nil {
			fault("a reference")
		}
		for name, p := range props {
			check(at+"."+name, p)
		}
		for _, k := range []string{"items", "additionalProperties"} {
			if _, is := o[k].(bool); o[k] != nil && !is {
				check(at+"."+k, o[k])
			}
		}
		if list, ok := o["anyOf"].([]any); ok {
			for _, b := range list {
				check(at+".anyOf", b)
			}
		}
	}
	check("", root)
	return wrong
}
