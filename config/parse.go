package config

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/tokens"
)

// shortestFenceKey is in bytes: what 16 random ones are in hex.
const shortestFenceKey = 32

func parse(file string, data []byte, e Env) (*Config, error) {
	c := &Config{Listen: DefaultListen, Aliases: map[string]string{}, listenAt: mark{file: file}}
	r, root, err := open(file, data, e)
	if err != nil {
		return nil, err
	}
	c.said = r.said
	if root == nil {
		return c, nil
	}
	err = r.object(value{node: root}, fields{
		"listen": func(v value) error {
			c.listenAt = r.at(v.node)
			return r.string(&c.Listen)(v)
		},
		"aliases":   r.aliases(c),
		"providers": r.providers(c),
		"keys":      r.keys(c),
		"hosts":     r.hosts(c),
		"limits": func(v value) error {
			return r.object(v, fields{
				"body":      r.size(&c.Limits.Body),
				"in_flight": r.size(&c.Limits.InFlight),
				"grace":     r.duration(&c.Limits.Grace),
			})
		},
		"store":      func(v value) error { return r.filled(v, &c.Store, "a file is missing, or memory") },
		"catalogue":  r.url(&c.Catalogue),
		"fence_key":  r.fenceKey(&c.FenceKey),
		"fence_keys": r.fenceKeys(c),
		"refusals":   r.refusals(c),
		"log":        r.level(&c.Log),
	})
	if err != nil {
		return nil, err
	}
	return c, nil
}

func (r *reader) fenceKey(dst *Secret) func(value) error {
	return func(v value) error {
		if err := r.credential(dst)(v); err != nil {
			return err
		}
		if len(*dst) < shortestFenceKey {
			return r.fault(v, "a key of at least %d characters is wanted (openssl rand -hex 32)", shortestFenceKey)
		}
		return nil
	}
}

func (r *reader) fenceKeys(c *Config) func(value) error {
	return func(v value) error {
		return r.list(v, func(v value) error {
			var k FenceKey
			from := func(v value) error {
				s, err := r.text(v)
				if err != nil {
					return err
				}
				if k.From, err = time.Parse(time.RFC3339, s); err != nil {
					return r.fault(v, "a time like 2026-12-01T00:00:00Z is wanted")
				}
				return nil
			}
			if err := r.object(v, fields{"key": r.fenceKey(&k.Key), "from": from}); err != nil {
				return err
			}
			if k.Key == "" || k.From.IsZero() {
				return r.fault(v, "give both key and from")
			}
			c.FenceKeys = append(c.FenceKeys, k)
			return nil
		})
	}
}

func (r *reader) aliases(c *Config) func(value) error {
	return func(v value) error {
		return r.members(v, func(key string, _ ast.Node, m value) error {
			target, err := r.text(m)
			if err != nil {
				return err
			}
			if target == "" {
				return r.fault(m, "the model that it stands for is missing: provider/model")
			}
			c.Aliases[key] = target
			return nil
		})
	}
}

func (r *reader) providers(c *Config) func(value) error {
	return func(v value) error {
		return r.members(v, func(key string, at ast.Node, m value) error {
			if !providerName(key) {
				return r.fault(value{at, v.name}, "a provider's name has letters, digits, dots, - and _: %q", key)
			}
			p := Provider{Name: key}
			known := r.profile(&p.Profile)
			known["protocol"] = r.oneOf(&p.Protocol, r.env.Protocols)
			known["url"] = r.url(&p.URL)
			known["key"] = r.credential(&p.Key)
			known["models"] = func(v value) error {
				return r.members(v, func(name string, _ ast.Node, m value) error {
					var f profile.Profile
					if err := r.object(m, r.profile(&f)); err != nil {
						return err
					}
					p.model(name, f)
					return nil
				})
			}
			if err := r.object(m, known); err != nil {
				return err
			}
			for _, need := range [][2]string{{"protocol", p.Protocol}, {"url", p.URL}} {
				if need[1] == "" {
					return r.fault(value{at, m.name}, "%s is missing", need[0])
				}
			}
			c.Providers = append(c.Providers, p)
			return nil
		})
	}
}

func (p *Provider) model(name string, f profile.Profile) {
	if p.Models == nil {
		p.Models = map[string]profile.Profile{}
	}
	p.Models[name] = f
}

func providerName(s string) bool {
	for i := range len(s) {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && !strings.ContainsRune("._-", rune(c)) {
			return false
		}
	}
	return s != ""
}

// profile is what may be said of a model, and of all models of a provider.
func (r *reader) profile(p *profile.Profile) fields {
	known := fields{
		"tools":     named(r, &p.Tools, profile.Modes),
		"system":    named(r, &p.System, []profile.System{profile.Honoured, profile.Dropped}),
		"syntax":    r.oneOf(&p.Syntax, r.env.Syntaxes),
		"server":    r.oneOf(&p.Server, profile.ServerNames()),
		"context":   func(v value) error { return r.number(v, func(n int64) { p.Context = int(n) }) },
		"estimator": r.oneOf(&p.Estimator, tokens.Names()),
		"origin":    named(r, &p.Origin, []profile.Origin{profile.Reading, profile.Proof}),
		"dialect":   r.oneOf(&p.Dialect, r.env.Dialects),
		"stream":    named(r, &p.Stream, []profile.Stream{profile.StreamAsked, profile.StreamWithoutTools, profile.StreamNever}),
		"wrapper":   func(v value) error { return r.bool(v, &p.Wrapper) },

		"constrain": named(r, &p.Constrain, []profile.Constrain{profile.ConstrainAlways, profile.ConstrainForced, profile.ConstrainNever}),
	}
	maps.Copy(known, r.model(p))
	maps.Copy(known, r.calls(p))
	return known
}

func (r *reader) keys(c *Config) func(value) error {
	return func(v value) error {
		return r.list(v, func(v value) error {
			var name, hash string
			var key Secret
			err := r.object(v, fields{"name": r.string(&name), "hash": r.string(&hash), "key": r.credential(&key)})
			if err != nil {
				return err
			}
			k := Key{Name: name}
			switch {
			case name == "":
				return r.fault(v, "name is missing: it stands in the log instead of the key")
			case slices.ContainsFunc(c.Keys, func(o Key) bool { return o.Name == name }):
				return r.fault(v, "there are two keys with the name %q", name)
			case (hash == "") == (key == ""):
				return r.fault(v, "give either hash: sha256:… or key: ${NAME}")
			case key != "":
				k.Hash = sha256.Sum256([]byte(key))
			default:
				digits, ok := strings.CutPrefix(hash, "sha256:")
				if n, err := hex.Decode(k.Hash[:], []byte(digits[:min(len(digits), 64)])); !ok || err != nil || n != 32 || len(digits) != 64 {
					return r.fault(v, "hash must be sha256: and 64 hex digits (printf %%s KEY | sha256sum)")
				}
			}
			c.Keys = append(c.Keys, k)
			return nil
		})
	}
}

func (r *reader) hosts(c *Config) func(value) error {
	return func(v value) error {
		return r.list(v, func(v value) error {
			h, err := r.text(v)
			if err != nil {
				return err
			}
			if h == "" || strings.ContainsAny(h, "/*@ ") {
				return r.fault(v, "a host is a plain name or address, without scheme, path or *: %q", h)
			}
			c.Hosts = append(c.Hosts, strings.ToLower(h))
			return nil
		})
	}
}
