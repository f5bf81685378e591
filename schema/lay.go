package schema

import "slices"

// aside are the keywords that flat resolves.
var aside = map[string]bool{"$ref": true, "allOf": true, "if": true, "then": true, "else": true}

// laying says how a keyword that stands in two parts is laid together. Of the
// others the first counts.
var laying = map[string]func(a, b *node) *node{
	"properties": layNamed, "patternProperties": layNamed, "dependentRequired": layNamed,
	"required": func(a, b *node) *node { return array(distinct(slices.Concat(a.vals, b.vals))...) },
	"items":    joint, "additionalProperties": joint,
	"enum": common, "type": common,
	"minimum": larger, "exclusiveMinimum": larger, "minLength": larger, "minItems": larger, "minProperties": larger,
	"maximum": smaller, "exclusiveMaximum": smaller, "maxLength": smaller, "maxItems": smaller, "maxProperties": smaller,
	"uniqueItems": func(a, b *node) *node {
		if isTrue(a) {
			return a
		}
		return b
	},
}

// lay makes one node of several that all hold.
func lay(parts []*node) *node {
	out := &node{kind: '{', base: parts[0].base}
	for _, p := range parts {
		for i, k := range p.keys {
			have := out.get(k)
			switch merge := laying[k]; {
			case aside[k] || definitions[k]:
			case have == nil:
				out.set(k, p.vals[i])
			case merge != nil:
				out.set(k, merge(have, p.vals[i]))
			}
		}
	}
	return out
}

// joint is a schema that takes what both take.
func joint(a, b *node) *node {
	switch {
	case isFalse(a) || isTrue(b):
		return a
	case isFalse(b) || isTrue(a):
		return b
	}
	out := &node{kind: '{', base: a.base}
	out.set("allOf", array(a, b))
	return out
}

func layNamed(a, b *node) *node {
	if a.kind != '{' || b.kind != '{' {
		return a
	}
	out := &node{kind: '{', keys: slices.Clone(a.keys), vals: slices.Clone(a.vals)}
	at := make(map[string]int, len(a.keys))
	for i, k := range a.keys {
		at[k] = i
	}
	for i, k := range b.keys {
		switch j, both := at[k]; {
		case !both:
			out.keys, out.vals = append(out.keys, k), append(out.vals, b.vals[i])
		case b.vals[i].kind == '[':
			out.vals[j] = array(distinct(slices.Concat(out.vals[j].vals, b.vals[i].vals))...)
		case b.vals[i] != out.vals[j]:
			out.vals[j] = joint(out.vals[j], b.vals[i])
		}
	}
	return out
}

// common keeps the values that stand in both lists, the first list where none does.
func common(a, b *node) *node {
	left, right := listOf(a), listOf(b)
	in := map[string]bool{}
	for _, v := range right {
		in[string(v.json(nil))] = true
	}
	if in[`"number"`] {
		in[`"integer"`] = true
	}
	var kept []*node
	for _, v := range left {
		if in[string(v.json(nil))] {
			kept = append(kept, v)
		}
	}
	switch {
	case len(kept) == 0 && slices.ContainsFunc(left, func(v *node) bool { return v.str == "number" }) && in[`"integer"`]:
		return b
	case len(kept) == 0:
		return a
	case a.kind == '"' || b.kind == '"':
		return kept[0]
	}
	return array(kept...)
}

func listOf(n *node) []*node {
	if n.kind == '[' {
		return n.vals
	}
	return []*node{n}
}

func larger(a, b *node) *node {
	if x, y := rat(a), rat(b); x != nil && y != nil && x.Cmp(y) < 0 {
		return b
	}
	return a
}

func smaller(a, b *node) *node {
	if x, y := rat(a), rat(b); x != nil && y != nil && x.Cmp(y) > 0 {
		return b
	}
	return a
}
