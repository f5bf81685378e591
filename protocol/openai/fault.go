package openai

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/protocol/sse"
	"github.com/ferrule/ferrule/rawjson"
)

// maxFaultText bounds, in bytes, what a fault says of an upstream's error.
const maxFaultText = 4 << 10

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
		Retryable:  retryable(status),
		RetryAfter: retryAfter(w.Header, c.Now),
		Wire:       &chat.Wire{Protocol: Name, Header: w.Header, Body: w.Body},
	}
	if f.Code == "" {
		f.Code = codeUpstream
	}
	if f.Text == "" {
		f.Text = strings.TrimSpace(fmt.Sprintf("The upstream answered %d %s", status, http.StatusText(status))) + aboutBody(w.Body)
	}
	return f
}

func aboutBody(b []byte) string {
	b = bytes.TrimSpace(b)
	switch {
	case len(b) == 0:
		return " with an empty body."
	case b[0] == '<':
		if t := title(b); t != "" {
			return fmt.Sprintf(" with a page of HTML titled %q.", t)
		}
		return " with a page of HTML."
	}
	return " without saying why."
}

// title returns what stands in a page's title, at most maxExcerpt characters.
func title(page []byte) string {
	page = page[:min(len(page), maxFaultText)]
	from := -1
	for _, tag := range []string{"<title>", "<TITLE>", "<Title>"} {
		if from = bytes.Index(page, []byte(tag)); from >= 0 {
			from += len(tag)
			break
		}
	}
	if from < 0 {
		return ""
	}
	inner, _, _ := bytes.Cut(page[from:], []byte("<"))
	t := strings.Join(strings.Fields(strings.ToValidUTF8(string(inner), "\ufffd")), " ")
	if r := []rune(t); len(r) > maxExcerpt {
		t = string(r[:maxExcerpt])
	}
	return t
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
		Status: status, Retryable: retryable(status),
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
		s.text = bound(string(b))
		return s
	}
	if b[0] == '[' { // a list of one error
		_ = rawjson.Elements(b, func(v []byte) bool {
			b = v
			return false
		})
	}
	if rawjson.Kind(b) != '{' {
		s.text = bound(word(b))
		return s
	}
	if inner, ok := rawjson.Get(b, "error"); ok && rawjson.Kind(inner) == '{' {
		s = readFlat(inner)
	} else if ok {
		s.text = bound(word(inner))
	}
	outer := readFlat(b)
	if s.text == "" {
		s.text = outer.text
	}
	if s.text == "" {
		s.text = bound(string(b))
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
		if s.text = bound(word(m[k])); s.text != "" {
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

// bound cuts a text to maxFaultText, between characters.
func bound(s string) string {
	s = strings.TrimSpace(strings.ToValidUTF8(s, "\ufffd"))
	if len(s) <= maxFaultText {
		return s
	}
	n := maxFaultText - len("…")
	for !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

func retryable(status int) bool {
	return status == http.StatusRequestTimeout || status == http.StatusConflict ||
		status == http.StatusTooManyRequests || status >= 500
}

// retryAfter reads how long the upstream asks to be left alone; 0 where it doesn't say.
func retryAfter(h map[string][]string, clock func() time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(header(h, "Retry-After-Ms"), 64); err == nil && ms > 0 && ms < 1e12 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	v := header(h, "Retry-After")
	if s, err := strconv.ParseFloat(v, 64); err == nil {
		if s > 0 && s < 1e9 {
			return time.Duration(s * float64(time.Second))
		}
		return 0
	}
	at, err := http.ParseTime(v)
	if err != nil {
		return 0
	}
	since, err := http.ParseTime(header(h, "Date"))
	if err != nil {
		since = now(clock)
	}
	return max(0, at.Sub(since))
}

func header(h map[string][]string, name string) string {
	for k, v := range h {
		if len(v) > 0 && strings.EqualFold(k, name) {
			return strings.TrimSpace(v[0])
		}
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
	if f.Wire != nil && f.Wire.Protocol == Name && len(f.Wire.Body) > 0 {
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

// appendError appends OpenAI's error object.
func appendError(b []byte, f *chat.Fault) []byte {
	b = append(b, `{"error":{"message":`...)
	b = rawjson.AppendString(b, f.Text)
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
