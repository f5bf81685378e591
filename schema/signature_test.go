package schema_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// obj writes a schema of an object with these properties.
func obj(properties string, more ...string) string {
	return `{"type":"object","properties":{` + properties + `}` + strings.Join(append([]string{""}, more...), ",") + `}`
}

const (
	opsByUnion = `{"type":"object","oneOf":[` +
		`{"properties":{"op":{"const":"add"},"text":{"type":"string"}},"required":["op","text"]},` +
		`{"properties":{"op":{"const":"move"},"id":{"type":"integer"},"to":{"enum":["top","end"]}},"required":["op","id","to"]},` +
		`{"properties":{"op":{"enum":["list","count"]}},"required":["op"]}]}`
	opsByCondition = `{"type":"object","properties":{"action":{"enum":["add","move","list"]},"text":{"type":"string"},"id":{"type":"integer"},"to":{"type":"string"}},"required":["action"],"allOf":[` +
		`{"if":{"properties":{"action":{"const":"add"}}},"then":{"required":["text"]}},` +
		`{"if":{"properties":{"action":{"const":"move"}},"required":["action"]},"then":{"required":["id","to"]}}]}`
	opsByElse = `{"type":"object","properties":{"command":{"enum":["get","set"]},"key":{"type":"string"}},"required":["command","key"],` +
		`"if":{"properties":{"command":{"const":"set"}}},"then":{"properties":{"value":{"type":"number"}},"required":["value"]},"else":{"properties":{"value":false}}}`
	opsBeside = `{"type":"object","properties":{"op":{"enum":["open","close"],"description":"What to do"},"path":{"type":"string"}},"required":["op","path"],` +
		`"anyOf":[{"properties":{"op":{"const":"open"},"mode":{"enum":["r","w"]}},"required":["mode"]},{"properties":{"op":{"const":"close"}}}]}`
	opsByRef = `{"anyOf":[{"$ref":"#/$defs/Click"},{"$ref":"#/$defs/Type"}],"$defs":{` +
		`"Click":{"type":"object","properties":{"kind":{"const":"click"},"x":{"type":"integer"},"y":{"type":"integer"}},"required":["kind","x","y"],"additionalProperties":false},` +
		`"Type":{"type":"object","properties":{"kind":{"const":"type"},"text":{"type":"string"}},"required":["kind","text"],"additionalProperties":false}}}`
)

// signatures are schemas and how each reads in one line.
var signatures = []struct{ name, src, want string }{
	{"nothing", ``, `object`},
	{"anything", `true`, `any`},
	{"never", `false`, `nothing`},
	{"no properties", obj(``), `{}`},
	{"no properties, closed", `{"type":"object","additionalProperties":false}`, `{}`},
	{"plain", search, `{query: string, limit?: integer (1–100), order?: "newest"|"oldest", deep?: boolean}`},
	{"types that are none", `{"type":"OBJECT","properties":{"a":{"type":"str"},"b":{"type":"any"}}}`, `{a?: string, b?: any}`},
	{"nullable", obj(`"a":{"type":["string","null"]},"b":{"type":"integer","nullable":true},"c":{"anyOf":[{"type":"number"},{"type":"null"}]}`), `{a?: string|null, b?: integer|null, c?: number|null}`},
	{"numbers", obj(`"a":{"type":"integer","minimum":0},"b":{"type":"number","exclusiveMinimum":0,"maximum":1},"c":{"type":"integer","minimum":-5,"maximum":-1},"d":{"type":"number","multipleOf":0.5},"e":{"type":"integer","minimum":3,"maximum":3}`), `{a?: integer (≥0), b?: number (>0, ≤1), c?: integer (-5 to -1), d?: number (a multiple of 0.5), e?: integer (3)}`},
	{"draft 4", `{"$schema":"http://json-schema.org/draft-04/schema#","type":"object","properties":{"n":{"type":"number","maximum":9,"exclusiveMaximum":true}}}`, `{n?: number (<9)}`},
	{"texts", obj(`"a":{"type":"string","minLength":2,"maxLength":8},"b":{"type":"string","format":"date"},"c":{"type":"string","pattern":"^[a-z]+$"},"d":{"type":"string","minLength":0}`), `{a?: string (2–8 characters), b?: string (date), c?: string (^[a-z]+$), d?: string}`},
	{"lists", obj(`"a":{"type":"array","items":{"type":"string"}},"b":{"type":"array"},"c":{"type":"array","items":{"enum":["x","y"]},"minItems":1,"uniqueItems":true},"d":{"type":"array","prefixItems":[{"type":"number"},{"type":"string"}]},"e":{"type":"array","items":{"type":"array","items":{"type":"integer"}}}`), `{a?: string[], b?: any[], c?: ("x"|"y")[] (≥1 items, all different), d?: [number, string], e?: integer[][]}`},
	{"nested", obj(`"a":` + obj(`"b":`+obj(`"c":{"type":"string"}`, `"required":["c"]`), `"required":["b"]`)), `{a?: {b: {c: string}}}`},
	{"list of objects", obj(`"edits":{"type":"array","items":`+obj(`"old":{"type":"string"},"new":{"type":"string"}`, `"required":["old","new"]`)+`}`, `"required":["edits"]`), `{edits: {old: string, new: string}[]}`},
	{"list of several objects", obj(`"steps":{"type":"array","items":{"anyOf":[` + obj(`"go":{"const":true}`) + `,` + obj(`"wait":{"type":"integer"}`) + `]}}`), `{steps?: ({go?: true}|{wait?: integer})[]}`},
	{"union", obj(`"a":{"oneOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]}`), `{a?: string|string[]}`},
	{"titled options", obj(`"a":{"oneOf":[{"const":"x","title":"X"},{"const":"y","title":"Y"}]}`), `{a?: "x"|"y"}`},
	{"references", `{"$ref":"#/$defs/t","$defs":{"t":` + obj(`"p":{"$ref":"#/$defs/p"}`, `"required":["p"]`) + `,"p":` + obj(`"x":{"type":"number"},"y":{"type":"number"}`, `"required":["x","y"]`) + `}}`, `{p: {x: number, y: number}}`},
	{"a reference in allOf", obj(`"u":{"allOf":[{"$ref":"#/$defs/u"}],"description":"The unit","default":"m"}`, `"$defs":{"u":{"enum":["m","ft"]}}`), `{u?: "m"|"ft"}`},
	{"joined", `{"allOf":[` + obj(`"a":{"type":"string"}`, `"required":["a"]`) + `,` + obj(`"b":{"type":"integer"},"a":{"maxLength":3}`) + `]}`, `{a: string (≤3 characters), b?: integer}`},
	{"recursion", `{"type":"object","properties":{"value":{"type":"string"},"children":{"type":"array","items":{"$ref":"#"}}},"required":["value"]}`, `{value: string, children?: object[]}`},
	{"recursion in a union", obj(`"f":{"$ref":"#/$defs/f"}`, `"$defs":{"f":{"anyOf":[{"type":"string"},{"type":"object","properties":{"and":{"type":"array","items":{"$ref":"#/$defs/f"}}}},{"$ref":"#/$defs/f"}]}}`), `{f?: string|{and?: any[]}|any}`},
	{"only itself", `{"$ref":"#"}`, `any`},
	{"free names", `{"type":"object","additionalProperties":{"type":"integer"}}`, `{[name]: integer}`},
	{"free names too", obj(`"a":{"type":"string"}`, `"additionalProperties":{"type":"integer"}`), `{a?: string, [name]: integer}`},
	{"names by pattern", `{"type":"object","patternProperties":{"^x-":{"type":"string"}},"additionalProperties":false}`, `{[/^x-/]: string}`},
	{"names that need quotes", obj(`"a b":{"type":"string"},"q\"":{"type":"string"}`), `{"a b"?: string, "q\""?: string}`},
	{"many options", obj(`"n":{"enum":[1,2,3,4,5,6,7,8,9,10,11,12,13,14]}`), `{n?: 1|2|3|4|5|6|7|8|9|10|11|12|…}`},
	{"operations by union", opsByUnion, `{op: "add", text: string}|{op: "move", id: integer, to: "top"|"end"}|{op: "list"|"count"}`},
	{"operations by condition", opsByCondition, `{action: "add"|"move"|"list", text?: string, id?: integer, to?: string}`},
	{"operations by else", opsByElse, `{command: "get"|"set", key: string}`},
	{"operations beside fields", opsBeside, `{op: "open", path: string, mode: "r"|"w"}|{op: "close", path: string}`},
	{"operations by reference", opsByRef, `{kind: "click", x: integer, y: integer}|{kind: "type", text: string}`},
	{"one of two needed", obj(`"a":{"type":"string"},"b":{"type":"string"}`, `"anyOf":[{"required":["a"]},{"required":["b"]}]`), `{a: string, b?: string}|{a?: string, b: string}`},
}

func TestSignature(t *testing.T) {
	for _, c := range signatures {
		t.Run(c.name, func(t *testing.T) {
			if got := compile(t, c.src).Signature(); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestSignatureFor: a call that names its operation hears of that one alone.
func TestSignatureFor(t *testing.T) {
	for _, c := range []struct{ name, src, value, want string }{
		{"by union", opsByUnion, `{"op":"move","id":"x"}`, `{op: "move", id: integer, to: "top"|"end"}`},
		{"by one of several constants", opsByUnion, `{"op":"count"}`, `{op: "list"|"count"}`},
		{"by condition", opsByCondition, `{"action":"move"}`, `{action: "add"|"move"|"list", text?: string, id: integer, to: string}`},
		{"no condition holds", opsByCondition, `{"action":"list"}`, `{action: "add"|"move"|"list", text?: string, id?: integer, to?: string}`},
		{"then", opsByElse, `{"command":"set"}`, `{command: "get"|"set", key: string, value: number}`},
		{"else", opsByElse, `{"command":"get"}`, `{command: "get"|"set", key: string}`},
		{"beside fields", opsBeside, `{"op":"open"}`, `{op: "open", path: string, mode: "r"|"w"}`},
		{"by reference", opsByRef, `{"kind":"type"}`, `{kind: "type", text: string}`},
		{"nested", `{"type":"object","properties":{"act":{"anyOf":[{"$ref":"#/$defs/A"},{"$ref":"#/$defs/B"}]}},"$defs":{"A":` + obj(`"k":{"const":"a"},"x":{"type":"integer"}`) + `,"B":` + obj(`"k":{"const":"b"}`) + `}}`, `{"act":{"k":"a"}}`, `{act?: {k?: "a", x?: integer}}`},
		{"in a list of one", obj(`"steps":{"type":"array","items":` + opsByUnion + `}`), `{"steps":[{"op":"add"}]}`, `{steps?: {op: "add", text: string}[]}`},
		{"in a list of two", obj(`"steps":{"type":"array","items":` + opsBeside + `}`), `{"steps":[{"op":"open"},{"op":"close"}]}`, `{steps?: ({op: "open", path: string, mode: "r"|"w"}|{op: "close", path: string})[]}`},
		{"no such operation", opsByRef, `{"kind":"swipe"}`, `{kind: "click", x: integer, y: integer}|{kind: "type", text: string}`},
		{"no operation", opsByRef, `{"x":1}`, `{kind: "click", x: integer, y: integer}|{kind: "type", text: string}`},
		{"no object", opsByRef, `[1]`, `{kind: "click", x: integer, y: integer}|{kind: "type", text: string}`},
		{"no JSON", opsByRef, `{"kind":`, `{kind: "click", x: integer, y: integer}|{kind: "type", text: string}`},
		{"nothing", opsByRef, ``, `{kind: "click", x: integer, y: integer}|{kind: "type", text: string}`},
		{"no operations at all", search, `{"order":"newest"}`, `{query: string, limit?: integer (1–100), order?: "newest"|"oldest", deep?: boolean}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := compile(t, c.src).SignatureFor([]byte(c.value)); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestSignatureIsBounded: what doesn't fit loses its inner fields first, then
// what needn't be there; what must is named as long as it can be.
func TestSignatureIsBounded(t *testing.T) {
	var many, forms []string
	for i := range 200 {
		many = append(many, fmt.Sprintf(`"field_%d":{"type":"string","description":"A field"}`, i))
		forms = append(forms, obj(fmt.Sprintf(`"op":{"const":"operation_%d"},"id":{"type":"integer"}`, i), `"required":["op","id"]`))
	}
	deep := `{"type":"string"}`
	for i := range 30 {
		deep = obj(fmt.Sprintf(`"level_%d":%s,"name_%d":{"type":"string"}`, i, deep, i))
	}
	long := `"` + strings.Repeat("x", 500) + `"`
	for _, c := range []struct {
		name, src string
		holds     []string
	}{
		{"200 properties", obj(strings.Join(many, ","), `"required":["field_150","field_199"]`), []string{"{field_0?: string, ", "field_150: string, field_199: string, …}"}},
		{"200 that are needed", obj(strings.Join(many, ","), `"required":["`+strings.Join(strings.Fields(strings.Repeat("field_1 ", 200)), `","`)+`"]`), []string{"field_1: string", "…}"}},
		{"200 operations", `{"oneOf":[` + strings.Join(forms, ",") + `]}`, []string{`{op: "operation_0", id: integer}|{op: "operation_1"`, "…"}},
		{"30 levels", deep, []string{"level_29?: {level_28?: {", "name_29?: string}"}},
		{"long options", obj(`"a":{"enum":[`+long+`,`+long[:400]+`y"]},"b":{"type":"string"}`, `"required":["b"]`), []string{"b: string"}},
		{"a long name", obj(long + `:{"type":"string"}`), []string{"string"}},
		{"many branches of one reference", `{"anyOf":[` + strings.TrimSuffix(strings.Repeat(`{"$ref":"#/$defs/a"},`, 100), ",") + `],"$defs":{"a":` + obj(`"x":{"$ref":"#/$defs/a"}`) + `}}`, []string{"{x?: object}"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := compile(t, c.src)
			for _, got := range []string{s.Signature(), s.SignatureFor([]byte(`{"op":"operation_1"}`))} {
				if n := utf8.RuneCountInString(got); n > 400 || strings.ContainsAny(got, "\n") {
					t.Errorf("%d characters: %s", n, got)
				}
				if strings.Count(got, "{") != strings.Count(got, "}") {
					t.Errorf("not closed: %s", got)
				}
			}
			for _, h := range c.holds {
				if !strings.Contains(s.Signature(), h) {
					t.Errorf("%s\ndoesn't hold %s", s.Signature(), h)
				}
			}
		})
	}
}

// TestSignatureOfOneOfMany: one operation of two hundred is found.
func TestSignatureOfOneOfMany(t *testing.T) {
	var forms []string
	for i := range 200 {
		forms = append(forms, obj(fmt.Sprintf(`"op":{"const":"operation_%d"},"id_%d":{"type":"integer"}`, i, i), `"required":["op"]`))
	}
	s := compile(t, `{"oneOf":[`+strings.Join(forms, ",")+`]}`)
	const want = `{op: "operation_170", id_170?: integer}`
	if got := s.SignatureFor([]byte(`{"op":"operation_170","id":1}`)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := string(s.Example([]byte(`{"op":"operation_170","id_170":7}`))); got != `{"op":"operation_170","id_170":7}` {
		t.Errorf("the example is %s", got)
	}
}
