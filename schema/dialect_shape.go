package schema

import (
	"slices"
	"strconv"
)

// says reports whether a schema is of a type, alone or among others.
func (n *node) says(name string) bool {
	t := n.get("type")
	return t != nil && (t.kind == '"' && t.str == name || t.kind == '[' && holdsText(t, name))
}

// misplaced drops what says something of another type.
func (w *rewriting) misplaced(_ string, n *node) {
	if n.kind != '{' || n.get("type") == nil {
		return
	}
	for name, keys := range belongs {
		if n.says(name) {
			continue
		}
		for _, k := range keys {
			n.drop(k)
		}
	}
}

// textItems says that a list that tells nothing of its items holds texts.
func (w *rewriting) textItems(where string, n *node) {
	if items := n.get("items"); n.says("array") && (items == nil || items.kind != '{') {
		w.note(path(where, "items"), "nothing is said of them: texts")
		t := &node{kind: '{'}
		t.set("type", text("string"))
		n.set("items", t)
	}
}

// anyItems says that a list that tells nothing of its items holds anything.
func (w *rewriting) anyItems(_ string, n *node) {
	if n.says("array") && n.get("items") == nil && n.get("prefixItems") == nil {
		n.set("items", &node{kind: '{'})
	}
}

// requiredDefined keeps of the required fields those that are defined.
func (w *rewriting) requiredDefined(where string, n *node) {
	r := n.get("required")
	if r == nil {
		return
	}
	props := n.get("properties")
	if r.kind != '[' || props == nil || props.kind != '{' {
		n.drop("required")
		return
	}
	kept := slices.DeleteFunc(slices.Clone(r.vals), func(v *node) bool { return props.get(v.str) == nil })
	if len(kept) < len(r.vals) {
		w.note(where, "a required field that isn't defined is left out")
		if n.set("required", array(kept...)); len(kept) == 0 {
			n.drop("required")
		}
	}
}

// noEmptyProperties drops an empty list of fields: some take an object without
// one, and none that is empty.
func (w *rewriting) noEmptyProperties(_ string, n *node) {
	if p := n.get("properties"); p != nil && p.kind == '{' && len(p.keys) == 0 {
		n.drop("properties")
		n.drop("required")
	}
}

// noEmptyNested does so below the root, where some miss the list.
func (w *rewriting) noEmptyNested(where string, n *node) {
	if where != "" {
		w.noEmptyProperties(where, n)
	}
}

// strict requires every field, and lets those be null that needn't be there.
func (w *rewriting) strict(where string, n *node) {
	if n.kind != '{' || !n.says("object") {
		return
	}
	props := n.get("properties")
	if props == nil || props.kind != '{' {
		props = &node{kind: '{'}
		n.set("properties", props)
	}
	if a := n.get("additionalProperties"); a != nil && !isFalse(a) {
		w.note(where, "no other fields may be there")
	}
	n.set("additionalProperties", &node{kind: 'f', raw: []byte("false")})
	required := n.get("required")
	all := array()
	for i, k := range props.keys {
		all.vals = append(all.vals, text(k))
		if required == nil || required.kind != '[' || !holdsText(required, k) {
			props.vals[i].allowNull()
		}
	}
	n.set("required", all)
}

// allowNull takes null besides what a schema takes.
func (n *node) allowNull() {
	null := text("null")
	if c := n.get("const"); n.kind == '{' && c != nil && c.kind != 'n' {
		n.drop("const")
		n.set("enum", array(c))
	}
	switch t := n.get("type"); {
	case n.kind != '{':
	case n.get("$ref") != nil: // what it names is required of others too
		own, b := *n, &node{kind: '{'}
		b.set("type", null)
		*n = node{kind: '{'}
		n.set("anyOf", array(&own, b))
		return
	case t != nil && t.kind == '"' && t.str != "null":
		n.set("type", array(t, null))
	case t != nil && t.kind == '[' && !holdsText(t, "null"):
		n.set("type", array(append(slices.Clone(t.vals), null)...))
	}
	if union := n.get("anyOf"); n.kind == '{' && union != nil && union.kind == '[' {
		b := &node{kind: '{'}
		b.set("type", null)
		n.set("anyOf", array(append(slices.Clone(union.vals), b)...))
	}
	if enum := n.get("enum"); enum != nil && enum.kind == '[' && !slices.ContainsFunc(enum.vals, func(v *node) bool { return v.kind == 'n' }) {
		n.set("enum", array(append(slices.Clone(enum.vals), &node{kind: 'n', raw: []byte("null")})...))
	}
}

// patterns drops those that a grammar can't be made of, and tells of them.
func (w *rewriting) patterns(where string, n *node) {
	for _, k := range []string{"pattern", "format"} {
		if n.get(k) != nil {
			n.tell(k)
			n.drop(k)
			w.note(where, k+" is told of in words")
		}
	}
}

// grammarBound is the greatest length that a grammar repeats something up to.
const grammarBound = 1000

// bounds drops those that a grammar would repeat too much for.
func (w *rewriting) bounds(where string, n *node) {
	for _, k := range []string{"minLength", "maxLength", "minItems", "maxItems"} {
		v := n.get(k)
		if v == nil || v.kind != '0' {
			continue
		}
		if i, err := strconv.ParseFloat(string(v.raw), 64); err != nil || i > grammarBound {
			n.drop(k)
			w.note(where, k+" is left out")
		}
	}
}
