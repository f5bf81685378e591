package schema

import "strings"

// typeNames maps what tools write under "type", in lower case, to JSON
// Schema's names; "" takes anything.
var typeNames = map[string]string{
	"string": "string", "number": "number", "integer": "integer", "boolean": "boolean",
	"object": "object", "array": "array", "null": "null",
	"any": "", "": "", "unknown": "", "mixed": "",
	"str": "string", "text": "string",
	"int": "integer", "long": "integer", "float": "number", "double": "number",
	"bool": "boolean", "dict": "object", "map": "object", "struct": "object",
	"list": "array", "tuple": "array", "none": "null", "nil": "null",
}

// types puts the type into JSON Schema's names, or takes it out.
func (z *normaliser) types(n *node) {
	t := n.get("type")
	if t == nil {
		return
	}
	if t.kind == '{' {
		// A schema under "type": only what it says of itself can be meant.
		n.drop("type")
		z.unchecked(n, "a type that is itself a schema isn't checked")
		return
	}
	given := []*node{t}
	if t.kind == '[' {
		given = t.vals
	}
	var names []*node
	for _, g := range given {
		if g.kind == 'n' {
			g = text("null")
		}
		name, known := typeNames[strings.ToLower(g.str)]
		if g.kind != '"' || !known {
			z.unchecked(n, "the type %s isn't known: any is taken", show(g.json(nil)))
		}
		if name == "" {
			n.drop("type")
			return
		}
		names = append(names, text(name))
	}
	switch names = distinct(names); len(names) {
	case 0:
		n.drop("type")
	case 1:
		n.set("type", names[0])
	default:
		n.set("type", array(names...))
	}
}

// nullable lets null in where OpenAPI's keyword says so.
func (z *normaliser) nullable(n *node) {
	flag := n.get("nullable")
	if flag == nil {
		return
	}
	n.drop("nullable")
	if !isTrue(flag) {
		return
	}
	null := &node{kind: 'n', raw: []byte("null")}
	isNull := &node{kind: '{'}
	isNull.set("type", text("null"))
	t := n.get("type")
	simple := t != nil
	for _, k := range []string{"$ref", "allOf", "anyOf", "oneOf", "const", "not", "if"} {
		simple = simple && n.get(k) == nil
	}
	if !simple {
		inner := *n
		*n = node{kind: '{', base: inner.base}
		for _, k := range []string{"$schema", "$id", "$defs", "definitions", "title", "description", "default"} {
			if v := inner.get(k); v != nil {
				n.set(k, v)
				inner.drop(k)
			}
		}
		if len(inner.keys) > 0 {
			n.set("anyOf", array(&inner, isNull))
		}
		return
	}
	names := []*node{t}
	if t.kind == '[' {
		names = t.vals
	}
	n.set("type", array(distinct(append(append([]*node(nil), names...), text("null")))...))
	if e := n.get("enum"); e != nil {
		e.vals = distinct(append(e.vals, null))
	}
}
