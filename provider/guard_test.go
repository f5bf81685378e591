package provider_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/provider"
)

// upstream is an answer whose pieces come when they come, in a bubble's time.
func upstream(head time.Duration, pieces ...any) roundTrip {
	return func(r *http.Request) (*http.Response, error) {
		if !wait(r.Context(), head) {
			return nil, context.Cause(r.Context())
		}
		pr, pw := io.Pipe()
		go func() {
			for _, p := range pieces {
				switch p := p.(type) {
				case string:
					_, _ = io.WriteString(pw, p)
				case time.Duration:
					if !wait(r.Context(), p) {
						_ = pw.CloseWithError(context.Cause(r.Context()))
						return
					}
				}
			}
			_ = pw.Close()
		}()
		return answer(200, "text/event-stream", pr), nil
	}
}

func wait(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

func TestTime(t *testing.T) {
	long := []any{}
	for range 62 {
		long = append(long, chunk("x"), time.Minute)
	}
	for _, c := range []struct {
		name   string
		send   roundTrip
		words  string
		after  time.Duration // of a fault; 0: none
		says   string
		bounds provider.Bounds
	}{
		{name: "slow but in time", send: upstream(299*time.Second, chunk("a"), 299*time.Second, chunk("b"), finish, done), words: "ab"},
		{name: "no first byte", send: upstream(301 * time.Second), after: 300 * time.Second, says: "answered nothing for 5m0s"},
		{name: "silence", send: upstream(time.Second, chunk("a"), 301*time.Second, chunk("b")), words: "a", after: 301 * time.Second, says: "sent nothing for 5m0s"},
		{name: "a head and then nothing", send: upstream(time.Second, 301*time.Second, chunk("a")), after: 301 * time.Second, says: "sent nothing for 5m0s"},
		{name: "an hour", send: upstream(30*time.Second, append(long, finish, done)...), words: strings.Repeat("x", 60), after: time.Hour, says: "within 1h0m0s"},
		{name: "nearly an hour", send: upstream(0, append(long[:118:118], finish, done)...), words: strings.Repeat("x", 59)},
		{name: "own bounds", send: upstream(2 * time.Second), bounds: provider.Bounds{FirstByte: time.Second}, after: time.Second, says: "answered nothing for 1s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := open(t, "http://upstream/v1", via(c.send), func(k *provider.Config) { k.Bounds = c.bounds })
				start := time.Now()
				words, _, err := read(t.Context(), p, request(true))
				if words != c.words {
					t.Errorf("words %q, want %q", words, c.words)
				}
				if c.after == 0 {
					if err != nil {
						t.Error(err)
					}
					return
				}
				var f *chat.Fault
				if !errors.As(err, &f) || f.Code != "upstream_timeout" || f.Status != 504 || f.Retryable || !strings.Contains(f.Text, c.says) {
					t.Errorf("%v, want upstream_timeout saying %q", err, c.says)
				}
				if d := time.Since(start); d != c.after {
					t.Errorf("after %v, want %v", d, c.after)
				}
			})
		})
	}
}

// A client that takes its time is not the upstream's silence.
func TestSlowReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := open(t, "http://upstream/v1", via(upstream(0, chunk("a"), chunk("b"), time.Second, finish, done)))
		st, err := p.Send(t.Context(), request(true))
		if err != nil {
			t.Fatal(err)
		}
		defer st.Close()
		for n := 0; ; n++ {
			_, err := st.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("after %d frames: %v", n, err)
			}
			time.Sleep(7 * time.Minute)
		}
	})
}

// A server that keeps the connection open behind the last event holds nobody up.
func TestLateEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := open(t, "http://upstream/v1", via(upstream(0, chunk("a")+finish+done, time.Hour)))
		start := time.Now()
		if words, _, err := read(t.Context(), p, request(true)); err != nil || words != "a" {
			t.Errorf("%q, %v", words, err)
		}
		if d := time.Since(start); d > time.Second {
			t.Errorf("the end took %v", d)
		}
	})
}

func TestConnectTimeout(t *testing.T) {
	p := open(t, "http://upstream/v1", via(func(*http.Request) (*http.Response, error) { return nil, dialTimeout{} }))
	_, err := p.Send(t.Context(), request(false))
	var f *chat.Fault
	if !errors.As(err, &f) || f.Code != "upstream_timeout" || f.Status != 504 || !strings.Contains(f.Text, "within 10s") || !f.Retryable {
		t.Errorf("%v, want upstream_timeout", err)
	}
}

type dialTimeout struct{}

func (dialTimeout) Error() string   { return "i/o timeout" }
func (dialTimeout) Timeout() bool   { return true }
func (dialTimeout) Temporary() bool { return true }
