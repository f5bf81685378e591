package main

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"

	"github.com/ferrule/ferrule/config"
	"github.com/ferrule/ferrule/gateway"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/store"
	"github.com/ferrule/ferrule/turn"
)

const (
	factsFile = "facts.db"
	inMemory  = "memory" // as the configuration has it
)

// factsPath is the file of what was learned; "" where it is to be kept in memory.
func (p *program) factsPath(c *config.Config) (string, error) {
	switch c.Store {
	case inMemory:
		return "", nil
	case "":
		dir, err := p.home()
		if err != nil {
			return "", err
		}
		return filepath.Join(dir, factsFile), nil
	}
	return c.Store, nil
}

// keeping is what keeps what the gateway finds out.
type keeping struct {
	facts  turn.Facts
	memory turn.Memory
	counts gateway.Counts // nil: nothing beyond the metrics
	stop   func()
}

// keep keeps what is found out: in its file, and where there can be none in
// memory, with a warning.
func (p *program) keep(c *config.Config, places []config.Provider, log *slog.Logger) keeping {
	while := keeping{facts: &turn.LocalFacts{}, memory: &turn.LocalMemory{}, stop: func() {}}
	path, err := p.factsPath(c)
	if err == nil && path == "" {
		return while
	}
	warn := func(what string, err error) {
		log.LogAttrs(p.ctx, slog.LevelWarn, what, slog.Any("error", err))
	}
	var s *store.Store
	if err == nil {
		s, err = store.Open(path, urlsOf(places))
	}
	if s == nil {
		warn("what is learned isn't kept beyond this run; store: says where", err)
		return while
	}
	if err != nil {
		warn("what was learned is lost", err)
	}
	s.Failed = func(err error) { warn("the store", err) }
	k := keeping{facts: s, memory: while.memory, counts: s, stop: func() { _ = s.Close() }}
	if m, err := s.Memory(); err == nil {
		k.memory = m
	} else {
		warn("what goes back with calls isn't kept beyond this run", err)
	}
	return k
}

// serverOf is the kind of server that answers at a provider's address, where that is known.
func serverOf(place config.Provider) string {
	at, err := url.Parse(place.URL)
	if err != nil {
		return ""
	}
	return profile.ServerAt(at.Host)
}

func urlsOf(places []config.Provider) map[string]string {
	urls := map[string]string{}
	for _, place := range places {
		urls[place.Name] = place.URL
	}
	return urls
}

// openStore opens the store for a command that looks into it; nil where there is none.
func (p *program) openStore(c *config.Config) (*store.Store, string, error) {
	path, err := p.factsPath(c)
	if err != nil || path == "" {
		return nil, path, err
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, path, nil
	}
	return p.storeOf(c)
}

// storeOf opens the store, and makes it where there is none; nil where facts
// are kept in memory.
func (p *program) storeOf(c *config.Config) (*store.Store, string, error) {
	path, err := p.factsPath(c)
	if err != nil || path == "" {
		return nil, path, err
	}
	s, err := store.Open(path, urlsOf(c.Providers))
	if s != nil && errors.Is(err, store.ErrBroken) {
		fmt.Fprintln(p.stderr, err)
		err = nil
	}
	return s, path, err
}
