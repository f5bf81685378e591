package schema

import (
	"slices"

	"github.com/ferrule/ferrule/rawjson"
)

// What an object takes stands in many places: behind references, in allOf, in
// the branch that a constant chooses. Here it is laid together, for showing and
// for examples. What passes is for Check alone to say.

// maxParts bounds how many places one object is laid together from.
const maxParts = 100

// flat lays n and all that a value of n must fit as well into one node without
// references, allOf and conditions. Of a condition the branch counts that the
// constants of value choose; where they choose none, neither does.
func (s *Schema) flat(n *node, value []byte) *node {
	n = s.deref(n)
	if n == nil || n.kind != '{' || !slices.ContainsFunc(n.keys, func(k string) bool { return aside[k] }) {
		return n
	}
	parts, never := s.parts(n, value)
	if never != nil {
		return never
	}
	return lay(parts)
}

// parts lists the places that flat lays together; never is a false among them.
func (s *Schema) parts(n *node, value []byte) (out []*node, never *node) {
	seen := map[*node]bool{}
	var visit func(n *node)
	visit = func(n *node) {
		if n = s.deref(n); isFalse(n) {
			never = n
		}
		if n == nil || n.kind != '{' || seen[n] || len(seen) >= maxParts {
			return
		}
		seen[n] = true
		out = append(out, n)
		if ref := n.word("$ref"); ref != "" {
			t, _ := s.refs.resolve(n, ref)
			visit(t)
		}
		if all := n.get("allOf"); all != nil {
			for _, c := range all.vals {
				visit(c)
			}
		}
		if n.get("if") != nil {
			visit(s.decided(n, value))
		}
	}
	visit(n)
	return out, never
}

// conditional reports whether a condition is among the parts of n.
func (s *Schema) conditional(n *node) bool {
	parts, _ := s.parts(n, nil)
	return slices.ContainsFunc(parts, func(p *node) bool { return p.get("if") != nil })
}

// decided returns the branch of n's condition that the constants of value
// choose; nil where they don't.
func (s *Schema) decided(n *node, value []byte) *node {
	switch s.agrees(n.get("if"), value) {
	case fits:
		return n.get("then")
	case differs:
		return n.get("else")
	}
	return nil
}

type agreement uint8

const (
	unsaid  agreement = iota // no constant speaks of it
	fits                     // a constant stands in the value
	differs                  // the value has another one there
)

// agrees compares the constants and options of a form's fields with a value.
func (s *Schema) agrees(form *node, value []byte) agreement {
	if rawjson.Kind(value) != '{' {
		return unsaid
	}
	form = s.flat(form, nil)
	out := unsaid
	for _, f := range shownFields(form) {
		v, there := rawjson.Get(value, f.name)
		if !there {
			continue
		}
		switch opts := s.options(s.flat(f.node, nil)); {
		case len(opts) == 0:
		case !hasOption(opts, v):
			return differs
		default:
			out = fits
		}
	}
	return out
}

func hasOption(opts []string, v []byte) bool {
	return len(v) > 0 && slices.ContainsFunc(opts, func(o string) bool { return rawjson.Same([]byte(o), v) })
}

// form is one of several that a value may take.
type form struct {
	branch *node // as the schema has it
	laid   *node // together with what holds for all forms
}

// unionSize is how many forms a flat node has; 0 for but one.
func unionSize(n *node) int {
	for _, k := range unions {
		if u := n.get(k); u != nil {
			return len(u.vals)
		}
	}
	return 0
}

// unions are the keywords that list forms.
var unions = []string{"anyOf", "oneOf"}

// forms lists the forms of n, which is flat; nil where it has but one. Where
// the constants of value choose some of them, it is those.
func (s *Schema) forms(n *node, value []byte) []form {
	for _, k := range unions {
		u := n.get(k)
		if u == nil {
			continue
		}
		own := *n
		own.keys, own.vals = slices.Clone(n.keys), slices.Clone(n.vals)
		own.drop(k)
		var out []form
		for _, b := range s.chosen(u.vals, value) {
			out = append(out, form{s.deref(b), s.flat(joint(&own, b), value)})
		}
		return out
	}
	return nil
}

// chosen keeps the branches that the constants of value choose, else those that
// they don't rule out, else all.
func (s *Schema) chosen(branches []*node, value []byte) []*node {
	var fitting, possible []*node
	for _, b := range branches {
		switch s.agrees(b, value) {
		case fits:
			fitting = append(fitting, b)
		case unsaid:
			possible = append(possible, b)
		}
	}
	switch {
	case len(fitting) > 0:
		return fitting
	case len(possible) > 0:
		return possible
	}
	return branches
}

// operation lists the branches that the constants of value choose, of unions
// and conditions at the top; nil where they choose none.
func (s *Schema) operation(value []byte) []*node {
	parts, _ := s.parts(s.root, value)
	var out []*node
	for _, p := range parts {
		if p.get("if") != nil {
			out = append(out, s.decided(p, value))
		}
		for _, k := range unions {
			if u := p.get(k); u != nil {
				if some := s.chosen(u.vals, value); len(some) < len(u.vals) {
					out = append(out, some...)
				}
			}
		}
	}
	return slices.DeleteFunc(out, func(n *node) bool { return n == nil })
}

// shownFields lists the fields of a flat node.
func shownFields(n *node) []field {
	ps := n.get("properties")
	if ps == nil || ps.kind != '{' {
		return nil
	}
	out := make([]field, len(ps.keys))
	for i, k := range ps.keys {
		out[i] = field{k, ps.vals[i]}
	}
	return out
}

// shownRequired names the fields that a flat node needs.
func shownRequired(n *node) []string {
	r := n.get("required")
	if r == nil || r.kind != '[' {
		return nil
	}
	var out []string
	for _, v := range r.vals {
		out = append(out, v.str)
	}
	return out
}
