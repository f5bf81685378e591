package schema

import "strings"

// Detail is how much of a schema is shown to a reader who only fills it in.
type Detail uint8

const (
	// Sentences keeps all that a value is checked against, and of each
	// description the first sentence.
	Sentences Detail = iota
	// Shape keeps fields, types, what is required, options and constants, and
	// how they are put together.
	Shape
)

// proseKeys say nothing that a value is checked against.
var proseKeys = map[string]bool{
	"title": true, "examples": true, "example": true, "$comment": true, "$schema": true,
	"markdownDescription": true, "enumDescriptions": true, "enumNames": true,
}

// boundKeys narrow a value of the right type, or tell of it.
var boundKeys = map[string]bool{
	"description": true, "default": true, "format": true, "pattern": true,
	"minimum": true, "maximum": true, "exclusiveMinimum": true, "exclusiveMaximum": true, "multipleOf": true,
	"minLength": true, "maxLength": true, "minItems": true, "maxItems": true, "uniqueItems": true,
	"minProperties": true, "maxProperties": true, "propertyNames": true,
	"contentEncoding": true, "contentMediaType": true, "contentSchema": true,
	"deprecated": true, "readOnly": true, "writeOnly": true,
}

// longDefault is from how many bytes on a default with blanks in it is prose.
const longDefault = 32

// Brief returns a schema as compact JSON with less to read: its keys in the
// order in which they stand, its fields, types, required names, options and
// constants untouched. What it returns is for reading; values are checked
// against the schema itself. An error means that src isn't JSON.
func Brief(src []byte, d Detail) ([]byte, error) {
	n, err := parse(src)
	if err != nil {
		return nil, err
	}
	brief(n, d)
	return n.json(nil), nil
}

func brief(n *node, d Detail) {
	if n.kind != '{' {
		return
	}
	kept := *n
	kept.keys, kept.vals = nil, nil
	for i, k := range n.keys {
		v := n.vals[i]
		switch {
		case proseKeys[k], strings.HasPrefix(k, "x-"),
			d == Shape && (boundKeys[k] || k == "additionalProperties" && (v.kind == 'f' || v.kind == 't')),
			k == "default" && v.kind == '"' && len(v.str) >= longDefault && strings.Contains(v.str, " "):
			continue
		case k == "description" && v.kind == '"':
			s := FirstSentence(v.str)
			if s == "" {
				continue
			}
			v = text(s)
		}
		kept.keys, kept.vals = append(kept.keys, k), append(kept.vals, v)
	}
	*n = kept
	eachBelow(n, func(_ string, c *node) { brief(c, d) })
}
