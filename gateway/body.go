package gateway

import (
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"github.com/ferrule/ferrule/chat"
)

// budget is how many bytes all requests together may still hold.
type budget struct{ left atomic.Int64 }

func (b *budget) take(n int64) bool {
	if b.left.Add(-n) >= 0 {
		return true
	}
	b.left.Add(n)
	return false
}

// lease is one request's part of the budget.
type lease struct {
	from *budget
	held int64
}

func (l *lease) grow(to int64) bool {
	if to > l.held {
		if !l.from.take(to - l.held) {
			return false
		}
		l.held = to
	}
	return true
}

func (l *lease) end() {
	l.from.left.Add(l.held)
	l.held = 0
}

// wholeBody bounds how long a body may take however steadily it trickles.
const wholeBody = 10 * time.Minute

// readBody reads a request's JSON, decoded, within the bounds.
func (s *Server) readBody(w http.ResponseWriter, r *http.Request, l *lease) ([]byte, *chat.Fault) {
	if !isJSON(r.Header.Get(contentType)) {
		return nil, faultf(http.StatusUnsupportedMediaType, "unsupported_media_type",
			"The body must be JSON and say so: content-type: application/json.")
	}
	if r.ContentLength > s.bounds.Body {
		return nil, s.tooLarge()
	}
	now := time.Now() // ServeHTTP has just set the deadline of the first read
	raw := &wireReader{
		r: r.Body, rc: http.NewResponseController(w), each: s.bounds.Read,
		end: now.Add(wholeBody), renewed: now, left: s.bounds.Body,
	}
	src, fault := decoded(r.Header["Content-Encoding"], raw)
	if fault != nil {
		return nil, fault
	}
	size := int64(4 << 10)
	if src == io.Reader(raw) && r.ContentLength > 0 {
		size = min(r.ContentLength, 1<<20)
	}
	body := make([]byte, 0, size+1)
	for {
		if !l.grow(int64(cap(body))) {
			return nil, overloaded()
		}
		n, err := src.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		switch {
		case int64(len(body)) > s.bounds.Body || errors.Is(err, errWireBound):
			return nil, s.tooLarge()
		case err == io.EOF:
			raw.stop()
			return body, nil
		case err != nil:
			return nil, readFault(err)
		}
		if len(body) == cap(body) {
			body = append(body, 0)[:len(body)]
		}
	}
}

// isJSON tells whether a content type is JSON's.
func isJSON(media string) bool {
	const want = "application/json"
	if media == want {
		return true
	}
	media, _, err := mime.ParseMediaType(media)
	return err == nil && media == want
}

func (s *Server) tooLarge() *chat.Fault {
	return faultf(http.StatusRequestEntityTooLarge, "request_too_large",
		"The request is larger than %d bytes after decoding. Send less, or raise limits.body.", s.bounds.Body)
}

func overloaded() *chat.Fault {
	return &chat.Fault{
		Status: http.StatusServiceUnavailable, Code: "overloaded", Retryable: true, RetryAfter: time.Second,
		Text: "The gateway holds as many requests as it may. Try again in a moment.",
	}
}

func readFault(err error) *chat.Fault {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return faultf(http.StatusRequestTimeout, "request_timeout", "The request's body didn't arrive in time.")
	}
	return faultf(http.StatusBadRequest, "request_unreadable", "The request's body can't be read to its end: it was cut, or isn't encoded as content-encoding says.")
}

// decoded undoes one content encoding; more than one is nobody's habit.
func decoded(encodings []string, r io.Reader) (io.Reader, *chat.Fault) {
	name := ""
	if len(encodings) > 0 {
		name = encodings[0]
	}
	if len(encodings) > 1 {
		name = "several"
	}
	var z io.Reader
	var err error
	switch name {
	case "", "identity":
		return r, nil
	case "gzip", "x-gzip":
		z, err = gzip.NewReader(r)
	case "deflate":
		z, err = zlib.NewReader(r)
	default:
		return nil, faultf(http.StatusUnsupportedMediaType, "unsupported_encoding",
			"content-encoding %s isn't read: send the body plain, or with gzip.", printable(name))
	}
	if err != nil {
		return nil, readFault(err)
	}
	return z, nil
}

// closeEnough is the part of a time limit by which it may be off: to set a
// deadline for every piece would cost more than the piece.
const closeEnough = 64

// wireReader reads what is on the wire: each read has its own time, and a
// compressed body that decodes to nothing ends too.
type wireReader struct {
	r       io.Reader
	rc      *http.ResponseController
	each    time.Duration
	end     time.Time
	renewed time.Time // when the deadline was last set
	left    int64
}

var errWireBound = errors.New("the body is too large on the wire")

func (d *wireReader) Read(p []byte) (int, error) {
	if d.left < 0 {
		return 0, errWireBound
	}
	if now := time.Now(); now.Sub(d.renewed) >= d.each/closeEnough {
		d.renewed = now
		t := now.Add(d.each)
		if t.After(d.end) {
			t = d.end
		}
		_ = d.rc.SetReadDeadline(t) // a recorder in a test has none
	}
	n, err := d.r.Read(p)
	d.left -= int64(n)
	return n, err
}

// stop takes the deadline off: the server goes on reading to see the client
// leave. Of a body that was refused it still reads a part, by the deadline.
func (d *wireReader) stop() { _ = d.rc.SetReadDeadline(time.Time{}) }
