// Package constrain holds a model's answer to the form of a call, by what its
// server can be told: a JSON Schema, XGrammar's tags, or a GBNF grammar. The
// form is taken from a call as the prompt asks for it, so that whatever the
// server enforces reads like what the model would have written.
//
// A constraint is looser than a tool's schema wherever the server can't be told
// more, and never a replacement for checking the call.
package constrain

import (
	"bytes"
	"maps"
	"strings"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/rawjson"
)

// maxCalls bounds a list of calls: a model under a grammar may not find its end.
const maxCalls = 8

// Constraint is what an answer may look like.
type Constraint struct {
	Tools  []chat.Tool // of which one must be called, or may be where it isn't Forced
	Calls  int         // at most so many calls in the answer; 0: several
	Forced bool        // an answer without a call isn't wanted
	// Write writes calls as the prompt asks for them.
	Write func([]chat.Call) string
}

// Apply returns q with the constraint in the best of the forms that can say it,
// and that form. ok is false, and q comes back as it is, where none can, and
// where the client has constrained the answer itself.
func Apply(q *chat.Request, c Constraint, forms []profile.Form) (out *chat.Request, used profile.FormKind, ok bool) {
	if len(c.Tools) == 0 || Asked(q) {
		return q, "", false
	}
	if c.Calls <= 0 || c.Calls > maxCalls {
		c.Calls = maxCalls
	}
	frames := framesOf(c)
	for _, f := range forms {
		write, known := kinds[f.Kind]
		if !known {
			continue
		}
		if out, ok := write(q, c, frames, f); ok {
			if f.Whole && out.Stream {
				out = out.Edit(chat.FieldStream)
				out.Stream = false
			}
			return out, f.Kind, true
		}
	}
	return q, "", false
}

// kinds says how each form stands in a request.
var kinds = map[profile.FormKind]func(*chat.Request, Constraint, []frame, profile.Form) (*chat.Request, bool){
	profile.JSONSchema:    asJSONSchema,
	profile.JSONValue:     asJSONValue,
	profile.StructuralTag: asTags,
	profile.Grammar:       asGrammar,
	profile.GrammarFormat: asGrammarFormat,
}

// members are what constrains an answer at one server or another, beside the
// request's own Format.
var members = []string{
	"response_format", "grammar", "structured_outputs", "json_schema", "regex", "ebnf", "structural_tag", "format",
	"guided_json", "guided_regex", "guided_choice", "guided_grammar",
}

// Asked reports whether the client has constrained the answer itself.
func Asked(q *chat.Request) bool {
	if q.Format != nil && q.Format.Type != "text" {
		return true
	}
	if q.Wire == nil {
		return false
	}
	for _, m := range members {
		v, ok := rawjson.Get(q.Wire.Body, m)
		if !ok || rawjson.Kind(v) == 'n' {
			continue
		}
		if kind, _ := rawjson.Get(v, "type"); string(kind) != `"text"` {
			return true
		}
	}
	return false
}

// formatName is what a schema is called where it must have a name.
const formatName = "tool_call"

func asJSONSchema(q *chat.Request, c Constraint, fs []frame, f profile.Form) (*chat.Request, bool) {
	if !c.Forced {
		return nil, false
	}
	if f.Strict {
		c.Calls = 1 // a strict list can't be kept from being empty
	}
	schema := answerSchema(c, fs, f.Object)
	format := &chat.Format{Type: "json_schema", Name: formatName, Schema: schema}
	if f.Strict {
		strict, can := strictly(schema)
		if can {
			format.Schema = strict
		}
		format.Strict = &can
	}
	out := q.Edit(chat.FieldFormat)
	out.Format = format
	return out, true
}

func asJSONValue(q *chat.Request, c Constraint, fs []frame, f profile.Form) (*chat.Request, bool) {
	if !c.Forced {
		return nil, false
	}
	v := append([]byte(`{"type":"json","value":`), answerSchema(c, fs, f.Object)...)
	return with(q, "response_format", append(v, '}')), true
}

// with sets one member in OpenAI's Chat Completions, which all servers with
// forms of their own speak.
func with(q *chat.Request, member string, value []byte) *chat.Request {
	return set(q, "openai."+member, value)
}

func set(q *chat.Request, name string, value []byte) *chat.Request {
	out := *q
	out.Extra = maps.Clone(q.Extra)
	if out.Extra == nil {
		out.Extra = chat.Extra{}
	}
	out.Extra[name] = value
	return &out
}

// Add returns q with members, by "protocol.member", unless the client says
// something of them itself.
func Add(q *chat.Request, members map[string]string) *chat.Request {
	for name, value := range members {
		protocol, member, _ := strings.Cut(name, ".")
		if q.Wire != nil && q.Wire.Protocol == protocol {
			if _, said := rawjson.Get(q.Wire.Body, member); said {
				continue
			}
		}
		q = set(q, name, []byte(value))
	}
	return q
}

// Repairs are what a reader notes of calls in the forms that a constraint may
// ask for though the prompt asked for another.
var Repairs = []string{"bare", "calls_key", "protocol", "list", "wrapped"}

// WithConstant returns a tool's schema with one more required field that holds
// a text. A schema that names no fields stays as it is: it takes any.
func WithConstant(src []byte, field, text string) []byte {
	src = sourceOf(src)
	props, ok := rawjson.Get(src, "properties")
	if !ok || rawjson.Kind(props) != '{' {
		return src
	}
	required, ok := rawjson.Get(src, "required")
	if !ok || rawjson.Kind(required) != '[' {
		required = []byte("[]")
	}
	list := bytes.TrimRight(bytes.TrimSuffix(bytes.TrimSpace(required), []byte("]")), " \n\r\t")
	list = bytes.Clone(list)
	if len(list) > 1 {
		list = append(list, ',')
	}
	list = append(rawjson.AppendString(list, field), ']')
	props = edit(props, rawjson.Change{Key: field, Value: constant(rawjson.AppendString(nil, text))})
	return edit(src, rawjson.Change{Key: "properties", Value: props}, rawjson.Change{Key: "required", Value: list})
}
