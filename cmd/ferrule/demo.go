package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/ferrule/ferrule/config"
	"github.com/ferrule/ferrule/provider/demo"
)

type demoCmd struct {
	Model string `help:"Which stand-in model: chat-lite (calls in text), wrapper (drops system prompts), native (has a tools API)." default:"chat-lite"`
	JSON  bool   `help:"Print one JSON object a step."`
}

// demoTime is far more than a round trip with the built-in model takes.
const demoTime = 30 * time.Second

func (c demoCmd) Run(p *program) (err error) {
	if !slices.Contains(demo.Models(), c.Model) {
		return usageError{fmt.Errorf("there is no stand-in model %q; there are %s", c.Model, strings.Join(demo.Models(), ", "))}
	}
	cfg := &config.Config{Listen: "127.0.0.1:0", Log: quiet}
	seen := &recorder{next: http.DefaultTransport}
	a, err := p.assemble(passing(cfg), func(string) http.RoundTripper { return seen })
	if err != nil {
		return err
	}
	defer a.stop()
	l, err := net.Listen("tcp", cfg.Listen)
	if err != nil {
		return fmt.Errorf("starting the gateway: %w", err)
	}
	ctx, cancel := context.WithTimeout(p.ctx, demoTime)
	served := make(chan error, 1)
	go func() { served <- a.server.Serve(ctx, l) }()
	defer func() {
		cancel()
		err = errors.Join(err, <-served)
	}()
	trip := &roundTrip{
		base: "http://" + l.Addr().String(), model: demoName + "/" + c.Model,
		seen: seen, tell: p.teller(c.JSON, c.Model),
	}
	if err := trip.run(ctx); err != nil {
		return fmt.Errorf("the round trip with %s: %w", trip.model, err)
	}
	return nil
}
