// Package config reads ferrule.yaml. Every error carries the file, the line and
// what stands there; an unknown key, an unset variable and an empty credential
// are errors, never guesses.
//
//	listen: 127.0.0.1:8787
//	aliases: { "claude-*": local/qwen3-coder }
//	providers:
//	  local:
//	    protocol: openai
//	    url: http://127.0.0.1:11434/v1
//	    key: ${LOCAL_KEY}              # or { file: /run/secrets/local }
//	    tools: auto                    # native | emulated | none | auto
//	    effects: { "delete_*": write } # what is known of tools; see calls in tools.go
//	    models:
//	      some-model: { tools: emulated, syntax: hermes, context: 8192, system: honoured }
//	keys:
//	  - { name: ci, hash: "sha256:9f86…" }
//	  - { name: me, key: "${MY_KEY}" }
//	hosts: [ferrule.lan]
//	fence_key: ${FENCE_KEY}
//	refusals:
//	  - { match: "tools are switched off here", class: tools_unsupported, action: emulate }
//	log: info
package config

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"time"

	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/refusal"
)

const (
	// DefaultListen is where the gateway listens when nobody said otherwise.
	DefaultListen = "127.0.0.1:8787"
	// DefaultFile is looked for in the working directory.
	DefaultFile = "ferrule.yaml"
	// FileVariable names the environment variable that points to the file.
	FileVariable = "FERRULE_CONFIG"
)

// FenceKey is a key of the fences that takes over at a time, so that several
// gateways change keys together.
type FenceKey struct {
	Key  Secret
	From time.Time
}

// Config is what ferrule.yaml says.
type Config struct {
	File      string // where it was read from; "" where there was no file
	Listen    string
	Aliases   map[string]string // name or glob -> provider/model
	Providers []Provider        // in the file's order
	Keys      []Key
	Hosts     []string // Host names that are answered besides the loopback ones
	Limits    Limits
	Store     string // the file of what is learned, or memory; "": the program's own place
	Catalogue string // the URL of a list of models that anybody may read; "": none is asked
	FenceKey  Secret // "": the program keeps one of its own
	FenceKeys []FenceKey
	Refusals  []refusal.Row // ways of refusing that the built-in rows don't know
	Log       slog.Level

	listenAt mark
	said     map[string]int // the lines of what the file says, by its path
}

// Line is where the file says something of a path like providers.local.url; 0
// where it doesn't.
func (c *Config) Line(path string) int { return c.said[path] }

// Provider is a configured place with models.
type Provider struct {
	Name, Protocol, URL string
	Key                 Secret                     // "": none is sent
	Profile             profile.Profile            // what holds for all of its models
	Models              map[string]profile.Profile // what each says besides, not yet merged
}

// Key is a client's key; only its hash is kept.
type Key struct {
	Name string
	Hash [32]byte // SHA-256
}

// Limits are the bounds that a configuration may move. Zero keeps the gateway's own.
type Limits struct {
	Body     int64         // bytes of one request after decoding
	InFlight int64         // bytes of all requests being worked on
	Grace    time.Duration // for open streams at shutdown
}

// Env is the world around the file.
type Env struct {
	Lookup    func(name string) (string, bool)  // nil: os.LookupEnv
	ReadFile  func(path string) ([]byte, error) // nil: os.ReadFile
	Protocols []string                          // that a provider may speak
	Syntaxes  []string                          // that a model may write calls in
	Repairs   []string                          // that may be switched off
	History   func(string) error                // what's wrong with the name of a history's form; nil: nothing
	Dialects  []string                          // that a provider may take of JSON Schema
}

func (e Env) lookup(name string) (string, bool) {
	if e.Lookup == nil {
		return os.LookupEnv(name)
	}
	return e.Lookup(name)
}

func (e Env) readFile(path string) ([]byte, error) {
	if e.ReadFile == nil {
		return os.ReadFile(path)
	}
	return e.ReadFile(path)
}

// Find returns the file to read: the one that was asked for, the one that
// $FERRULE_CONFIG names, or ./ferrule.yaml where it exists; "" where there is none.
func Find(asked string, e Env) (string, error) {
	if asked != "" {
		return asked, nil
	}
	if v, ok := e.lookup(FileVariable); ok && v != "" {
		return v, nil
	}
	_, err := os.Stat(DefaultFile)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("looking for %s: %w", DefaultFile, err)
	}
	return DefaultFile, nil
}

// Load reads and checks a file.
func Load(path string, e Env) (*Config, error) {
	data, err := e.readFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the configuration: %w", err)
	}
	c, err := parse(path, data, e)
	if err != nil {
		return nil, err
	}
	c.File = path
	return c, nil
}

// Parse reads and checks a configuration. Its errors are *Error.
func Parse(data []byte, e Env) (*Config, error) { return parse(DefaultFile, data, e) }

// ListenOn replaces where the gateway listens.
func (c *Config) ListenOn(addr string) { c.Listen, c.listenAt = addr, mark{} }

// CheckListen refuses an address that other machines reach while there are no
// client keys. It stands apart from Parse because a flag may change Listen.
func (c *Config) CheckListen() error {
	host, _, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return c.listenAt.fault("listen: %q is no host:port", c.Listen)
	}
	if len(c.Keys) > 0 || loopback(host) {
		return nil
	}
	return c.listenAt.fault("listen: %s can be reached by other machines, and there are no client keys: "+
		"add keys, or listen on 127.0.0.1", c.Listen)
}

func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
