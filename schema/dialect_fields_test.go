package schema_test

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"github.com/ferrule/ferrule/internal/dialects"
	"github.com/ferrule/ferrule/schema"
)

// TestFieldsComeBack: what a dialect calls otherwise is called so in calls too,
// and comes back under its own name (F063).
func TestFieldsComeBack(t *testing.T) {
	const src = `{"type":"object","properties":{"items":{"type":"array","items":{"$ref":"#/$defs/D"}},"get":{"type":"string"},"values":{"type":"string"},"values_":{"type":"string"},"map":{"type":"object","additionalProperties":{"type":"object","properties":{"keys":{"type":"string"}}}}},"$defs":{"D":{"type":"object","properties":{"update":{"anyOf":[{"type":"string"},{"type":"object","properties":{"pop":{"type":"integer"}}}]}}}}}`
	for _, c := range []struct{ own, theirs string }{
		{`{"items": [{"update": {"pop": 1.0}}], "get": "x"}`, `{"items_":[{"update_":{"pop_":1.0}}],"get_":"x"}`},
		{`{"map": {"keys": {"keys": "k"}}}`, `{"map":{"keys":{"keys_":"k"}}}`},
		{`{"values": "a", "values_": "b"}`, `{"values": "a", "values_": "b"}`},
		{`{"other": {"items": 1}}`, `{"other": {"items": 1}}`},
		{`{"items":`, `{"items":`},
		{`[1]`, `[1]`},
	} {
		if got := string(schema.Theirs("lmstudio", []byte(src), []byte(c.own))); got != c.theirs {
			t.Errorf("%s became %s, want %s", c.own, got, c.theirs)
		}
		back := schema.Ours("lmstudio", []byte(src), []byte(c.theirs))
		if !alike(back, []byte(c.own)) && string(back) != c.own {
			t.Errorf("%s came back as %s", c.theirs, back)
		}
		if got := string(schema.Theirs("openai", []byte(src), []byte(c.own))); got != c.own {
			t.Errorf("a dialect that renames nothing made %s", got)
		}
	}
}

// TestFieldsRoundTrip: any value of any schema passes its dialect once its
// fields are called so, and comes back as it was.
func TestFieldsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		field, other := genSchema().Draw(t, "field"), genSchema().Draw(t, "other")
		root := map[string]any{"type": "object", "properties": map[string]any{"items": field, "b": other}, "$defs": field["$defs"]}
		delete(field, "$defs")
		delete(other, "$defs")
		src, _ := json.Marshal(root)
		var plain map[string]any
		_ = json.Unmarshal(src, &plain)
		b, _ := json.Marshal(drawValue(t, plain, plain, 0))
		own, err := schema.Compile(src)
		if err != nil || own.Check(b) != nil {
			return
		}
		theirs := schema.Theirs("lmstudio", src, b)
		if back := schema.Ours("lmstudio", src, theirs); !alike(back, b) {
			t.Fatalf("%s: %s became %s and came back as %s", src, b, theirs, back)
		}
		out, notes, err := schema.In("lmstudio", src)
		if err != nil {
			t.Fatal(err)
		}
		var d map[string]any
		_ = json.Unmarshal(out, &d)
		for i := range notes {
			if notes[i].What == "a schema that holds itself is cut: an object from here on" || notes[i].What == "it may not be there: left out" {
				return
			}
		}
		if !dialects.Holds(d, jsonValue(theirs)) {
			t.Fatalf("%s: %s became %s, which %s doesn't take", src, b, theirs, out)
		}
	})
}
