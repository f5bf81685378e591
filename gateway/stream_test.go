package gateway_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/turn"
)

// client is a ResponseWriter that keeps what comes with each flush.
type client struct {
	header  http.Header
	status  int
	pending string
	flushes []string
	err     error // of every write
}

func newClient() *client { return &client{header: http.Header{}} }

func (c *client) Header() http.Header { return c.header }

func (c *client) WriteHeader(status int) { c.status = status }

func (c *client) Write(p []byte) (int, error) {
	c.pending += string(p)
	return len(p), c.err
}

func (c *client) Flush() {
	c.flushes = append(c.flushes, c.pending)
	c.pending = ""
}

func text(s string) string {
	return fmt.Sprintf("data: {\"id\":\"c1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":%q},\"finish_reason\":null}]}\n\n", s)
}

// timed sends each piece after its wait.
type timed struct {
	pieces []piece
}

type piece struct {
	wait time.Duration
	data string
}

func (s *timed) Read(p []byte) (int, error) {
	if len(s.pieces) == 0 {
		return 0, io.EOF
	}
	next := &s.pieces[0]
	time.Sleep(next.wait)
	next.wait = 0
	n := copy(p, next.data)
	if next.data = next.data[n:]; next.data == "" {
		s.pieces = s.pieces[1:]
	}
	return n, nil
}

// says is an upstream that streams the pieces.
func says(pieces ...piece) upstream {
	return func(context.Context, *chat.Request) (reply, error) {
		return reply{&timed{append([]piece{}, pieces...)}, "text/event-stream", nil}, nil
	}
}

const end = "data: {\"id\":\"c1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"

func TestFlushWhenTheUpstreamWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		burst := strings.Repeat(text("x"), 40)
		o := options()
		o.Providers[0].Upstream = says(piece{0, text("first")}, piece{time.Second, burst}, piece{time.Second, end})
		c := newClient()
		server(t, o).ServeHTTP(c, post(chatPath, askStream))
		if got := strings.Join(c.flushes, "") + c.pending; got != text("first")+burst+end {
			t.Errorf("got %q", got)
		}
		// One for each time that the upstream's buffer ran dry, none for an event.
		if len(c.flushes) > 5 || c.flushes[0] != text("first") {
			t.Errorf("%d flushes; the first is %q", len(c.flushes), c.flushes[0])
		}
	})
}

func TestKeepAlive(t *testing.T) {
	const ping = ": ping\n\n"
	for _, c := range []struct {
		name   string
		pieces []piece
		want   string
	}{
		{"before the first byte", []piece{{50 * time.Second, text("a") + end}}, ping + ping + ping + text("a") + end},
		{"between", []piece{{0, text("a")}, {35 * time.Second, text("b") + end}}, text("a") + ping + ping + text("b") + end},
		{"none while words go out", []piece{{0, text("a")}, {10 * time.Second, text("b")}, {10 * time.Second, text("c")}, {14 * time.Second, end}}, text("a") + text("b") + text("c") + end},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := options()
				o.Providers[0].Upstream = says(c.pieces...)
				w := newClient()
				server(t, o).ServeHTTP(w, post(chatPath, askStream))
				time.Sleep(time.Minute) // nothing comes after the end
				if got := strings.Join(w.flushes, "") + w.pending; got != c.want {
					t.Errorf("got %q\nwant %q", got, c.want)
				}
			})
		})
	}
}

func TestNoKeepAliveInAWholeAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := options()
		o.Providers[0].Upstream = upstream(func(context.Context, *chat.Request) (reply, error) {
			time.Sleep(time.Minute)
			return reply{strings.NewReader(helloJSON), "application/json", nil}, nil
		})
		w := newClient()
		server(t, o).ServeHTTP(w, post(chatPath, ask))
		if w.pending != helloJSON || len(w.flushes) != 0 || w.header.Get("Content-Length") == "" {
			t.Errorf("%q %q %v", w.flushes, w.pending, w.header)
		}
	})
}

func TestReportAfterAKeepAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := options()
		o.Providers[0].Upstream = says(piece{20 * time.Second, callSSE})
		w := newClient()
		server(t, o).ServeHTTP(w, post(chatPath, strings.Replace(askTools, "{", `{"stream":true,`, 1)))
		want := turn.Report{Mode: "native", Requests: 1}.String()
		if got := w.header.Get("Ferrule-Tools"); got != want {
			t.Errorf("trailer %q; want the whole report", got)
		}
	})
}

func TestWriteErrorEndsTheTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := options()
		log, lines := logs()
		o.Log = log
		var pieces []piece
		for range 100 {
			pieces = append(pieces, piece{time.Second, text("x")})
		}
		o.Providers[0].Upstream = says(pieces...)
		c := newClient()
		c.err = io.ErrClosedPipe
		start := time.Now()
		server(t, o).ServeHTTP(c, post(chatPath, askStream))
		if took := time.Since(start); took > 5*time.Second { // of synctest's time
			t.Errorf("it went on for %v", took)
		}
		if !strings.Contains(lines(), "closed pipe") {
			t.Errorf("log: %s", lines())
		}
	})
}
