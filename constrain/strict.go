package constrain

import (
	"bytes"

	"github.com/ferrule/ferrule/rawjson"
)

// strictTakes are the keywords that every server with strict schemas takes. The
// others go: an answer is checked against the whole schema anyway.
var strictTakes = words("type", "properties", "required", "additionalProperties", "items", "enum", "anyOf", "$ref", "$defs", "description")

// strictKeeps are keywords without which a schema would mean something else.
var strictKeeps = words("patternProperties", "prefixItems", "allOf", "unevaluatedProperties")

// strictly returns a schema in which every object is closed and all its fields
// are required, those that weren't with null for none. ok is false where that
// would keep out what the schema takes.
func strictly(src []byte) (out []byte, ok bool) {
	ok = true
	out = mapSchema(src, func(s []byte) []byte {
		s = strictWords(s, &ok)
		switch kind, _ := textAt(s, "type"); {
		case has(s, "properties"):
			return strictObject(s, &ok)
		case kind == "object", kind == "array" && !has(s, "items"):
			ok = false
		case !has(s, "type") && !has(s, "enum") && !has(s, "anyOf") && !has(s, "$ref"):
			ok = false
		}
		return s
	})
	return out, ok
}

func strictWords(s []byte, ok *bool) []byte {
	var cs []rawjson.Change
	_ = rawjson.Members(s, func(k, v []byte) bool {
		switch key := string(k); {
		case strictKeeps[key]:
			*ok = false
		case key == "const":
			cs = append(cs, rawjson.Change{Key: key}, rawjson.Change{Key: "enum", Value: append(append([]byte("["), v...), ']')})
		case key == "oneOf":
			cs = append(cs, rawjson.Change{Key: key}, rawjson.Change{Key: "anyOf", Value: v})
		case key == "items" && rawjson.Kind(v) != '{':
			*ok = false
		case !strictTakes[key]:
			cs = append(cs, rawjson.Change{Key: key})
		}
		return true
	})
	return edit(s, cs...)
}

var null = []byte(`{"type":"null"}`)

func strictObject(s []byte, ok *bool) []byte {
	if more, has := rawjson.Get(s, "additionalProperties"); has && string(more) != "false" {
		*ok = false
	}
	must := map[string]bool{}
	if v, has := rawjson.Get(s, "required"); has {
		_ = rawjson.Elements(v, func(e []byte) bool {
			name, _ := rawjson.String(e)
			must[name] = true
			return true
		})
	}
	props, _ := rawjson.Get(s, "properties")
	all, fields := []byte("["), []byte("{")
	_ = rawjson.Members(props, func(k, v []byte) bool {
		if len(all) > 1 {
			all, fields = append(all, ','), append(fields, ',')
		}
		name := string(k)
		all = rawjson.AppendString(all, name)
		fields = append(rawjson.AppendString(fields, name), ':')
		switch {
		case must[name]:
			fields = append(fields, v...)
		case takesNull(v):
			*ok = false
		default:
			fields = append(append(append(append(append(fields, `{"anyOf":[`...), v...), ','), null...), "]}"...)
		}
		delete(must, name)
		return true
	})
	if len(must) > 0 { // a field that must be there and isn't told of
		*ok = false
	}
	return edit(s,
		rawjson.Change{Key: "properties", Value: append(fields, '}')},
		rawjson.Change{Key: "required", Value: append(all, ']')},
		rawjson.Change{Key: "additionalProperties", Value: []byte("false")})
}

// takesNull reports whether null may be a value of its own under a schema; for
// one that leads elsewhere that isn't known.
func takesNull(s []byte) bool {
	for _, key := range []string{"type", "enum", "anyOf"} {
		if v, ok := rawjson.Get(s, key); ok && bytes.Contains(v, []byte("null")) {
			return true
		}
	}
	return has(s, "$ref")
}
