package schema

import (
	"bytes"
	"slices"
	"strings"

	"github.com/ferrule/ferrule/rawjson"
)

// seeker looks for the fields of a value in all the forms that it may have.
type seeker struct {
	s    *Schema
	left int // forms that may still be looked at
}

const (
	maxForms  = 500
	maxPlaces = 4 // where one field is looked at
)

// known lists the fields that n names, in whichever of its forms value may have.
func (x *seeker) known(n *node, value []byte) map[string][]*node {
	out := map[string][]*node{}
	var add func(n *node, depth int)
	add = func(n *node, depth int) {
		for _, f := range shownFields(n) {
			if have := out[f.name]; len(have) < maxPlaces && !slices.Contains(have, f.node) {
				out[f.name] = append(have, f.node)
			}
		}
		if x.left -= unionSize(n); depth == 0 || x.left < 0 {
			return
		}
		for _, f := range x.s.forms(n, value) {
			add(f.laid, depth-1)
		}
	}
	add(x.s.flat(n, value), 2)
	return out
}

// maxTaken is how many fields of an object are taken over.
const maxTaken = 50

// taken lists the members of prefer that no problem speaks of, at a place; of
// an object that isn't right as a whole, those within it.
func (x *seeker) taken(n *node, made, prefer []byte, place string, wrong []string) (changes []rawjson.Change) {
	known := x.known(n, made)
	_ = rawjson.Members(prefer, func(k, v []byte) bool {
		fields := known[string(k)]
		if len(fields) == 0 {
			return true
		}
		here := place + pointerOf([]string{string(k)})
		if !within(wrong, here) {
			if len(v) <= maxPreferred {
				changes = append(changes, rawjson.Change{Key: string(k), Value: bytes.Clone(v)})
			}
			return len(changes) < maxTaken
		}
		inner, _ := rawjson.Get(made, string(k))
		if rawjson.Kind(v) != '{' || rawjson.Kind(inner) != '{' {
			return true
		}
		if with, err := rawjson.Edit(inner, x.taken(fields[0], inner, v, here, wrong)...); err == nil {
			changes = append(changes, rawjson.Change{Key: string(k), Value: with})
		}
		return len(changes) < maxTaken
	})
	return changes
}

// within reports whether one of the pointers is at or below a place.
func within(pointers []string, place string) bool {
	return slices.ContainsFunc(pointers, func(p string) bool { return p == place || strings.HasPrefix(p, place+"/") })
}

// Offered keeps of an object what the schema itself offers: options and
// booleans, in objects within it too. Nothing of it is the writer's own words.
// It is nil for anything but an object.
func (s *Schema) Offered(value []byte) []byte {
	if rawjson.Kind(value) != '{' || rawjson.Valid(value, MaxNesting) != nil {
		return nil
	}
	x := seeker{s: s, left: maxForms}
	return x.offered(s.root, value, maxExampleDepth)
}

func (x *seeker) offered(n *node, value []byte, depth int) []byte {
	var changes []rawjson.Change
	known := x.known(n, value)
	_ = rawjson.Members(value, func(k, v []byte) bool {
		for _, f := range known[string(k)] {
			if keep := x.offer(f, v, depth); keep != nil {
				changes = append(changes, rawjson.Change{Key: string(k), Value: bytes.Clone(keep)})
				break
			}
		}
		return len(changes) < maxTaken
	})
	out, err := rawjson.Edit([]byte("{}"), changes...)
	if err != nil {
		return []byte("{}")
	}
	return out
}

// offer is what a field offers of a value; nil for nothing.
func (x *seeker) offer(f *node, v []byte, depth int) []byte {
	if x.left--; x.left < 0 {
		return nil
	}
	flat := x.s.flat(f, v)
	kind := rawjson.Kind(v)
	switch opts := x.s.options(flat); {
	case hasOption(opts, v):
		return v
	case len(opts) == 0 && (kind == 't' || kind == 'f') && slices.Contains(x.s.types(flat), "boolean"):
		return v
	case kind == '{' && depth > 0:
		if v = x.offered(f, v, depth-1); len(v) > len("{}") {
			return v
		}
	}
	return nil
}
