package gemini

import (
	"strings"

	"github.com/ferrule/ferrule/rawjson"
)

// keywords are what the provider's Schema has, and the kind of their value as
// rawjson.Kind tells it; '#' for one that is looked into.
var keywords = map[string]byte{
	"type": '#', "properties": '#', "items": '#', "anyOf": '#', "enum": '#', "required": '#', "format": '#',
	"title": '"', "description": '"', "nullable": 'b', "pattern": '"',
	"minimum": '0', "maximum": '0', "minItems": '0', "maxItems": '0',
	"minLength": '0', "maxLength": '0', "minProperties": '0', "maxProperties": '0',
	"propertyOrdering": '[',
}

// types are the types that a Schema may have, and the formats of each.
var types = map[string][]string{
	"object": nil, "array": nil, "boolean": nil,
	"string":  {"enum", "date-time"},
	"number":  {"float", "double"},
	"integer": {"int32", "int64"},
}

// maxFit is how deep a schema is looked into.
const maxFit = 32

// node holds the members of a schema that are looked into.
type node struct {
	kind, format, properties, items, anyOf, enum, required []byte
	ok                                                     bool
}

func readNode(schema []byte) node {
	n := node{ok: true}
	err := rawjson.Members(schema, func(k, v []byte) bool {
		switch want := keywords[string(k)]; want {
		case 0:
			n.ok = false
		case '#':
			n.ok = n.set(string(k), v)
		case 'b':
			n.ok = rawjson.Kind(v) == 't' || rawjson.Kind(v) == 'f'
		default:
			n.ok = rawjson.Kind(v) == want
		}
		return n.ok
	})
	n.ok = n.ok && err == nil
	return n
}

// set keeps a member; false for one that stands twice.
func (n *node) set(key string, v []byte) bool {
	field := map[string]*[]byte{
		"type": &n.kind, "format": &n.format, "properties": &n.properties, "items": &n.items,
		"anyOf": &n.anyOf, "enum": &n.enum, "required": &n.required,
	}[key]
	twice := *field != nil
	*field = v
	return !twice
}

// fits reports whether a schema uses only what the provider's own Schema has,
// and keeps to its rules: one type at every node, properties only of objects
// that have some, options only of strings and none of them empty, required only
// what is defined.
func fits(schema []byte, depth int) bool {
	if depth > maxFit || rawjson.Kind(schema) != '{' {
		return false
	}
	n := readNode(schema)
	if !n.ok {
		return false
	}
	if n.anyOf != nil && n.kind == nil {
		return n.properties == nil && n.items == nil && n.enum == nil && n.required == nil && n.format == nil && allFit(n.anyOf, depth)
	}
	kind := strings.ToLower(text(n.kind))
	formats, known := types[kind]
	switch {
	case !known || n.anyOf != nil:
		return false
	case n.format != nil && !holds(formats, text(n.format)):
		return false
	case n.enum != nil && (kind != "string" || !fullTexts(n.enum)):
		return false
	case (n.items != nil) != (kind == "array") || n.items != nil && !fits(n.items, depth+1):
		return false
	}
	return n.fieldsFit(kind == "object", depth)
}

// fieldsFit looks at what only objects have.
func (n *node) fieldsFit(object bool, depth int) bool {
	if !object {
		return n.properties == nil && n.required == nil
	}
	defined := map[string]bool{}
	good := rawjson.Kind(n.properties) == '{'
	_ = rawjson.Members(n.properties, func(k, v []byte) bool {
		good = good && !defined[string(k)] && fits(v, depth+1)
		defined[string(k)] = true
		return good
	})
	if !good || len(defined) == 0 {
		return false
	}
	if n.required == nil {
		return true
	}
	if !fullTexts(n.required) {
		return false
	}
	_ = rawjson.Elements(n.required, func(v []byte) bool {
		good = good && defined[text(v)]
		return good
	})
	return good
}

func allFit(list []byte, depth int) bool {
	good, any := rawjson.Kind(list) == '[', false
	_ = rawjson.Elements(list, func(v []byte) bool {
		good, any = good && fits(v, depth+1), true
		return good
	})
	return good && any
}

// fullTexts reports whether v is a list of strings none of which is empty, with
// at least one.
func fullTexts(list []byte) bool {
	good, any := rawjson.Kind(list) == '[', false
	_ = rawjson.Elements(list, func(v []byte) bool {
		good, any = good && isText(v), true
		return good
	})
	return good && any
}

// takesNothing reports whether a schema is that of a function without
// parameters: such a one is declared without any.
func takesNothing(schema []byte) bool {
	nothing, empty := true, false
	err := rawjson.Members(schema, func(k, v []byte) bool {
		switch string(k) {
		case "type":
			nothing = text(v) == "object"
		case "properties":
			nothing = rawjson.Kind(v) == '{' && len(strings.TrimSpace(string(v[1:len(v)-1]))) == 0
			empty = true
		case "required":
			nothing = rawjson.Kind(v) == '[' && len(strings.TrimSpace(string(v[1:len(v)-1]))) == 0
		case "additionalProperties":
			nothing = string(v) == "false"
			empty = true
		case "$schema", "title", "description":
		default:
			nothing = false
		}
		return nothing
	})
	return nothing && empty && err == nil
}

func holds(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}
