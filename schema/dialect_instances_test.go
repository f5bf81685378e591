package schema_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ferrule/ferrule/internal/dialects"
	"github.com/ferrule/ferrule/schema"
)

// narrow are the notes that say that a dialect leaves no room for some of what
// the schema takes. Whatever else is lost only widens, for the client's own
// schema is what calls are checked against.
var narrow = []string{
	"a schema that holds itself is cut", "of a choice the first", "of several types the first", "the empty option is left out",
	"it may not be there: left out", "it is called", "no other fields may be there", "nothing is said of them: texts",
	"of the root is one object now", "that isn't defined is left out", "of any value",
}

func narrows(notes []schema.Note) bool {
	return slices.ContainsFunc(notes, func(n schema.Note) bool {
		return slices.ContainsFunc(narrow, func(w string) bool { return strings.Contains(n.What, w) })
	})
}

// drawValue makes a value that a schema is likely to take.
func drawValue(t *rapid.T, root map[string]any, s any, depth int) any {
	o, ok := s.(map[string]any)
	if !ok || depth > 6 {
		return rapid.SampledFrom([]any{"t", 1.0, nil}).Draw(t, "any")
	}
	if o["$ref"] != nil {
		return drawValue(t, root, root["$defs"].(map[string]any)["D"], depth+1)
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf"} {
		if list, ok := o[key].([]any); ok {
			return drawValue(t, root, rapid.SampledFrom(list).Draw(t, key), depth+1)
		}
	}
	if list, ok := o["enum"].([]any); ok {
		return rapid.SampledFrom(list).Draw(t, "option")
	}
	if c, ok := o["const"]; ok {
		return c
	}
	kind, _ := o["type"].(string)
	if list, ok := o["type"].([]any); ok {
		kind = rapid.SampledFrom(list).Draw(t, "type").(string)
	}
	switch kind {
	case "string":
		return rapid.SampledFrom([]string{"", "7", "x", "two words"}).Draw(t, "text")
	case "integer":
		return float64(rapid.IntRange(-3, 9).Draw(t, "number"))
	case "boolean":
		return rapid.Bool().Draw(t, "truth")
	case "null":
		return nil
	case "array":
		var list []any
		for range rapid.IntRange(0, 2).Draw(t, "length") {
			list = append(list, drawValue(t, root, o["items"], depth+1))
		}
		return append([]any{}, list...)
	case "object":
		v := map[string]any{}
		props, _ := o["properties"].(map[string]any)
		for _, k := range slices.Sorted(maps.Keys(props)) {
			if rapid.IntRange(0, 3).Draw(t, "there") > 0 {
				v[k] = drawValue(t, root, props[k], depth+1)
			}
		}
		if need, ok := o["required"].([]any); ok && props[fmt.Sprint(need[0])] != nil {
			v[fmt.Sprint(need[0])] = drawValue(t, root, props[fmt.Sprint(need[0])], depth+1)
		}
		if more := o["additionalProperties"]; more != nil && more != false && rapid.IntRange(0, 3).Draw(t, "more") == 0 {
			v["more"] = "m"
		}
		return v
	}
	return rapid.SampledFrom([]any{"t", 1.0, true}).Draw(t, "any")
}

// TestInstancesStayValid: what a schema takes a model can still write in every
// dialect, but where a note says that it can't.
func TestInstancesStayValid(t *testing.T) {
	for _, d := range schema.Dialects() {
		t.Run(d, func(t *testing.T) {
			checked, lost := 0, 0
			rapid.Check(t, func(t *rapid.T) {
				field, other := genSchema().Draw(t, "field"), genSchema().Draw(t, "other")
				root := map[string]any{"type": "object", "properties": map[string]any{"field": field, "items": other}, "$defs": field["$defs"]}
				delete(field, "$defs")
				delete(other, "$defs")
				src, err := json.Marshal(root)
				if err != nil {
					t.Fatal(err)
				}
				var plain map[string]any
				_ = json.Unmarshal(src, &plain)
				value := drawValue(t, plain, plain, 0)
				if _, isObject := value.(map[string]any); !isObject {
					return // arguments are an object
				}
				b, _ := json.Marshal(value)
				own, err := schema.Compile(src)
				if err != nil || own.Check(b) != nil {
					return
				}
				out, notes, err := schema.In(d, src)
				if err != nil {
					t.Fatal(err)
				}
				var theirs map[string]any
				if err := json.Unmarshal(out, &theirs); err != nil {
					t.Fatal(err)
				}
				checked++
				if dialects.Holds(theirs, jsonValue(b)) {
					return
				}
				if lost++; !narrows(notes) {
					t.Fatalf("%s takes\n%s, and\n%s doesn't. Notes: %+v", src, b, out, notes)
				}
			})
			t.Logf("%d instances, %d that a note tells of", checked, lost)
		})
	}
}

func jsonValue(b []byte) (v any) {
	_ = json.Unmarshal(b, &v)
	return v
}
