package catalog

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"time"
)

// What is kept, and for how long.
const (
	keptFor   = 30 * time.Minute
	sorryFor  = time.Minute // after a failure; twice as long after each further one, up to keptFor
	maxModels = 10_000      // models of a provider that are remembered
)

// Asker asks a provider. A nil body is a GET; the path begins at the root of
// its server, not at the base of its API.
type Asker interface {
	Ask(ctx context.Context, path string, body []byte) ([]byte, error)
}

// way is where a kind of server tells of its models, and how.
type way struct {
	path string
	ask  func(model string) []byte // the body; nil: it is a GET, which tells of all
	read func(body []byte) map[string]Ability
}

// all stands for every model of a provider.
const all = ""

// ways are the servers that tell more than their list of models does, by the
// names that profiles have for servers.
var ways = map[string]way{
	"ollama": {
		path: "/api/show",
		ask: func(model string) []byte {
			b, _ := json.Marshal(map[string]string{"model": model})
			return b
		},
		read: func(body []byte) map[string]Ability { return map[string]Ability{all: Shown(body)} },
	},
	"llamacpp": {path: "/props", read: func(body []byte) map[string]Ability { return map[string]Ability{all: Props(body)} }},
	"lmstudio": {path: "/api/v1/models", read: func(body []byte) map[string]Ability { return List(body) }},
}

// List reads a list of models with what it says of each, by name.
func List(body []byte) map[string]Ability {
	found := map[string]Ability{}
	each(body, func(name string, entry []byte) {
		if len(found) < maxModels {
			found[name] = Listed(entry)
		}
	})
	return found
}

// Lookup looks up what the models of a provider can do. It is safe for
// concurrent use; its zero value knows nothing.
type Lookup struct {
	Now func() time.Time // nil: time.Now

	asker Asker
	way   way
	named func(model string) string // what the list calls a model

	mu      sync.Mutex
	answers map[string]*answered // by what was asked for: a model, or all
}

// answered is what came of one question.
type answered struct {
	known   map[string]Ability
	at      time.Time     // when it was asked
	failed  int           // times in a row
	pending chan struct{} // closed when the question under way is answered
}

// For returns a look-up of a provider whose kind of server tells more than its
// list of models; nil for any other.
func For(server string, a Asker) *Lookup {
	w, ok := ways[server]
	if !ok || a == nil {
		return nil
	}
	return &Lookup{asker: a, way: w, named: func(m string) string { return m }}
}

// Public returns a look-up in one list of models that anybody may read, in
// OpenRouter's form. Models are found by the last part of their names, in lower
// case and without what stands behind a colon.
func Public(path string, a Asker) *Lookup {
	return &Lookup{asker: a, named: plain, way: way{path: path, read: func(body []byte) map[string]Ability {
		found := map[string]Ability{}
		for name, ability := range List(body) {
			found[plain(name)] = Merge(found[plain(name)], ability)
		}
		return found
	}}}
}

func plain(model string) string {
	model = strings.ToLower(model)
	model = model[strings.LastIndexAny(model, `/\`)+1:]
	model, _, _ = strings.Cut(model, ":")
	return model
}

// Of tells what a model can do. It waits for a first answer, as long as ctx
// lets it; where there is one already, however old, it comes at once, and a
// fresh one is asked for beside. One question is under way at a time, and a
// failed one isn't asked again with each turn.
func (l *Lookup) Of(ctx context.Context, model string) Ability {
	if l == nil {
		return Ability{}
	}
	a, wait := l.refresh(model)
	if wait != nil {
		select {
		case <-wait:
			a = l.known(model)
		case <-ctx.Done():
		}
	}
	return a
}

// Known is what is known of a model without asking.
func (l *Lookup) Known(model string) Ability {
	if l == nil {
		return Ability{}
	}
	return l.known(model)
}

func (l *Lookup) question(model string) string {
	if l.way.ask == nil {
		return all
	}
	return model
}

// in is what an answer says of a model.
func (l *Lookup) in(q *answered, model string) Ability {
	if q == nil {
		return Ability{}
	}
	return Merge(q.known[l.named(model)], q.known[all])
}

func (l *Lookup) known(model string) Ability {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.in(l.answers[l.question(model)], model)
}

// refresh asks where that is due. wait is what a first answer is waited for by.
func (l *Lookup) refresh(model string) (a Ability, wait <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := l.question(model)
	q := l.answers[key]
	if q == nil {
		if len(l.answers) >= maxModels {
			return Ability{}, nil
		}
		if l.answers == nil {
			l.answers = map[string]*answered{}
		}
		q = &answered{}
		l.answers[key] = q
	}
	if q.pending == nil && l.due(q) {
		q.pending, q.at = make(chan struct{}), l.now()
		go l.ask(key, model, q)
	}
	if q.known == nil && q.failed == 0 {
		wait = q.pending
	}
	return l.in(q, model), wait
}

func (l *Lookup) due(q *answered) bool {
	life := keptFor
	if q.failed > 0 {
		life = min(keptFor, sorryFor<<min(q.failed-1, 8))
	}
	return q.at.IsZero() || l.now().Sub(q.at) >= life
}

// ask runs for itself: a client that leaves doesn't spoil the answer for others.
func (l *Lookup) ask(key, model string, q *answered) {
	var body []byte
	if l.way.ask != nil {
		body = l.way.ask(model)
	}
	raw, err := l.asker.Ask(context.Background(), l.way.path, body)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		q.failed++
	} else {
		q.failed, q.known = 0, l.way.read(raw)
		for name, a := range q.known {
			a.From = l.way.path
			q.known[name] = a
		}
	}
	close(q.pending)
	q.pending = nil
}

func (l *Lookup) now() time.Time {
	if l.Now != nil {
		return l.Now()
	}
	return time.Now()
}
