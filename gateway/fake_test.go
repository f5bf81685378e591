package gateway_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/gateway"
	"github.com/ferrule/ferrule/protocol/openai"
	"github.com/ferrule/ferrule/provider"
	"github.com/ferrule/ferrule/turn"
)

// upstream answers a request with the bytes of a reply, or an error.
type upstream func(ctx context.Context, q *chat.Request) (reply, error)

// reply is what an upstream says.
type reply struct {
	body   io.Reader
	media  string
	header http.Header
}

func (u upstream) Send(ctx context.Context, q *chat.Request) (chat.Stream, error) {
	r, err := u(ctx, q)
	if err != nil {
		return nil, err
	}
	s := openai.Client{}.Decode(r.body, r.media)
	return headed{s.(readyStream), r.header}, nil
}

type readyStream interface {
	chat.Stream
	Ready() bool
}

type headed struct {
	readyStream
	header http.Header
}

func (h headed) Header() http.Header { return h.header }

const (
	helloJSON = `{"id":"c1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"hello"},"finish_reason":"stop"}],"x_unknown": [1, 2]}`
	helloSSE  = "data: {\"id\":\"c1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"hel\"},\"finish_reason\":null}]}\n\n" +
		"data: {\"id\":\"c1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"lo\"},\"finish_reason\":null}]}\n\n" +
		"data: {\"id\":\"c1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n" +
		"data: [DONE]\n\n"
	ask       = `{"model":"p/m","messages":[{"role":"user","content":"hi"}]}`
	askStream = `{"model":"p/m","stream":true,"messages":[{"role":"user","content":"hi"}]}`
	askTools  = `{"model":"p/m","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}]}`
)

// hello says hello in the form that is asked for.
func hello(_ context.Context, q *chat.Request) (reply, error) {
	if q.Stream {
		return reply{strings.NewReader(helloSSE), "text/event-stream", nil}, nil
	}
	return reply{strings.NewReader(helloJSON), "application/json", nil}, nil
}

// lister is a list of models, and how often it was asked for.
type lister struct {
	mu    sync.Mutex
	asked int
	names []string
	err   error
}

func (l *lister) Models(context.Context) ([]provider.Model, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked++
	if l.err != nil {
		return nil, l.err
	}
	var ms []provider.Model
	for _, n := range l.names {
		ms = append(ms, provider.Model{ID: n, Entry: []byte(`{"context_length":4096}`)})
	}
	return ms, nil
}

func (l *lister) times() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.asked
}

var errNoList = errors.New("no list")

// options serve one provider p, with a model m, that says hello.
func options() gateway.Options {
	return gateway.Options{
		Runner:    &turn.Runner{Key: bytes.Repeat([]byte{7}, 32), Facts: &turn.LocalFacts{}},
		Providers: []gateway.Provider{{Name: "p", Upstream: upstream(hello), Lister: &lister{names: []string{"m"}}}},
	}
}

func server(t *testing.T, o gateway.Options) *gateway.Server {
	t.Helper()
	s, err := gateway.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// post makes a request as a client on this machine would; headers are pairs.
func post(path, body string, headers ...string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:8787"+path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	return with(r, headers...)
}

func get(path string, headers ...string) *http.Request {
	return with(httptest.NewRequest(http.MethodGet, "http://127.0.0.1:8787"+path, nil), headers...)
}

func with(r *http.Request, headers ...string) *http.Request {
	for i := 0; i+1 < len(headers); i += 2 {
		switch headers[i] {
		case "Host":
			r.Host = headers[i+1]
		default:
			r.Header.Set(headers[i], headers[i+1])
		}
		if headers[i+1] == "" {
			r.Header.Del(headers[i])
		}
	}
	return r
}

func do(h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// refused checks that an answer is an error in OpenAI's shape with this code.
func refused(t *testing.T, w *httptest.ResponseRecorder, status int, code string, words ...string) {
	t.Helper()
	if w.Code != status || !strings.Contains(w.Body.String(), fmt.Sprintf(`"code":%q`, code)) || !strings.HasPrefix(w.Body.String(), `{"error":`) {
		t.Errorf("got %d %s; want %d with code %s", w.Code, w.Body, status, code)
	}
	for _, word := range words {
		if !strings.Contains(w.Body.String(), word) {
			t.Errorf("%s doesn't name %q", w.Body, word)
		}
	}
	if got := w.Header().Get("Content-Type"); got != "application/json" {
		t.Errorf("content type %q", got)
	}
}

func good(t *testing.T, w *httptest.ResponseRecorder) {
	t.Helper()
	if w.Code != http.StatusOK {
		t.Errorf("got %d %s; want 200", w.Code, w.Body)
	}
}

// logs is a logger that can be read.
func logs() (*slog.Logger, func() string) {
	var mu sync.Mutex
	var b strings.Builder
	w := writerFunc(func(p []byte) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		return b.Write(p)
	})
	return slog.New(slog.NewTextHandler(w, nil)), func() string {
		mu.Lock()
		defer mu.Unlock()
		return b.String()
	}
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
