package schema

// holds says how subschemas stand below a keyword.
type holds uint8

const (
	oneSchema holds = iota + 1
	manySchemas
	namedSchemas
	oneOrMany    // items of the older drafts
	namedOrLists // dependencies of the older drafts: a schema or a list of names
)

// below lists the keywords with subschemas. What stands under any other keyword
// is data: a "$ref" in a default or an enum is no reference.
var below = map[string]holds{
	"properties": namedSchemas, "patternProperties": namedSchemas, "dependentSchemas": namedSchemas,
	"$defs": namedSchemas, "definitions": namedSchemas, "dependencies": namedOrLists,
	"allOf": manySchemas, "anyOf": manySchemas, "oneOf": manySchemas, "prefixItems": manySchemas,
	"items": oneOrMany, "additionalItems": oneSchema, "unevaluatedItems": oneSchema, "contains": oneSchema,
	"additionalProperties": oneSchema, "unevaluatedProperties": oneSchema, "propertyNames": oneSchema,
	"not": oneSchema, "if": oneSchema, "then": oneSchema, "else": oneSchema, "contentSchema": oneSchema,
}

// definitions are kept aside: nothing is checked against them but by reference.
var definitions = map[string]bool{"$defs": true, "definitions": true}

var references = []string{"$ref", "$dynamicRef", "$recursiveRef"}

// accepts tells what kind of JSON value a keyword takes, as a set of node
// kinds; a keyword with anything else is no keyword of any draft.
var accepts = map[string]string{
	"properties": "{", "patternProperties": "{", "dependentSchemas": "{", "dependentRequired": "{",
	"$defs": "{", "definitions": "{", "dependencies": "{",
	"allOf": "[", "anyOf": "[", "oneOf": "[", "prefixItems": "[", "enum": "[", "examples": "[", "required": "[t",
	"type": "\"[{", "items": "{[tf", "additionalItems": "{tf", "unevaluatedItems": "{tf", "contains": "{tf",
	"additionalProperties": "{tf", "unevaluatedProperties": "{tf", "propertyNames": "{tf",
	"not": "{tf", "if": "{tf", "then": "{tf", "else": "{tf", "contentSchema": "{tf",
	"minimum": "0", "maximum": "0", "exclusiveMinimum": "0tf", "exclusiveMaximum": "0tf", "multipleOf": "0",
	"minLength": "0", "maxLength": "0", "minItems": "0", "maxItems": "0", "minProperties": "0", "maxProperties": "0",
	"minContains": "0", "maxContains": "0", "uniqueItems": "tf",
	"pattern": "\"", "format": "\"", "title": "\"", "description": "\"", "$ref": "\"", "$dynamicRef": "\"",
	"$recursiveRef": "\"", "$anchor": "\"", "$dynamicAnchor": "\"", "$id": "\"", "$schema": "\"", "$comment": "\"",
	"contentEncoding": "\"", "contentMediaType": "\"", "$recursiveAnchor": "tf",
	"readOnly": "tf", "writeOnly": "tf", "deprecated": "tf", "$vocabulary": "{",
}

// eachBelow calls f with every subschema directly below n.
func eachBelow(n *node, f func(keyword string, child *node)) {
	if n.kind != '{' {
		return
	}
	for i, k := range n.keys {
		v := n.vals[i]
		switch how := below[k]; {
		case how == 0:
		case v.kind == '[' && (how == manySchemas || how == oneOrMany),
			v.kind == '{' && (how == namedSchemas || how == namedOrLists):
			for _, c := range v.vals {
				if how != namedOrLists || c.kind != '[' {
					f(k, c)
				}
			}
		case how == oneSchema || how == oneOrMany:
			f(k, v)
		}
	}
}
