package schema

import (
	"errors"
	"slices"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const (
	maxCounted     = 500_000   // steps of one validation that is counted
	maxUncounted   = 200_000   // nodes of a value × nodes of the schema, up to which nothing is counted
	maxPatternWork = 1_000_000 // text bytes × instructions / 64, of all matches of one validation
)

var errSteps = errors.New("too many steps")

// guard stops a validation that takes too long: in a schema that refers to
// itself steps may double with each level of the value, a list may be held
// against thousands of forms, a long text against heavy patterns. A value that
// can't take long is validated beside others and not counted; any other alone.
type guard struct {
	recursive   bool
	unevaluated bool // each form then keeps a list of an object's fields
	options     int  // of the document's enums
	insts       int  // of the largest pattern
	cost        int  // as Schema's

	mu       sync.RWMutex
	counting bool // written under Lock, read under RLock
	steps    int
	work     int
}

// run calls f and stops it when it takes too many steps.
func (g *guard) run(v any, f func() error) (err error) {
	if !g.heavy(v) {
		g.mu.RLock()
		defer g.mu.RUnlock()
		return f()
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.counting, g.steps, g.work = true, 0, 0
	defer func() {
		g.counting = false
		if r := recover(); r != nil {
			e, ok := r.(error)
			if !ok || !errors.Is(e, errSteps) {
				panic(r)
			}
			err = e
		}
	}()
	return f()
}

// heavy reports whether validating v might take long, by the most that it may.
func (g *guard) heavy(v any) bool {
	if g.recursive {
		return true
	}
	nodes, text := extent(v)
	return nodes*g.cost > maxUncounted || (text/64+nodes)*g.insts*g.cost > maxPatternWork
}

// extent counts the values in v and the bytes of its texts and keys.
func extent(v any) (nodes, text int) {
	nodes = 1
	add := func(c any) {
		n, t := extent(c)
		nodes, text = nodes+n, text+t
	}
	switch v := v.(type) {
	case map[string]any:
		for k, c := range v {
			text += len(k)
			add(c)
		}
	case []any:
		for _, c := range v {
			add(c)
		}
	case string:
		text = len(v)
	}
	return nodes, text
}

// matching counts a match of a text. The library has no way to be stopped but a
// panic.
func (g *guard) matching(text, insts int) {
	if g == nil || !g.counting {
		return
	}
	if g.work += (text/64 + 1) * insts; g.work > maxPatternWork {
		panic(errSteps)
	}
}

// step counts what the library does at one subschema. It is called behind the
// subschema's own parts, and not at all where the type alone is wrong: so each
// counts what stands directly below it.
type step struct {
	guard *guard
	forms int // subschemas that a value is held against
}

var _ jsonschema.SchemaExt = (*step)(nil)

// leaf reports whether nothing stands below a subschema.
func leaf(obj map[string]any) bool {
	for k := range obj {
		if below[k] != 0 && !definitions[k] || slices.Contains(references, k) {
			return false
		}
	}
	return true
}

func newStep(g *guard, obj map[string]any) *step {
	s := &step{guard: g, forms: 1}
	for _, k := range []string{"allOf", "anyOf", "oneOf"} {
		if l, ok := obj[k].([]any); ok {
			s.forms += len(l)
		}
	}
	if m, ok := obj["patternProperties"].(map[string]any); ok {
		s.forms += len(m)
	}
	return s
}

func (s *step) Validate(_ *jsonschema.ValidatorContext, v any) {
	g := s.guard
	if !g.counting {
		return
	}
	parts := 0
	switch v := v.(type) {
	case map[string]any:
		parts = len(v)
	case []any:
		parts = len(v)
	}
	n := s.forms + parts
	if g.unevaluated {
		n = s.forms * (1 + parts)
	}
	if g.recursive {
		n *= 1 + g.options/400 // which may be compared again and again
	}
	if g.steps += n; g.steps > maxCounted {
		panic(errSteps)
	}
}

func (s *Schema) validate(v any) error { return s.validateBy(s.lib, v) }

// validateBy asks lib, which is s's own or that of one of its places.
func (s *Schema) validateBy(lib *jsonschema.Schema, v any) error {
	return s.guard.run(v, func() error { return lib.Validate(v) })
}
