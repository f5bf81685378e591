package gemini

import (
	"bytes"
	"net/http"
	"time"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/protocol/faults"
	"github.com/ferrule/ferrule/protocol/sse"
	"github.com/ferrule/ferrule/rawjson"
)

// DecodeFault reads an answer that is an error: the API's error object, alone or
// in a list, as gateways pass it on, or any other body. The fault's code is the
// status's name, such as INVALID_ARGUMENT, or the reason that stands for it.
// Wire keeps header and body as they came.
func (c Client) DecodeFault(status int, w chat.Wire) *chat.Fault {
	said := readError(w.Body)
	f := said.fault(status, w.Body)
	f.Wire = &chat.Wire{Protocol: Name, Header: w.Header, Body: w.Body}
	if f.RetryAfter == 0 {
		f.RetryAfter = faults.RetryAfter(w.Header, c.Now)
	}
	return f
}

// bodyFault is the fault that an answer with a good status turned out to be.
func bodyFault(body []byte) *chat.Fault {
	said := readError(body)
	status := said.status
	if status == 0 {
		status = http.StatusBadGateway
	}
	f := said.fault(status, body)
	f.Wire = &chat.Wire{Protocol: Name, Body: bytes.Clone(body)}
	return f
}

// said is what an error body says.
type said struct {
	text, code, param string
	status            int
	delay             time.Duration
}

func (s said) fault(status int, body []byte) *chat.Fault {
	f := &chat.Fault{
		Code: s.code, Text: s.text, Param: s.param, Status: status, RetryAfter: s.delay,
		Retryable: status == http.StatusRequestTimeout || status == http.StatusTooManyRequests || status >= 500,
	}
	if f.Code == "" {
		f.Code = codeUpstream
	}
	if f.Text == "" {
		f.Text = faults.Unsaid(status, body)
	}
	return f
}

// readError reads any error body. What it can't read is the text, but a page isn't.
func readError(body []byte) said {
	b := bytes.TrimSpace(bytes.TrimPrefix(body, sse.ByteOrderMark))
	switch {
	case len(b) == 0 || b[0] == '<':
		return said{}
	case rawjson.Valid(b, rawjson.MaxDepth) != nil:
		return said{text: faults.Bound(string(b))}
	}
	if b[0] == '[' { // a list of one error
		_ = rawjson.Elements(b, func(v []byte) bool {
			b = v
			return false
		})
	}
	inner := b
	if e := member(b, "error"); e != nil {
		inner = e
	}
	if rawjson.Kind(inner) != '{' {
		if s := text(inner); s != "" {
			return said{text: faults.Bound(s)}
		}
		return said{text: faults.Bound(string(inner))}
	}
	m := members(inner, "code", "message", "status", "details")
	s := said{text: faults.Bound(text(m["message"])), code: text(m["status"])}
	if n := integer(m["code"]); n >= 400 && n < 600 {
		s.status = n
	} else if s.code == "" {
		s.code = text(m["code"])
	}
	if s.text == "" {
		s.text = faults.Bound(string(b))
	}
	_ = rawjson.Elements(m["details"], func(v []byte) bool {
		s.detail(v)
		return true
	})
	return s
}

// detail reads one of an error's details: how long to wait, which field is
// wrong, or what the status's name leaves open.
func (s *said) detail(v []byte) {
	if rawjson.Kind(v) != '{' {
		return
	}
	m := members(v, "retryDelay", "fieldViolations", "reason")
	if d, err := time.ParseDuration(text(m["retryDelay"])); err == nil && d > 0 {
		s.delay = d
	}
	if s.param == "" && rawjson.Kind(m["fieldViolations"]) == '[' {
		_ = rawjson.Elements(m["fieldViolations"], func(v []byte) bool {
			s.param = text(member(v, "field"))
			return false
		})
	}
	if reason := text(m["reason"]); reason != "" {
		s.code = reason
	}
}
