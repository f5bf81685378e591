package gateway_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/gateway"
)

// serving runs Serve on a free port; stop ends it and returns what it said.
func serving(t *testing.T, o gateway.Options) (addr string, stop context.CancelFunc, served chan error) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	served = make(chan error, 1)
	s := server(t, o)
	go func() { served <- s.Serve(ctx, l) }()
	return l.Addr().String(), cancel, served
}

// held streams a first word, waits, and ends.
func held(first chan<- struct{}, leave <-chan struct{}) upstream {
	return func(ctx context.Context, _ *chat.Request) (reply, error) {
		r, w := io.Pipe()
		context.AfterFunc(ctx, func() { _ = w.CloseWithError(ctx.Err()) })
		go func() {
			_, _ = io.WriteString(w, text("first"))
			close(first)
			<-leave
			_, _ = io.WriteString(w, end)
			_ = w.Close()
		}()
		return reply{r, "text/event-stream", nil}, nil
	}
}

func TestShutdownFinishesStreams(t *testing.T) {
	first, leave := make(chan struct{}), make(chan struct{})
	o := options()
	o.Providers[0].Upstream = held(first, leave)
	addr, stop, served := serving(t, o)
	resp, err := http.Post("http://"+addr+chatPath, "application/json", strings.NewReader(askStream))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	<-first
	stop()
	if _, err := net.DialTimeout("tcp", addr, time.Second); err == nil {
		// The listener closes a moment after stop; then nothing new is taken.
		time.Sleep(50 * time.Millisecond)
		if c, err := net.DialTimeout("tcp", addr, time.Second); err == nil {
			_ = c.Close()
			t.Error("new connections are taken")
		}
	}
	close(leave)
	body, err := io.ReadAll(resp.Body)
	if err != nil || string(body) != text("first")+end {
		t.Errorf("got %q, %v", body, err)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
}

func TestShutdownCutsAfterGrace(t *testing.T) {
	first, leave := make(chan struct{}), make(chan struct{})
	defer close(leave)
	o := options()
	o.Bounds.Grace = 20 * time.Millisecond
	o.Providers[0].Upstream = held(first, leave)
	addr, stop, served := serving(t, o)
	resp, err := http.Post("http://"+addr+chatPath, "application/json", strings.NewReader(askStream))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	<-first
	stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
	if body, err := io.ReadAll(resp.Body); err == nil && strings.Contains(string(body), `"stop"`) {
		t.Errorf("it was whole: %s", body)
	}
}

// raw sends bytes and returns the status line of the answer.
func raw(t *testing.T, addr, request string) string {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	if _, err := io.WriteString(c, request); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(c).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line)
}

func TestSlowBody(t *testing.T) {
	o := options()
	o.Bounds.Read = 50 * time.Millisecond
	addr, _, _ := serving(t, o)
	head := "POST " + chatPath + " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
	if got := raw(t, addr, fmt.Sprintf(head, len(ask), ask)); got != "HTTP/1.1 200 OK" {
		t.Errorf("got %s", got)
	}
	if got := raw(t, addr, fmt.Sprintf(head, len(ask)+1, ask)); got != "HTTP/1.1 408 Request Timeout" {
		t.Errorf("got %s", got)
	}
}

// A connection that is used again must not meet the deadlines of its last answer.
func TestKeptConnection(t *testing.T) {
	o := options()
	o.Bounds.Read, o.Bounds.Stall = 40*time.Millisecond, 40*time.Millisecond
	addr, _, _ := serving(t, o)
	for range 3 {
		for _, path := range []string{"/healthz", "/v1/models"} {
			resp, err := http.Get("http://" + addr + path)
			if err != nil {
				t.Fatal(err)
			}
			_, err = io.Copy(io.Discard, resp.Body)
			if err = errors.Join(err, resp.Body.Close()); err != nil || resp.StatusCode != http.StatusOK {
				t.Fatal(resp.Status, err)
			}
		}
		resp, err := http.Post("http://"+addr+chatPath, "application/json", strings.NewReader(ask))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		if err = errors.Join(err, resp.Body.Close()); err != nil || string(body) != helloJSON {
			t.Fatal(string(body), err)
		}
		time.Sleep(60 * time.Millisecond)
	}
}

func TestHeaderBound(t *testing.T) {
	addr, _, _ := serving(t, options())
	request := "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: %s\r\n\r\n"
	if got := raw(t, addr, fmt.Sprintf(request, strings.Repeat("x", 50<<10))); got != "HTTP/1.1 200 OK" {
		t.Errorf("got %s", got)
	}
	if got := raw(t, addr, fmt.Sprintf(request, strings.Repeat("x", 65<<10))); !strings.HasPrefix(got, "HTTP/1.1 431") {
		t.Errorf("got %s", got)
	}
}

// endless streams for as long as it is read.
type endless struct{ ctx context.Context }

func (e endless) Read(p []byte) (int, error) {
	if e.ctx.Err() != nil {
		return 0, e.ctx.Err()
	}
	return copy(p, text(strings.Repeat("x", 200))), nil
}

func TestClientThatDoesNotRead(t *testing.T) {
	o := options()
	o.Bounds.Stall = 100 * time.Millisecond
	log, lines := logs()
	o.Log = log
	ended := make(chan struct{})
	o.Providers[0].Upstream = upstream(func(ctx context.Context, _ *chat.Request) (reply, error) {
		context.AfterFunc(ctx, func() { close(ended) })
		return reply{endless{ctx}, "text/event-stream", nil}, nil
	})
	addr, _, _ := serving(t, o)
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	_, err = fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", chatPath, len(askStream), askStream)
	if err != nil {
		t.Fatal(err)
	}
	<-ended // and nothing was read
	for !strings.Contains(lines(), "i/o timeout") {
		time.Sleep(time.Millisecond)
	}
}
