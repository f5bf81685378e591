package gateway_test

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/gateway"
)

func TestContentType(t *testing.T) {
	s := server(t, options())
	for media, ok := range map[string]bool{
		"application/json": true, "application/json; charset=utf-8": true, "Application/JSON": true,
		"": false, "text/plain": false, "application/x-www-form-urlencoded": false, "multipart/form-data; boundary=x": false,
		"application/jsonp": false, "application/json, text/plain": false,
	} {
		w := do(s, post(chatPath, ask, "Content-Type", media))
		if ok {
			good(t, w)
		} else {
			refused(t, w, http.StatusUnsupportedMediaType, "unsupported_media_type")
		}
	}
}

func packed(t *testing.T, name, body string) string {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser = gzip.NewWriter(&b)
	if name == "deflate" {
		w = zlib.NewWriter(&b)
	}
	if _, err := io.WriteString(w, body); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestContentEncoding(t *testing.T) {
	o := options()
	o.Bounds.Body = 64 << 10
	s := server(t, o)
	for _, name := range []string{"gzip", "deflate"} {
		good(t, do(s, post(chatPath, packed(t, name, ask), "Content-Encoding", name)))
		bomb := strings.Replace(ask, "hi", strings.Repeat(" ", 1<<20), 1)
		refused(t, do(s, post(chatPath, packed(t, name, bomb), "Content-Encoding", name)), http.StatusRequestEntityTooLarge, "request_too_large")
		cut := packed(t, name, ask)
		refused(t, do(s, post(chatPath, cut[:len(cut)-6], "Content-Encoding", name)), http.StatusBadRequest, "request_unreadable")
		refused(t, do(s, post(chatPath, ask, "Content-Encoding", name)), http.StatusBadRequest, "request_unreadable")
	}
	good(t, do(s, post(chatPath, ask, "Content-Encoding", "identity")))
	refused(t, do(s, post(chatPath, ask, "Content-Encoding", "br")), http.StatusUnsupportedMediaType, "unsupported_encoding")
}

func TestBodyBound(t *testing.T) {
	o := options()
	o.Bounds.Body = int64(len(ask))
	s := server(t, o)
	good(t, do(s, post(chatPath, ask)))
	refused(t, do(s, post(chatPath, ask+" ")), http.StatusRequestEntityTooLarge, "request_too_large")
	r := post(chatPath, ask+" ") // of unknown length
	r.ContentLength = -1
	refused(t, do(s, r), http.StatusRequestEntityTooLarge, "request_too_large")
	r = post(chatPath, ask)
	r.ContentLength = -1
	good(t, do(s, r))
}

func TestAllRequestsTogether(t *testing.T) {
	o := options()
	var once sync.Once
	entered, leave := make(chan struct{}), make(chan struct{})
	o.Providers[0].Upstream = upstream(func(ctx context.Context, q *chat.Request) (reply, error) {
		once.Do(func() {
			close(entered)
			<-leave
		})
		return hello(ctx, q)
	})
	o.Bounds.InFlight = int64(len(ask)) * 3 / 2
	s := server(t, o)
	done := make(chan *httptest.ResponseRecorder)
	go func() { done <- do(s, post(chatPath, ask)) }()
	<-entered
	w := do(s, post(chatPath, ask))
	refused(t, w, http.StatusServiceUnavailable, "overloaded")
	if w.Header().Get("Retry-After") != "1" {
		t.Errorf("Retry-After %q", w.Header().Get("Retry-After"))
	}
	close(leave)
	good(t, <-done)
	good(t, do(s, post(chatPath, ask)))
}

func TestPathsAndMethods(t *testing.T) {
	s := server(t, options())
	good(t, do(s, post("/chat/completions", ask)))
	refused(t, do(s, post("/v1/responses", ask)), http.StatusNotFound, "path_not_found", "/v1/responses", "POST /v1/chat/completions", "GET /v1/models")
	w := do(s, get(chatPath))
	refused(t, w, http.StatusMethodNotAllowed, "method_not_allowed", "POST")
	if w.Header().Get("Allow") != "POST" {
		t.Errorf("Allow %q", w.Header().Get("Allow"))
	}
	w = do(s, post("/v1/models", "{}"))
	refused(t, w, http.StatusMethodNotAllowed, "method_not_allowed")
	if w.Header().Get("Allow") != "GET, HEAD" {
		t.Errorf("Allow %q", w.Header().Get("Allow"))
	}
}

func TestReadinessWhileDraining(t *testing.T) {
	s := server(t, options())
	good(t, do(s, get("/readyz")))
	s.Drain()
	if w := do(s, get("/readyz")); w.Code != http.StatusServiceUnavailable {
		t.Errorf("got %d", w.Code)
	}
	good(t, do(s, get("/healthz")))
	good(t, do(s, post(chatPath, ask))) // who still comes is served
}

func TestOptions(t *testing.T) {
	o := options()
	o.Runner = nil
	if _, err := gateway.New(o); err == nil {
		t.Error("a gateway without a runner")
	}
	o = options()
	o.Providers = append(o.Providers, o.Providers[0])
	if _, err := gateway.New(o); err == nil || !strings.Contains(err.Error(), "two providers are named p") {
		t.Errorf("got %v", err)
	}
	o.Providers = nil
	if _, err := gateway.New(o); err == nil {
		t.Error("a gateway without providers")
	}
}
