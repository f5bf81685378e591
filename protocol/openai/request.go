package openai

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
)

// maxDepth is how deep a request may nest.
const maxDepth = 64

// The codes of requests that are refused before anything is done with them.
const (
	codeJSON      = "invalid_json"
	codeNesting   = "nesting_too_deep"
	codeRequest   = "invalid_request"
	codeDuplicate = "duplicate_key"
	codeItems     = "too_many_items"
)

// maxItems bounds what one request is read into: each item costs many times
// the bytes that a hostile client spends on it.
const maxItems = 1 << 16

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
	"model": true, "messages": true, "stream": true, "stream_options": true,
	"tools": true, "tool_choice": true, "parallel_tool_calls": true,
	"functions": true, "function_call": true, "response_format": true,
	"max_tokens": true, "max_completion_tokens": true, "n": true,
	"temperature": true, "top_p": true, "stop": true,
}

// DecodeRequest reads a Chat Completions request. Only what can't be read at
// all is refused, with status 400: text that isn't JSON, nesting above 64, more
// than 65,536 items, no messages, and members that stand twice with different values, of which a
// gateway would judge one and the upstream obey the other. What Ferrule doesn't
// know is kept, as Opaque parts and Extra members. Every path is served.
func (Server) DecodeRequest(_ string, w chat.Wire) (*chat.Request, *chat.Fault) {
	if err := rawjson.Valid(w.Body, maxDepth); err != nil {
		if errors.Is(err, rawjson.ErrDepth) {
			return nil, bad(codeNesting, "", fmt.Sprintf("The request nests more than %d arrays and objects in each other.", maxDepth))
		}
		return nil, bad(codeJSON, "", fmt.Sprintf("The request's body isn't valid JSON: %v.", err))
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
		Model:    str(m["model"]),
		Format:   readFormat(m["response_format"]),
		Sampling: m.sampling(),
		Stream:   string(m["stream"]) == "true",
		Wire:     &w,
	}
	left := budget(maxItems)
	q.System, q.Messages = readMessages(m["messages"], &left)
	m.tools(q, &left)
	if left < 0 {
		return nil, bad(codeItems, "messages", fmt.Sprintf("The request has more than %d messages, parts, calls, tools and members of them.", maxItems))
	}
	if v, ok := rawjson.Get(m["stream_options"], "include_usage"); ok {
		q.Usage = string(v) == "true"
	}
	return q, nil
}

func bad(code, param, text string) *chat.Fault {
	return &chat.Fault{Code: code, Param: param, Text: text, Status: http.StatusBadRequest}
}

func readMembers(body []byte) (request, *chat.Fault) {
	m := request{}
	var fault *chat.Fault
	err := rawjson.Members(body, func(k, v []byte) bool {
		if !read[string(k)] {
			return true
		}
		if was, ok := m[string(k)]; ok && !same(was, v) {
			fault = bad(codeDuplicate, string(k), fmt.Sprintf("The request has %q twice, with different values. Send it once.", k))
			return false
		}
		m[string(k)] = v
		return true
	})
	if err != nil {
		return nil, bad(codeJSON, "", fmt.Sprintf("The request's body can't be read: %v.", err))
	}
	return m, fault
}

func same(a, b []byte) bool { return bytes.Equal(a, b) || rawjson.Same(a, b) }

func (m request) sampling() chat.Sampling {
	s := chat.Sampling{
		MaxTokens:   number(m["max_completion_tokens"]),
		Choices:     number(m["n"]),
		Temperature: fraction(m["temperature"]),
		TopP:        fraction(m["top_p"]),
	}
	if s.MaxTokens == nil {
		s.MaxTokens = number(m["max_tokens"])
	}
	switch v := m["stop"]; rawjson.Kind(v) {
	case '"':
		s.Stop = []string{str(v)}
	case '[':
		_ = rawjson.Elements(v, func(v []byte) bool {
			if rawjson.Kind(v) == '"' {
				s.Stop = append(s.Stop, str(v))
			}
			return true
		})
	}
	return s
}

func number(v []byte) *int {
	n, ok := integer(v)
	if !ok {
		return nil
	}
	i := int(n)
	return &i
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

func flag(v []byte) *bool {
	switch s := string(v); s {
	case "true", "false":
		b := s == "true"
		return &b
	}
	return nil
}

func readFormat(v []byte) *chat.Format {
	if rawjson.Kind(v) != '{' {
		return nil
	}
	var f chat.Format
	_ = rawjson.Members(v, func(k, v []byte) bool {
		switch string(k) {
		case "type":
			f.Type = str(v)
		case "json_schema":
			if rawjson.Kind(v) != '{' {
				return true
			}
			_ = rawjson.Members(v, func(k, v []byte) bool {
				switch string(k) {
				case "name":
					f.Name = str(v)
				case "schema":
					f.Schema = v
				case "strict":
					f.Strict = flag(v)
				}
				return true
			})
		}
		return true
	})
	return &f
}
