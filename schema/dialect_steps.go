package schema

import (
	"slices"
)

// steps are the rewrites in the order in which they are made.
var steps = []rewrite{
	{"root", true, (*rewriting).root},
	{"booleans", false, (*rewriting).booleans},
	{"booleans_object", false, (*rewriting).booleans},
	{"inline", true, (*rewriting).inline},
	{"conditions", false, (*rewriting).conditions},
	{"all_of", false, (*rewriting).mergeAllOf},
	{"root_all_of", true, (*rewriting).mergeAllOf},
	{"root_union", true, (*rewriting).foldUnion},
	{"one_of", false, (*rewriting).anyOfForOneOf},
	{"const", false, (*rewriting).optionForConst},
	{"const_typed", false, (*rewriting).typedConst},
	{"union_of_options", false, (*rewriting).unionOfOptions},
	{"first_branch", false, (*rewriting).firstBranch},
	{"null", false, (*rewriting).nullable},
	{"type_list", false, (*rewriting).anyOfForTypes},
	{"one_type", false, (*rewriting).firstType},
	{"text_options", false, (*rewriting).textOptions},
	{"options", false, (*rewriting).fullOptions},
	{"union_alone", false, (*rewriting).typesIntoUnion},
	{"typed", false, (*rewriting).typed},
	{"typed_strict", false, (*rewriting).typed},
	{"any_type", false, (*rewriting).anyType},
	{"misplaced", false, (*rewriting).misplaced},
	{"items_text", false, (*rewriting).textItems},
	{"items_any", false, (*rewriting).anyItems},
	{"required", false, (*rewriting).requiredDefined},
	{"empty_properties", false, (*rewriting).noEmptyProperties},
	{"empty_nested", false, (*rewriting).noEmptyNested},
	{"strict", false, (*rewriting).strict},
	{"reserved", false, (*rewriting).reserved},
	{"patterns", false, (*rewriting).patterns},
	{"bounds", false, (*rewriting).bounds},
}

// ofNoObject are keywords that make no sense at a root, which is an object.
var ofNoObject = []string{"enum", "const", "items"}

// root makes one object of the root.
func (w *rewriting) root(_ string, n *node) {
	if n.kind != '{' {
		n.become(anyObject())
	}
	if t := n.get("type"); t == nil || t.kind != '"' || t.str != "object" {
		n.set("type", text("object"))
	}
	for _, k := range ofNoObject {
		n.drop(k)
	}
	if p := n.get("properties"); p == nil || p.kind != '{' {
		n.set("properties", &node{kind: '{'})
	}
}

// booleans writes true as a schema that takes anything; a property that may not
// be there goes.
func (w *rewriting) booleans(where string, n *node) {
	switch n.kind {
	case 't':
		n.become(&node{kind: '{'})
		if slices.Contains(w.d.rewrites, "booleans_object") {
			n.set("type", text("object"))
			w.note(where, "of any value an object is told of")
		}
	case '{':
		props := n.get("properties")
		if props == nil || props.kind != '{' {
			return
		}
		for _, k := range slices.Clone(props.keys) {
			if isFalse(props.get(k)) {
				props.drop(k)
				w.note(path(where, "properties", k), "it may not be there: left out")
			}
		}
	}
}

// conditions drops what depends on a value: it is checked when the call comes.
func (w *rewriting) conditions(where string, n *node) {
	for _, k := range []string{"if", "then", "else", "not", "dependentRequired", "dependentSchemas", "dependencies"} {
		if n.get(k) != nil {
			n.drop(k)
			w.note(where, k+" is left out")
		}
	}
}

// maxMerged is how deep parts may have parts.
const maxMerged = 8

// mergeAllOf takes the parts of allOf, and theirs, into the schema.
func (w *rewriting) mergeAllOf(where string, n *node) {
	for range maxMerged {
		all := n.get("allOf")
		if all == nil {
			return
		}
		if n.drop("allOf"); all.kind == '[' {
			w.mergeParts(where, n, all)
		}
	}
	if n.get("allOf") != nil {
		n.drop("allOf")
		w.note(where, "allOf within so many others is left out")
	}
}

func (w *rewriting) mergeParts(where string, n, all *node) {
	for _, part := range all.vals {
		if part.kind != '{' {
			continue
		}
		if ref := part.word("$ref"); ref != "" && len(part.keys) == 1 {
			if to, outside := w.index.resolve(part, ref); to != nil && !outside && to.kind == '{' {
				part = to.clone(&w.budget)
			}
		}
		w.merge(where, n, part)
	}
}

// merge takes a part into n. What both say of one keyword stays as n has it.
func (w *rewriting) merge(where string, n, part *node) {
	for i, k := range part.keys {
		v := part.vals[i]
		have := n.get(k)
		switch {
		case where == "" && slices.Contains(ofNoObject, k):
		case have == nil:
			n.set(k, v)
		case k == "properties" && have.kind == '{' && v.kind == '{':
			for j, name := range v.keys {
				if have.get(name) == nil || len(have.get(name).keys) == 0 {
					have.set(name, v.vals[j])
				}
			}
		case k == "required" && have.kind == '[' && v.kind == '[':
			n.set(k, union(have, v))
		case string(have.json(nil)) != string(v.json(nil)) && k != "description" && k != "title":
			w.note(where, k+" of a part of allOf is left out")
		}
	}
}

func union(a, b *node) *node {
	out := array(slices.Clone(a.vals)...)
	for _, v := range b.vals {
		if !holdsText(out, v.str) {
			out.vals = append(out.vals, v)
		}
	}
	return out
}

func holdsText(list *node, s string) bool {
	return slices.ContainsFunc(list.vals, func(v *node) bool { return v.kind == '"' && v.str == s })
}

// foldUnion makes one object of a root that is a choice between several: all
// their fields, of which those are required that each of them requires.
func (w *rewriting) foldUnion(where string, n *node) {
	for _, k := range []string{"anyOf", "oneOf"} {
		list := n.get(k)
		if list == nil || list.kind != '[' {
			continue
		}
		n.drop(k)
		w.note(where, k+" of the root is one object now")
		props := n.get("properties")
		var required *node
		for i, branch := range list.vals {
			if ref := branch.word("$ref"); ref != "" {
				if to, outside := w.index.resolve(branch, ref); to != nil && !outside && to.kind == '{' {
					branch = to.clone(&w.budget)
				}
			}
			if p := branch.get("properties"); p != nil && p.kind == '{' {
				for j, name := range p.keys {
					if props.get(name) == nil {
						props.set(name, p.vals[j])
					}
				}
			}
			r := branch.get("required")
			switch {
			case r == nil || r.kind != '[':
				required = array()
			case i == 0:
				required = array(slices.Clone(r.vals)...)
			default:
				required.vals = slices.DeleteFunc(required.vals, func(v *node) bool { return !holdsText(r, v.str) })
			}
		}
		if required != nil && len(required.vals) > 0 {
			if have := n.get("required"); have != nil && have.kind == '[' {
				required = union(have, required)
			}
			n.set("required", required)
		}
	}
}

func (w *rewriting) anyOfForOneOf(_ string, n *node) {
	one := n.get("oneOf")
	if one == nil {
		return
	}
	n.drop("oneOf")
	if n.get("anyOf") == nil {
		n.set("anyOf", one)
	}
}

// reservedNames are methods of the dictionaries that a template walks over.
var reservedNames = []string{"items", "keys", "values", "get", "pop", "update"}

// reserved gives a field another name where a template would take it for a
// method. Ours undoes it.
func (w *rewriting) reserved(where string, n *node) {
	props := n.get("properties")
	if props == nil || props.kind != '{' {
		return
	}
	for i, k := range props.keys {
		if reservedOf(props, k) == "" {
			continue
		}
		props.keys[i] = k + "_"
		w.note(path(where, "properties", k), "it is called "+k+"_")
		if r := n.get("required"); r != nil && r.kind == '[' {
			for j, v := range r.vals {
				if v.str == k {
					r.vals[j] = text(k + "_")
				}
			}
		}
	}
}
