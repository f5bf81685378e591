package provider_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/protocol/openai"
	"github.com/ferrule/ferrule/provider"
)

const (
	key   = "sk-very-secret-0123456789"
	reply = `{"id":"c1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}]}`
)

// chunk is one event of a stream that says a few words.
func chunk(words string) string {
	return `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"` + words + `"},"finish_reason":null}]}` + "\n\n"
}

const (
	finish = `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	done   = "data: [DONE]\n\n"
)

func request(stream bool) *chat.Request {
	body := `{"model":"m","messages":[{"role":"user","content":"Hello"}]}`
	if stream {
		body = `{"model":"m","stream":true,"messages":[{"role":"user","content":"Hello"}]}`
	}
	return &chat.Request{
		Model: "m", Stream: stream,
		Messages: []chat.Message{{Role: chat.RoleUser, Parts: []chat.Part{chat.Text{Text: "Hello"}}}},
		Wire:     &chat.Wire{Protocol: openai.Name, Body: []byte(body), Header: map[string][]string{}},
	}
}

// open returns a provider whose configuration the given functions may change.
func open(t testing.TB, url string, change ...func(*provider.Config)) *provider.Provider {
	t.Helper()
	c := provider.Config{Name: "local", URL: url, Key: key, Protocol: openai.Name, Client: openai.Client{}, Version: "1.2.3"}
	for _, f := range change {
		f(&c)
	}
	p, err := provider.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func serve(t testing.TB, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

// read sends a request and reads the answer to its end: the words, a fault that
// the answer held, and how it ended, nil for well.
func read(ctx context.Context, p *provider.Provider, q *chat.Request) (words string, inside *chat.Fault, err error) {
	s, err := p.Send(ctx, q)
	if err != nil {
		return "", nil, err
	}
	defer s.Close()
	for {
		f, err := s.Next()
		if err == io.EOF {
			return words, inside, nil
		}
		if err != nil {
			return words, inside, err
		}
		for _, e := range f.Events {
			switch e.Kind {
			case chat.EventText:
				words += e.Text
			case chat.EventFault:
				inside = e.Fault
			}
		}
	}
}

// roundTrip is a transport made of a function.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func answer(status int, contentType string, body io.Reader) *http.Response {
	rc, ok := body.(io.ReadCloser)
	if !ok {
		rc = io.NopCloser(body)
	}
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {contentType}}, Body: rc}
}

func via(f roundTrip) func(*provider.Config) {
	return func(c *provider.Config) { c.Transport = f }
}

func text(s string) io.Reader { return strings.NewReader(s) }

// named returns models without what the list says of them, which must be there.
func named(t *testing.T, ms []provider.Model) []provider.Model {
	t.Helper()
	var out []provider.Model
	for _, m := range ms {
		if !bytes.Contains(m.Entry, []byte(m.ID)) {
			t.Errorf("the entry of %s is %s", m.ID, m.Entry)
		}
		m.Entry = nil
		out = append(out, m)
	}
	return out
}
