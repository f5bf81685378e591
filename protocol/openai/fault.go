package openai

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/protocol/faults"
	"github.com/ferrule/ferrule/protocol/sse"
	"github.com/ferrule/ferrule/rawjson"
)

// DecodeFault reads an answer that is an error. Its body may be OpenAI's error
// object, one of the flat or nested shapes that other servers use, plain text,
// a page of HTML, or nothing. Wire keeps header and body as they came.
func (c Client) DecodeFault(status int, w chat.Wire) *chat.Fault {
	said := readError(w.Body)
	f := &chat.Fault{
		Code:       said.code,
		Text:       said.text,
		Param:      said.param,
		Status:     status,
		Retryable:  faults.Retryable(status),
		RetryAfter: faults.RetryAfter(w.Header, c.Now),
		Wire:       &chat.Wire{Protocol: Name, Header: w.Header, Body: w.Body},
	}
	if f.Code == "" {
		f.Code = codeUpstream
	}
	if f.Text == "" {
		f.Text = faults.Unsaid(status, w.Body)
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
	f := &chat.Fault{
		Code: said.code, Text: said.text, Param: said.param,
		Status: status, Retryable: faults.Retryable(status),
		Wire: &chat.Wire{Protocol: Name, Body: bytes.Clone(body)},
	}
	if f.Code == "" {
		f.Code = codeUpstream
	}
	if f.Text == "" {
		f.Text = "The upstream sent an error without saying why."
	}
	return f
}

// said is what an error body says.
type said struct {
	text, code, param string
	status            int
}

// readError reads any error body. What it can't read is the text, but a page isn't.
func readError(body []byte) said {
	b := bytes.TrimSpace(bytes.TrimPrefix(body, sse.ByteOrderMark))
	var s said
	switch {
	case len(b) == 0 || b[0] == '<':
		return s
	case rawjson.Valid(b, rawjson.MaxDepth) != nil:
		s.text = faults.Bound(string(b))
		return s
	}
	if b[0] == '[' { // a list of one error
		_ = rawjson.Elements(b, func(v []byte) bool {
			b = v
			return false
		})
	}
	if rawjson.Kind(b) != '{' {
		s.text = faults.Bound(word(b))
		return s
	}
	if inner, ok := rawjson.Get(b, "error"); ok && rawjson.Kind(inner) == '{' {
		s = readFlat(inner)
	} else if ok {
		s.text = faults.Bound(word(inner))
	}
	outer := readFlat(b)
	if s.text == "" {
		s.text = outer.text
	}
	if s.text == "" {
		s.text = faults.Bound(string(b))
	}
	if s.code == "" {
		s.code = outer.code
	}
	if s.param == "" {
		s.param = outer.param
	}
	if s.status == 0 {
		s.status = outer.status
	}
	return s
}

// readFlat reads an object that describes an error in members of its own.
func readFlat(b []byte) said {
	m := map[string][]byte{}
	_ = rawjson.Members(b, func(k, v []byte) bool {
		m[string(k)] = v
		return true
	})
	var s said
	for _, k := range []string{"message", "msg", "detail", "error_description", "title"} {
		if s.text = faults.Bound(word(m[k])); s.text != "" {
			break
		}
	}
	s.param = word(m["param"])
	// A number is an HTTP status or the provider's own: a word says more.
	code, kind := m["code"], word(m["type"])
	if s.code = word(code); kind != "" && rawjson.Kind(code) != '"' {
		s.code = kind
	}
	for _, v := range [][]byte{m["status"], m["status_code"], code} {
		if n, err := strconv.Atoi(word(v)); err == nil && n >= 400 && n < 600 {
			s.status = n
			break
		}
	}
	return s
}

// word returns a value as a text: a string's own, a number or an object as it stands.
func word(v []byte) string {
	switch rawjson.Kind(v) {
	case '"':
		return str(bytes.TrimSpace(v))
	case '0', '{', '[':
		return string(bytes.TrimSpace(v))
	}
	return ""
}

// errorTypes is OpenAI's word for each status; others in the 400s are invalid requests.
var errorTypes = map[int]string{
	http.StatusUnauthorized:    "authentication_error",
	http.StatusForbidden:       "permission_error",
	http.StatusNotFound:        "not_found_error",
	http.StatusTooManyRequests: "rate_limit_error",
}

func errorType(status int) string {
	if t, ok := errorTypes[status]; ok {
		return t
	}
	if status >= 500 {
		return "server_error"
	}
	return "invalid_request_error"
}

// EncodeFault returns the answer that tells a client of f: an upstream's own
// body where it spoke this protocol, else OpenAI's error object. A status that
// is no error's becomes 500.
func (Server) EncodeFault(f *chat.Fault) (status int, body []byte) {
	if f == nil {
		f = &chat.Fault{Code: "internal_error", Text: "Something failed without saying why."}
	}
	status = faultStatus(f)
	if f.Wire != nil && f.Wire.Protocol == Name && len(f.Wire.Body) > 0 && (f.Code != chat.CodeContext || bytes.Contains(f.Wire.Body, overflow)) {
		return status, f.Wire.Body
	}
	return status, appendError(nil, f)
}

func faultStatus(f *chat.Fault) int {
	if f.Status < 400 || f.Status > 599 {
		return http.StatusInternalServerError
	}
	return f.Status
}

// overflow is what OpenAI's clients know an overflow by, as a code.
var overflow = []byte(`"` + chat.CodeContext + `"`)

// overflowText says of an overflow what OpenAI says: some clients read the words
// and the figures in them.
func overflowText(f *chat.Fault) string {
	switch {
	case strings.Contains(f.Text, "maximum context length"):
		return f.Text
	case f.Window > 0 && f.Prompt > 0:
		return fmt.Sprintf("This model's maximum context length is %d tokens. However, your messages resulted in %d tokens. %s", f.Window, f.Prompt, f.Text)
	}
	return "The request is longer than this model's maximum context length. " + f.Text
}

// appendError appends OpenAI's error object.
func appendError(b []byte, f *chat.Fault) []byte {
	text := f.Text
	if f.Code == chat.CodeContext {
		text = overflowText(f)
	}
	b = append(b, `{"error":{"message":`...)
	b = rawjson.AppendString(b, text)
	b = append(b, `,"type":`...)
	b = rawjson.AppendString(b, errorType(faultStatus(f)))
	b = append(b, `,"param":`...)
	b = appendOrNull(b, f.Param)
	b = append(b, `,"code":`...)
	b = appendOrNull(b, f.Code)
	return append(b, "}}"...)
}

func appendOrNull(b []byte, s string) []byte {
	if s == "" {
		return append(b, "null"...)
	}
	return rawjson.AppendString(b, s)
}
