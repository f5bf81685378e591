package provider_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/protocol"
	"github.com/ferrule/ferrule/provider"
)

func TestSend(t *testing.T) {
	var got *http.Request
	var body []byte
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got = r
		body, _ = io.ReadAll(r.Body)
		if strings.Contains(string(body), `"stream":true`) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, chunk("Hel")+chunk("lo")+finish+done)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, reply)
	})
	p := open(t, s.URL+"/base/v1/")
	q := request(false)
	words, _, err := read(t.Context(), p, q)
	if err != nil || words != "Hi" {
		t.Fatalf("%q, %v", words, err)
	}
	if got.Method != http.MethodPost || got.URL.Path != "/base/v1/chat/completions" || !bytes.Equal(body, q.Wire.Body) {
		t.Errorf("%s %s with %s", got.Method, got.URL, body)
	}
	if words, _, err := read(t.Context(), p, request(true)); err != nil || words != "Hello" {
		t.Fatalf("streamed: %q, %v", words, err)
	}
}

func TestHeaders(t *testing.T) {
	var got http.Header
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got = r.Header.Clone()
		for k, v := range map[string]string{
			"Content-Type": "application/json", "Retry-After": "7", "retry-after-ms": "7000", "x-request-id": "r1",
			"request-id": "r2", "x-ratelimit-remaining-requests": "3", "anthropic-ratelimit-tokens-limit": "9",
			"openai-processing-ms": "12", "openai-version": "2020-10-01",
			"Set-Cookie": "a=b", "Access-Control-Allow-Origin": "*", "Keep-Alive": "timeout=5", "Server": "x",
			"Www-Authenticate": "Bearer", "X-Secret": "1", "Alt-Svc": "h3", "Strict-Transport-Security": "x",
		} {
			w.Header().Set(k, v)
		}
		_, _ = io.WriteString(w, reply)
	})
	p := open(t, s.URL+"/v1")
	q := request(false)
	q.Wire.Header = map[string][]string{
		"Openai-Beta": {"a", "b"}, "Openai-Organization": {"org"}, "Openai-Project": {"pr"}, "Http-Referer": {"https://app"}, "x-title": {"App"},
		"Authorization": {"Bearer client"}, "Cookie": {"c=1"}, "Connection": {"close"}, "Idempotency-Key": {"i"}, "X-Idempotency-Key": {"i"},
		"Host": {"evil"}, "X-Api-Key": {"k"}, "X-Forwarded-For": {"1.2.3.4"}, "Accept-Encoding": {"gzip"}, "User-Agent": {"client"},
		"Content-Type": {"text/plain"}, "Transfer-Encoding": {"chunked"}, "Te": {"trailers"}, "Expect": {"100-continue"}, "Proxy-Authorization": {"p"},
	}
	st, err := p.Send(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	got.Del("Content-Length")
	want := http.Header{
		"Authorization": {"Bearer " + key}, "Content-Type": {"application/json"}, "Accept": {"application/json"},
		"Accept-Encoding": {"identity"}, "User-Agent": {"ferrule/1.2.3"},
		"Openai-Beta": {"a", "b"}, "Openai-Organization": {"org"}, "Openai-Project": {"pr"}, "Http-Referer": {"https://app"}, "X-Title": {"App"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("to the upstream (-want +got):\n%s", d)
	}
	wantBack := http.Header{
		"Content-Type": {"application/json"}, "Retry-After": {"7"}, "Retry-After-Ms": {"7000"}, "X-Request-Id": {"r1"}, "Request-Id": {"r2"},
		"X-Ratelimit-Remaining-Requests": {"3"}, "Anthropic-Ratelimit-Tokens-Limit": {"9"}, "Openai-Processing-Ms": {"12"}, "Openai-Version": {"2020-10-01"},
	}
	if d := cmp.Diff(wantBack, st.(interface{ Header() http.Header }).Header()); d != "" {
		t.Errorf("to the client (-want +got):\n%s", d)
	}

	// What a client says in another protocol isn't for this upstream.
	q.Wire.Protocol = "another"
	q.Wire.Header = map[string][]string{"Openai-Beta": {"a"}}
	if st, err := p.Send(t.Context(), q); err == nil {
		_ = st.Close()
	}
	if got.Get("Openai-Beta") != "" {
		t.Error("a header of another protocol went through")
	}
	// Without a key none is sent.
	open2 := open(t, s.URL+"/v1", func(c *provider.Config) { c.Key = "" })
	if _, _, err := read(t.Context(), open2, request(false)); err != nil {
		t.Fatal(err)
	}
	if _, ok := got["Authorization"]; ok {
		t.Error("an Authorization header without a key")
	}
}

func TestFaults(t *testing.T) {
	down, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	downURL := "http://" + down.Addr().String() + "/v1"
	_ = down.Close()
	elsewhere := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("a redirect was followed") })
	tlsServer := httptest.NewTLSServer(http.NotFoundHandler())
	tlsServer.Config.ErrorLog = nil
	t.Cleanup(tlsServer.Close)
	plain := serve(t, func(http.ResponseWriter, *http.Request) {})

	small := func(c *provider.Config) {
		c.Bounds = provider.Bounds{Body: 200, Stream: 400, Text: 100, Error: 60}
	}
	for _, c := range []struct {
		name    string
		url     string // where no handler answers
		handler http.HandlerFunc
		change  func(*provider.Config)
		stream  bool

		words     string
		fault     chat.Fault // of the error, or within the answer
		says      string
		err       error // instead of a fault
		retryable bool
	}{
		{name: "well", handler: sends("application/json", reply), words: "Hi"},
		{name: "down", url: downURL, fault: chat.Fault{Code: "upstream_unreachable", Status: 502}, says: "refused. Is the server running", retryable: true},
		{name: "no such host", url: "http://no-such-host.invalid/v1", fault: chat.Fault{Code: "upstream_unreachable", Status: 502}, says: "no-such-host.invalid:80", retryable: false},
		{name: "a certificate that nobody trusts", url: tlsServer.URL + "/v1", fault: chat.Fault{Code: "upstream_unreachable", Status: 502}, says: "certificate isn't valid"},
		{name: "no TLS there", url: strings.Replace(plain.URL, "http:", "https:", 1) + "/v1", fault: chat.Fault{Code: "upstream_unreachable", Status: 502}, says: "doesn't speak TLS"},
		{name: "cut before the head", handler: hangUp(""), fault: chat.Fault{Code: "upstream_cut", Status: 502}, says: "was not sent again"},
		{name: "no HTTP", handler: hangUp("SSH-2.0-OpenSSH\r\n\r\n"), fault: chat.Fault{Code: "upstream_cut", Status: 502}},
		{name: "cut in mid-stream", stream: true, handler: hangUp("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked(chunk("Hel"))), words: "Hel", fault: chat.Fault{Code: "upstream_cut", Status: 502}, says: "in the middle"},
		{name: "cut before its length", handler: hangUp("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 999\r\n\r\n" + reply[:40]), fault: chat.Fault{Code: "upstream_cut", Status: 502}, says: "in the middle"},
		{name: "a stream that ends early", stream: true, handler: sends("text/event-stream", chunk("Hel")), words: "Hel", err: io.ErrUnexpectedEOF},
		{name: "a web page", handler: sends("text/html; charset=utf-8", "<!doctype html><title>Welcome</title>"), fault: chat.Fault{Code: "upstream_invalid_response", Status: 502}, err: io.ErrUnexpectedEOF},
		{name: "JSON that is called a web page", handler: sends("text/html", reply), words: "Hi"},
		{name: "an error in a 200", handler: sends("application/json", `{"error":{"message":"no memory for `+key+`","type":"x","code":"oom"}}`), fault: chat.Fault{Code: "oom", Status: 502}, says: "no memory for [REDACTED", err: io.ErrUnexpectedEOF, retryable: true},
		{
			name: "a redirect",
			handler: func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, elsewhere.URL+"/v1?key=hidden", http.StatusTemporaryRedirect)
			},
			fault: chat.Fault{Code: "upstream_redirect", Status: 502}, says: elsewhere.URL + `/v1"`,
		},
		{
			name: "compressed all the same",
			handler: func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Encoding", "gzip")
				_, _ = io.WriteString(w, reply)
			},
			fault: chat.Fault{Code: "upstream_encoding", Status: 502}, says: `"gzip"`,
		},
		{
			name: "identity said aloud",
			handler: func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Encoding", "identity")
				_, _ = io.WriteString(w, reply)
			},
			words: "Hi",
		},
		{name: "a reply at the bound", handler: sends("application/json", reply), change: func(c *provider.Config) { c.Bounds.Body = int64(len(reply)) }, words: "Hi"},
		{name: "a reply over the bound", handler: sends("application/json", reply), change: func(c *provider.Config) { c.Bounds.Body = int64(len(reply)) - 1 }, fault: chat.Fault{Code: "upstream_too_large", Status: 502}, says: "size limit"},
		{name: "a stream over the bound", stream: true, handler: sends("text/event-stream", strings.Repeat(chunk("x"), 20)+finish+done), change: small, words: "xx", fault: chat.Fault{Code: "upstream_too_large", Status: 502}},
		{name: "too many words", stream: true, handler: sends("text/event-stream", chunk(strings.Repeat("x", 60))+chunk(strings.Repeat("y", 60))+finish+done), change: func(c *provider.Config) { c.Bounds.Text = 100 }, words: strings.Repeat("x", 60), fault: chat.Fault{Code: "upstream_too_large", Status: 502}},
	} {
		t.Run(c.name, func(t *testing.T) {
			url := c.url
			if c.handler != nil {
				url = serve(t, c.handler).URL + "/v1"
			}
			var change []func(*provider.Config)
			if c.change != nil {
				change = append(change, c.change)
			}
			p := open(t, url, change...)
			words, inside, err := read(t.Context(), p, request(c.stream))
			if words != c.words {
				t.Errorf("words %q, want %q", words, c.words)
			}
			f := inside
			if f == nil {
				_ = errors.As(err, &f)
			}
			if c.err != nil && !errors.Is(err, c.err) {
				t.Errorf("ended with %v, want %v", err, c.err)
			}
			if c.fault.Code == "" {
				if f != nil || c.err == nil && err != nil {
					t.Errorf("a fault: %v", err)
				}
				return
			}
			if f == nil {
				t.Fatalf("no fault but %v", err)
			}
			if f.Code != c.fault.Code || f.Status != c.fault.Status || f.Retryable != c.retryable || !strings.Contains(f.Text, c.says) {
				t.Errorf("%+v, want %s %d retryable=%v saying %q", f, c.fault.Code, c.fault.Status, c.retryable, c.says)
			}
			if s := fmt.Sprintf("%+v %v", f, err); strings.Contains(s, key) || strings.Contains(s, "hidden") {
				t.Errorf("it tells a secret: %s", s)
			}
		})
	}
}

// sends answers 200 with a body.
func sends(contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		_, _ = io.WriteString(w, body)
	}
}

// hangUp writes raw bytes for an answer and closes the connection.
func hangUp(raw string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		c, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		_, _ = io.WriteString(c, raw)
		_ = c.Close()
	}
}

func chunked(s string) string { return fmt.Sprintf("%x\r\n%s\r\n", len(s), s) }

func TestUpstreamsOwnError(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		kept   string
	}{
		{429, `{"error":{"message":"slow down","type":"rate_limit","code":"rate_limit_exceeded","param":null}}`, ""},
		{400, `{"error":{"message":"m does not support tools","type":"api_error","param":null,"code":null}}`, ""},
		{500, "<html>boom</html>", ""},
		{503, "", ""},
		{401, `{"error":{"message":"Incorrect API key provided: ` + key + `"}}`, `{"error":{"message":"Incorrect API key provided: ` + provider.Secret(key).String() + `"}}`},
		{500, strings.Repeat("x", 300), strings.Repeat("x", 200)},
	} {
		s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "9")
			w.Header().Set("Set-Cookie", "a=b")
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.body)
		})
		p := open(t, s.URL+"/v1", func(c *provider.Config) { c.Bounds.Error = 200 })
		_, err := p.Send(t.Context(), request(true))
		var f *chat.Fault
		if !errors.As(err, &f) || f.Wire == nil {
			t.Fatalf("%d: %v, want the upstream's fault", c.status, err)
		}
		want := c.kept
		if want == "" {
			want = c.body
		}
		if f.Status != c.status || string(f.Wire.Body) != want {
			t.Errorf("%d: %d with %s, want %s", c.status, f.Status, f.Wire.Body, want)
		}
		if h := http.Header(f.Wire.Header); h.Get("Retry-After") != "9" || h.Get("Set-Cookie") != "" {
			t.Errorf("%d: headers %v", c.status, h)
		}
		if s := fmt.Sprintf("%+v", f); strings.Contains(s, key) {
			t.Errorf("%d tells the key: %s", c.status, s)
		}
	}
}

func TestCancel(t *testing.T) {
	for name, begin := range map[string]string{"before the head": "", "in mid-stream": chunk("Hel")} {
		t.Run(name, func(t *testing.T) {
			ended, arrived := make(chan struct{}), make(chan struct{})
			s := serve(t, func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				if begin != "" {
					w.Header().Set("Content-Type", "text/event-stream")
					_, _ = io.WriteString(w, begin)
					_ = http.NewResponseController(w).Flush()
				}
				close(arrived)
				<-r.Context().Done()
				close(ended)
			})
			p := open(t, s.URL+"/v1")
			ctx, cancel := context.WithCancel(t.Context())
			go func() { <-arrived; cancel() }()
			words, _, err := read(ctx, p, request(true))
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%q, %v, want context.Canceled", words, err)
			}
			<-ended
		})
	}
	t.Run("closed by the reader", func(t *testing.T) {
		ended := make(chan struct{})
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, chunk("Hel"))
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
			close(ended)
		})
		st, err := open(t, s.URL+"/v1").Send(t.Context(), request(true))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := st.Next(); err != nil {
			t.Fatal(err)
		}
		_ = st.Close()
		_ = st.Close()
		<-ended
		if _, err := st.Next(); err == nil {
			t.Error("a closed stream goes on")
		}
	})
}

// A server that takes a request and dies must not get it again, over whatever
// connection and with whatever header.
func TestNeverSentTwice(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var requests atomic.Int64
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				br := bufio.NewReader(c)
				for n := 0; ; n++ {
					r, err := http.ReadRequest(br)
					if err != nil {
						return
					}
					_, _ = io.Copy(io.Discard, r.Body)
					requests.Add(1)
					if n == 1 {
						return // the second on a kept connection: read, then dead
					}
					_, _ = fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(reply), reply)
				}
			}()
		}
	}()
	p := open(t, "http://"+l.Addr().String()+"/v1")
	q := request(false)
	q.Wire.Header["Idempotency-Key"] = []string{"once"}
	if _, _, err := read(t.Context(), p, q); err != nil {
		t.Fatal(err)
	}
	_, _, err = read(t.Context(), p, q)
	var f *chat.Fault
	if !errors.As(err, &f) || f.Code != "upstream_cut" || f.Retryable {
		t.Errorf("%v, want upstream_cut", err)
	}
	if n := requests.Load(); n != 2 {
		t.Errorf("%d requests arrived, want 2", n)
	}
	// Its twin: over a fresh connection all is well again.
	if words, _, err := read(t.Context(), p, q); err != nil || words != "Hi" {
		t.Errorf("%q, %v", words, err)
	}
}

func TestReconnect(t *testing.T) {
	for _, c := range []struct {
		name  string
		errs  []error
		sends int
		ok    bool
	}{
		{"the kept connection was dead", []error{errors.New("http: server closed idle connection")}, 2, true},
		{"dead again", []error{errors.New("http: server closed idle connection"), errors.New("http: server closed idle connection")}, 2, false},
		{"cut after sending", []error{io.EOF}, 1, false},
		{"reset", []error{&net.OpError{Op: "read", Err: errors.New("connection reset by peer")}}, 1, false},
	} {
		var sent int
		p := open(t, "http://upstream/v1", via(func(r *http.Request) (*http.Response, error) {
			body, _ := io.ReadAll(r.Body)
			if !bytes.Equal(body, request(false).Wire.Body) {
				t.Errorf("%s: request %d has the body %q", c.name, sent+1, body)
			}
			if sent++; sent <= len(c.errs) {
				return nil, c.errs[sent-1]
			}
			return answer(200, "application/json", text(reply)), nil
		}))
		_, _, err := read(t.Context(), p, request(false))
		if (err == nil) != c.ok || sent != c.sends {
			t.Errorf("%s: %v after %d requests, want %d", c.name, err, sent, c.sends)
		}
	}
}

// A connection is used again after an answer that was read to its last event,
// even if the server ends the body a little later.
func TestConnectionsAreKept(t *testing.T) {
	var opened atomic.Int64
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, chunk("Hi")+finish+done)
		_ = http.NewResponseController(w).Flush()
		_, _ = io.WriteString(w, ": bye\n\n")
	}))
	s.Config.ConnState = func(_ net.Conn, c http.ConnState) {
		if c == http.StateNew {
			opened.Add(1)
		}
	}
	s.Start()
	defer s.Close()
	p := open(t, s.URL+"/v1")
	for range 5 {
		if words, _, err := read(t.Context(), p, request(true)); err != nil || words != "Hi" {
			t.Fatalf("%q, %v", words, err)
		}
	}
	if n := opened.Load(); n != 1 {
		t.Errorf("%d connections for five answers, want 1", n)
	}
}

func TestReady(t *testing.T) {
	more := make(chan struct{})
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, chunk("a")+chunk("b"))
		_ = http.NewResponseController(w).Flush()
		<-more
		_, _ = io.WriteString(w, finish+done)
	})
	st, err := open(t, s.URL+"/v1").Send(t.Context(), request(true))
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	r := st.(protocol.Readier)
	for i, want := range []bool{true, false} {
		if _, err := st.Next(); err != nil {
			t.Fatal(err)
		}
		if r.Ready() != want {
			t.Errorf("after event %d: ready %v, want %v", i+1, !want, want)
		}
	}
	close(more)
}
