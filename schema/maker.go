package schema

import (
	"slices"

	"github.com/ferrule/ferrule/rawjson"
)

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

// value makes the nth different value of n, or nil when it finds none. The
// constants of like choose among forms, and its options are taken.
func (m *maker) value(n *node, name string, nth int, like []byte) []byte {
	n = m.s.deref(n)
	if isFalse(n) {
		return nil
	}
	if n == nil || n.kind != '{' {
		return text(numbered(made(name, nil), nth)).raw
	}
	if m.left--; m.left < 0 || len(m.open) > maxExampleDepth || slices.Contains(m.open, n) {
		return nil
	}
	m.open = append(m.open, n)
	defer func() { m.open = m.open[:len(m.open)-1] }()
	made := m.laid(m.s.flat(n, like), name, nth, like)
	if rawjson.Kind(made) != '{' || !m.s.conditional(n) {
		return made
	}
	// What was made chooses branches, which may ask for more.
	for range 2 {
		again := m.laid(m.s.flat(n, made), name, nth, made)
		if again == nil {
			break
		}
		made = again
	}
	return made
}

// laid makes a value of a flat node.
func (m *maker) laid(n *node, name string, nth int, like []byte) []byte {
	if isFalse(n) {
		return nil
	}
	opts := m.s.options(n)
	if nth == 0 && hasOption(opts, like) {
		return like
	}
	if m.given {
		if shown := m.s.given(n); nth < len(shown) {
			return shown[nth].json(nil)
		}
	}
	if len(opts) > 0 {
		return []byte(opts[min(nth, len(opts)-1)])
	}
	if m.left -= unionSize(n); m.left < 0 {
		return nil
	}
	forms := slices.DeleteFunc(m.s.forms(n, like), func(f form) bool {
		ts := m.s.types(f.laid)
		return isFalse(f.laid) || len(ts) == 1 && ts[0] == "null"
	})
	slices.SortStableFunc(forms, func(a, b form) int { return shared(b.laid, like) - shared(a.laid, like) })
	for i := range forms {
		f := forms[(m.choice+i)%len(forms)]
		if m.left--; m.left < 0 || slices.Contains(m.open, f.branch) {
			continue
		}
		m.open = append(m.open, f.branch)
		v := m.laid(f.laid, name, nth, like)
		m.open = m.open[:len(m.open)-1]
		if v != nil {
			return v
		}
	}
	if len(forms) > 0 {
		return nil
	}
	return m.typed(n, name, nth, like)
}

// shared counts the fields of a flat node that a value has.
func shared(n *node, value []byte) (count int) {
	if rawjson.Kind(value) != '{' {
		return 0
	}
	for _, f := range shownFields(n) {
		if _, there := rawjson.Get(value, f.name); there {
			count++
		}
	}
	return count
}

func (m *maker) typed(n *node, name string, nth int, like []byte) []byte {
	t := "string"
	if ts := m.s.types(n); len(ts) > 0 {
		if t = ts[m.choice%len(ts)]; t == "null" && len(ts) > 1 {
			t = ts[(m.choice+1)%len(ts)]
		}
	} else if n.get("properties") != nil {
		t = "object"
	}
	switch t {
	case "object":
		return m.object(n, nth, like)
	case "array":
		return m.array(n, name, nth)
	case "integer", "number":
		return number(n, t == "integer", nth)
	case "boolean":
		if rawjson.Kind(like) == 't' || rawjson.Kind(like) == 'f' {
			return like
		}
		return []byte([]string{"true", "false"}[nth%2])
	case "null":
		return []byte("null")
	}
	return text(sampleText(n, name, nth)).raw
}

// object makes an object with what is required; where nothing is, with its
// first fields: an empty object would show nothing.
func (m *maker) object(n *node, nth int, like []byte) []byte {
	fields := shownFields(n)
	required := shownRequired(n)
	least := whole(n.get("minProperties"))
	named := least
	if len(required) == 0 {
		named = max(least, m.optional)
	}
	for _, f := range fields {
		if len(required) < named && !slices.Contains(required, f.name) && !isFalse(f.node) {
			required = append(required, f.name)
		}
	}
	required = dependent(n, required)
	var b bytesObject
	put := func(name string, field *node) {
		inner, _ := rawjson.Get(like, name)
		if v := m.value(field, name, nth, inner); v != nil {
			b.add(name, v) // else the check tells whether it may be left out
		}
	}
	for _, f := range fields {
		if slices.Contains(required, f.name) {
			put(f.name, f.node)
		}
	}
	for _, name := range required {
		if !slices.ContainsFunc(fields, func(f field) bool { return f.name == name }) {
			put(name, unnamed(n, name))
		}
	}
	for i := 0; b.count < least && i < maxFilled; i++ {
		name := m.key(n, i)
		if _, there := rawjson.Get(b.json(), name); !there {
			put(name, unnamed(n, name))
		}
	}
	return b.json()
}

// maxFilled bounds the fields and elements of an example that are there for
// their number alone.
const maxFilled = 50

// dependent adds to names what the fields of these names ask for.
func dependent(n *node, names []string) []string {
	asks := n.get("dependentRequired")
	for i := 0; i < len(names) && asks != nil; i++ {
		if more := asks.get(names[i]); more != nil {
			for _, v := range more.vals {
				if v.kind == '"' && !slices.Contains(names, v.str) {
					names = append(names, v.str)
				}
			}
		}
	}
	return names
}

// unnamed is what n says of a field that it doesn't name; nil where nothing.
func unnamed(n *node, name string) *node {
	if ps := n.get("patternProperties"); ps != nil {
		for i, k := range ps.keys {
			if re, err := compilePattern(k); err == nil && re.MatchString(name) {
				return ps.vals[i]
			}
		}
	}
	return n.get("additionalProperties")
}

// madeName stands for the name of a field that the model is free to choose.
const madeName = "<a name>"

// key makes up the ith name of a field.
func (m *maker) key(n *node, i int) string {
	if names := m.s.flat(n.get("propertyNames"), nil); names != nil && names.kind == '{' {
		if v := m.value(names, "name", i, nil); rawjson.Kind(v) == '"' {
			name, _ := rawjson.String(v)
			return name
		}
	}
	if ps := n.get("patternProperties"); ps != nil && isFalse(n.get("additionalProperties")) && len(ps.keys) > 0 {
		return sampleOf(ps.keys[0], i)
	}
	return numbered(madeName, i)
}

func (m *maker) array(n *node, name string, nth int) []byte {
	few := 0 // items of the wanted form
	if n.get("contains") != nil {
		few = 1
		if v := n.get("minContains"); v != nil {
			few = whole(v)
		}
	}
	count := max(1, few, whole(n.get("minItems")))
	tuple := n.get("prefixItems")
	if tuple != nil {
		count = max(count, len(tuple.vals))
	}
	if v := n.get("maxItems"); v != nil {
		count = min(count, whole(v))
	}
	if count > maxFilled {
		return nil
	}
	b := []byte{'['}
	for i := range count {
		item, which := n.get("items"), i+nth
		if tuple != nil && i < len(tuple.vals) {
			if item = tuple.vals[i]; !isTrue(n.get("uniqueItems")) {
				which = nth
			}
		}
		if i < few {
			item = both(item, n.get("contains"))
		}
		v := m.value(item, name, which, nil)
		if v == nil {
			break // the check tells whether there are enough
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, v...)
	}
	return append(b, ']')
}

// both is joint, where either may be absent.
func both(a, b *node) *node {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return joint(a, b)
}

// bytesObject writes an object member by member.
type bytesObject struct {
	b     []byte
	count int
}

func (o *bytesObject) add(name string, v []byte) {
	if o.count > 0 {
		o.b = append(o.b, ',')
	}
	o.count++
	o.b = append(append(rawjson.AppendString(o.b, name), ':'), v...)
}

func (o *bytesObject) json() []byte { return slices.Concat([]byte{'{'}, o.b, []byte{'}'}) }

// given returns the values that a flat node itself shows and that are of its kind.
func (s *Schema) given(n *node) []*node {
	var out []*node
	if l := n.get("examples"); l != nil && l.kind == '[' {
		out = append(out, l.vals...)
	}
	for _, k := range []string{"example", "default"} {
		if v := n.get(k); v != nil {
			out = append(out, v)
		}
	}
	ts := s.types(n)
	return slices.DeleteFunc(out, func(v *node) bool {
		kind := kindName(v.kind)
		return v.kind == 'n' || ts != nil && !slices.Contains(ts, kind) && (kind != "number" || !slices.Contains(ts, "integer"))
	})
}
