package main

import (
	"fmt"
	"net"
	"strings"
	"text/tabwriter"

	"github.com/ferrule/ferrule/config"
	"github.com/ferrule/ferrule/gateway"
)

type serveCmd struct {
	sources
	Listen string `help:"Listen here instead of where the configuration says. Default: 127.0.0.1:8787." placeholder:"HOST:PORT"`
}

func (c serveCmd) Run(p *program) error {
	cfg, err := c.read(p)
	if err != nil {
		return err
	}
	if c.Listen != "" {
		cfg.ListenOn(c.Listen)
	}
	if err := cfg.CheckListen(); err != nil {
		return err
	}
	a, err := p.assemble(cfg, nil)
	if err != nil {
		return err
	}
	defer a.stop()
	l, err := net.Listen("tcp", cfg.Listen)
	if err != nil {
		return fmt.Errorf("listening on %s (is another one running? --listen takes another address): %w", cfg.Listen, err)
	}
	p.greet(cfg, c.origin(cfg), a.server.Models(p.ctx), l.Addr().String())
	return a.server.Serve(p.ctx, l)
}

// greet prints what is served and how a client gets there.
func (p *program) greet(cfg *config.Config, from string, list gateway.ModelList, addr string) {
	fmt.Fprintf(p.stdout, "Ferrule %s on http://%s (%s)\n\n", version(), addr, from)
	w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	for _, place := range cfg.Providers {
		fmt.Fprintf(w, "  %s\t%s\t%s\n", place.Name, oneLine(place.URL), summary(list, place.Name))
	}
	if !named(cfg.Providers, demoName) {
		fmt.Fprintf(w, "  %s\t%s\t%s\n", demoName, "(built in)", summary(list, demoName))
	}
	_ = w.Flush()
	key := "unused"
	if len(cfg.Keys) > 0 {
		key = "<one of your client keys>"
	}
	fmt.Fprintf(p.stdout, "\nPoint a client at it:\n\n  OPENAI_BASE_URL=http://%s/v1 OPENAI_API_KEY=%s\n\n", addr, key)
}

// summary names a provider's first models.
func summary(list gateway.ModelList, provider string) string {
	const few = 4
	var ids []string
	for _, m := range list.Data {
		if name, ok := strings.CutPrefix(m.ID, provider+"/"); ok && m.OwnedBy == provider {
			ids = append(ids, oneLine(name))
		}
	}
	switch n := len(ids); {
	case n == 0:
		return "models unknown: it gave no list"
	case n > few:
		return fmt.Sprintf("%d models: %s, …", n, strings.Join(ids[:few], ", "))
	default:
		return strings.Join(ids, ", ")
	}
}
