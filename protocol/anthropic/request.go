package anthropic

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/protocol"
	"github.com/ferrule/ferrule/rawjson"
)

// Server speaks the Messages API to a client. Its zero value works.
type Server struct{}

var _ protocol.Server = Server{}

// maxDepth is how deep a request may nest, and maxItems what it may be read
// into: each item costs many times the bytes that a hostile client spends on it.
const (
	maxDepth = 64
	maxItems = 1 << 16
)

// Codes of requests that are refused before anything is done with them.
const (
	codeJSON      = "invalid_json"
	codeNesting   = "nesting_too_deep"
	codeRequest   = "invalid_request"
	codeDuplicate = "duplicate_key"
	codeItems     = "too_many_items"
)

// budget counts the items that may still be read.
type budget int

func (b *budget) take() bool {
	*b--
	return *b >= 0
}

// request holds the members of a request that Ferrule reads, as they stand.
type request map[string][]byte

// read names those members.
var read = map[string]bool{
	"model": true, "system": true, "messages": true, "tools": true, "tool_choice": true,
	"max_tokens": true, "temperature": true, "top_p": true, "stop_sequences": true,
	"stream": true, "output_config": true,
}

// DecodeRequest reads a request of the Messages API. Only what can't be read at
// all is refused, with status 400: text that isn't JSON, nesting above 64, more
// than 65,536 items, no messages, and members that stand twice with different
// values. What Ferrule doesn't know is kept, as Opaque parts and Extra members.
// Every path is served.
func (Server) DecodeRequest(_ string, w chat.Wire) (*chat.Request, *chat.Fault) {
	if err := rawjson.Valid(w.Body, maxDepth); err != nil {
		if errors.Is(err, rawjson.ErrDepth) {
			return nil, bad(codeNesting, "", "The request nests more than %d arrays and objects in each other.", maxDepth)
		}
		return nil, bad(codeJSON, "", "The request's body isn't valid JSON: %v.", err)
	}
	if rawjson.Kind(w.Body) != '{' {
		return nil, bad(codeRequest, "", "The request's body must be a JSON object.")
	}
	m, fault := readMembers(w.Body)
	if fault != nil {
		return nil, fault
	}
	if rawjson.Kind(m["messages"]) != '[' {
		return nil, bad(codeRequest, "messages", "The request needs messages, a list.")
	}
	if k := rawjson.Kind(m["model"]); k != '"' && k != 'n' && m["model"] != nil {
		return nil, bad(codeRequest, "model", "The model must be a string.")
	}
	w.Protocol, w.Edited = Name, 0
	q := &chat.Request{
		Model:    text(m["model"]),
		Format:   readFormat(member(m["output_config"], "format")),
		Sampling: m.sampling(),
		Stream:   string(m["stream"]) == "true",
		Usage:    true, // every answer of the protocol has it
		Wire:     &w,
	}
	left := budget(maxItems)
	q.System = readSystem(m["system"], &left)
	q.Messages = readMessages(m["messages"], &left)
	q.Tools = readTools(m["tools"], &left)
	q.Choice, q.Parallel = readChoice(m["tool_choice"])
	if left < 0 {
		return nil, bad(codeItems, "messages", "The request has more than %d messages, blocks, tools and members of them.", maxItems)
	}
	return q, nil
}

func bad(code, param, format string, args ...any) *chat.Fault {
	return &chat.Fault{Code: code, Param: param, Text: fmt.Sprintf(format, args...), Status: http.StatusBadRequest}
}

func readMembers(body []byte) (request, *chat.Fault) {
	m := request{}
	var fault *chat.Fault
	err := rawjson.Members(body, func(k, v []byte) bool {
		if !read[string(k)] {
			return true
		}
		if was, ok := m[string(k)]; ok && !rawjson.Same(was, v) {
			fault = bad(codeDuplicate, string(k), "The request has %q twice, with different values. Send it once.", k)
			return false
		}
		m[string(k)] = v
		return true
	})
	if err != nil {
		return nil, bad(codeJSON, "", "The request's body can't be read: %v.", err)
	}
	return m, fault
}

func (m request) sampling() chat.Sampling {
	s := chat.Sampling{MaxTokens: count(m["max_tokens"]), Temperature: fraction(m["temperature"]), TopP: fraction(m["top_p"])}
	if rawjson.Kind(m["stop_sequences"]) == '[' {
		_ = rawjson.Elements(m["stop_sequences"], func(v []byte) bool {
			if rawjson.Kind(v) == '"' {
				s.Stop = append(s.Stop, text(v))
			}
			return true
		})
	}
	return s
}

func count(v []byte) *int {
	n, ok := integer(v)
	if !ok {
		return nil
	}
	return &n
}

func fraction(v []byte) *float64 {
	if rawjson.Kind(v) != '0' {
		return nil
	}
	f, err := strconv.ParseFloat(string(v), 64)
	if err != nil {
		return nil
	}
	return &f
}

func readFormat(v []byte) *chat.Format {
	if kind := text(member(v, "type")); kind != "" {
		return &chat.Format{Type: kind, Name: "answer", Schema: member(v, "schema")}
	}
	return nil
}

// readChoice reads what the client said of calls.
func readChoice(v []byte) (c chat.Choice, parallel *bool) {
	if rawjson.Kind(v) != '{' {
		return c, nil
	}
	kind := text(member(v, "type"))
	for mode, word := range choices {
		if word == kind && mode != "" {
			c.Mode = mode
		}
	}
	if c.Mode == chat.ChoiceNamed {
		c.Name = text(member(v, "name"))
	}
	if string(member(v, "disable_parallel_tool_use")) == "true" {
		one := false
		parallel = &one
	}
	return c, parallel
}

// readTools reads the tools. Those that the provider has of its own, by their
// type, pass as they stand.
func readTools(list []byte, left *budget) (ts []chat.Tool) {
	if rawjson.Kind(list) != '[' {
		return nil
	}
	_ = rawjson.Elements(list, func(v []byte) bool {
		if !left.take() {
			return false
		}
		ts = append(ts, readTool(v, left))
		return true
	})
	return ts
}

func readTool(v []byte, left *budget) chat.Tool {
	if kind := text(member(v, "type")); rawjson.Kind(v) != '{' || kind != "" && kind != "custom" {
		return chat.Tool{Name: text(member(v, "name")), Kind: chat.ToolHosted, Extra: chat.Extra{rawTool: v}}
	}
	t := chat.Tool{Kind: chat.ToolFunction}
	_ = rawjson.Members(v, func(k, v []byte) bool {
		switch string(k) {
		case "name":
			t.Name = text(v)
		case "description":
			t.Description = text(v)
		case "input_schema":
			t.Schema = v
		default:
			t.Extra = withExtra(t.Extra, k, v, left)
		}
		return left.take()
	})
	return t
}

// withExtra keeps a member that other protocols don't have.
func withExtra(e chat.Extra, k, v []byte, left *budget) chat.Extra {
	if !left.take() {
		return e
	}
	if e == nil {
		e = chat.Extra{}
	}
	e[own+string(k)] = v
	return e
}
