package constrain

import (
	"bytes"

	"github.com/ferrule/ferrule/rawjson"
	"github.com/ferrule/ferrule/schema"
)

// The keywords that hold schemas, by how they hold them.
var (
	holdsNamed = words("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
	holdsList  = words("anyOf", "oneOf", "allOf", "prefixItems", "items")
	holdsOne   = words("items", "additionalProperties", "additionalItems", "not", "if", "then", "else",
		"contains", "propertyNames", "unevaluatedProperties", "unevaluatedItems")
)

func words(ws ...string) map[string]bool {
	m := make(map[string]bool, len(ws))
	for _, w := range ws {
		m[w] = true
	}
	return m
}

// anyObject is the schema of arguments of which nothing is known.
var anyObject = []byte(`{"type":"object"}`)

// sourceOf returns a tool's schema as one object that isn't nested too deep to
// be walked.
func sourceOf(src []byte) []byte {
	src = bytes.TrimSpace(src)
	if rawjson.Kind(src) != '{' || rawjson.Valid(src, schema.MaxNesting) != nil {
		return anyObject
	}
	return src
}

// mapSchema returns a schema with f applied to every object in it that is a
// schema, the inner ones first. It recurses as deep as the schema is nested.
func mapSchema(src []byte, f func(object []byte) []byte) []byte {
	if rawjson.Kind(src) != '{' {
		return src
	}
	out, n := []byte("{"), 0
	_ = rawjson.Members(src, func(k, v []byte) bool {
		if n++; n > 1 {
			out = append(out, ',')
		}
		key := string(k)
		out = append(rawjson.AppendString(out, key), ':')
		switch kind := rawjson.Kind(v); {
		case holdsNamed[key] && kind == '{':
			out = appendNamed(out, v, f)
		case holdsList[key] && kind == '[':
			out = appendList(out, v, f)
		case holdsOne[key] && kind == '{':
			out = append(out, mapSchema(v, f)...)
		default:
			out = append(out, v...)
		}
		return true
	})
	return f(append(out, '}'))
}

func appendNamed(out, v []byte, f func([]byte) []byte) []byte {
	out = append(out, '{')
	n := 0
	_ = rawjson.Members(v, func(k, s []byte) bool {
		if n++; n > 1 {
			out = append(out, ',')
		}
		out = append(rawjson.AppendString(out, string(k)), ':')
		out = append(out, mapSchema(s, f)...)
		return true
	})
	return append(out, '}')
}

func appendList(out, v []byte, f func([]byte) []byte) []byte {
	out = append(out, '[')
	n := 0
	_ = rawjson.Elements(v, func(s []byte) bool {
		if n++; n > 1 {
			out = append(out, ',')
		}
		out = append(out, mapSchema(s, f)...)
		return true
	})
	return append(out, ']')
}

// edit is rawjson.Edit of what is known to be an object.
func edit(object []byte, cs ...rawjson.Change) []byte {
	out, err := rawjson.Edit(object, cs...)
	if err != nil {
		return object
	}
	return out
}

func has(object []byte, key string) bool {
	_, ok := rawjson.Get(object, key)
	return ok
}

func textAt(object []byte, key string) (string, bool) {
	v, ok := rawjson.Get(object, key)
	if !ok || rawjson.Kind(v) != '"' {
		return "", false
	}
	s, err := rawjson.String(v)
	return s, err == nil
}
