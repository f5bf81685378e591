package openai

import (
	"fmt"
	"net/http"
	"sort"
	"strconv"
	"strings"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
)

// toolChanges writes the tools and what is said of them, in the form that the
// request came in, and takes the other form out. Without tools nothing is left.
func toolChanges(q *chat.Request, functions bool) ([]rawjson.Change, error) {
	var tools, choice, parallel, fs, call []byte
	if len(q.Tools) > 0 {
		list, err := appendTools(nil, q.Tools, functions)
		if err != nil {
			return nil, err
		}
		if functions {
			fs, call = list, appendFunctionCall(q.Choice)
		} else {
			tools, choice = list, appendChoice(q.Choice, q.Tools)
			if q.Parallel != nil {
				parallel = strconv.AppendBool(nil, *q.Parallel)
			}
		}
	}
	return []rawjson.Change{
		{Key: "tools", Value: tools},
		{Key: "tool_choice", Value: choice},
		{Key: "parallel_tool_calls", Value: parallel},
		{Key: "functions", Value: fs},
		{Key: "function_call", Value: call},
	}, nil
}

func appendTools(b []byte, ts []chat.Tool, functions bool) ([]byte, error) {
	b = append(b, '[')
	for i, t := range ts {
		if i > 0 {
			b = append(b, ',')
		}
		raw := t.Extra[own+rawTool]
		switch {
		case raw != nil:
			b = append(b, raw...)
		case t.Kind == chat.ToolHosted:
			return nil, &chat.Fault{
				Code: "tool_kind_unsupported", Status: http.StatusBadRequest, Param: "tools",
				Text: fmt.Sprintf("Tool %d, %q, is one that only its own provider runs; this model's provider takes only functions of a client. Leave it out, or choose another model.", i, t.Name),
			}
		case functions:
			b = appendFunction(b, t)
		case t.Kind == chat.ToolCustom:
			b = append(b, `{"type":"custom","custom":`...)
			b = append(appendExtra(appendFunction(b, t), t.Extra, isOuter), '}')
		default:
			b = append(b, `{"type":"function","function":`...)
			b = append(appendExtra(appendFunction(b, t), t.Extra, isOuter), '}')
		}
	}
	return append(b, ']'), nil
}

func appendFunction(b []byte, t chat.Tool) []byte {
	b = append(b, `{"name":`...)
	b = rawjson.AppendString(b, t.Name)
	if t.Description != "" {
		b = append(b, `,"description":`...)
		b = rawjson.AppendString(b, t.Description)
	}
	if len(t.Schema) > 0 {
		b = append(b, `,"parameters":`...)
		b = append(b, t.Schema...)
	}
	return append(appendExtra(b, t.Extra, isInner), '}')
}

func isOuter(field string) (string, bool) { return strings.CutPrefix(field, outer) }

func isInner(field string) (string, bool) {
	return field, field != rawTool && !strings.HasPrefix(field, outer)
}

// appendExtra appends, in the order of their names, the members of e that are
// this protocol's and that name takes.
func appendExtra(b []byte, e chat.Extra, name func(field string) (string, bool)) []byte {
	if len(e) == 0 {
		return b
	}
	fields := make([]string, 0, len(e))
	for k := range e {
		if f, ok := strings.CutPrefix(k, own); ok {
			fields = append(fields, f)
		}
	}
	sort.Strings(fields)
	for _, f := range fields {
		if key, ok := name(f); ok {
			b = append(b, ',')
			b = rawjson.AppendString(b, key)
			b = append(b, ':')
			b = append(b, e[own+f]...)
		}
	}
	return b
}

// but takes every field except those named.
func but(named ...string) func(string) (string, bool) {
	return func(field string) (string, bool) {
		for _, n := range named {
			if field == n {
				return "", false
			}
		}
		return field, true
	}
}

// toolTypes are the protocol's words for the kinds of tools that a client runs.
var toolTypes = map[chat.ToolKind]string{
	chat.ToolFunction: "function",
	chat.ToolCustom:   "custom",
}

func appendChoice(c chat.Choice, ts []chat.Tool) []byte {
	switch {
	case c.Allowed != nil:
		b := append([]byte(nil), `{"type":"allowed_tools","allowed_tools":{"mode":`...)
		mode := c.Mode
		if mode == "" {
			mode = chat.ChoiceAuto
		}
		b = rawjson.AppendString(b, string(mode))
		b = append(b, `,"tools":[`...)
		for i, name := range c.Allowed {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendNamed(b, name, ts)
		}
		return append(b, "]}}"...)
	case c.Mode == chat.ChoiceNamed:
		return appendNamed(nil, c.Name, ts)
	case c.Mode == "":
		return nil
	}
	return rawjson.AppendString(nil, string(c.Mode))
}

func appendNamed(b []byte, name string, ts []chat.Tool) []byte {
	kind := toolTypes[chat.ToolFunction]
	for _, t := range ts {
		if t.Name == name && toolTypes[t.Kind] != "" {
			kind = toolTypes[t.Kind]
		}
	}
	b = append(b, `{"type":"`...)
	b = append(append(append(b, kind...), `","`...), kind...)
	b = append(b, `":{"name":`...)
	b = rawjson.AppendString(b, name)
	return append(b, "}}"...)
}

// appendFunctionCall writes a choice in the older form, which has no word for
// "required" of several functions: it is left open there.
func appendFunctionCall(c chat.Choice) []byte {
	switch c.Mode {
	case chat.ChoiceAuto, chat.ChoiceNone:
		return rawjson.AppendString(nil, string(c.Mode))
	case chat.ChoiceNamed:
		return append(rawjson.AppendString([]byte(`{"name":`), c.Name), '}')
	}
	return nil
}
