package anthropic

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
)

// kinds are the protocol's types of errors by status, the reverse of statuses.
var kinds = func() map[int]string {
	m := map[int]string{}
	for kind, status := range statuses {
		m[status] = kind
	}
	return m
}()

func kindOf(status int) string {
	switch kind, ok := kinds[status]; {
	case ok:
		return kind
	case status >= 500:
		return "api_error"
	}
	return "invalid_request_error"
}

// EncodeFault returns the answer that tells a client of f: an upstream's own
// body where it spoke this protocol, for clients go by its words, else the
// protocol's error object. A status that is no error's becomes 500.
func (Server) EncodeFault(f *chat.Fault) (status int, body []byte) {
	if f == nil {
		f = &chat.Fault{Code: "internal_error", Text: "Something failed without saying why."}
	}
	status = faultStatus(f)
	if f.Wire != nil && f.Wire.Protocol == Name && len(f.Wire.Body) > 0 {
		return status, f.Wire.Body
	}
	return status, appendFault(nil, f)
}

func faultStatus(f *chat.Fault) int {
	if f.Status < 400 || f.Status > 599 {
		return http.StatusInternalServerError
	}
	return f.Status
}

// appendFault appends the error object. Its code is Ferrule's own word for what
// went wrong, beside what the protocol has.
func appendFault(b []byte, f *chat.Fault) []byte {
	if f.Wire != nil && f.Wire.Protocol == Name && isObject(f.Wire.Body) {
		return append(b, bytes.TrimSpace(f.Wire.Body)...)
	}
	words := f.Text
	if f.Code == chat.CodeContext && !strings.Contains(words, "prompt is too long") {
		// What clients know an overflow by, and read its figures from.
		if f.Window > 0 && f.Prompt > 0 {
			words = fmt.Sprintf("prompt is too long: %d tokens > %d maximum. %s", f.Prompt, f.Window, words)
		} else {
			words = "prompt is too long. " + words
		}
	}
	b = rawjson.AppendString(append(b, `{"type":"error","error":{"type":`...), kindOf(faultStatus(f)))
	b = rawjson.AppendString(append(b, `,"message":`...), words)
	if f.Code != "" {
		b = rawjson.AppendString(append(b, `,"code":`...), f.Code)
	}
	return append(b, "}}"...)
}

// isObject reports whether a body is one line of JSON that an event can hold.
func isObject(b []byte) bool {
	b = bytes.TrimSpace(b)
	return rawjson.Kind(b) == '{' && bytes.IndexByte(b, '\n') < 0 && rawjson.Valid(b, rawjson.MaxDepth) == nil
}

// derived is an id made of the request, so that the same answer has the same ids.
func derived(q *chat.Request, more ...string) string {
	h := sha256.New()
	if q.Wire != nil {
		h.Write(q.Wire.Body)
	}
	for _, m := range more {
		fmt.Fprintf(h, "\x00%s", m)
	}
	return hex.EncodeToString(h.Sum(nil))[:24]
}
