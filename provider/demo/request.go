package demo

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/ferrule/ferrule/rawjson"
)

// request is what the demo reads of a chat completion request.
type request struct {
	model     string
	messages  []message
	tools     []tool
	hasTools  bool // tools stood there and wasn't empty
	choice    choice
	parallel  bool
	stream    bool
	usage     bool
	maxTokens int // 0: no limit
}

type message struct {
	role   string
	text   string // parts joined
	calls  []call
	callID string // of a tool message: what it answers
}

type call struct {
	id, name string
	args     string // JSON
}

type tool struct {
	name   string
	schema []byte
}

// choice is which tools may or must be called.
type choice struct {
	none     bool
	required bool
	name     string   // only this one, and it must be called
	allowed  []string // nil: all
}

var errNoMessages = errors.New("messages: a list of messages is needed")

// readRequest reads a request body; the error names what is wrong with it.
func readRequest(b []byte) (request, error) {
	q := request{parallel: true}
	if err := rawjson.Valid(b, rawjson.MaxDepth); err != nil {
		return q, fmt.Errorf("the body isn't JSON: %w", err)
	}
	if rawjson.Kind(b) != '{' {
		return q, errors.New("the body isn't an object")
	}
	var err error
	_ = rawjson.Members(b, func(k, v []byte) bool {
		switch string(k) {
		case "model":
			q.model = text(v)
		case "messages":
			q.messages, err = readMessages(v)
		case "tools":
			q.tools = readTools(v)
			q.hasTools = q.hasTools || rawjson.Kind(v) == '[' && !empty(v)
		case "tool_choice":
			q.choice = readChoice(v)
		case "parallel_tool_calls":
			q.parallel = string(v) != "false"
		case "stream":
			q.stream = string(v) == "true"
		case "stream_options":
			u, _ := rawjson.Get(v, "include_usage")
			q.usage = string(u) == "true"
		case "max_tokens", "max_completion_tokens":
			q.maxTokens, _ = strconv.Atoi(string(v))
		}
		return err == nil
	})
	if err == nil && len(q.messages) == 0 {
		err = errNoMessages
	}
	return q, err
}

func readMessages(v []byte) ([]message, error) {
	var ms []message
	var err error
	lerr := rawjson.Elements(v, func(e []byte) bool {
		m := message{}
		if rawjson.Kind(e) != '{' {
			err = fmt.Errorf("messages[%d]: an object is needed", len(ms))
			return false
		}
		_ = rawjson.Members(e, func(k, v []byte) bool {
			switch string(k) {
			case "role":
				m.role = text(v)
			case "content":
				m.text = content(v)
			case "tool_calls":
				m.calls = readCalls(v)
			case "tool_call_id":
				m.callID = text(v)
			}
			return true
		})
		switch m.role {
		case "system", "developer", "user", "assistant", "tool":
		default:
			err = fmt.Errorf("messages[%d].role: %q is none of system, developer, user, assistant, tool", len(ms), m.role)
			return false
		}
		ms = append(ms, m)
		return true
	})
	if lerr != nil {
		err = errNoMessages
	}
	return ms, err
}

// content joins the text parts; what isn't text is not seen.
func content(v []byte) string {
	if rawjson.Kind(v) == '"' {
		return text(v)
	}
	var s string
	_ = rawjson.Elements(v, func(p []byte) bool {
		if t, ok := rawjson.Get(p, "text"); ok {
			if s != "" {
				s += "\n"
			}
			s += text(t)
		}
		return true
	})
	return s
}

func readCalls(v []byte) []call {
	var cs []call
	_ = rawjson.Elements(v, func(e []byte) bool {
		id, _ := rawjson.Get(e, "id")
		name, _ := rawjson.Get(e, "function", "name")
		args, _ := rawjson.Get(e, "function", "arguments")
		cs = append(cs, call{text(id), text(name), text(args)})
		return true
	})
	return cs
}

// readTools reads tool definitions in the forms in which they are written,
// wrapped in "function" or not.
func readTools(v []byte) []tool {
	var ts []tool
	_ = rawjson.Elements(v, func(e []byte) bool {
		if t, ok := readTool(e); ok {
			ts = append(ts, t)
		}
		return true
	})
	return ts
}

func readTool(v []byte) (tool, bool) {
	if f, ok := rawjson.Get(v, "function"); ok && rawjson.Kind(f) == '{' {
		v = f
	}
	name, ok := rawjson.Get(v, "name")
	if !ok || text(name) == "" {
		return tool{}, false
	}
	for _, key := range []string{"parameters", "input_schema", "arguments"} {
		if s, ok := rawjson.Get(v, key); ok && rawjson.Kind(s) == '{' {
			return tool{text(name), s}, true
		}
	}
	// A tool may take nothing; but then it must look like a definition, not like a call.
	if _, ok := rawjson.Get(v, "description"); ok {
		return tool{text(name), []byte(`{}`)}, true
	}
	return tool{}, false
}

func readChoice(v []byte) choice {
	switch rawjson.Kind(v) {
	case '"':
		return choice{none: text(v) == "none", required: text(v) == "required"}
	case '{':
		if name, ok := rawjson.Get(v, "function", "name"); ok {
			return choice{required: true, name: text(name)}
		}
		if list, ok := rawjson.Get(v, "allowed_tools", "tools"); ok {
			c := choice{allowed: []string{}}
			mode, _ := rawjson.Get(v, "allowed_tools", "mode")
			c.required = text(mode) == "required"
			_ = rawjson.Elements(list, func(e []byte) bool {
				if name, ok := rawjson.Get(e, "function", "name"); ok {
					c.allowed = append(c.allowed, text(name))
				}
				return true
			})
			return c
		}
	}
	return choice{}
}

func text(v []byte) string {
	s, err := rawjson.String(v)
	if err != nil {
		return ""
	}
	return s
}

func empty(list []byte) bool {
	n := 0
	_ = rawjson.Elements(list, func([]byte) bool { n++; return false })
	return n == 0
}
