package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/http"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/ferrule/ferrule/catalog"
	"github.com/ferrule/ferrule/config"
	"github.com/ferrule/ferrule/gateway"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/protocol/openai"
	"github.com/ferrule/ferrule/provider"
	"github.com/ferrule/ferrule/provider/demo"
	"github.com/ferrule/ferrule/refusal"
	"github.com/ferrule/ferrule/turn"
	"github.com/ferrule/ferrule/words"
)

const demoName = "demo"

// assembly is a gateway that is ready to serve, and what it was made of.
type assembly struct {
	server *gateway.Server
	config *config.Config
	stop   func() // ends the embedded provider and gives the connections back
}

// assemble builds the gateway of a configuration, the embedded provider with it.
func (p *program) assemble(c *config.Config, transport func(name string) http.RoundTripper) (*assembly, error) {
	log := slog.New(slog.NewTextHandler(p.stderr, &slog.HandlerOptions{Level: c.Log}))
	refusals, err := refusal.NewTable(c.Refusals)
	if err != nil {
		return nil, err
	}
	demoURL, stopDemo, err := demo.Start(context.WithoutCancel(p.ctx)) // it outlives the open answers
	if err != nil {
		return nil, err
	}
	places := append([]config.Provider{}, c.Providers...)
	closed := map[string]bool{}
	if !named(places, demoName) {
		places = append(places, demoPlace(demoURL))
		closed[demoName] = true
	}
	var opened []*provider.Provider
	stop := func() {
		stopDemo()
		for _, o := range opened {
			o.Close()
		}
	}
	kept, aside := p.keep(c, places, log), newAside(p.ctx)
	stopOthers := stop
	stop = func() {
		aside.stop()
		stopOthers()
		kept.stop()
	}
	o := gateway.Options{
		Aliases: c.Aliases, Hosts: c.Hosts, Log: log, Registry: prometheus.NewRegistry(),
		Runner: &turn.Runner{
			Facts: kept.facts, Memory: kept.memory, Key: p.masterKey(c, log), Refusals: refusals, Aside: aside.do,
		},
		Counts: kept.counts,
		Bounds: gateway.Bounds{Body: c.Limits.Body, InFlight: c.Limits.InFlight, Grace: c.Limits.Grace},
	}
	o.Registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	for _, k := range c.FenceKeys {
		o.Runner.Keys = append(o.Runner.Keys, turn.Key{From: k.From, Key: []byte(k.Key)})
	}
	for _, k := range c.Keys {
		o.Keys = append(o.Keys, gateway.Key(k))
	}
	public, stopPublic, err := publicList(c.Catalogue)
	if err != nil {
		stop()
		return nil, err
	}
	stopAll := stop
	stop = func() {
		stopAll()
		stopPublic()
	}
	for _, place := range places {
		if place.Profile.Server == "" {
			place.Profile.Server = serverOf(place)
		}
		pc := provider.Config{
			Name: place.Name, URL: place.URL, Key: provider.Secret(place.Key),
			Protocol: place.Protocol, Client: clients()[place.Protocol], Version: version(),
		}
		if transport != nil {
			pc.Transport = transport(place.Name)
		}
		up, err := provider.New(pc)
		if err != nil {
			stop()
			return nil, err
		}
		opened = append(opened, up)
		o.Providers = append(o.Providers, gateway.Provider{
			Name: place.Name, Upstream: up, Lister: up,
			Profile: place.Profile, Models: place.Models, Closed: closed[place.Name],
			Catalogue: catalog.For(place.Profile.Server, up), Public: public,
		})
	}
	server, err := gateway.New(o)
	if err != nil {
		stop()
		return nil, fmt.Errorf("building the gateway: %w", err)
	}
	return &assembly{server: server, config: c, stop: stop}, nil
}

// publicList looks models up in the list at a URL; nil for none.
func publicList(at string) (*catalog.Lookup, func(), error) {
	if at == "" {
		return nil, func() {}, nil
	}
	i := strings.LastIndexByte(at, '/')
	list, err := provider.New(provider.Config{Name: "catalogue", URL: at[:i], Protocol: openai.Name, Client: openai.Client{}, Version: version()})
	if err != nil {
		return nil, nil, fmt.Errorf("catalogue: %w", err)
	}
	path := at[i:]
	if strings.HasSuffix(at[:i], "/v1") { // which isn't part of a server's root
		path = "/v1" + path
	}
	return catalog.Public(path, list), list.Close, nil
}

func named(ps []config.Provider, name string) bool {
	for _, p := range ps {
		if p.Name == name {
			return true
		}
	}
	return false
}

// demoPlace is the embedded provider as a configuration would have it.
func demoPlace(url string) config.Provider {
	return config.Provider{
		Name: demoName, Protocol: openai.Name, URL: url,
		Models: map[string]profile.Profile{
			"chat-lite": {Tools: profile.Emulated, Syntax: words.Default(false)},
			"wrapper":   {Tools: profile.Emulated, Syntax: words.Default(true), System: profile.Dropped},
			"native":    {Tools: profile.Native},
			"none":      {Tools: profile.None},
		},
	}
}

// passing returns c with a fence key and facts that aren't kept: for a command
// that serves nobody.
func passing(c *config.Config) *config.Config {
	c.Store = inMemory
	if c.FenceKey == "" {
		c.FenceKey = config.Secret(rand.Text() + rand.Text())
	}
	return c
}

// masterKey is the key of the fences. Where none can be kept, one that lasts as
// long as the program does nearly as well: only prompt caches start anew.
func (p *program) masterKey(c *config.Config, log *slog.Logger) []byte {
	if c.FenceKey != "" {
		return []byte(c.FenceKey)
	}
	dir, err := p.home()
	if err == nil {
		var key []byte
		if key, err = fenceKey(dir); err == nil {
			return key
		}
	}
	log.LogAttrs(context.Background(), slog.LevelWarn, "the fence key isn't kept; prompt caches start anew after a restart", slog.Any("error", err))
	key := make([]byte, fenceBytes)
	_, _ = rand.Read(key) // never fails
	return key
}
