package openai

import (
	"bytes"
	"strings"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
)

// readMessages reads the list of messages. The system and developer messages
// that open it are the system prompt.
func readMessages(list []byte, left *budget) (system []chat.Part, ms []chat.Message) {
	names := map[string]string{} // of tools, by the id of their call
	opening := true
	_ = rawjson.Elements(list, func(v []byte) bool {
		m := readMessage(v, names, left)
		if opening = opening && m.Role == chat.RoleSystem; opening {
			system = append(system, m.Parts...)
		} else {
			ms = append(ms, m)
		}
		return left.take()
	})
	return system, ms
}

// roles are the protocol's names of roles. Others are kept as they are.
var roles = map[string]chat.Role{
	"system":    chat.RoleSystem,
	"developer": chat.RoleSystem,
	"user":      chat.RoleUser,
	"assistant": chat.RoleAssistant,
	"tool":      chat.RoleTool,
	"function":  chat.RoleTool,
}

// rawMessage is a message as it stands.
type rawMessage struct {
	role, content, id, name, calls, legacy []byte
	reasoning, thoughts                    []byte
}

func readMessage(v []byte, names map[string]string, left *budget) chat.Message {
	var m chat.Message
	if rawjson.Kind(v) != '{' {
		m.Parts = []chat.Part{chat.Opaque{Protocol: Name, Raw: v}}
		return m
	}
	var r rawMessage
	fields := map[string]*[]byte{
		"role": &r.role, "content": &r.content, "tool_call_id": &r.id, "name": &r.name,
		"tool_calls": &r.calls, "function_call": &r.legacy,
		"reasoning_content": &r.reasoning, "reasoning": &r.thoughts,
	}
	_ = rawjson.Members(v, func(k, v []byte) bool {
		if f := fields[string(k)]; f != nil {
			*f = v
		} else {
			m.Extra = withExtra(m.Extra, string(k), v)
		}
		return left.take()
	})
	word := str(r.role)
	m.Role = chat.Role(word)
	if role, ok := roles[word]; ok {
		m.Role = role
	}
	if r.name != nil && m.Role != chat.RoleTool {
		m.Extra = withExtra(m.Extra, "name", r.name)
	}
	switch m.Role {
	case chat.RoleTool:
		m.Parts = []chat.Part{r.result(names, left)}
	case chat.RoleAssistant:
		m.Parts = r.assistant(names, left)
	default:
		m.Parts = readContent(r.content, left)
	}
	return m
}

// result reads what a tool answered.
func (r *rawMessage) result(names map[string]string, left *budget) chat.Result {
	res := chat.Result{ID: str(r.id), Name: str(r.name), Parts: readContent(r.content, left)}
	switch {
	case res.ID == "": // the older form, in which the name stands for it
	case res.Name == "":
		res.Name = names[res.ID]
	default:
		res.Extra = withExtra(nil, "name", r.name)
	}
	return res
}

// assistant reads thinking, words and calls, in this order.
func (r *rawMessage) assistant(names map[string]string, left *budget) []chat.Part {
	var parts []chat.Part
	if s := str(r.reasoning); s != "" {
		parts = append(parts, chat.Reasoning{Text: s})
	} else if s = str(r.thoughts); s != "" {
		parts = append(parts, chat.Reasoning{Text: s, Extra: withExtra(nil, "reasoning", []byte("true"))})
	}
	parts = append(parts, readContent(r.content, left)...)
	if rawjson.Kind(r.calls) == '[' {
		_ = rawjson.Elements(r.calls, func(v []byte) bool {
			c := readCall(v, left)
			names[c.ID] = c.Name
			parts = append(parts, c)
			return left.take()
		})
	}
	if rawjson.Kind(r.legacy) == '{' {
		var c chat.Call
		readCallFunction(r.legacy, "arguments", &c)
		parts = append(parts, c)
	}
	return parts
}

// readCall reads a call of the transcript: its arguments are the text of the
// string, or the value that stands in its place.
func readCall(v []byte, left *budget) chat.Call {
	var c chat.Call
	if rawjson.Kind(v) != '{' {
		return c
	}
	_ = rawjson.Members(v, func(k, v []byte) bool {
		switch key := string(k); key {
		case "id":
			c.ID = str(v)
		case "type":
			if t := str(v); t != "function" && t != "" {
				c.Extra = withExtra(c.Extra, "type", v)
			}
		case "function":
			readCallFunction(v, "arguments", &c)
		case "custom":
			readCallFunction(v, "input", &c)
			if rawjson.Kind(v) == '{' {
				// Its argument is a text: as JSON it is the string.
				c.Args = rawjson.AppendString(nil, string(c.Args))
			}
		default:
			c.Extra = withExtra(c.Extra, key, v)
		}
		return left.take()
	})
	return c
}

func readCallFunction(v []byte, argument string, c *chat.Call) {
	if rawjson.Kind(v) != '{' {
		return
	}
	_ = rawjson.Members(v, func(k, v []byte) bool {
		switch string(k) {
		case "name":
			c.Name = str(v)
		case argument:
			if rawjson.Kind(v) == 'n' {
				return true
			}
			text, _ := argsText(v)
			c.Args = []byte(valid(text))
			if rawjson.Kind(v) == '{' {
				c.Extra = withExtra(c.Extra, argumentsAs, []byte(argumentsObject))
			}
		}
		return true
	})
}

// readContent reads content: null, a string, or a list of parts.
func readContent(v []byte, left *budget) []chat.Part {
	switch rawjson.Kind(v) {
	case 0, 'n':
		return nil
	case '"':
		if s := str(v); s != "" {
			return []chat.Part{chat.Text{Text: s}}
		}
		return nil
	case '[':
		var parts []chat.Part
		_ = rawjson.Elements(v, func(v []byte) bool {
			parts = append(parts, readPart(v, left))
			return left.take()
		})
		return parts
	}
	return []chat.Part{chat.Opaque{Protocol: Name, Raw: v}}
}

func readPart(v []byte, left *budget) chat.Part {
	opaque := chat.Opaque{Protocol: Name, Raw: v}
	switch rawjson.Kind(v) {
	case '"':
		return chat.Text{Text: str(v)}
	case '{':
	default:
		return opaque
	}
	kind, _ := rawjson.Get(v, "type")
	switch str(kind) {
	case "text":
		text, ok := rawjson.Get(v, "text")
		if !ok || rawjson.Kind(text) != '"' {
			return opaque
		}
		return chat.Text{Text: str(text), Extra: rest(v, left, "type", "text")}
	case "image_url":
		return readImage(v, opaque, left)
	}
	return opaque
}

func readImage(v []byte, opaque chat.Part, left *budget) chat.Part {
	image, _ := rawjson.Get(v, "image_url")
	extra := rest(v, left, "type", "image_url")
	if rawjson.Kind(image) == '{' {
		for k, v := range rest(image, left, "url") {
			if extra == nil {
				extra = chat.Extra{}
			}
			extra[k] = v
		}
		image, _ = rawjson.Get(image, "url")
	}
	url := str(image)
	if url == "" {
		return opaque
	}
	p := chat.Image{URL: url, Extra: extra}
	if data, ok := strings.CutPrefix(url, "data:"); ok {
		p.Media, _, _ = strings.Cut(data, ",")
		p.Media, _, _ = strings.Cut(p.Media, ";")
	}
	return p
}

// rest returns the members of an object but those named.
func rest(v []byte, left *budget, named ...string) (e chat.Extra) {
	_ = rawjson.Members(v, func(k, v []byte) bool {
		for _, n := range named {
			if bytes.Equal(k, []byte(n)) {
				return true
			}
		}
		e = withExtra(e, string(k), v)
		return left.take()
	})
	return e
}
