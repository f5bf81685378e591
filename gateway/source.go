package gateway

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/ferrule/ferrule/catalog"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/provider"
	"github.com/ferrule/ferrule/turn"
)

// Provider is a place with models.
type Provider struct {
	Name     string
	Upstream turn.Upstream
	Lister   ModelLister                // nil: its models are those of Models
	Profile  profile.Profile            // what holds for all of its models
	Models   map[string]profile.Profile // configured models, and what each says besides
	Closed   bool                       // it has no models but those that it lists
	// Catalogue tells more of its models than its list does, and Public what
	// anybody may read of any model; nil: nothing does.
	Catalogue, Public *catalog.Lookup
}

// ModelLister asks a provider which models it has.
type ModelLister interface {
	Models(ctx context.Context) ([]provider.Model, error)
}

const (
	freshFor = 5 * time.Minute  // a list
	sorryFor = 30 * time.Second // a failure to get one
)

// source is a provider and what is known of its models.
type source struct {
	Provider
	now func() time.Time
	log *slog.Logger // nil: nothing is logged

	mu      sync.Mutex
	listed  map[string]catalog.Ability // the last list that came
	asked   time.Time                  // when the last answer came
	failed  bool                       // the last question
	pending chan struct{}              // closed when the question under way is answered
}

// refresh asks for the list unless the last answer is still good. It returns
// a channel to wait on, nil when there is nothing to wait for.
func (s *source) refresh() <-chan struct{} {
	if s.Lister == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pending != nil {
		return s.pending
	}
	life := freshFor
	if s.failed {
		life = sorryFor
	}
	if !s.asked.IsZero() && s.now().Sub(s.asked) < life {
		return nil
	}
	done := make(chan struct{})
	s.pending = done
	go s.ask(done)
	return done
}

// ask runs for itself: a client that leaves doesn't spoil the answer for the others.
func (s *source) ask(done chan struct{}) {
	ms, err := s.Lister.Models(context.Background())
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil && !s.failed && s.log != nil {
		s.log.Warn("no list of models", slog.String("provider", s.Name), slog.Any("error", err))
	}
	s.asked, s.pending, s.failed = s.now(), nil, err != nil
	if err == nil {
		s.listed = make(map[string]catalog.Ability, len(ms))
		for _, m := range ms {
			a := catalog.Listed(m.Entry)
			a.From = "its list of models"
			s.listed[m.ID] = a
		}
	}
	close(done)
}

// wait refreshes the list and waits for a first one; a stale one will do.
func (s *source) wait(ctx context.Context) {
	done := s.refresh()
	if done == nil || s.hasList() {
		return
	}
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// patience is how long a request waits for a first word of what its model can do.
const patience = 2 * time.Second

// learns waits for a first answer where only that can tell how a model gets its
// tools and how much is told of them: that must be the same in all turns.
func (s *source) learns(ctx context.Context, name string) {
	p := s.Profile.Merge(s.Models[name])
	if p.Tools != "" && p.Tools != profile.Auto && (p.Tools != profile.Emulated || p.Context > 0) {
		return
	}
	brief, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	s.Catalogue.Of(brief, name)
	if p = s.profile(name); p.Context > 0 || !p.Words() {
		return
	}
	s.wait(ctx)
	if s.profile(name).Context == 0 {
		s.Public.Of(brief, name)
	}
}

func (s *source) hasList() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.listed != nil
}

// has reports whether the configuration or the last list names the model.
func (s *source) has(name string) bool {
	if _, ok := s.Models[name]; ok {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.listed[name]
	return ok
}

// names returns all known models, sorted.
func (s *source) names() []string {
	var ns []string
	for n := range s.Models {
		ns = append(ns, n)
	}
	s.mu.Lock()
	for n := range s.listed {
		if _, ok := s.Models[n]; !ok {
			ns = append(ns, n)
		}
	}
	s.mu.Unlock()
	slices.Sort(ns)
	return ns
}

// ability is what is said of a model: by its server first, then by the list, and
// of its window alone by what anybody may read.
func (s *source) ability(name string) catalog.Ability {
	s.mu.Lock()
	listed := s.listed[name]
	s.mu.Unlock()
	a := catalog.Merge(s.Catalogue.Known(name), listed)
	return catalog.Merge(a, catalog.Ability{Context: s.Public.Known(name).Context, From: "the public list"})
}

// profile returns what is known of a model before anything was learned.
func (s *source) profile(name string) profile.Profile {
	p := s.Profile.Merge(s.Models[name])
	if p.Context > 0 && p.Tools != "" && p.Tools != profile.Auto {
		return p
	}
	a := s.ability(name)
	if p.Context == 0 {
		p.Context = a.Context
	}
	// A provider that says no refuses; one that says nothing may be able.
	if (p.Tools == "" || p.Tools == profile.Auto) && a.Tools != nil && !*a.Tools {
		p.Unable = true
	}
	if p.Sees == nil && p.Describe != "" {
		p.Sees = a.Pictures
	}
	return p
}
