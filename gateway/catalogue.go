package gateway

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/near"
	"github.com/ferrule/ferrule/profile"
)

// catalogue finds the model that a name means.
type catalogue struct {
	sources []*source
	aliases map[string]string
	globs   []string // those of the aliases that are globs, the longest first
}

func newCatalogue(o Options) (*catalogue, error) {
	if len(o.Providers) == 0 {
		return nil, fmt.Errorf("there is no provider")
	}
	c := &catalogue{aliases: o.Aliases}
	now := o.Now
	if now == nil {
		now = time.Now
	}
	for _, p := range o.Providers {
		switch {
		case p.Name == "":
			return nil, fmt.Errorf("a provider has no name")
		case p.Upstream == nil:
			return nil, fmt.Errorf("provider %s has no upstream", p.Name)
		case slices.ContainsFunc(c.sources, func(s *source) bool { return s.Name == p.Name }):
			return nil, fmt.Errorf("two providers are named %s", p.Name)
		}
		c.sources = append(c.sources, &source{Provider: p, now: now, log: o.Log})
	}
	for name, target := range o.Aliases {
		if name == "" || target == "" {
			return nil, fmt.Errorf("alias %q for %q: both must be given", name, target)
		}
		if strings.Contains(name, "*") {
			c.globs = append(c.globs, name)
		}
	}
	// The longest first; equal ones in a fixed order.
	slices.SortFunc(c.globs, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	if err := c.checkDescribers(); err != nil {
		return nil, err
	}
	return c, nil
}

// route is a model that was found.
type route struct {
	source *source
	model  string // the upstream's own name
	known  bool   // the configuration or a list names it
}

// resolve finds the model that a client means: an exact alias, a name with its
// provider's before it, a glob, a bare name that one provider has. A bare name
// that nobody lists goes to the only provider that may have more models than it
// lists, as it would without a gateway.
func (c *catalogue) resolve(ctx context.Context, name string) (route, *chat.Fault) {
	if name == "" {
		return route{}, &chat.Fault{
			Status: http.StatusBadRequest, Code: "model_missing", Param: "model",
			Text: "The request names no model. " + c.someModels(),
		}
	}
	if target, ok := c.aliases[name]; ok {
		return c.direct(ctx, target)
	}
	if s := c.prefix(name); s != nil {
		return c.direct(ctx, name)
	}
	for _, g := range c.globs {
		if profile.Matches(g, name) {
			return c.direct(ctx, c.aliases[g])
		}
	}
	return c.direct(ctx, name)
}

// prefix returns the provider whose name stands before the first slashes of name.
func (c *catalogue) prefix(name string) *source {
	var best *source
	for _, s := range c.sources {
		if len(name) > len(s.Name)+1 && name[len(s.Name)] == '/' && strings.HasPrefix(name, s.Name) &&
			(best == nil || len(s.Name) > len(best.Name)) {
			best = s
		}
	}
	return best
}

// direct resolves a name that is no alias.
func (c *catalogue) direct(ctx context.Context, name string) (route, *chat.Fault) {
	if s := c.prefix(name); s != nil {
		r := route{s, name[len(s.Name)+1:], true}
		if s.has(r.model) {
			return r, nil
		}
		if !s.Closed {
			// Many endpoints take more names than they list.
			s.refresh()
			r.known = false
			return r, nil
		}
		if s.wait(ctx); s.has(r.model) {
			return r, nil
		}
		return route{}, c.notFound(name)
	}
	return c.bare(ctx, name)
}

// bare resolves a name without a provider's.
func (c *catalogue) bare(ctx context.Context, name string) (route, *chat.Fault) {
	var elsewhere []*source // may have more models than they list
	for _, s := range c.sources {
		if !s.Closed {
			elsewhere = append(elsewhere, s)
		}
	}
	if len(elsewhere) > 1 {
		c.wait(ctx, c.sources)
	} else {
		c.wait(ctx, slices.DeleteFunc(slices.Clone(c.sources), func(s *source) bool { return !s.Closed }))
	}
	var have []*source
	for _, s := range c.sources {
		if s.has(name) {
			have = append(have, s)
		}
	}
	switch {
	case len(have) == 1:
		return route{have[0], name, true}, nil
	case len(have) > 1:
		full := make([]string, len(have))
		for i, s := range have {
			full[i] = s.Name + "/" + name
		}
		return route{}, modelFault("model_ambiguous", "Several providers have %s. Say which: %s.", printable(name), strings.Join(full, ", "))
	case len(elsewhere) == 1:
		elsewhere[0].refresh()
		return route{elsewhere[0], name, false}, nil
	}
	return route{}, c.notFound(name)
}

// wait asks several providers at once for their lists.
func (c *catalogue) wait(ctx context.Context, sources []*source) {
	var wg sync.WaitGroup
	for _, s := range sources {
		if s.Lister != nil {
			wg.Go(func() { s.wait(ctx) }) // without a list the configured models remain
		}
	}
	wg.Wait()
}

// all returns every known model as provider/model, in the providers' order.
func (c *catalogue) all() []string {
	var ids []string
	for _, s := range c.sources {
		for _, n := range s.names() {
			ids = append(ids, s.Name+"/"+n)
		}
	}
	return ids
}

func (c *catalogue) notFound(name string) *chat.Fault {
	ids := append(c.all(), c.plainAliases()...)
	if like := near.Names(name, ids, 3); len(like) > 0 {
		return modelFault("model_not_found", "There is no model %s. Near are %s.", printable(name), strings.Join(like, ", "))
	}
	return modelFault("model_not_found", "There is no model %s. %s", printable(name), c.someModels())
}

func (c *catalogue) plainAliases() []string {
	var as []string
	for a := range c.aliases {
		if !strings.Contains(a, "*") {
			as = append(as, a)
		}
	}
	slices.Sort(as)
	return as
}

// someModels names a few models, for errors.
func (c *catalogue) someModels() string {
	ids := c.all()
	if len(ids) == 0 {
		return "Models are named provider/model; GET /v1/models lists them."
	}
	const few = 5
	more := ""
	if len(ids) > few {
		ids, more = ids[:few], ", …"
	}
	return "GET /v1/models lists what there is: " + strings.Join(ids, ", ") + more + "."
}

func modelFault(code, format string, args ...any) *chat.Fault {
	f := faultf(http.StatusNotFound, code, format, args...)
	f.Param = "model"
	return f
}
