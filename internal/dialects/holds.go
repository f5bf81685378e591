package dialects

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Holds reports whether a model that keeps to a schema in some provider's
// dialect can write a value: as JSON Schema has it, but that `nullable` lets null
// in, an option of text stands for a number or a truth of the same spelling, and
// null stands for a field that must be there and isn't.
func Holds(root map[string]any, value any) bool { return holder{root}.holds(root, value, 0) }

type holder struct{ root map[string]any }

const deepest = 64

func (h holder) holds(schema, v any, depth int) bool {
	if depth > deepest {
		return true
	}
	s, ok := schema.(map[string]any)
	if !ok {
		return schema != false
	}
	if ref, ok := s["$ref"].(string); ok {
		if to := h.at(ref); to != nil && !h.holds(to, v, depth+1) {
			return false
		}
	}
	if v == nil && s["nullable"] == true {
		return true
	}
	return h.kind(s, v) && h.options(s, v) && h.bounds(s, v) && h.fields(s, v, depth) && h.items(s, v, depth) && h.choices(s, v, depth)
}

func (h holder) at(ref string) any {
	var at any = h.root
	for _, key := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
		m, ok := at.(map[string]any)
		if !ok || ref == "#" {
			return h.root
		}
		at = m[key]
	}
	return at
}

func (h holder) kind(s map[string]any, v any) bool {
	var kinds []any
	switch t := s["type"].(type) {
	case string:
		kinds = []any{t}
	case []any:
		kinds = t
	default:
		return true
	}
	return slices.ContainsFunc(kinds, func(k any) bool {
		switch v := v.(type) {
		case nil:
			return k == "null"
		case bool:
			return k == "boolean" || k == "string" && s["enum"] != nil
		case float64:
			return k == "number" || k == "integer" && v == float64(int64(v)) || k == "string" && s["enum"] != nil
		case string:
			return k == "string"
		case []any:
			return k == "array"
		}
		return k == "object"
	})
}

func (h holder) options(s map[string]any, v any) bool {
	same := func(o any) bool {
		text, isText := o.(string)
		return reflect.DeepEqual(o, v) || isText && text == fmt.Sprint(v)
	}
	if list, ok := s["enum"].([]any); ok && !slices.ContainsFunc(list, same) {
		return false
	}
	c, ok := s["const"]
	return !ok || same(c)
}

func (h holder) bounds(s map[string]any, v any) bool {
	size := -1.0
	least, most := "minimum", "maximum"
	switch v := v.(type) {
	case float64:
		size = v
	case string:
		size, least, most = float64(len([]rune(v))), "minLength", "maxLength"
	case []any:
		size, least, most = float64(len(v)), "minItems", "maxItems"
	default:
		return true
	}
	lo, low := s[least].(float64)
	hi, high := s[most].(float64)
	return (!low || size >= lo) && (!high || size <= hi)
}

func (h holder) fields(s map[string]any, v any, depth int) bool {
	o, ok := v.(map[string]any)
	if !ok {
		return true
	}
	props, _ := s["properties"].(map[string]any)
	if need, ok := s["required"].([]any); ok {
		for _, k := range need {
			name, _ := k.(string)
			if _, there := o[name]; !there && !(props[name] != nil && h.holds(props[name], nil, depth+1)) {
				return false
			}
		}
	}
	for k, field := range o {
		p, known := props[k]
		switch more := s["additionalProperties"]; {
		case known && !h.holds(p, field, depth+1):
			return false
		case !known && more != nil && !h.holds(more, field, depth+1):
			return false
		}
	}
	return true
}

func (h holder) items(s map[string]any, v any, depth int) bool {
	list, ok := v.([]any)
	if !ok || s["items"] == nil {
		return true
	}
	return !slices.ContainsFunc(list, func(e any) bool { return !h.holds(s["items"], e, depth+1) })
}

func (h holder) choices(s map[string]any, v any, depth int) bool {
	fits := func(b any) bool { return h.holds(b, v, depth+1) }
	for _, key := range []string{"anyOf", "oneOf"} {
		if list, ok := s[key].([]any); ok && !slices.ContainsFunc(list, fits) {
			return false
		}
	}
	all, _ := s["allOf"].([]any)
	return !slices.ContainsFunc(all, func(b any) bool { return !fits(b) })
}
