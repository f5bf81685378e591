package turn

import (
	"sync"

	"github.com/ferrule/ferrule/profile"
)

// maxFacts bounds what LocalFacts keeps; beyond it the oldest model is forgotten.
const maxFacts = 10_000

// maxModelFacts bounds what is kept of one model: beyond it the oldest goes.
const maxModelFacts = 16

// LocalFacts keeps facts while the process lives. It is safe for concurrent use.
type LocalFacts struct {
	mu    sync.Mutex
	facts map[factKey][]profile.Fact
	order []factKey
}

type factKey struct{ provider, model string }

var _ Facts = (*LocalFacts)(nil)

// Learned returns what is known of a model.
func (l *LocalFacts) Learned(provider, model string) []profile.Fact {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.facts[factKey{provider, model}]
}

// Learn keeps a fact; a newer one replaces an older one of the same field.
func (l *LocalFacts) Learn(provider, model string, f profile.Fact) {
	l.mu.Lock()
	defer l.mu.Unlock()
	k := factKey{provider, model}
	old, known := l.facts[k]
	if l.facts == nil {
		l.facts = map[factKey][]profile.Fact{}
	}
	if !known {
		if len(l.order) >= maxFacts {
			delete(l.facts, l.order[0])
			l.order = l.order[1:]
		}
		l.order = append(l.order, k)
	}
	// A fresh slice: what Learned gave out stays as it was.
	facts := []profile.Fact{f}
	for _, o := range old {
		if (o.Field != f.Field || o.Tools != f.Tools) && len(facts) < maxModelFacts {
			facts = append(facts, o)
		}
	}
	l.facts[k] = facts
}
