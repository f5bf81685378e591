package gateway

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/textproto"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ferrule/ferrule/chat"
)

const (
	requestID    = "X-Request-Id"
	contentType  = "Content-Type"
	retryAfter   = "Retry-After"
	toolsHeader  = "Ferrule-Tools"
	clientClosed = 499 // nobody sees it: the client had gone
)

func faultf(status int, code, format string, args ...any) *chat.Fault {
	return &chat.Fault{Status: status, Code: code, Text: fmt.Sprintf(format, args...)}
}

// asFault returns the fault that err is or wraps; any other error is our own.
func asFault(err error) *chat.Fault {
	var f *chat.Fault
	if errors.As(err, &f) {
		return f
	}
	return internalFault()
}

func internalFault() *chat.Fault {
	return faultf(http.StatusInternalServerError, "internal_error",
		"Something went wrong in the gateway; its log has more under this answer's x-request-id.")
}

// refuse answers with a fault where no surface has been chosen, or none speaks yet.
func (s *Server) refuse(w http.ResponseWriter, f *chat.Fault) int {
	return s.writeFault(w, &s.surfaces[0], f)
}

// refuseAt answers with a fault as the surface at the request's path words it,
// for the client there knows no other.
func (s *Server) refuseAt(w http.ResponseWriter, r *http.Request, f *chat.Fault) int {
	for i := range s.surfaces {
		if sf := &s.surfaces[i]; r.URL.Path == sf.Count || slices.Contains(sf.Paths, r.URL.Path) {
			return s.writeFault(w, sf, f)
		}
	}
	return s.refuse(w, f)
}

// writeFault answers with a fault as the surface words it, and returns the status.
func (s *Server) writeFault(w http.ResponseWriter, sf *Surface, f *chat.Fault) int {
	status, body := sf.Server.EncodeFault(f)
	h := w.Header()
	h.Set(contentType, sf.Whole)
	if f.Wire != nil {
		for k, v := range f.Wire.Header {
			if k = textproto.CanonicalMIMEHeaderKey(k); forFaults(k) {
				h[k] = v
			}
		}
		// An upstream's own body keeps its own type.
		if t := http.Header(f.Wire.Header).Get(contentType); t != "" && bytes.Equal(body, f.Wire.Body) {
			h.Set(contentType, t)
		}
	}
	if h.Get(retryAfter) == "" && f.RetryAfter > 0 {
		h.Set(retryAfter, strconv.FormatInt(int64((f.RetryAfter+time.Second-1)/time.Second), 10))
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.bounds.Stall))
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client that has gone is told nothing
	return status
}

// forFaults lists the headers of an upstream's error that tell a client when
// to come back and whom to ask.
func forFaults(k string) bool {
	switch k {
	case retryAfter, "Retry-After-Ms", "X-Should-Retry", requestID, "Request-Id":
		return true
	}
	return strings.Contains(k, "Ratelimit-")
}

func (s *Server) noSuchPath(w http.ResponseWriter, r *http.Request) {
	s.refuse(w, faultf(http.StatusNotFound, "path_not_found", "There is nothing at %s. There is %s.",
		printable(r.URL.Path), strings.Join(s.paths, ", ")))
}

// printable makes words of a request fit for an error, a log and a screen.
func printable(s string) string {
	const longest = 120
	if len(s) > longest {
		s = strings.ToValidUTF8(s[:longest], "") + "…"
	}
	q := strconv.Quote(s)
	return q[1 : len(q)-1]
}
