package history

import (
	"bytes"
	"encoding/json"
	"maps"
	"strings"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
)

// Members of protocols that rewrites set. Each comes out on its protocol only.
const (
	wireArguments = "openai.arguments_as"  // "object": a call's arguments stand as one, not as a string
	wireName      = "openai.name"          // of a result's tool
	wireToolName  = "openai.tool_name"     // the same, as Ollama's own endpoint has it
	wireSignature = "openai.extra_content" // of a call: what Gemini gave with it
)

const asObject = `"object"`

// stubArguments leaves no arguments that aren't one object: an object that was
// written as a string twice is read once more, anything else becomes {}.
func (t *talk) stubArguments() {
	t.eachCall(func(c *chat.Call) string {
		if len(c.Args) == 0 || isObject(c.Args) {
			return ""
		}
		if rawjson.Kind(c.Args) == '"' && rawjson.Valid(c.Args, rawjson.MaxDepth) == nil {
			if inner, err := rawjson.String(c.Args); err == nil && isObject([]byte(inner)) {
				c.Args = []byte(inner)
				return "arguments that were encoded twice are an object"
			}
		}
		c.Args = []byte("{}")
		return "arguments that are no object were left out"
	})
}

func isObject(b []byte) bool {
	b = bytes.TrimSpace(b)
	return rawjson.Kind(b) == '{' && rawjson.Valid(b, rawjson.MaxDepth) == nil
}

func (t *talk) argumentsObject() {
	t.eachCall(func(c *chat.Call) string {
		if string(c.Extra[wireArguments]) == asObject {
			return ""
		}
		c.Extra = with(c.Extra, wireArguments, asObject)
		return "arguments stand as an object"
	})
}

func (t *talk) argumentsString() {
	t.eachCall(func(c *chat.Call) string {
		if c.Extra[wireArguments] == nil {
			return ""
		}
		c.Extra = maps.Clone(c.Extra)
		delete(c.Extra, wireArguments)
		return "arguments stand as a string"
	})
}

// eachCall lets f change the calls whose arguments are JSON; it says what it did.
func (t *talk) eachCall(f func(c *chat.Call) string) {
	t.eachPart(func(_ *chat.Message, p chat.Part) (chat.Part, bool) {
		c, ok := p.(chat.Call)
		if !ok || ofItsOwnKind(c) {
			return nil, false
		}
		what := f(&c)
		if what == "" {
			return nil, false
		}
		t.note(what)
		return c, true
	})
}

// ofItsOwnKind reports whether its protocol says that a call isn't a function's:
// then its arguments are some other text.
func ofItsOwnKind(c chat.Call) bool {
	for k := range c.Extra {
		if strings.HasSuffix(k, ".type") {
			return true
		}
	}
	return false
}

// with returns e with one more member.
func with(e chat.Extra, key, value string) chat.Extra {
	out := make(chat.Extra, len(e)+1)
	maps.Copy(out, e)
	out[key] = json.RawMessage(value)
	return out
}

// nameResults names the tool of each result whose call is there, and has the
// name go out in a member of its own.
func nameResults(member string) func(*talk) {
	return func(t *talk) {
		p := t.pairs()
		names := map[place]string{}
		for at, call := range p.call {
			names[at] = t.callAt(call).Name
		}
		for i := range t.ms {
			var parts []chat.Part
			for k, part := range t.ms[i].Parts {
				r, ok := part.(chat.Result)
				if ok && r.Name == "" {
					r.Name = names[place{i, k}]
				}
				if !ok || r.Name == "" || r.Extra[member] != nil || t.ms[i].Extra[member] != nil {
					continue
				}
				r.Extra = with(r.Extra, member, string(rawjson.AppendString(nil, r.Name)))
				if parts == nil {
					parts = append(parts, t.ms[i].Parts...)
				}
				parts[k] = r
				t.note("a result names its tool")
			}
			if parts != nil {
				t.ms[i].Parts = parts
			}
		}
	}
}
