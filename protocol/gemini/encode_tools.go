package gemini

import (
	"slices"
	"sort"
	"strings"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
)

// rawTool holds, in a tool's Extra, a tool of this protocol that isn't a function.
const rawTool = own + "tool"

// toolChanges writes the tools and what is said of them. Without tools nothing
// is left.
func toolChanges(q *chat.Request) ([]rawjson.Change, error) {
	tools, config := rawjson.Change{Key: "tools"}, rawjson.Change{Key: "toolConfig"}
	cs := []rawjson.Change{tools, config}
	offered := offered(q)
	if len(offered) == 0 {
		return cs, nil
	}
	list, err := appendTools(nil, offered)
	if err != nil {
		return nil, err
	}
	cs[0].Value = list
	cs[1].Value, err = appendChoice(q.Choice)
	return cs, err
}

// offered are the tools that the model is told of. Where it may call only some
// of them and need not, it isn't told of the others: the protocol limits calls
// by name only where one must come.
func offered(q *chat.Request) []chat.Tool {
	if q.Choice.Allowed == nil || q.Choice.Forced() || q.Choice.Mode == chat.ChoiceNone {
		return q.Tools
	}
	return slices.DeleteFunc(slices.Clone(q.Tools), func(t chat.Tool) bool { return !slices.Contains(q.Choice.Allowed, t.Name) })
}

// appendTools writes the functions as one tool and the provider's own each as one.
func appendTools(b []byte, ts []chat.Tool) ([]byte, error) {
	var fs, others []byte
	for i, t := range ts {
		switch raw := t.Extra[rawTool]; {
		case raw != nil:
			others = append(append(others, ','), raw...)
		case t.Kind != chat.ToolFunction && t.Kind != "":
			return nil, refuse(codeToolKind, "tools", "tool %d, %q, is of kind %q: this model's provider takes only functions of a client.", i, t.Name, t.Kind)
		default:
			fs = appendFunction(append(fs, ','), t)
		}
	}
	b = append(b, '[')
	if len(fs) > 0 {
		b = append(append(append(b, `{"functionDeclarations":[`...), fs[1:]...), "]}"...)
	} else {
		others = others[1:]
	}
	return append(append(b, others...), ']'), nil
}

// appendFunction writes one declaration. A schema that uses nothing but what
// the provider's own Schema has stands as its parameters, which every version of
// the API takes and where alone "nullable" means something; any other stands as
// the JSON Schema that it is, for there an unknown keyword in parameters fails
// the whole request.
func appendFunction(b []byte, t chat.Tool) []byte {
	b = rawjson.AppendString(append(b, `{"name":`...), t.Name)
	if t.Description != "" {
		b = rawjson.AppendString(append(b, `,"description":`...), t.Description)
	}
	switch {
	case rawjson.Kind(t.Schema) != '{' || takesNothing(t.Schema):
	case fits(t.Schema, 0):
		b = append(append(b, `,"parameters":`...), t.Schema...)
	default:
		b = append(append(b, `,"parametersJsonSchema":`...), t.Schema...)
	}
	var fields []string
	for k := range t.Extra {
		if f, ok := strings.CutPrefix(k, own); ok && k != rawTool {
			fields = append(fields, f)
		}
	}
	sort.Strings(fields)
	for _, f := range fields {
		b = rawjson.AppendString(append(b, ','), f)
		b = append(append(b, ':'), t.Extra[own+f]...)
	}
	return append(b, '}')
}

// modes are the protocol's words for a choice. A tool that is named must be
// called like any other that must, and alone may be.
var modes = map[chat.ChoiceMode]string{
	chat.ChoiceAuto:     "AUTO",
	chat.ChoiceNone:     "NONE",
	chat.ChoiceRequired: "ANY",
	chat.ChoiceNamed:    "ANY",
}

// appendChoice writes what the client said of calls; nil where it said nothing.
func appendChoice(c chat.Choice) ([]byte, error) {
	if c.Mode == "" {
		return nil, nil
	}
	mode, ok := modes[c.Mode]
	if !ok {
		return nil, refuse(codeChoice, "tool_choice", "tool_choice is %q: none, auto, required and the name of a tool are known.", string(c.Mode))
	}
	b := rawjson.AppendString([]byte(`{"functionCallingConfig":{"mode":`), mode)
	allowed := c.Allowed
	if c.Mode == chat.ChoiceNamed {
		allowed = []string{c.Name}
	}
	if c.Forced() && allowed != nil {
		b = appendStrings(append(b, `,"allowedFunctionNames":`...), allowed)
	}
	return append(b, "}}"...), nil
}
