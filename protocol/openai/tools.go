package openai

import (
	"bytes"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
)

// Extra keys of a tool: the members of its function stand under their own
// names, those beside the function under outer, and a tool that isn't read at
// all under rawTool.
const (
	outer   = "tool."
	rawTool = "tool"
)

// tools reads the tools and what is said of them, in either of the two forms
// that the protocol has had.
func (m request) tools(q *chat.Request, left *budget) {
	q.Tools = readTools(m["tools"], readTool, left)
	q.Parallel = flag(m["parallel_tool_calls"])
	q.Choice = readChoice(m["tool_choice"])
	fs := readTools(m["functions"], readFunction, left)
	if len(fs) > 0 && len(q.Tools) == 0 {
		// An answer in that form has room for one call.
		one := false
		q.Parallel = &one
	}
	q.Tools = append(q.Tools, fs...)
	if q.Choice.Mode == "" {
		q.Choice = readChoice(m["function_call"])
	}
}

// usesFunctions reports whether a request speaks the older form, with
// functions and function_call, so that its answer must.
func usesFunctions(q *chat.Request) bool {
	if q.Wire == nil || q.Wire.Protocol != Name || !bytes.Contains(q.Wire.Body, []byte(`"functions"`)) {
		return false
	}
	fs, tools := false, false
	_ = rawjson.Members(q.Wire.Body, func(k, v []byte) bool {
		switch string(k) {
		case "functions":
			fs = isFilled(v)
		case "tools":
			tools = isFilled(v)
		}
		return true
	})
	return fs && !tools
}

// isFilled reports whether v is a list that isn't empty.
func isFilled(v []byte) bool {
	filled := false
	_ = rawjson.Elements(v, func([]byte) bool {
		filled = true
		return false
	})
	return filled
}

func readTools(v []byte, one func([]byte, *budget) chat.Tool, left *budget) []chat.Tool {
	switch rawjson.Kind(v) {
	case 0, 'n':
		return nil
	case '[':
		var ts []chat.Tool
		_ = rawjson.Elements(v, func(v []byte) bool {
			ts = append(ts, one(v, left))
			return left.take()
		})
		return ts
	}
	return []chat.Tool{hosted(v)} // no list: kept, so that nobody takes it for none
}

func hosted(v []byte) chat.Tool {
	t := chat.Tool{Kind: chat.ToolHosted, Extra: withExtra(nil, rawTool, v)}
	if kind, ok := rawjson.Get(v, "type"); ok {
		t.Name = str(kind)
	}
	return t
}

func readTool(v []byte, left *budget) chat.Tool {
	if rawjson.Kind(v) != '{' {
		return hosted(v)
	}
	var kind string
	var inner []byte
	var t chat.Tool
	_ = rawjson.Members(v, func(k, v []byte) bool {
		switch key := string(k); {
		case key == "type":
			kind = str(v)
		case (key == "function" || key == "custom") && rawjson.Kind(v) == '{':
			inner = v
			if kind == "" {
				kind = key
			}
		default:
			t.Extra = withExtra(t.Extra, outer+key, v)
		}
		return left.take()
	})
	extra := t.Extra
	switch {
	case kind == "function" && inner != nil:
		t = readFunction(inner, left)
	case kind == "custom" && inner != nil:
		t = readFunction(inner, left)
		t.Kind = chat.ToolCustom
	case kind == "function" && extra[own+outer+"name"] != nil:
		return readFunction(v, left) // flat, as the sister protocol has it
	default:
		return hosted(v)
	}
	for k, v := range extra {
		if t.Extra == nil {
			t.Extra = chat.Extra{}
		}
		t.Extra[k] = v
	}
	return t
}

func readFunction(v []byte, left *budget) chat.Tool {
	if rawjson.Kind(v) != '{' {
		return hosted(v)
	}
	t := chat.Tool{Kind: chat.ToolFunction}
	_ = rawjson.Members(v, func(k, v []byte) bool {
		switch key := string(k); key {
		case "name":
			t.Name = str(v)
		case "description":
			t.Description = str(v)
		case "parameters":
			if rawjson.Kind(v) != 'n' {
				t.Schema = v
			}
		case "type":
		default:
			t.Extra = withExtra(t.Extra, key, v)
		}
		return left.take()
	})
	return t
}

// choiceWords are the protocol's words for a choice. Others are kept as they are.
var choiceWords = map[string]chat.ChoiceMode{
	"auto":     chat.ChoiceAuto,
	"none":     chat.ChoiceNone,
	"required": chat.ChoiceRequired,
}

func readChoice(v []byte) chat.Choice {
	switch rawjson.Kind(v) {
	case '"':
		return chat.Choice{Mode: choiceMode(str(v))}
	case '{':
	default:
		return chat.Choice{}
	}
	var kind, mode, name string
	var list []byte
	var read func(k, v []byte) bool
	read = func(k, v []byte) bool {
		switch string(k) {
		case "type":
			kind = str(v)
		case "mode":
			mode = str(v)
		case "name":
			name = str(v)
		case "tools":
			list = v
		case "function", "custom", "allowed_tools":
			if rawjson.Kind(v) == '{' {
				_ = rawjson.Members(v, read)
			}
		}
		return true
	}
	_ = rawjson.Members(v, read)
	switch {
	case list != nil:
		return chat.Choice{Mode: choiceMode(mode), Allowed: allowedNames(list)}
	case name != "":
		return chat.Choice{Mode: chat.ChoiceNamed, Name: name}
	}
	return chat.Choice{Mode: choiceMode(kind)}
}

func choiceMode(word string) chat.ChoiceMode {
	if m, ok := choiceWords[word]; ok {
		return m
	}
	return chat.ChoiceMode(word)
}

func allowedNames(list []byte) []string {
	names := []string{}
	if rawjson.Kind(list) != '[' {
		return names
	}
	_ = rawjson.Elements(list, func(v []byte) bool {
		for _, path := range [][]string{{"function", "name"}, {"custom", "name"}, {"name"}} {
			if n, ok := rawjson.Get(v, path...); ok && rawjson.Kind(n) == '"' {
				names = append(names, str(n))
				break
			}
		}
		return true
	})
	return names
}
