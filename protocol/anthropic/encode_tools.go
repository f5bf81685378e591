package anthropic

import (
	"maps"
	"slices"
	"strings"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
)

// toolChanges writes the tools and what is said of them. Without tools nothing
// is left.
func toolChanges(q *chat.Request) ([]rawjson.Change, error) {
	cs := []rawjson.Change{{Key: "tools"}, {Key: "tool_choice"}}
	ts := offered(q)
	if len(ts) == 0 {
		return cs, nil
	}
	var err error
	if cs[0].Value, err = appendTools(nil, ts); err != nil {
		return nil, err
	}
	cs[1].Value, err = appendChoice(q.Choice, q.Parallel)
	return cs, err
}

// offered are the tools that the model is told of. Where it may call only some
// of them it isn't told of the others: the protocol has no other word for that.
func offered(q *chat.Request) []chat.Tool {
	if q.Choice.Allowed == nil || q.Choice.Mode == chat.ChoiceNone {
		return q.Tools
	}
	return slices.DeleteFunc(slices.Clone(q.Tools), func(t chat.Tool) bool { return !slices.Contains(q.Choice.Allowed, t.Name) })
}

func appendTools(b []byte, ts []chat.Tool) ([]byte, error) {
	b = append(b, '[')
	for i, t := range ts {
		if i > 0 {
			b = append(b, ',')
		}
		switch raw := t.Extra[rawTool]; {
		case raw != nil:
			b = append(b, raw...)
		case t.Kind != chat.ToolFunction && t.Kind != "":
			return nil, refuse(codeToolKind, "tools", "tool %d, %q, is of kind %q: this model's provider takes only functions of a client.", i, t.Name, t.Kind)
		default:
			var err error
			if b, err = appendTool(b, t); err != nil {
				return nil, err
			}
		}
	}
	return append(b, ']'), nil
}

func appendTool(b []byte, t chat.Tool) ([]byte, error) {
	b = rawjson.AppendString(append(b, `{"name":`...), t.Name)
	if t.Description != "" {
		b = rawjson.AppendString(append(b, `,"description":`...), t.Description)
	}
	schema, err := inputSchema(t.Schema)
	if err != nil {
		return nil, err
	}
	b = append(append(b, `,"input_schema":`...), schema...)
	return append(appendExtra(b, t.Extra), '}'), nil
}

// inputSchema is a tool's schema with the one type that the provider wants to
// read at its root. Arguments are an object whether or not a schema says so.
func inputSchema(schema []byte) ([]byte, error) {
	if rawjson.Kind(schema) != '{' {
		return []byte(`{"type":"object","properties":{}}`), nil
	}
	if kind, typed := rawjson.Get(schema, "type"); typed && !allowsObject(kind) {
		return schema, nil
	}
	return rawjson.Edit(schema, rawjson.Change{Key: "type", Value: []byte(`"object"`)})
}

// allowsObject reports whether a list of types has the object among them.
func allowsObject(kinds []byte) (yes bool) {
	_ = rawjson.Elements(kinds, func(v []byte) bool {
		yes = yes || text(v) == "object"
		return !yes
	})
	return yes
}

// appendExtra appends, in the order of their names, the members of e that are
// this protocol's.
func appendExtra(b []byte, e chat.Extra) []byte {
	if len(e) == 0 {
		return b
	}
	for _, k := range slices.Sorted(maps.Keys(e)) {
		if f, ok := strings.CutPrefix(k, own); ok && !inner[k] {
			b = rawjson.AppendString(append(b, ','), f)
			b = append(append(b, ':'), e[k]...)
		}
	}
	return b
}

// inner are the members of an Extra that aren't written where they stand.
var inner = map[string]bool{thinking: true, signature: true, redacted: true, rawTool: true}

// choices are the protocol's words for a choice.
var choices = map[chat.ChoiceMode]string{
	"":                  "auto",
	chat.ChoiceAuto:     "auto",
	chat.ChoiceNone:     "none",
	chat.ChoiceRequired: "any",
	chat.ChoiceNamed:    "tool",
}

// appendChoice writes what the client said of calls; nil where it said nothing.
func appendChoice(c chat.Choice, parallel *bool) ([]byte, error) {
	word, ok := choices[c.Mode]
	if !ok {
		return nil, refuse(codeChoice, "tool_choice", "tool_choice is %q: none, auto, required and the name of a tool are known.", string(c.Mode))
	}
	single := parallel != nil && !*parallel && c.Mode != chat.ChoiceNone
	if c.Mode == "" && !single {
		return nil, nil
	}
	b := rawjson.AppendString([]byte(`{"type":`), word)
	if c.Mode == chat.ChoiceNamed {
		b = rawjson.AppendString(append(b, `,"name":`...), c.Name)
	}
	if single {
		b = append(b, `,"disable_parallel_tool_use":true`...)
	}
	return append(b, '}'), nil
}
