package turn

import (
	"slices"
	"sync"

	"github.com/ferrule/ferrule/profile"
)

// maxFacts bounds what LocalFacts keeps; beyond it the oldest place is forgotten.
const maxFacts = 10_000

// maxModelFacts bounds what is kept of one place: beyond it the oldest goes.
const maxModelFacts = 16

// LocalFacts keeps facts while the process lives. It is safe for concurrent use.
type LocalFacts struct {
	mu    sync.Mutex
	facts map[profile.Place][]profile.Fact
	order []profile.Place
}

var _ Facts = (*LocalFacts)(nil)

// Learned returns what is known at a place.
func (l *LocalFacts) Learned(at profile.Place) []profile.Fact {
	l.mu.Lock()
	defer l.mu.Unlock()
	if at.Owner == "" {
		return l.facts[at]
	}
	all := at
	all.Owner = ""
	return append(slices.Clip(l.facts[at]), l.facts[all]...)
}

// Learn keeps a fact; a newer one replaces an older one of the same field.
func (l *LocalFacts) Learn(at profile.Place, f profile.Fact) {
	l.mu.Lock()
	defer l.mu.Unlock()
	old, known := l.facts[at]
	if l.facts == nil {
		l.facts = map[profile.Place][]profile.Fact{}
	}
	if !known {
		if len(l.order) >= maxFacts {
			delete(l.facts, l.order[0])
			l.order = l.order[1:]
		}
		l.order = append(l.order, at)
	}
	// A fresh slice: what Learned gave out stays as it was.
	facts := []profile.Fact{f}
	for _, o := range old {
		if (o.Field != f.Field || o.Tools != f.Tools) && len(facts) < maxModelFacts {
			facts = append(facts, o)
		}
	}
	l.facts[at] = facts
}

// Unlearn forgets a field at a place, for its owner.
func (l *LocalFacts) Unlearn(at profile.Place, field string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if old := l.facts[at]; len(old) > 0 {
		l.facts[at] = slices.DeleteFunc(slices.Clone(old), func(f profile.Fact) bool { return f.Field == field })
	}
}
