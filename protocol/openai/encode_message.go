package openai

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
)

// appendMessages writes the system prompt and the messages anew. The system
// prompt becomes one message; each tool result, one of its own.
func appendMessages(b []byte, q *chat.Request) ([]byte, error) {
	b = append(b, '[')
	var err error
	if len(q.System) > 0 {
		b = append(b, `{"role":"system","content":`...)
		if b, err = appendContent(b, joinTexts(q.System)); err != nil {
			return nil, err
		}
		b = append(b, "},"...)
	}
	for _, m := range q.Messages {
		if b, err = appendMessage(b, m); err != nil {
			return nil, err
		}
	}
	if b[len(b)-1] == ',' {
		b = b[:len(b)-1]
	}
	return append(b, ']'), nil
}

// joinTexts makes one text of several that say nothing but words, for many
// servers take a system prompt only as a string.
func joinTexts(parts []chat.Part) []chat.Part {
	var texts []string
	for _, p := range parts {
		t, ok := p.(chat.Text)
		if !ok || len(t.Extra) > 0 {
			return parts
		}
		texts = append(texts, t.Text)
	}
	return []chat.Part{chat.Text{Text: strings.Join(texts, "\n\n")}}
}

// appendMessage appends a message and a comma.
func appendMessage(b []byte, m chat.Message) ([]byte, error) {
	if m.Role == "" && len(m.Parts) == 1 {
		if o, ok := m.Parts[0].(chat.Opaque); ok && o.Protocol == Name {
			return append(append(b, o.Raw...), ','), nil
		}
	}
	if m.Role == chat.RoleTool {
		return appendResults(b, m)
	}
	var content []chat.Part
	var calls []chat.Call
	var thoughts []chat.Reasoning
	for _, p := range m.Parts {
		switch p := p.(type) {
		case chat.Call:
			calls = append(calls, p)
		case chat.Reasoning:
			thoughts = append(thoughts, p)
		default:
			content = append(content, p)
		}
	}
	b = append(b, `{"role":`...)
	b = rawjson.AppendString(b, string(m.Role))
	b = append(b, `,"content":`...)
	if len(content) == 0 && len(calls) > 0 {
		b = append(b, "null"...)
	} else {
		var err error
		if b, err = appendContent(b, content); err != nil {
			return nil, err
		}
	}
	b = appendThoughts(b, thoughts)
	b = appendCalls(b, calls)
	return append(appendExtra(b, m.Extra, but()), "},"...), nil
}

func appendThoughts(b []byte, thoughts []chat.Reasoning) []byte {
	if len(thoughts) == 0 {
		return b
	}
	key, text := `,"reasoning_content":`, ""
	for _, t := range thoughts {
		text += t.Text
		if t.Extra[own+"reasoning"] != nil {
			key = `,"reasoning":`
		}
	}
	return rawjson.AppendString(append(b, key...), text)
}

func appendResults(b []byte, m chat.Message) ([]byte, error) {
	for _, p := range m.Parts {
		r, ok := p.(chat.Result)
		if !ok {
			return nil, fmt.Errorf("a message of a tool holds a %T", p)
		}
		if r.ID == "" && r.Name != "" {
			b = append(b, `{"role":"function","name":`...)
			b = rawjson.AppendString(b, r.Name)
		} else {
			b = append(b, `{"role":"tool","tool_call_id":`...)
			b = rawjson.AppendString(b, r.ID)
		}
		b = append(b, `,"content":`...)
		var err error
		if b, err = appendContent(b, r.Parts); err != nil {
			return nil, err
		}
		b = appendExtra(b, r.Extra, but())
		b = append(appendExtra(b, m.Extra, but()), "},"...)
	}
	return b, nil
}

// appendContent writes one plain text as a string, anything else as a list.
func appendContent(b []byte, parts []chat.Part) ([]byte, error) {
	if len(parts) == 0 {
		return append(b, `""`...), nil
	}
	if t, ok := parts[0].(chat.Text); ok && len(parts) == 1 && len(t.Extra) == 0 {
		return rawjson.AppendString(b, t.Text), nil
	}
	b = append(b, '[')
	for i, p := range parts {
		if i > 0 {
			b = append(b, ',')
		}
		var err error
		if b, err = appendPart(b, p); err != nil {
			return nil, err
		}
	}
	return append(b, ']'), nil
}

func appendPart(b []byte, p chat.Part) ([]byte, error) {
	switch p := p.(type) {
	case chat.Text:
		b = append(b, `{"type":"text","text":`...)
		b = rawjson.AppendString(b, p.Text)
		return append(appendExtra(b, p.Extra, but()), '}'), nil
	case chat.Image:
		url := p.URL
		if url == "" {
			url = "data:" + p.Media + ";base64," + base64.StdEncoding.EncodeToString(p.Data)
		}
		b = append(b, `{"type":"image_url","image_url":{"url":`...)
		b = rawjson.AppendString(b, url)
		if detail := p.Extra[own+"detail"]; detail != nil {
			b = append(b, `,"detail":`...)
			b = append(b, detail...)
		}
		b = append(b, '}')
		return append(appendExtra(b, p.Extra, but("detail")), '}'), nil
	case chat.Opaque:
		if p.Protocol == Name {
			return append(b, p.Raw...), nil
		}
		return nil, &chat.Fault{
			Code: "content_unsupported", Status: http.StatusBadRequest, Param: "messages",
			Text: fmt.Sprintf("The conversation holds a part that only %s understands; this model's provider takes text, pictures, calls and results. Take it out, or choose another model.", p.Protocol),
		}
	}
	return nil, fmt.Errorf("a %T where content is expected", p)
}

// appendCalls writes a message's calls; one without an id, in the older form.
func appendCalls(b []byte, calls []chat.Call) []byte {
	switch {
	case len(calls) == 0:
		return b
	case len(calls) == 1 && calls[0].ID == "":
		return appendCallFunction(append(b, `,"function_call":`...), calls[0], "arguments", argumentsOf(calls[0]))
	}
	b = append(b, `,"tool_calls":[`...)
	for i, c := range calls {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '{')
		if standsAsObject(c) {
			b = append(appendObjectCall(b, c), '}')
			continue
		}
		b = append(appendCallBody(b, c, argumentsOf(c)), '}')
	}
	return append(b, ']')
}

// appendCallBody writes the members of a call: id, type, function and its own others.
func appendCallBody(b []byte, c chat.Call, args string) []byte {
	b = append(b, `"id":`...)
	b = rawjson.AppendString(b, c.ID)
	if isCustom(c) {
		b = appendCallFunction(append(b, `,"type":"custom","custom":`...), c, "input", args)
	} else {
		b = appendCallFunction(append(b, `,"type":"function","function":`...), c, "arguments", args)
	}
	return appendExtra(b, c.Extra, but("type", argumentsAs))
}

func appendCallFunction(b []byte, c chat.Call, argument, args string) []byte {
	b = append(b, `{"name":`...)
	b = rawjson.AppendString(b, c.Name)
	b = append(append(append(b, `,"`...), argument...), `":`...)
	return append(rawjson.AppendString(b, args), '}')
}

// argumentsAs is the member of a call's Extra that says how its arguments stand
// in a history: as an object, where it says so, not as a string. It isn't sent.
const (
	argumentsAs     = "arguments_as"
	argumentsObject = `"object"`
)

// standsAsObject reports whether a call of the history goes out with its
// arguments as an object.
func standsAsObject(c chat.Call) bool {
	return string(c.Extra[own+argumentsAs]) == argumentsObject && !isCustom(c) &&
		rawjson.Kind(c.Args) == '{' && rawjson.Valid(c.Args, maxDepth) == nil
}

func appendObjectCall(b []byte, c chat.Call) []byte {
	b = rawjson.AppendString(append(b, `"id":`...), c.ID)
	b = rawjson.AppendString(append(b, `,"type":"function","function":{"name":`...), c.Name)
	b = append(append(append(b, `,"arguments":`...), c.Args...), '}')
	return appendExtra(b, c.Extra, but("type", argumentsAs))
}

func isCustom(c chat.Call) bool { return string(c.Extra[own+"type"]) == `"custom"` }

// argumentsOf returns a call's arguments as the protocol's string holds them.
func argumentsOf(c chat.Call) string {
	switch {
	case isCustom(c) && rawjson.Kind(c.Args) == '"':
		return str(c.Args)
	case len(c.Args) == 0 && !isCustom(c):
		return "{}"
	}
	return string(c.Args)
}
