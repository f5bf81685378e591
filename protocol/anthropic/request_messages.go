package anthropic

import (
	"strings"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
)

// billing begins the block that Claude Code puts in front of its system prompt.
// It is another one with each request, and only Anthropic's own: anywhere else it
// would void what is cached of the prompt.
const billing = "x-anthropic-billing-header"

// readSystem reads the system prompt: a text, or blocks of text.
func readSystem(v []byte, left *budget) (parts []chat.Part) {
	if isText(v) {
		return []chat.Part{chat.Text{Text: text(v)}}
	}
	for _, p := range readBlocks(v, nil, left) {
		if t, ok := p.(chat.Text); ok && strings.HasPrefix(t.Text, billing) {
			continue // an Anthropic upstream gets it within the body as it came
		}
		parts = append(parts, p)
	}
	return parts
}

// roles are those of a message, by the protocol's words.
var roles = map[string]chat.Role{user: chat.RoleUser, assistant: chat.RoleAssistant, "system": chat.RoleSystem}

// readMessages reads the conversation. Results of tools, which stand in a user's
// message, are one message of their own before it.
func readMessages(list []byte, left *budget) (ms []chat.Message) {
	names := map[string]string{} // of the tools called, by id
	_ = rawjson.Elements(list, func(v []byte) bool {
		if !left.take() {
			return false
		}
		role := roles[text(member(v, "role"))]
		if role == "" {
			role = chat.RoleUser
		}
		content := member(v, "content")
		var parts []chat.Part
		if isText(content) {
			parts = []chat.Part{chat.Text{Text: text(content)}}
		} else {
			parts = readBlocks(content, names, left)
		}
		var results, rest []chat.Part
		for _, p := range parts {
			if _, ok := p.(chat.Result); ok {
				results = append(results, p)
			} else {
				rest = append(rest, p)
			}
		}
		if len(results) > 0 {
			ms = append(ms, chat.Message{Role: chat.RoleTool, Parts: results})
		}
		if len(rest) > 0 || len(results) == 0 {
			ms = append(ms, chat.Message{Role: role, Parts: rest})
		}
		return true
	})
	return ms
}

// readBlocks reads a list of content blocks. names has the tools of earlier
// calls by id, and takes those of these; nil where there can be none.
func readBlocks(list []byte, names map[string]string, left *budget) (parts []chat.Part) {
	if rawjson.Kind(list) != '[' {
		return nil
	}
	_ = rawjson.Elements(list, func(v []byte) bool {
		if !left.take() {
			return false
		}
		parts = append(parts, readBlock(v, names, left))
		return true
	})
	return parts
}

// readBlock reads a block. One that other protocols have no word for is opaque.
func readBlock(v []byte, names map[string]string, left *budget) chat.Part {
	if isText(v) {
		return chat.Text{Text: text(v)}
	}
	m := membersOf(v)
	var p chat.Part
	ok := true
	switch text(m["type"]) {
	case "text":
		p, ok = chat.Text{Text: text(m["text"]), Extra: m.extra(left, "type", "text")}, rawjson.Kind(m["text"]) == '"'
	case "thinking":
		p = chat.Reasoning{Text: text(m["thinking"]), Extra: m.extra(left, "type", "thinking")}
	case "redacted_thinking":
		p, ok = chat.Reasoning{Extra: m.extra(left, "type")}, isText(m["data"])
	case "image":
		p, ok = readImage(m, left)
	case "tool_use":
		p = readCall(m, names, left)
	case "tool_result":
		p = readResult(m, names, left)
	default:
		ok = false
	}
	if !ok {
		return chat.Opaque{Protocol: Name, Raw: v}
	}
	return p
}

// members are those of one block. Of doubled ones the last counts, as it does for
// most readers.
type members map[string][]byte

func membersOf(v []byte) members {
	m := members{}
	if rawjson.Kind(v) != '{' {
		return m
	}
	_ = rawjson.Members(v, func(k, v []byte) bool {
		m[string(k)] = v
		return true
	})
	return m
}

// extra are the members but for some.
func (m members) extra(left *budget, but ...string) (e chat.Extra) {
	for k, v := range m {
		known := false
		for _, b := range but {
			known = known || k == b
		}
		if !known {
			e = withExtra(e, []byte(k), v, left)
		}
	}
	return e
}

func readImage(m members, left *budget) (chat.Part, bool) {
	p := chat.Image{Extra: m.extra(left, "type", "source")}
	switch s := m["source"]; text(member(s, "type")) {
	case "base64":
		p.Media = text(member(s, "media_type"))
		p.URL = "data:" + p.Media + ";base64," + text(member(s, "data"))
	case "url":
		p.URL = text(member(s, "url"))
	}
	return p, p.URL != ""
}

func readCall(m members, names map[string]string, left *budget) chat.Part {
	c := chat.Call{ID: text(m["id"]), Name: text(m["name"]), Args: m["input"], Extra: m.extra(left, "type", "id", "name", "input")}
	if names != nil {
		names[c.ID] = c.Name
	}
	return c
}

func readResult(m members, names map[string]string, left *budget) chat.Part {
	r := chat.Result{
		ID: text(m["tool_use_id"]), Error: string(m["is_error"]) == "true",
		Extra: m.extra(left, "type", "tool_use_id", "content", "is_error"),
	}
	r.Name = names[r.ID]
	if content := m["content"]; isText(content) {
		r.Parts = []chat.Part{chat.Text{Text: text(content)}}
	} else {
		r.Parts = readBlocks(content, nil, left)
	}
	return r
}
