package schema

import (
	"slices"
	"strconv"
)

// inline puts definitions in the place of references to them. A definition that
// holds itself is cut: deeper than a few copies stands an object that says so.
func (w *rewriting) inline(_ string, root *node) {
	w.expand("", root, nil)
	root.drop("$defs")
	root.drop("definitions")
}

func (w *rewriting) expand(where string, n *node, open []*node) {
	if n.kind != '{' {
		return
	}
	for _, k := range references {
		ref := n.word(k)
		if ref == "" {
			continue
		}
		to, outside := w.index.resolve(n, ref)
		deep := 0
		for _, o := range open {
			if o == to {
				deep++
			}
		}
		n.drop(k)
		switch {
		case to == nil || outside || to.kind != '{':
			w.note(where, "what "+ref+" names isn't there: anything")
		case deep >= maxCopies || w.budget <= 0:
			w.note(where, "a schema that holds itself is cut: an object from here on")
			n.set("type", text("object"))
			if n.get("description") == nil {
				n.set("description", text("The same as above, and so on."))
			}
			return
		default:
			copied := to.clone(&w.budget)
			for i, key := range copied.keys {
				if n.get(key) == nil && key != "$defs" && key != "definitions" && key != "$id" {
					n.set(key, copied.vals[i])
				}
			}
			n.base = copied.base
			open = append(slices.Clone(open), to)
			w.expand(where, n, open)
			return
		}
	}
	for i, k := range n.keys {
		v := n.vals[i]
		switch how := below[k]; {
		case how == 0 || k == "$defs" || k == "definitions":
		case v.kind == '{' && (how == namedSchemas || how == namedOrLists):
			for j, c := range v.vals {
				w.expand(path(where, k, v.keys[j]), c, open)
			}
		case v.kind == '[' && (how == manySchemas || how == oneOrMany):
			for _, c := range v.vals {
				w.expand(path(where, k), c, open)
			}
		case how == oneSchema || how == oneOrMany:
			w.expand(path(where, k), v, open)
		}
	}
}

// optionForConst writes a constant as the one option.
func (w *rewriting) optionForConst(_ string, n *node) {
	if c := n.get("const"); c != nil && n.get("enum") == nil {
		n.drop("const")
		n.set("enum", array(c))
	}
}

// typedConst gives a constant its type.
func (w *rewriting) typedConst(_ string, n *node) {
	if c := n.get("const"); c != nil && n.get("type") == nil {
		n.set("type", text(typeName(c)))
	}
}

// typeName is the type of a value.
func typeName(v *node) string {
	switch v.kind {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	if _, err := strconv.ParseInt(string(v.raw), 10, 64); err == nil {
		return "integer"
	}
	return "number"
}

// unionOfOptions makes one list of options of branches that are nothing else.
func (w *rewriting) unionOfOptions(_ string, n *node) {
	union := n.get("anyOf")
	if union == nil || union.kind != '[' || len(union.vals) == 0 || n.get("enum") != nil {
		return
	}
	options, kind := array(), ""
	for _, b := range union.vals {
		enum := b.get("enum")
		if enum == nil || enum.kind != '[' || slices.ContainsFunc(b.keys, func(k string) bool { return k != "enum" && k != "type" && !proseKeys[k] && k != "description" }) {
			return
		}
		t := b.word("type")
		if t == "" && len(enum.vals) > 0 {
			t = typeName(enum.vals[0])
		}
		if kind != "" && t != kind {
			return
		}
		kind = t
		options.vals = append(options.vals, enum.vals...)
	}
	n.drop("anyOf")
	n.set("type", text(kind))
	n.set("enum", options)
}

// firstBranch takes the first branch of a choice that is more than null.
func (w *rewriting) firstBranch(where string, n *node) {
	union := n.get("anyOf")
	if union == nil || union.kind != '[' {
		return
	}
	n.drop("anyOf")
	for _, b := range union.vals {
		if b.kind != '{' || b.word("type") == "null" {
			continue
		}
		if len(union.vals) > 1 {
			w.note(where, "of a choice the first is told of")
		}
		for i, k := range b.keys {
			if n.get(k) == nil {
				n.set(k, b.vals[i])
			}
		}
		return
	}
}

// nullable tells of null as the Gemini API does.
func (w *rewriting) nullable(_ string, n *node) {
	null := false
	if t := n.get("type"); t != nil && t.kind == '[' {
		kept := slices.DeleteFunc(slices.Clone(t.vals), func(v *node) bool { return v.str == "null" })
		if null = len(kept) < len(t.vals); null {
			n.set("type", array(kept...))
		}
		if len(kept) == 1 {
			n.set("type", kept[0])
		}
	}
	if enum := n.get("enum"); enum != nil && enum.kind == '[' {
		kept := slices.DeleteFunc(slices.Clone(enum.vals), func(v *node) bool { return v.kind == 'n' })
		if len(kept) < len(enum.vals) {
			null = true
			n.set("enum", array(kept...))
		}
	}
	if union := n.get("anyOf"); union != nil && union.kind == '[' {
		kept := slices.DeleteFunc(slices.Clone(union.vals), func(b *node) bool { return b.word("type") == "null" })
		if len(kept) < len(union.vals) {
			null = true
			n.set("anyOf", array(kept...))
		}
		if len(kept) == 1 && kept[0].kind == '{' {
			n.drop("anyOf")
			for i, k := range kept[0].keys {
				if n.get(k) == nil {
					n.set(k, kept[0].vals[i])
				}
			}
		}
		if len(kept) == 0 {
			n.drop("anyOf")
		}
	}
	if null {
		n.set("nullable", &node{kind: 't', raw: []byte("true")})
	}
}

// anyOfForTypes writes several types as a choice.
func (w *rewriting) anyOfForTypes(_ string, n *node) {
	t := n.get("type")
	if t == nil || t.kind != '[' || n.get("anyOf") != nil {
		return
	}
	union := array()
	for _, name := range t.vals {
		b := &node{kind: '{'}
		b.set("type", name)
		for _, k := range belongs[name.str] {
			if v := n.get(k); v != nil {
				b.set(k, v)
			}
		}
		union.vals = append(union.vals, b)
	}
	for _, name := range t.vals {
		for _, k := range belongs[name.str] {
			n.drop(k)
		}
	}
	n.drop("type")
	n.set("anyOf", union)
}

// belongs are the keywords that say something of one type alone.
var belongs = map[string][]string{
	"object": {"properties", "required", "additionalProperties"},
	"array":  {"items", "minItems", "maxItems"},
}

// firstType takes the first of several types that is more than null.
func (w *rewriting) firstType(where string, n *node) {
	t := n.get("type")
	if t == nil || t.kind != '[' {
		return
	}
	n.drop("type")
	for _, name := range t.vals {
		if name.str != "null" {
			n.set("type", name)
			break
		}
	}
	if len(t.vals) > 1 {
		w.note(where, "of several types the first is told of")
	}
}

// textOptions writes options as text: 3 as "3". The call's arguments are read
// by the schema itself, which takes the text for what it means.
func (w *rewriting) textOptions(_ string, n *node) {
	enum := n.get("enum")
	if enum == nil || enum.kind != '[' {
		return
	}
	texts := array()
	for _, v := range enum.vals {
		switch v.kind {
		case '"', 'n':
			texts.vals = append(texts.vals, v)
		default:
			texts.vals = append(texts.vals, text(string(v.json(nil))))
		}
	}
	n.set("enum", texts)
	n.set("type", text("string"))
}

// fullOptions drops options that are empty, and a list of none.
func (w *rewriting) fullOptions(where string, n *node) {
	enum := n.get("enum")
	if enum == nil || enum.kind != '[' {
		return
	}
	kept := slices.DeleteFunc(slices.Clone(enum.vals), func(v *node) bool { return v.kind == 'n' || v.kind == '"' && v.str == "" })
	if len(kept) < len(enum.vals) {
		w.note(where, "the empty option is left out")
		n.set("enum", array(kept...))
	}
	if len(kept) == 0 {
		n.drop("enum")
	}
}

// typesIntoUnion moves what stands beside a choice into its branches.
func (w *rewriting) typesIntoUnion(where string, n *node) {
	union := n.get("anyOf")
	if union == nil || union.kind != '[' {
		return
	}
	t := n.get("type")
	n.drop("type")
	if n.get("enum") != nil { // it is the type of options that go
		t = nil
	}
	for _, b := range union.vals {
		if t != nil && b.kind == '{' && b.get("type") == nil && b.get("anyOf") == nil {
			b.set("type", t)
		}
	}
	for _, k := range []string{"properties", "required", "items", "enum"} {
		if n.get(k) != nil {
			n.drop(k)
			w.note(where, k+" beside a choice is left out")
		}
	}
}

// typed gives every schema a type.
func (w *rewriting) typed(where string, n *node) {
	if n.kind != '{' || n.get("type") != nil || n.get("anyOf") != nil || n.get("$ref") != nil {
		return
	}
	switch enum := n.get("enum"); {
	case n.get("properties") != nil || isTrue(n.get("additionalProperties")):
		n.set("type", text("object"))
	case n.get("items") != nil:
		n.set("type", text("array"))
	case enum != nil && enum.kind == '[' && len(enum.vals) > 0:
		w.typedOptions(where, n, enum)
	default:
		n.set("type", text("string"))
		w.note(where, "of any value a text is told of")
	}
}

// typedOptions gives options their type; such as have several are texts.
func (w *rewriting) typedOptions(where string, n, enum *node) {
	var kinds []string
	for _, v := range enum.vals {
		if v.kind == 'n' {
			w.note(where, "of several types the first is told of") // null has one of its own
		} else if k := typeName(v); !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
	}
	switch len(kinds) {
	case 0:
		n.set("type", text("string"))
	case 1:
		n.set("type", text(kinds[0]))
	default:
		w.textOptions(where, n)
	}
}

// anyType says of a schema that takes anything what that may be.
func (w *rewriting) anyType(_ string, n *node) {
	if n.kind != '{' || len(n.keys) == 0 {
		return
	}
	for _, k := range n.keys {
		if k != "description" && !proseKeys[k] && k != "default" {
			return
		}
	}
	any := array()
	for _, t := range []string{"string", "number", "boolean", "object", "array", "null"} {
		any.vals = append(any.vals, text(t))
	}
	n.set("type", any)
}
