package schema_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ferrule/ferrule/internal/cases"
	"github.com/ferrule/ferrule/internal/dialects"
	"github.com/ferrule/ferrule/schema"
)

func alike(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// TestFieldLogDialects: the log's refused schemas in the dialect of whom refused
// them, and the names.
func TestFieldLogDialects(t *testing.T) {
	ran := 0
	for line := range cases.Lines(t, "fieldlog/cases.jsonl") {
		var c struct {
			ID    string
			Kind  int
			Input struct {
				Schema    json.RawMessage
				Dialect   string
				ToolNames []string `json:"tool_names"`
			}
			Expect struct {
				Schema         json.RawMessage
				Alternatives   []json.RawMessage
				MustNotContain []string `json:"must_not_contain"`
				Required       []string `json:"keeps_required"`
			}
		}
		if json.Unmarshal(line, &c) != nil || c.Kind != 3 || c.Input.Schema == nil && c.Input.ToolNames == nil {
			continue
		}
		ran++
		t.Run(c.ID, func(t *testing.T) {
			if c.Input.ToolNames != nil {
				namesPass(t, c.Input.Dialect, c.Input.ToolNames)
				return
			}
			out, notes, err := schema.In(c.Input.Dialect, c.Input.Schema)
			if err != nil {
				t.Fatal(err)
			}
			if want := c.Expect.Schema; want != nil && !alike(out, want) {
				t.Errorf("got  %s\nwant %s\n%v", out, want, notes)
			}
			if len(c.Expect.Alternatives) > 0 {
				fits := false
				for _, want := range c.Expect.Alternatives {
					fits = fits || alike(out, want)
				}
				if !fits {
					t.Errorf("%s is none of %s", out, c.Expect.Alternatives)
				}
			}
			for _, word := range c.Expect.MustNotContain {
				if strings.Contains(string(out), `"`+word+`"`) {
					t.Errorf("%s has %s", out, word)
				}
			}
			for _, name := range c.Expect.Required {
				if !strings.Contains(string(out), `"`+name+`"`) {
					t.Errorf("%s lost %s", out, name)
				}
			}
			valid(t, c.Input.Dialect, out)
		})
	}
	if t.Logf("%d cases", ran); ran < 16 {
		t.Errorf("only %d cases", ran)
	}
}

func namesPass(t *testing.T, dialect string, names []string) {
	t.Helper()
	out := schema.Names(dialect, names)
	seen := map[string]bool{}
	for i, n := range out {
		if !regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`).MatchString(n) || dialect == "gemini" && !regexp.MustCompile(`^[a-zA-Z_]`).MatchString(n) {
			t.Errorf("%q became %q, which isn't taken", names[i], n)
		}
		if seen[n] {
			t.Errorf("two names became %q: %q", n, names)
		}
		seen[n] = true
	}
}

// TestNames: a name that passes stays; the others differ, and stay the same
// whatever stands beside them.
func TestNames(t *testing.T) {
	for _, d := range schema.Dialects() {
		names := []string{"read_file", "a.b", "a_b", "9lives", "ä", "", strings.Repeat("x", 65), strings.Repeat("x", 66), "db::run", "a/b"}
		namesPass(t, d, names)
		if got := schema.Names(d, names); got[0] != "read_file" || got[2] != "a_b" {
			t.Errorf("%s: %q", d, got)
		}
		alone := schema.Names(d, []string{"a.b"})[0]
		if got := schema.Names(d, []string{"x", "a.b", "y"})[1]; got != alone {
			t.Errorf("%s: a.b is %q, and %q among others", d, alone, got)
		}
		// Somebody who gives a tool the name that another would get changes nothing of his own.
		clash := schema.Names(d, []string{alone, "a.b"})
		if clash[0] != alone || clash[1] == alone {
			t.Errorf("%s: %q", d, clash)
		}
	}
}

// valid holds a schema to the rules of a dialect.
func valid(t interface {
	Helper()
	Errorf(string, ...any)
}, dialect string, src []byte,
) {
	t.Helper()
	for _, wrong := range dialects.Wrong(dialect, src) {
		t.Errorf("%s", wrong)
	}
}

// genSchema draws schemas of tools, odd ones too.
func genSchema() *rapid.Generator[map[string]any] {
	names := rapid.SampledFrom([]string{"a", "b", "items", "city", "x-y"})
	var gen func(depth int) *rapid.Generator[any]
	gen = func(depth int) *rapid.Generator[any] {
		return rapid.Custom(func(t *rapid.T) any {
			kinds := []string{"string", "integer", "boolean", "enum", "const", "none", "true", "types", "nulltype", "pattern", "mixed", "ref"}
			if depth > 0 {
				kinds = append(kinds, "object", "array", "anyOf", "oneOf", "allOf", "bareArray", "nullable", "consts")
			}
			s := map[string]any{}
			if rapid.Bool().Draw(t, "described") {
				s["description"] = "what it is"
			}
			sub := func(name string) any { return gen(depth-1).Draw(t, name) }
			switch k := rapid.SampledFrom(kinds).Draw(t, "kind"); k {
			case "string", "integer", "boolean":
				s["type"] = k
			case "enum":
				s["enum"] = []any{"x", "y"}
			case "mixed":
				s["enum"] = []any{1, "", nil, "x"}
			case "const":
				s["const"] = rapid.SampledFrom([]any{"x", 3, true}).Draw(t, "const")
			case "true":
				return true
			case "types":
				s["type"] = []any{"string", "array"}
			case "nulltype":
				s["type"] = []any{"integer", "null"}
			case "pattern":
				s["type"], s["pattern"], s["maxLength"] = "string", `\d+`, 100000
			case "ref":
				s = map[string]any{"$ref": "#/$defs/D"}
			case "object":
				props := map[string]any{}
				for range rapid.IntRange(0, 3).Draw(t, "n") {
					props[names.Draw(t, "name")] = sub("prop")
				}
				s["type"], s["properties"] = "object", props
				if rapid.Bool().Draw(t, "required") {
					s["required"] = []any{names.Draw(t, "required name")}
				}
				s["additionalProperties"] = rapid.SampledFrom([]any{true, false, map[string]any{"type": "string"}}).Draw(t, "more")
			case "array":
				s["type"], s["items"] = "array", sub("items")
			case "bareArray":
				s["type"] = "array"
			case "anyOf", "oneOf", "allOf":
				s[k] = []any{sub("first"), sub("second")}
			case "nullable":
				s["anyOf"] = []any{sub("one"), map[string]any{"type": "null"}}
			case "consts":
				s["anyOf"] = []any{map[string]any{"const": "p"}, map[string]any{"const": "q"}}
			}
			return s
		})
	}
	return rapid.Custom(func(t *rapid.T) map[string]any {
		s, ok := gen(3).Draw(t, "root").(map[string]any)
		if !ok {
			s = map[string]any{}
		}
		s["$defs"] = map[string]any{"D": map[string]any{"type": "object", "properties": map[string]any{"next": map[string]any{"$ref": "#/$defs/D"}, "v": gen(1).Draw(t, "def")}}}
		return s
	})
}

// TestEverySchemaIsValidInEveryDialect: whatever compiles comes out valid by the
// dialect's own rules, is a schema itself, and comes out the same once more.
func TestEverySchemaIsValidInEveryDialect(t *testing.T) {
	for _, d := range schema.Dialects() {
		t.Run(d, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				src, err := json.Marshal(genSchema().Draw(t, "schema"))
				if err != nil {
					t.Fatal(err)
				}
				out, _, err := schema.In(d, src)
				if err != nil {
					t.Fatal(err)
				}
				if d == schema.Permissive {
					if !bytes.Equal(out, src) {
						t.Fatalf("%s became %s", src, out)
					}
					return
				}
				valid(t, d, out)
				if _, err := schema.Compile(out); err != nil {
					t.Fatalf("%s became %s: %v", src, out, err)
				}
				again, _, err := schema.In(d, out)
				if err != nil || !alike(again, out) {
					t.Fatalf("%s\nbecame %s\nand then %s", src, out, again)
				}
			})
		})
	}
}

// FuzzDialects: any bytes come out as JSON that the dialect takes, or as an error.
func FuzzDialects(f *testing.F) {
	f.Add([]byte(`{"type":"object","properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"anyOf":[{"$ref":"#/$defs/A"},{"type":"null"}]}}}`))
	f.Add([]byte(`{"allOf":[{"$ref":"#"}],"properties":null}`))
	f.Add([]byte(`true`))
	f.Add([]byte(`{"properties":{"a":{"enum":[]}}}`))
	f.Fuzz(func(t *testing.T, src []byte) {
		for _, d := range schema.Dialects() {
			out, _, err := schema.In(d, src)
			if err == nil && d != schema.Permissive && !json.Valid(out) {
				t.Fatalf("%s: %s became %s", d, src, out)
			}
			if len(out) > 200*len(src)+1<<20 {
				t.Fatalf("%s: %d bytes became %d", d, len(src), len(out))
			}
		}
	})
}
