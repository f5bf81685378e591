package gateway

import (
	"context"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/protocol"
	"github.com/ferrule/ferrule/turn"
)

// tap stands between a turn and its upstream: it passes the answer's header on,
// flushes the client's side before it waits, and times the upstream.
type tap struct {
	turn.Upstream
	out     *response
	seconds prometheus.Observer
	now     func() time.Time
	first   time.Duration // of the last request: until the first piece
}

func (t *tap) Send(ctx context.Context, q *chat.Request) (chat.Stream, error) {
	start := t.now()
	s, err := t.Upstream.Send(ctx, q)
	if err != nil {
		t.heard(start)
		return nil, err
	}
	if h, ok := s.(interface{ Header() http.Header }); ok {
		t.out.from(h.Header())
	}
	ready, _ := s.(protocol.Readier)
	return &tapped{Stream: s, ready: ready, tap: t, start: start}, nil
}

func (t *tap) heard(start time.Time) {
	t.first = t.now().Sub(start)
	t.seconds.Observe(t.first.Seconds())
}

type tapped struct {
	chat.Stream
	ready protocol.Readier
	tap   *tap
	start time.Time
	heard bool
}

func (s *tapped) Next() (chat.Frame, error) {
	if s.ready == nil || !s.ready.Ready() {
		s.tap.out.idle()
	}
	f, err := s.Stream.Next()
	if !s.heard {
		s.heard = true
		s.tap.heard(s.start)
	}
	return f, err
}
