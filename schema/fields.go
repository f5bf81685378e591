package schema

import "slices"

// Property is one field of an object.
type Property struct {
	Name     string
	Types    []string // JSON Schema's names; nil: any
	Required bool
	Options  []string // the JSON of what an enum or const takes, where it has one
}

// Properties lists the fields of the schema's object, in its order.
func (s *Schema) Properties() []Property {
	required := s.Required()
	var out []Property
	for _, f := range s.fields(s.root) {
		out = append(out, Property{f.name, s.types(f.node), slices.Contains(required, f.name), s.options(f.node)})
	}
	return out
}

// Property returns one field of the schema's object, or what it says of the
// fields that it doesn't name.
func (s *Schema) Property(name string) (Property, bool) {
	n := s.property(s.root, name)
	if rest := s.deref(s.root).get("additionalProperties"); n == nil && rest != nil && rest.kind == '{' {
		n = rest
	}
	if n == nil {
		return Property{}, false
	}
	return Property{name, s.types(n), slices.Contains(s.Required(), name), s.options(n)}, true
}

// Required names the fields that must be there.
func (s *Schema) Required() []string { return s.required(s.root) }

// Closed reports whether an object with a field that isn't listed is refused.
func (s *Schema) Closed() bool { return isFalse(s.deref(s.root).get("additionalProperties")) }

// deref follows references to where something is said, for showing. A loop ends
// where it began.
func (s *Schema) deref(n *node) *node {
	for range 32 {
		ref := n.word("$ref")
		if ref == "" || n.get("properties") != nil || n.get("type") != nil {
			return n
		}
		t, _ := s.refs.resolve(n, ref)
		if t == nil {
			return n
		}
		n = t
	}
	return n
}

type field struct {
	name string
	node *node
}

// fields lists the fields of n and of what it is joined from.
func (s *Schema) fields(n *node) []field {
	var out []field
	seen := map[string]bool{}
	s.eachPart(n, func(part *node) {
		ps := part.get("properties")
		if ps == nil {
			return
		}
		for i, k := range ps.keys {
			if !seen[k] {
				seen[k] = true
				out = append(out, field{k, ps.vals[i]})
			}
		}
	})
	return out
}

func (s *Schema) property(n *node, name string) *node {
	var found *node
	s.eachPart(n, func(part *node) {
		if found == nil {
			found = part.get("properties").get(name)
		}
	})
	return found
}

func (s *Schema) required(n *node) []string {
	var out []string
	s.eachPart(n, func(part *node) {
		if r := part.get("required"); r != nil && r.kind == '[' {
			for _, v := range r.vals {
				if v.kind == '"' && !slices.Contains(out, v.str) {
					out = append(out, v.str)
				}
			}
		}
	})
	return out
}

// eachPart visits n and what all of it must fit as well.
func (s *Schema) eachPart(n *node, f func(*node)) {
	seen := map[*node]bool{}
	var visit func(n *node)
	visit = func(n *node) {
		if n = s.deref(n); n == nil || seen[n] || len(seen) > 100 {
			return
		}
		seen[n] = true
		f(n)
		if ref := n.word("$ref"); ref != "" {
			if t, _ := s.refs.resolve(n, ref); t != nil {
				visit(t)
			}
		}
		if all := n.get("allOf"); all != nil {
			for _, c := range all.vals {
				visit(c)
			}
		}
	}
	visit(n)
}

// types returns the JSON types that n takes; nil for any.
func (s *Schema) types(n *node) []string { return s.typesWithin(n, 8) }

func (s *Schema) typesWithin(n *node, depth int) []string {
	if n = s.deref(n); n == nil || n.kind != '{' || depth == 0 {
		return nil
	}
	if t := n.get("type"); t != nil {
		if t.kind == '"' {
			return []string{t.str}
		}
		var out []string
		for _, v := range t.vals {
			out = append(out, v.str)
		}
		return out
	}
	if c := n.get("const"); c != nil {
		return []string{kindName(c.kind)}
	}
	var forms []*node
	for _, k := range []string{"anyOf", "oneOf"} {
		if u := n.get(k); u != nil {
			forms = u.vals
		}
	}
	var out []string
	if e := n.get("enum"); e != nil {
		for _, v := range e.vals {
			if k := kindName(v.kind); !slices.Contains(out, k) {
				out = append(out, k)
			}
		}
		return out
	}
	for _, f := range forms {
		ts := s.typesWithin(f, depth-1)
		if ts == nil {
			return nil
		}
		for _, t := range ts {
			if !slices.Contains(out, t) {
				out = append(out, t)
			}
		}
	}
	return out
}

// options returns the JSON of what n takes where that is a list.
func (s *Schema) options(n *node) []string {
	if n = s.deref(n); n == nil {
		return nil
	}
	if c := n.get("const"); c != nil {
		return []string{string(c.json(nil))}
	}
	var out []string
	if e := n.get("enum"); e != nil {
		for _, v := range e.vals {
			out = append(out, string(v.json(nil)))
		}
		return out
	}
	for _, k := range []string{"anyOf", "oneOf"} {
		u := n.get(k)
		if u == nil {
			continue
		}
		for _, f := range u.vals {
			if f = s.deref(f); f.get("const") == nil && f.get("enum") == nil {
				return nil
			}
			if c := f.get("const"); c != nil {
				out = append(out, string(c.json(nil)))
			} else {
				out = append(out, s.options(f)...)
			}
		}
	}
	return out
}
