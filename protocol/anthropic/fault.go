package anthropic

import (
	"bytes"
	"net/http"
	"regexp"
	"strings"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/protocol/faults"
	"github.com/ferrule/ferrule/protocol/sse"
	"github.com/ferrule/ferrule/rawjson"
)

// DecodeFault reads an answer that is an error: the API's error object, one of
// the shapes that other servers and the proxies before them use, plain text, a
// page of HTML, or nothing. The fault's code is the error's type. Wire keeps
// header and body as they came.
func (c Client) DecodeFault(status int, w chat.Wire) *chat.Fault {
	f := readError(w.Body)
	f.Status, f.Retryable = status, faults.Retryable(status)
	switch faults.Header(w.Header, "X-Should-Retry") { // the provider knows better
	case "true":
		f.Retryable = true
	case "false":
		f.Retryable = false
	}
	if f.Text == "" {
		f.Text = faults.Unsaid(status, w.Body)
	}
	f.RetryAfter = faults.RetryAfter(w.Header, c.Now)
	f.Wire = &chat.Wire{Protocol: Name, Header: w.Header, Body: w.Body}
	return f
}

// bodyFault is the fault that an answer with a good status turned out to be.
func bodyFault(body []byte) *chat.Fault {
	f := readError(body)
	if f.Status = statuses[f.Code]; f.Status == 0 {
		f.Status = http.StatusBadGateway
	}
	f.Retryable = faults.Retryable(f.Status)
	if f.Text == "" {
		f.Text = "The upstream sent an error without saying why."
	}
	f.Wire = &chat.Wire{Protocol: Name, Body: bytes.Clone(body)}
	return f
}

// readError reads any error body. What it can't read is the text, but a page isn't.
func readError(body []byte) *chat.Fault {
	b := bytes.TrimSpace(bytes.TrimPrefix(body, sse.ByteOrderMark))
	f := &chat.Fault{Code: codeUpstream}
	switch {
	case len(b) == 0 || b[0] == '<':
		return f
	case rawjson.Valid(b, rawjson.MaxDepth) != nil:
		f.Text = faults.Bound(string(b))
		return f
	case rawjson.Kind(b) != '{':
		if f.Text = faults.Bound(text(b)); f.Text == "" {
			f.Text = faults.Bound(string(b))
		}
		return f
	}
	inner := b
	if e := member(b, "error"); rawjson.Kind(e) == '{' {
		inner = e
	} else if isText(e) {
		f.Text = faults.Bound(text(e))
	}
	for _, from := range [][]byte{inner, b} {
		for _, key := range []string{"message", "detail", "msg"} {
			if f.Text == "" {
				f.Text = faults.Bound(text(member(from, key)))
			}
		}
	}
	if f.Text == "" {
		f.Text = faults.Bound(string(b))
	}
	for _, key := range []string{"type", "code"} {
		if word := text(member(inner, key)); word != "" && word != "error" {
			f.Code = word
			break
		}
	}
	f.Param = paramOf(f)
	return f
}

// place is how the API names the member that is wrong: messages.1.content.0: …
var place = regexp.MustCompile(`^([a-z_]+(?:\.[A-Za-z0-9_-]+)*): `)

// paramOf returns the member that an error is about; "" where it names none.
func paramOf(f *chat.Fault) string {
	m := place.FindStringSubmatch(f.Text)
	if m == nil || statuses[f.Code] != http.StatusBadRequest {
		return ""
	}
	return strings.TrimSpace(m[1])
}
