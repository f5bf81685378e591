package provider

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

// Why a request was given up.
var (
	errFirstByte = errors.New("the first byte took too long")
	errSilence   = errors.New("the answer fell silent")
	errWhole     = errors.New("the whole answer took too long")
	errClosed    = errors.New("the answer was closed")
)

// guard ends a request that takes too long. Only time in which somebody waits
// for the upstream counts, so a slow client isn't the upstream's fault. One
// timer serves the whole request and is armed again only when it has fired:
// waiting costs two stores.
type guard struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	start  time.Time
	first  time.Duration
	whole  time.Duration
	quiet  time.Duration // the limit of silence, once the head is there
	timer  *time.Timer
	limit  atomic.Int64 // nanoseconds that one wait may last
	since  atomic.Int64 // nanoseconds from start to where the wait began; idle: nobody waits
	heard  atomic.Bool  // the answer's head is there
	done   atomic.Bool
}

const idle = -1

// newGuard returns a context that ends with ctx or when the guard says so, with the cause.
func newGuard(ctx context.Context, first, whole time.Duration) (context.Context, *guard) {
	ctx, cancel := context.WithCancelCause(ctx)
	g := &guard{ctx: ctx, cancel: cancel, start: time.Now(), first: first, whole: whole}
	g.limit.Store(int64(first))
	g.timer = time.AfterFunc(time.Hour, g.check)
	g.timer.Reset(min(first, whole)) // only now, as check reads g.timer
	return ctx, g
}

// answered ends the wait for the first byte; from now on each wait may last limit.
func (g *guard) answered(limit time.Duration) {
	g.end()
	g.quiet = limit
	g.heard.Store(true)
	g.rearm(limit)
}

// rearm gives waits a new limit, at once.
func (g *guard) rearm(limit time.Duration) {
	g.limit.Store(int64(limit))
	g.timer.Reset(max(0, min(limit, g.whole-time.Since(g.start))))
}

func (g *guard) begin() { g.since.Store(int64(time.Since(g.start))) }
func (g *guard) end()   { g.since.Store(idle) }

// check runs when the timer fires.
func (g *guard) check() {
	if g.done.Load() {
		return
	}
	now := time.Since(g.start)
	if now >= g.whole {
		g.cancel(errWhole)
		return
	}
	next := time.Duration(g.limit.Load())
	if since := g.since.Load(); since != idle {
		next -= now - time.Duration(since)
	}
	if next > 0 {
		g.timer.Reset(min(next, g.whole-now))
		return
	}
	if g.heard.Load() {
		g.cancel(errSilence)
	} else {
		g.cancel(errFirstByte)
	}
}

// stop ends the request's context; nothing is watched any more.
func (g *guard) stop() {
	g.done.Store(true)
	g.timer.Stop()
	g.cancel(errClosed)
}

// cause is why the request's context ended; nil while it runs.
func (g *guard) cause() error { return context.Cause(g.ctx) }
