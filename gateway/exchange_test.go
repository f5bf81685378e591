package gateway_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/turn"
)

func TestBytesPassAsTheyCame(t *testing.T) {
	s := server(t, options())
	w := do(s, post(chatPath, ask))
	good(t, w)
	if d := cmp.Diff(helloJSON, w.Body.String()); d != "" {
		t.Error(d)
	}
	h := w.Header()
	if h.Get("Content-Length") != strconv.Itoa(len(helloJSON)) || h.Get("Content-Type") != "application/json" || len(h.Get("X-Request-Id")) < 20 {
		t.Errorf("%v", h)
	}
	w = do(s, post(chatPath, askStream))
	good(t, w)
	if d := cmp.Diff(helloSSE, w.Body.String()); d != "" {
		t.Error(d)
	}
	if h := w.Header(); h.Get("Content-Type") != "text/event-stream" || h.Get("Ferrule-Tools") != "" || h.Get("Trailer") != "" {
		t.Errorf("%v", h)
	}
}

func TestUpstreamHeaders(t *testing.T) {
	o := options()
	o.Providers[0].Upstream = upstream(func(context.Context, *chat.Request) (reply, error) {
		return reply{strings.NewReader(helloJSON), "application/json", http.Header{
			"Content-Type": {"application/json; charset=utf-8"}, "X-Ratelimit-Remaining-Tokens": {"7"}, "X-Request-Id": {"req_up"},
		}}, nil
	})
	h := do(server(t, o), post(chatPath, ask)).Header()
	for k, want := range map[string]string{"Content-Type": "application/json; charset=utf-8", "X-Ratelimit-Remaining-Tokens": "7", "X-Request-Id": "req_up"} {
		if h.Get(k) != want {
			t.Errorf("%s: %q, want %q", k, h.Get(k), want)
		}
	}
}

const callSSE = "data: {\"id\":\"c1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"tool_calls\":[{\"index\":0,\"id\":\"call_1\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]},\"finish_reason\":null}]}\n\n" +
	"data: {\"id\":\"c1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n" +
	"data: [DONE]\n\n"

// TestReport runs over a real connection: trailers exist nowhere else.
func TestReport(t *testing.T) {
	o := options()
	o.Providers[0].Upstream = upstream(func(ctx context.Context, q *chat.Request) (reply, error) {
		if q.Stream && len(q.Tools) > 0 {
			return reply{strings.NewReader(callSSE), "text/event-stream", nil}, nil
		}
		return hello(ctx, q)
	})
	ts := httptest.NewServer(server(t, o))
	defer ts.Close()
	for _, c := range []struct{ name, body, head, tail string }{
		{"whole", askTools, "native; repairs=0; retries=0; requests=1; quoted=0", ""},
		{"streamed", strings.Replace(askTools, "{", `{"stream":true,`, 1), "native", "repairs=0; retries=0; requests=1; quoted=0"},
		{"no tools", ask, "", ""},
		{"no tools, streamed", askStream, "", ""},
		{"an empty list is no tools", strings.Replace(ask, "{", `{"tools":[],`, 1), "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			resp, err := ts.Client().Post(ts.URL+chatPath, "application/json", strings.NewReader(c.body))
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(resp.Body)
			if err = errors.Join(err, resp.Body.Close()); err != nil || resp.StatusCode != http.StatusOK {
				t.Fatal(resp.Status, string(body), err)
			}
			if head, tail := resp.Header.Get("Ferrule-Tools"), resp.Trailer.Get("Ferrule-Tools"); head != c.head || tail != c.tail {
				t.Errorf("header %q, trailer %q; want %q and %q", head, tail, c.head, c.tail)
			}
			if whole := !strings.Contains(c.body, `"stream"`); whole && resp.ContentLength < 0 {
				t.Errorf("content length %d", resp.ContentLength)
			}
		})
	}
}

func TestFaultBeforeTheFirstByte(t *testing.T) {
	const body = `{"error":{"message":"slow down","type":"rate","code":"rate_limit_exceeded","extra":1}}`
	o := options()
	o.Providers[0].Upstream = upstream(func(context.Context, *chat.Request) (reply, error) {
		return reply{}, &chat.Fault{
			Status: http.StatusTooManyRequests, Code: "rate_limit_exceeded", Text: "slow down",
			Wire: &chat.Wire{Protocol: "openai", Body: []byte(body), Header: http.Header{
				"Content-Type": {"application/json; v=1"}, "Retry-After": {"7"}, "X-Ratelimit-Reset-Requests": {"1s"},
				"Set-Cookie": {"a=b"}, "Server": {"x"},
			}},
		}
	})
	for _, ask := range []string{ask, askStream} {
		w := do(server(t, o), post(chatPath, ask))
		if w.Code != http.StatusTooManyRequests || w.Body.String() != body {
			t.Errorf("got %d %s", w.Code, w.Body)
		}
		h := w.Header()
		if h.Get("Retry-After") != "7" || h.Get("X-Ratelimit-Reset-Requests") != "1s" || h.Get("Content-Type") != "application/json; v=1" {
			t.Errorf("%v", h)
		}
		if h.Get("Set-Cookie") != "" || h.Get("Server") != "" {
			t.Errorf("too much passed: %v", h)
		}
	}
}

func TestFaultInTheMiddle(t *testing.T) {
	o := options()
	o.Providers[0].Upstream = upstream(func(context.Context, *chat.Request) (reply, error) {
		first, _, _ := strings.Cut(helloSSE, "\n\n")
		return reply{io.MultiReader(strings.NewReader(first+"\n\n"), broken{}), "text/event-stream", nil}, nil
	})
	w := do(server(t, o), post(chatPath, askStream))
	good(t, w)
	if got := w.Body.String(); !strings.Contains(got, `"content":"hel"`) || !strings.Contains(got, `{"error":`) || strings.Contains(got, `"stop"`) {
		t.Errorf("got %s", got)
	}
}

// TestNoAnswer has replies with status 200 that are none; a whole answer can
// still say so by its status.
func TestNoAnswer(t *testing.T) {
	for _, c := range []struct {
		name, body, media string
		status            int
		want              string
	}{
		{"an error", `{"error":{"message":"boom","code":500}}`, "application/json", 500, "boom"},
		{"an error in a stream", text("a") + "data: {\"error\":{\"message\":\"boom\",\"code\":429}}\n\n", "text/event-stream", 429, "boom"},
		{"a cut stream", text("a"), "text/event-stream", 502, "upstream_cut"},
		{"cut JSON", helloJSON[:100], "application/json", 502, `{"error":`},
		{"a page", "<html>", "application/json", 502, `{"error":`},
		{"nothing", "", "application/json", 502, `{"error":`},
		{"no reason to end", strings.Replace(helloJSON, `"finish_reason":"stop"`, `"finish_reason":null`, 1), "application/json", 200, "hello"},
		{"a stream that nobody asked for", helloSSE, "text/event-stream", 200, "hello"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := options()
			o.Providers[0].Upstream = upstream(func(context.Context, *chat.Request) (reply, error) {
				return reply{strings.NewReader(c.body), c.media, nil}, nil
			})
			w := do(server(t, o), post(chatPath, ask))
			if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) {
				t.Errorf("got %d %s", w.Code, w.Body)
			}
		})
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) {
	return 0, &chat.Fault{Status: http.StatusGatewayTimeout, Code: "upstream_timeout", Text: "silence"}
}

func TestToolsNotSupported(t *testing.T) {
	o := options()
	o.Providers[0].Models = map[string]profile.Profile{"m": {Tools: profile.None}, "good": {Tools: profile.Emulated}}
	s := server(t, o)
	refused(t, do(s, post(chatPath, askTools)), http.StatusBadRequest, "tools_not_supported", "p/good")
	good(t, do(s, post(chatPath, ask)))
}

func TestOwnErrorsTellNothing(t *testing.T) {
	o := options()
	log, text := logs()
	o.Log = log
	o.Providers[0].Upstream = upstream(func(context.Context, *chat.Request) (reply, error) {
		return reply{}, errors.New("secret place\x1b[31m")
	})
	w := do(server(t, o), post(chatPath, ask))
	refused(t, w, http.StatusInternalServerError, "internal_error")
	if strings.Contains(w.Body.String(), "secret place") {
		t.Errorf("got %s", w.Body)
	}
	if out := text(); !strings.Contains(out, "secret place") || strings.Contains(out, "\x1b") {
		t.Errorf("log: %q", out)
	}
}

func TestPanic(t *testing.T) {
	o := options()
	log, text := logs()
	o.Log = log
	o.Providers[0].Upstream = upstream(func(_ context.Context, q *chat.Request) (reply, error) {
		panic("words of the client")
	})
	s := server(t, o)
	refused(t, do(s, post(chatPath, ask)), http.StatusInternalServerError, "internal_error")
	if out := text(); !strings.Contains(out, "exchange_test.go") || strings.Contains(out, "words of the client") {
		t.Errorf("log: %s", out)
	}
}

func TestClientGoes(t *testing.T) {
	o := options()
	log, text := logs()
	o.Log = log
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	o.Providers[0].Upstream = upstream(func(ctx context.Context, _ *chat.Request) (reply, error) {
		cancel()
		<-ctx.Done()
		ended <- ctx.Err()
		return reply{}, ctx.Err()
	})
	do(server(t, o), post(chatPath, askStream).WithContext(ctx))
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if out := text(); !strings.Contains(out, "status=499") {
		t.Errorf("log: %s", out)
	}
}

func TestLog(t *testing.T) {
	o := options()
	log, text := logs()
	o.Log = log
	s := server(t, o)
	w := do(s, post(chatPath, strings.Replace(askTools, "hi", "PRIVATE", 1)))
	out := text()
	for _, want := range []string{"id=" + w.Header().Get("X-Request-Id"), "status=200", "provider=p", "model=m", `tools="native; repairs=0`, "surface=chat"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q isn't in %s", want, out)
		}
	}
	do(s, post(chatPath, strings.Replace(ask, "p/m", `x\u001b[2Jy\u202ez\nlevel=ERROR`, 1)))
	if out = text(); strings.Contains(out, "PRIVATE") || strings.ContainsAny(out, "\x1b\u202e") || strings.Count(out, "\n") != 2 {
		t.Errorf("log: %q", out)
	}
}

func TestUpstreamNeverSeesTheClientsKey(t *testing.T) {
	o := options()
	var seen http.Header
	o.Providers[0].Upstream = upstream(func(ctx context.Context, q *chat.Request) (reply, error) {
		seen = q.Wire.Header
		return hello(ctx, q)
	})
	good(t, do(server(t, o), post(chatPath, ask, "Authorization", "Bearer x", "X-Api-Key", "y", "Cookie", "z", "X-Title", "app")))
	for _, k := range []string{"Authorization", "X-Api-Key", "Cookie"} {
		if seen.Get(k) != "" {
			t.Errorf("%s went on", k)
		}
	}
	if seen.Get("X-Title") != "app" {
		t.Error("the rest is gone too")
	}
}

func TestMetrics(t *testing.T) {
	o := options()
	o.Providers[0].Models = map[string]profile.Profile{"m": {}}
	o.Providers[0].Upstream = upstream(func(ctx context.Context, q *chat.Request) (reply, error) {
		if len(q.Tools) > 0 {
			return reply{strings.NewReader(callSSE), "text/event-stream", nil}, nil
		}
		return hello(ctx, q)
	})
	s := server(t, o)
	do(s, post(chatPath, ask))
	do(s, post(chatPath, ask))
	do(s, post(chatPath, strings.Replace(askTools, "{", `{"stream":true,`, 1)))
	do(s, post(chatPath, strings.Replace(ask, "p/m", "p/somebody-made-this-up", 1)))
	do(s, post(chatPath, "{"))
	got := do(s, get("/metrics")).Body.String()
	for _, want := range []string{
		`ferrule_requests_total{mode="native",model="m",provider="p",status="200",surface="chat"} 3`,
		`ferrule_requests_total{mode="native",model="other",provider="p",status="200",surface="chat"} 1`,
		`ferrule_requests_total{mode="",model="",provider="",status="400",surface="chat"} 1`,
		`ferrule_tool_calls_total{mode="native",model="m",outcome="` + turn.Clean + `",provider="p"} 1`,
		`ferrule_request_seconds_count{model="m",provider="p",surface="chat"} 3`,
		`ferrule_upstream_seconds_count{model="m",provider="p"} 3`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	if strings.Contains(got, "somebody") {
		t.Error("a client's word became a label")
	}
}
