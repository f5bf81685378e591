package jsonmend_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ferrule/ferrule/jsonmend"
)

// awkward are texts that a value may hold, and that look like JSON or its faults.
var awkward = []string{
	"x", "it's", "dogs'", `say "hi"`, `"a", "b"`, `{"a": 1}`, `[1, "x"]`, "}", "]", "{", ",", ":", ", ", `": "`, "\n", "\t", `\`, `\"`, `\n`,
	`C:\new\temp`, `\d+\.\w`, `\bfoo\b`, `\frac{a}{b}`, `\\server\share`, "http://x.y/z?a=b#c", "//cdn.x/y.js", "// done", "/* c */", "# Title",
	"```json\n{}\n```", `echo "a" && echo 'b'`, `'\''`, `<a href="x">y</a>`, "“q”", "é", "你好，世界：", `f("x", 'y')`, "note: 5", `5" tall`, "...", "…",
	"</x>", "<|im_end|>", ")", "(", "0", "true", "null", "a: v\nother: true\n",
}

// writer writes a value as models do, with one kind of fault all over.
type writer struct {
	quote, next, colon, end string
	bare, python            bool
	escapes                 *strings.Replacer
}

func standard() writer {
	return writer{quote: `"`, next: ", ", colon: ": ", escapes: strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`)}
}

// faults change one thing of what is right.
var faults = map[string]func(*writer){
	"bare keys":      func(w *writer) { w.bare = true },
	"extra commas":   func(w *writer) { w.end = "," },
	"lines":          func(w *writer) { w.next = "\n" },
	"comments":       func(w *writer) { w.next = ", // the next\n" },
	"block comments": func(w *writer) { w.next = " /* don't */, " },
	"odd spaces":     func(w *writer) { w.colon = ":\u00a0" },
	"full width":     func(w *writer) { w.next, w.colon = "，", "：" },
	"inner quotes":   func(w *writer) { w.escapes = strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\t", `\t`) },
	"controls":       func(w *writer) { w.escapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`) },
	"Python": func(w *writer) {
		w.quote, w.python = "'", true
		w.escapes = strings.NewReplacer(`\`, `\\`, "'", `\'`, "\n", `\n`, "\t", `\t`)
	},
	"apostrophes": func(w *writer) {
		w.quote, w.escapes = "'", strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\t", `\t`)
	},
}

func (w writer) text(s string) string { return w.quote + w.escapes.Replace(s) + w.quote }

func (w writer) write(v any) string {
	var parts []string
	switch v := v.(type) {
	case string:
		return w.text(v)
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			key := k
			if !w.bare {
				key = w.text(k)
			}
			parts = append(parts, key+w.colon+w.write(v[k]))
		}
		return "{" + strings.Join(parts, w.next) + w.trailing(parts) + "}"
	case []any:
		for _, e := range v {
			parts = append(parts, w.write(e))
		}
		return "[" + strings.Join(parts, w.next) + w.trailing(parts) + "]"
	}
	b, _ := json.Marshal(v)
	if w.python {
		return map[string]string{"true": "True", "false": "False", "null": "None"}[string(b)]
	}
	return string(b)
}

func (w writer) trailing(parts []string) string {
	if len(parts) == 0 {
		return ""
	}
	return w.end
}

func awkwardValue(t *rapid.T, depth int) any {
	switch k := rapid.IntRange(0, 9).Draw(t, "kind"); {
	case k < 6 || depth == 0:
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(awkward), 0, 3).Draw(t, "text"), rapid.SampledFrom([]string{"", " "}).Draw(t, "gap"))
	case k < 7:
		return rapid.SampledFrom([]any{true, false, nil}).Draw(t, "literal")
	case k < 8:
		list := []any{}
		for range rapid.IntRange(0, 3).Draw(t, "n") {
			list = append(list, awkwardValue(t, depth-1))
		}
		return list
	}
	return awkwardObject(t, depth-1)
}

func awkwardObject(t *rapid.T, depth int) map[string]any {
	object := map[string]any{}
	for _, k := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"path", "force", "a", "b", "old_str", "mode"}), 1, 4, rapid.ID[string]).Draw(t, "keys") {
		object[k] = awkwardValue(t, depth)
	}
	return object
}

// TestRightOrRefused: what one kind of fault broke comes back as it was meant, or
// not at all.
func TestRightOrRefused(t *testing.T) {
	names := slices.Sorted(maps.Keys(faults))
	rapid.Check(t, func(t *rapid.T) {
		v := awkwardObject(t, 2)
		w := standard()
		name := rapid.SampledFrom(names).Draw(t, "fault")
		faults[name](&w)
		in := w.write(v)
		r, err := jsonmend.Mend([]byte(in), jsonmend.Options{Stopped: rapid.Bool().Draw(t, "stopped")})
		if err != nil || r.Repairs == nil {
			return // refused, or JSON all the same
		}
		var got any
		if err := json.Unmarshal(r.Value, &got); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(any(v), got); d != "" {
			t.Fatalf("%s\n in  %s\n got %s\n (-meant +got):\n%s", name, in, r.Value, d)
		}
	})
}
