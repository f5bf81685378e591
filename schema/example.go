package schema

import (
	"bytes"
	"slices"

	"github.com/ferrule/ferrule/rawjson"
)

// maxPreferred is how long a preferred value may be, in bytes.
const maxPreferred = 200

// Example returns a value that passes the schema, or nil when none was found:
// from its examples, defaults, options, formats and bounds. Texts that are made
// up look it: "<what the field is>". Fields of prefer that are right are taken
// over, whole, up to 200 bytes each; nil prefers nothing.
func (s *Schema) Example(prefer []byte) []byte {
	for _, v := range s.given(s.root) {
		if v.kind == '{' && s.Check(v.json(nil)) == nil && prefer == nil {
			return v.json(nil)
		}
	}
	for try := range 24 {
		m := maker{s: s, choice: try / 2 % 4, given: try%2 == 0, optional: 2 - try/8, left: 2000}
		made := m.value(s.root, "value", 0)
		if made == nil || s.Check(made) != nil {
			continue
		}
		if with := s.overlay(made, prefer); with != nil && s.Check(with) == nil {
			return with
		}
		return made
	}
	return nil
}

// overlay sets the fields of made that are right in prefer.
func (s *Schema) overlay(made, prefer []byte) []byte {
	if rawjson.Kind(prefer) != '{' || rawjson.Valid(prefer, MaxNesting) != nil {
		return nil
	}
	wrong := map[string]bool{}
	for _, p := range s.Check(prefer) {
		tok, _, _ := bytes.Cut([]byte(p.Pointer + "/")[1:], []byte("/"))
		wrong[string(tok)] = true
	}
	var changes []rawjson.Change
	_ = rawjson.Members(prefer, func(k, v []byte) bool {
		known := s.property(s.root, string(k)) != nil
		if known && !wrong[pointerOf([]string{string(k)})[1:]] && len(v) <= maxPreferred {
			changes = append(changes, rawjson.Change{Key: string(k), Value: bytes.Clone(v)})
		}
		return true
	})
	out, err := rawjson.Edit(made, changes...)
	if err != nil {
		return nil
	}
	return out
}

// given returns the values that a schema itself shows.
func (s *Schema) given(n *node) []*node {
	n = s.deref(n)
	var out []*node
	if l := n.get("examples"); l != nil && l.kind == '[' {
		out = append(out, l.vals...)
	}
	for _, k := range []string{"example", "default"} {
		if v := n.get(k); v != nil {
			out = append(out, v)
		}
	}
	return out
}

// maker builds one value. Which form of a union it takes hangs on choice, so
// that a caller can try the next.
type maker struct {
	s        *Schema
	choice   int
	given    bool // values that the schema shows are taken
	optional int  // fields of an object that needs none
	left     int
	open     []*node
}

const maxExampleDepth = 8

// value returns nil when it finds none.
func (m *maker) value(n *node, name string, nth int) []byte {
	n = m.s.deref(n)
	if n == nil || n.kind != '{' {
		if isFalse(n) {
			return nil
		}
		return text(made(name, nil)).raw
	}
	if m.left--; m.left < 0 || len(m.open) > maxExampleDepth || slices.Contains(m.open, n) {
		return nil
	}
	m.open = append(m.open, n)
	defer func() { m.open = m.open[:len(m.open)-1] }()
	if m.given {
		for _, v := range m.s.given(n) {
			if v.kind != 'n' && nth == 0 {
				return v.json(nil)
			}
		}
	}
	if opts := m.s.options(n); len(opts) > 0 {
		return []byte(opts[min(nth, len(opts)-1)])
	}
	if f := m.form(n); f != nil && n.get("properties") == nil {
		return m.value(f, name, nth)
	}
	return m.typed(n, name, nth)
}

func (m *maker) typed(n *node, name string, nth int) []byte {
	t := "string"
	if ts := m.s.types(n); len(ts) > 0 {
		t = ts[0]
		if t == "null" && len(ts) > 1 {
			t = ts[1]
		}
	} else if len(m.s.fields(n)) > 0 {
		t = "object"
	}
	switch t {
	case "object":
		return m.object(n)
	case "array":
		return m.array(n, name)
	case "integer", "number":
		return number(n, t == "integer", nth)
	case "boolean":
		return []byte("true")
	case "null":
		return []byte("null")
	}
	return text(sampleText(n, name)).raw
}

// form picks one of several forms.
func (m *maker) form(n *node) *node {
	for _, k := range []string{"anyOf", "oneOf"} {
		u := n.get(k)
		if u == nil {
			continue
		}
		var forms []*node
		for _, f := range u.vals {
			if ts := m.s.types(f); len(ts) != 1 || ts[0] != "null" {
				forms = append(forms, f)
			}
		}
		if len(forms) > 0 {
			return forms[m.choice%len(forms)]
		}
	}
	return nil
}

func (m *maker) object(n *node) []byte {
	required := m.s.required(n)
	fields := m.s.fields(n)
	if f := m.form(n); f != nil {
		required = append(required, m.s.required(f)...)
		fields = append(fields, m.s.fields(f)...)
	}
	if len(required) == 0 {
		// An empty object would show nothing.
		for _, f := range fields[:min(len(fields), m.optional)] {
			required = append(required, f.name)
		}
	}
	b := []byte{'{'}
	done := map[string]bool{}
	add := func(name string, v []byte) {
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(append(rawjson.AppendString(b, name), ':'), v...)
		done[name] = true
	}
	for _, f := range fields {
		if done[f.name] || !slices.Contains(required, f.name) {
			continue
		}
		v := m.value(f.node, f.name, 0)
		if v == nil {
			continue // the check tells whether it may be left out
		}
		add(f.name, v)
	}
	for _, name := range required {
		if !done[name] && m.s.property(n, name) == nil {
			add(name, text(made(name, nil)).raw)
		}
	}
	return append(b, '}')
}

func (m *maker) array(n *node, name string) []byte {
	count := 1
	if v := whole(n.get("minItems")); v > 1 {
		count = v
	}
	if v := n.get("maxItems"); v != nil && whole(v) < count {
		count = whole(v)
	}
	if count > 50 {
		return nil
	}
	b := []byte{'['}
	put := func(v []byte) bool {
		if v != nil {
			if len(b) > 1 {
				b = append(b, ',')
			}
			b = append(b, v...)
		}
		return v != nil
	}
	placed := 0
	if tuple := n.get("prefixItems"); tuple != nil {
		for _, c := range tuple.vals {
			if !put(m.value(c, name, 0)) {
				return nil
			}
			placed++
		}
	}
	for i := placed; i < count; i++ {
		if !put(m.value(n.get("items"), name, i)) {
			break
		}
	}
	return append(b, ']')
}
