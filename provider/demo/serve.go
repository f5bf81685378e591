package demo

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"strings"

	"github.com/ferrule/ferrule/rawjson"
)

const maxBody = 32 << 20

func listModels(w http.ResponseWriter, _ *http.Request) {
	b := []byte(`{"object":"list","data":[`)
	for i, m := range models {
		if i > 0 {
			b = append(b, ',')
		}
		b = rawjson.AppendString(append(b, `{"id":`...), m.name)
		b = append(b, `,"object":"model","created":1764460800,"owned_by":"ferrule","context_length":32768}`...)
	}
	writeJSON(w, http.StatusOK, append(b, `]}`...))
}

func complete(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		writeError(w, http.StatusRequestEntityTooLarge, "invalid_request_error", "", "The body is larger than 32 MB or broke off.")
		return
	}
	q, err := readRequest(body)
	if err != nil {
		writeError(w, http.StatusBadRequest, "invalid_request_error", "", "The request can't be read: "+err.Error()+".")
		return
	}
	m, ok := find(q.model)
	switch {
	case !ok:
		writeError(w, http.StatusNotFound, "invalid_request_error", "model_not_found",
			"There is no model \""+q.model+"\". There are: "+strings.Join(Models(), ", ")+".")
		return
	case q.hasTools && m.refusal != nil:
		writeJSON(w, m.refusal.status, []byte(m.refusal.body))
		return
	}
	v := m.look(q)
	a := v.think().limit(q)
	sum := sha256.Sum256(body)
	a.id = hex.EncodeToString(sum[:8])
	out := pacer{w: w, done: r.Context().Done(), pause: v.wish.pause}
	if v.wish.hangUp {
		out.hangUpAt = max(1, a.size()/2)
	}
	if q.stream {
		a.stream(&out, q)
	} else {
		a.whole(&out, q)
	}
	if out.hungUp {
		hangUp(w)
	}
}

// hangUp breaks the connection in the middle of what was promised.
func hangUp(w http.ResponseWriter) {
	if c, _, err := http.NewResponseController(w).Hijack(); err == nil {
		_ = c.Close()
	}
}

func writeJSON(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// writeError writes an error in OpenAI's shape.
func writeError(w http.ResponseWriter, status int, kind, code, message string) {
	b := rawjson.AppendString([]byte(`{"error":{"message":`), message)
	b = rawjson.AppendString(append(b, `,"type":`...), kind)
	b = append(b, `,"param":null,"code":`...)
	if code == "" {
		b = append(b, "null"...)
	} else {
		b = rawjson.AppendString(b, code)
	}
	writeJSON(w, status, append(b, "}}"...))
}
