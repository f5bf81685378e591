package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

const (
	headerTime = 10 * time.Second // for a request's header
	idleTime   = 2 * time.Minute  // of a connection between requests
)

// Drain makes /readyz answer 503, so that no new clients are sent here.
func (s *Server) Drain() { s.draining.Store(true) }

// Serve answers on l until ctx ends; then it takes no new requests, lets the
// open answers finish for Bounds.Grace, and cuts what is left. It returns nil
// after such an end.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	requests, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	srv := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: headerTime,
		IdleTimeout:       idleTime,
		// net/http adds 4 KB of its own for its buffer.
		MaxHeaderBytes: max(s.bounds.Header-4<<10, 1),
		BaseContext:    func(net.Listener) context.Context { return requests },
		ErrorLog:       slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(l) }()
	select {
	case err := <-served:
		return fmt.Errorf("serving on %s: %w", l.Addr(), err)
	case <-ctx.Done():
	}
	s.Drain()
	grace, cancel := context.WithTimeout(requests, s.bounds.Grace)
	defer cancel()
	err := srv.Shutdown(grace)
	cut()
	if errors.Is(err, context.DeadlineExceeded) {
		s.log.Warn("open answers were cut", "after", s.bounds.Grace)
		err = srv.Close()
	}
	<-served
	if err != nil {
		return fmt.Errorf("shutting down: %w", err)
	}
	return nil
}
