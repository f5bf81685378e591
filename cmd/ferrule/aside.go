package main

import (
	"context"
	"sync"
)

// maxAside is how much is done at once beside the clients' requests.
const maxAside = 2

// aside does what nobody waits for. What comes while it is busy isn't done.
type aside struct {
	ctx    context.Context
	cancel context.CancelFunc
	busy   chan struct{}
	wait   sync.WaitGroup
}

func newAside(ctx context.Context) *aside {
	ctx, cancel := context.WithCancel(ctx)
	return &aside{ctx: ctx, cancel: cancel, busy: make(chan struct{}, maxAside)}
}

func (a *aside) do(work func(context.Context)) {
	select {
	case <-a.ctx.Done():
	case a.busy <- struct{}{}:
		a.wait.Go(func() {
			defer func() { <-a.busy }()
			work(a.ctx)
		})
	default:
	}
}

// stop ends what is under way.
func (a *aside) stop() {
	a.cancel()
	a.wait.Wait()
}
