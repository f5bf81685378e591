package args_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"

	"github.com/ferrule/ferrule/args"
	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/internal/cases"
	"github.com/ferrule/ferrule/rawjson"
	"github.com/ferrule/ferrule/schema"
)

// laws hold for whatever is read: what comes out passes the tool's schema, what
// was right is as it was, reading again changes nothing, and no text comes out
// that didn't go in, unless it is the schema's own.
func laws(t interface{ Errorf(string, ...any) }, tool chat.Tool, in []byte, stopped bool) {
	set, err := args.Compile([]chat.Tool{tool}, args.Options{Parallel: true})
	if err != nil {
		return
	}
	sc, _ := set.Schema(tool.Name)
	r := set.Read(chat.Written{Name: tool.Name, JSON: in, Stopped: stopped})
	if (r.Problems == nil) == (len(r.Calls) == 0) {
		t.Errorf("%s: calls %d, problems %v", in, len(r.Calls), r.Problems)
	}
	for _, c := range r.Calls {
		if bad := sc.Check(c.Args); bad != nil {
			t.Errorf("%s became %s, which doesn't pass: %v", in, c.Args, bad)
		}
		if rawjson.Valid(in, schema.MaxNesting) == nil && sc.Check(in) == nil && !bytes.Equal(c.Args, in) {
			if _, twice := rawjson.Doubled(in); !twice && rawjson.Kind(in) == '{' {
				t.Errorf("%s was right and became %s", in, c.Args)
			}
		}
		again := set.Read(chat.Written{Name: tool.Name, JSON: c.Args})
		if again.Problems != nil || !bytes.Equal(again.Calls[0].Args, c.Args) || again.Repairs != nil {
			t.Errorf("%s, read again, became %+v", c.Args, again)
		}
		own := letters(tool.Schema)
		said := letters(in)
		texts(c.Args, func(s string) {
			if l := letters([]byte(s)); !within(l, said) && !within(l, own) {
				t.Errorf("%s became %s: where is %q from?", in, c.Args, s)
			}
		})
	}
}

// letters are what is left of a text without the marks that quote and escape,
// with the letters that are written as \uXXXX, in any layer of JSON text.
func letters(b []byte) string {
	s := string(b)
	for range 4 {
		s = escaped.ReplaceAllStringFunc(s, func(e string) string {
			n, _ := strconv.ParseUint(e[len(e)-4:], 16, 16)
			return string(utf16.Decode([]uint16{uint16(n)}))
		})
	}
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r == '\ufffd' || strings.ContainsRune("\"'`\\/", r) {
			return -1
		}
		return r
	}, s)
}

var escaped = regexp.MustCompile(`\\+u[0-9a-fA-F]{4}`)

// within reports whether the letters of s stand in order in those of t.
func within(s, t string) bool {
	rest := []rune(t)
	for _, r := range s {
		i := slices.Index(rest, r)
		if i < 0 {
			return false
		}
		rest = rest[i+1:]
	}
	return true
}

// texts calls f with each string of a JSON value, keys too.
func texts(v []byte, f func(string)) {
	switch rawjson.Kind(v) {
	case '"':
		s, _ := rawjson.String(v)
		f(s)
	case '{':
		_ = rawjson.Members(v, func(k, val []byte) bool {
			f(string(k))
			texts(val, f)
			return true
		})
	case '[':
		_ = rawjson.Elements(v, func(e []byte) bool {
			texts(e, f)
			return true
		})
	}
}

// drawSchema makes a schema of the kinds that tools have, at most depth deep.
func drawSchema(t *rapid.T, depth int) map[string]any {
	kinds := []string{"string", "integer", "number", "boolean", "enum", "nullable", "union"}
	if depth > 0 {
		kinds = append(kinds, "object", "object", "array", "oneOf")
	}
	switch k := rapid.SampledFrom(kinds).Draw(t, "kind"); k {
	case "enum":
		return map[string]any{"enum": []any{"celsius", "fahrenheit", "kelvin low"}}
	case "nullable":
		return map[string]any{"type": []any{rapid.SampledFrom([]string{"string", "integer"}).Draw(t, "or"), "null"}}
	case "union":
		return map[string]any{"anyOf": []any{map[string]any{"type": "integer"}, map[string]any{"type": "boolean"}}}
	case "array":
		return map[string]any{"type": "array", "items": drawSchema(t, depth-1)}
	case "oneOf":
		a, b := drawObject(t, depth-1), drawObject(t, depth-1)
		a["properties"].(map[string]any)["op"] = map[string]any{"const": "first"}
		b["properties"].(map[string]any)["op"] = map[string]any{"const": "second"}
		return map[string]any{"oneOf": []any{a, b}}
	case "object":
		return drawObject(t, depth)
	default:
		return map[string]any{"type": k}
	}
}

var fieldNames = []string{"path", "max_results", "filePath", "limit", "query", "a", "options"}

func drawObject(t *rapid.T, depth int) map[string]any {
	ps := map[string]any{}
	var required []any
	for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(fieldNames), 1, 4, rapid.ID).Draw(t, "fields") {
		ps[name] = drawSchema(t, depth-1)
		if rapid.Bool().Draw(t, "required") {
			required = append(required, name)
		}
	}
	o := map[string]any{"type": "object", "properties": ps}
	if required != nil {
		o["required"] = required
	}
	if rapid.Bool().Draw(t, "closed") {
		o["additionalProperties"] = false
	}
	return o
}

// drawValue makes what a model may send: near what fits, or anything.
func drawValue(t *rapid.T, depth int) any {
	kinds := []string{"text", "int", "float", "bool", "null", "word", "number text", "bool text"}
	if depth > 0 {
		kinds = append(kinds, "object", "object", "list", "json text")
	}
	switch rapid.SampledFrom(kinds).Draw(t, "value") {
	case "int":
		return rapid.IntRange(-5, 500).Draw(t, "int")
	case "float":
		return 2.5
	case "bool":
		return rapid.Bool().Draw(t, "bool")
	case "null":
		return nil
	case "word":
		return rapid.SampledFrom([]string{"Celsius", "'kelvin low'", "first", "Second", "null", "", "[ref=e1]"}).Draw(t, "word")
	case "number text":
		return rapid.SampledFrom([]string{"3", "3.0", "-7", "03", "1e2", "1,5", "1.000"}).Draw(t, "n")
	case "bool text":
		return rapid.SampledFrom([]string{"true", "False", "yes"}).Draw(t, "b")
	case "object":
		return drawFields(t, depth-1)
	case "list":
		return []any{drawValue(t, depth-1)}
	case "json text":
		b, _ := json.Marshal(drawValue(t, depth-1))
		return string(b)
	}
	return rapid.StringMatching(`[a-z ,]{0,8}`).Draw(t, "text")
}

func drawFields(t *rapid.T, depth int) map[string]any {
	out := map[string]any{}
	keys := slices.Concat(fieldNames, []string{"filepath", "file_path", "maxResults", "Limit", "op", "reason", "arguments"})
	for _, k := range rapid.SliceOfNDistinct(rapid.SampledFrom(keys), 0, 5, rapid.ID).Draw(t, "keys") {
		out[k] = drawValue(t, depth)
	}
	return out
}

func TestLaws(t *testing.T) {
	passed, mended := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		src, err := json.Marshal(drawObject(t, 2))
		if err != nil {
			t.Fatal(err)
		}
		in, err := json.Marshal(drawFields(t, 2))
		if err != nil {
			t.Fatal(err)
		}
		tool := chat.Tool{Name: "t", Schema: src}
		laws(t, tool, in, true)
		set, err := args.Compile([]chat.Tool{tool}, args.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r := set.Read(chat.Written{Name: "t", JSON: in}); r.Problems == nil {
			passed++
			if len(r.Repairs) > 0 {
				mended++
			}
		}
	})
	t.Logf("%d passed, %d of them set right", passed, mended)
}

// TestSlipsComeRight: arguments that fit, with slips of which each has one
// reading, come out as they were.
func TestSlipsComeRight(t *testing.T) {
	tool := chat.Tool{Name: "t", Schema: []byte(`{"type":"object","properties":{"count":{"type":"integer"},"deep":{"type":"boolean"},"names":{"type":"array","items":{"type":"string"}},"order_by":{"enum":["newest","oldest"]},"filter":{"type":"object","properties":{"min":{"type":"integer"}},"additionalProperties":false},"text":{"type":"string"}},"required":["count","text"],"additionalProperties":false}`)}
	set, err := args.Compile([]chat.Tool{tool}, args.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		n := rapid.Int().Draw(t, "n")
		want := fmt.Sprintf(`{"count":%d,"deep":true,"names":["x"],"order_by":"oldest","filter":{"min":%d},"text":%s}`, n, n, rawjson.AppendString(nil, text))
		pick := func(name string, ways ...string) string { return rapid.SampledFrom(ways).Draw(t, name) }
		in := "{" + pick("count", `"count":%[1]d`, `"count":"%[1]d"`, `"Count":"%[1]d.0"`, `"count":[%[1]d]`) + "," +
			pick("deep", `"deep":true`, `"deep":"True"`, `"DEEP":"true"`) + "," +
			pick("names", `"names":["x"]`, `"names":"x"`, `"names":"[\"x\"]"`) + "," +
			pick("order", `"order_by":"oldest"`, `"orderBy":"Oldest"`, `"order-by":"'OLDEST'"`) + "," +
			pick("filter", `"filter":{"min":%[1]d}`, `"filter":"{\"min\":%[1]d}"`, `"filter":[{"min":"%[1]d"}]`) + "," +
			pick("text", `"text":%[2]s`, `"Text":%[2]s`) + pick("more", "", `,"thought":"hm"`, `,"extra":null`) + "}"
		in = fmt.Sprintf(pick("whole", "%s", `{"arguments":%s}`, `{"name":"t","parameters":%s}`, `[%s]`), fmt.Sprintf(in, n, rawjson.AppendString(nil, text)))
		r := set.Read(chat.Written{Name: "t", JSON: []byte(in)})
		if r.Problems != nil || !rawjson.Same(r.Calls[0].Args, []byte(want)) {
			t.Fatalf("%s\nbecame %+v", in, r)
		}
	})
}

// FuzzLaws runs the laws on any schema and any bytes, the field log's first.
func FuzzLaws(f *testing.F) {
	f.Add([]byte(`{"type":"object","properties":{"a":{"anyOf":[{"type":"integer"},{"$ref":"#"}]}}}`), []byte(`{"a":{"a":"1"}}`), true)
	f.Add([]byte(`{"type":"object","properties":{"m":{"enum":["ab cd","x"]}},"additionalProperties":false}`), []byte(`{m:'AB CD',n:null}{"m":"x"}`), false)
	f.Add([]byte(`{"type":"object","properties":{"line":{"type":"integer"}}}`), []byte(`{"properties":{"line":0}}`), true)
	for line := range cases.Lines(f, "fieldlog/cases.jsonl") {
		var c logCase
		if json.Unmarshal(line, &c) == nil && c.Input.Arguments != nil {
			f.Add([]byte(c.Input.Tool.Parameters), []byte(*c.Input.Arguments), true)
		}
	}
	f.Fuzz(func(t *testing.T, src, in []byte, stopped bool) {
		if len(src) > 4000 || len(in) > 4000 {
			return
		}
		laws(t, chat.Tool{Name: "t", Schema: src}, in, stopped)
	})
}
