package constrain_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/constrain"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/schema"
	"github.com/ferrule/ferrule/words"
)

func grammar(t testing.TB, tools []chat.Tool, calls int, write func([]chat.Call) string) gbnf {
	t.Helper()
	q := &chat.Request{Model: "m"}
	out, _, ok := constrain.Apply(q, constrain.Constraint{Tools: tools, Calls: calls, Forced: true, Write: write}, []profile.Form{{Kind: profile.Grammar}})
	if !ok {
		t.Fatal("no grammar")
	}
	var text string
	if err := json.Unmarshal(out.Extra["openai.grammar"], &text); err != nil {
		t.Fatal(err)
	}
	g, err := readGBNF(text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return g
}

// colons writes a call as name: arguments.
func colons(cs []chat.Call) string {
	var all []string
	for _, c := range cs {
		all = append(all, "@"+c.Name+":"+string(c.Args)+";")
	}
	return strings.Join(all, "\n")
}

func TestGrammar(t *testing.T) {
	for _, c := range []struct {
		name, schema string
		takes        []string
		not          []string
	}{
		{"nothing known", ``, []string{`{}`, `{"a":1}`, `{ "a": [1, {"b":null}], "c": "x\n\u00e9é" }`}, []string{`[]`, `1`, `{`, `{"a"}`, "{\"a\":\"\n\"}"}},
		{"fields", weather, []string{`{"city":"Bonn"}`, `{"city": "Bonn","days":3}`, `{ "city": "", "days": -12 }`}, []string{`{}`, `{"days":3}`, `{"days":3,"city":"Bonn"}`, `{"city":1}`, `{"city":"x","days":1.5}`, `{"city":"x","days":01}`, `{"city":"x","more":1}`}},
		{"all may be missing", `{"type":"object","properties":{"a":{"type":"boolean"},"b":{"type":"null"},"c":{}}}`, []string{`{}`, `{"a":true}`, `{"b":null}`, `{"c":[1]}`, `{"a":false,"c":{}}`, `{"a":false,"b":null,"c":1e5}`}, []string{`{"b":null,"a":true}`, `{"a":true,}`, `{,"b":null}`, `{"a":"true"}`}},
		{"the last must be there", `{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"required":["b"]}`, []string{`{"b":1}`, `{"a":1,"b":1}`}, []string{`{}`, `{"a":1}`}},
		{"values", `{"type":"object","properties":{"e":{"enum":["a\"b","é",1,null]},"k":{"const":"x"}},"required":["e","k"]}`, []string{`{"e":"a\"b","k":"x"}`, `{"e":"é","k":"x"}`, `{"e":1,"k":"x"}`, `{"e":null,"k":"x"}`}, []string{`{"e":"b","k":"x"}`, `{"e":1,"k":"y"}`}},
		{"reference that goes round", move, []string{`{"to":{"x":1},"by":"car"}`, `{"to":{"x":1,"next":{"x":2,"next":{"x":3}}},"by":"foot"}`}, []string{`{"to":{},"by":"car"}`, `{"to":{"x":1},"by":"bus"}`}},
		{"itself", `{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#"}}}}`, []string{`{}`, `{"kids":[]}`, `{"kids":[{},{"kids":[{}]}]}`}, []string{`{"kids":[1]}`}},
		{"a reference to itself alone", `{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"$ref":"#/$defs/a"}}}`, []string{`{"a":1}`}, []string{`{"b":1}`}},
		{"a reference to nowhere", `{"type":"object","properties":{"a":{"$ref":"http://x/y"}}}`, []string{`{"a":1}`}, nil},
		{"lists", `{"type":"object","properties":{"l":{"type":"array","items":{"type":"integer"},"minItems":2,"maxItems":3}},"required":["l"]}`, []string{`{"l":[1,2]}`, `{"l":[1, 2, 3]}`}, []string{`{"l":[]}`, `{"l":[1]}`, `{"l":[1,2,3,4]}`, `{"l":["1","2"]}`}},
		{"at least one", `{"type":"object","properties":{"l":{"type":"array","minItems":1}},"required":["l"]}`, []string{`{"l":[1]}`, `{"l":["a",[],{}]}`}, []string{`{"l":[]}`}},
		{"at most one", `{"type":"object","properties":{"l":{"type":"array","maxItems":1}},"required":["l"]}`, []string{`{"l":[]}`, `{"l":[1]}`}, []string{`{"l":[1,2]}`}},
		{"no item", `{"type":"object","properties":{"l":{"type":"array","maxItems":0}},"required":["l"]}`, []string{`{"l":[]}`}, []string{`{"l":[1]}`}},
		{"one of two types", `{"type":"object","properties":{"v":{"type":["string","integer"]}},"required":["v"]}`, []string{`{"v":"a"}`, `{"v":1}`}, []string{`{"v":null}`, `{"v":[]}`}},
		{"one of two forms", `{"type":"object","properties":{"v":{"anyOf":[{"type":"string","minLength":1},{"type":"object","properties":{"a":{"type":"number"}},"required":["a"]}]}},"required":["v"]}`, []string{`{"v":"a"}`, `{"v":{"a":1.25e-3}}`}, []string{`{"v":""}`, `{"v":{}}`, `{"v":1}`}},
		{"of free names", `{"type":"object","additionalProperties":{"type":"integer"}}`, []string{`{}`, `{"a":1,"b":2}`}, []string{`{"a":"1"}`}},
		{"closed and empty", `{"type":"object","properties":{},"additionalProperties":false}`, []string{`{}`}, []string{`{"a":1}`}},
		{"a field not told of", `{"type":"object","properties":{"a":{}},"required":["a","b"]}`, []string{`{"a":1,"b":2}`}, []string{`[]`}},
		{"what can't be said", `{"type":"object","properties":{"a":{"allOf":[{"type":"string"},{"pattern":"^x"}]},"b":{"allOf":[{"type":"integer"}]},"c":{"not":{}}}}`, []string{`{"a":1,"b":1,"c":1}`}, []string{`{"b":"1"}`}},
		{"no object at all", `{"type":"string"}`, []string{`{"a":1}`}, []string{`"a"`}},
		{"true", `true`, []string{`{"a":1}`}, []string{`true`}},
		{"no schema", `{"type`, []string{`{"a":1}`}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := grammar(t, []chat.Tool{{Name: "f", Schema: []byte(c.schema)}}, 1, colons)
			for _, args := range c.takes {
				if !g.takes("@f:" + args + ";") {
					t.Errorf("isn't taken: %s", args)
				}
			}
			for _, args := range c.not {
				if g.takes("@f:" + args + ";") {
					t.Errorf("is taken: %s", args)
				}
			}
		})
	}
}

func TestGrammarOfCalls(t *testing.T) {
	a, b := `@weather:{"city":"x"};`, `@move:{"to":{"x":1},"by":"car"};`
	for _, c := range []struct {
		calls int
		text  string
		want  bool
	}{
		{1, a, true},
		{1, b, true},
		{1, a + "\n" + b, false},
		{0, a + "\n" + b, true},
		{2, a + "\n" + b, true},
		{2, a + b, false},
		{0, strings.TrimSuffix(strings.Repeat(a+"\n", 8), "\n"), true},
		{0, strings.TrimSuffix(strings.Repeat(a+"\n", 9), "\n"), false},
		{0, "", false},
		{1, "Well. " + a, false},
		{1, a + " Done.", false},
		{1, `@other:{};`, false},
		{1, `@move:{"city":"x"};`, false},
	} {
		if got := grammar(t, two, c.calls, colons).takes(c.text); got != c.want {
			t.Errorf("%d calls: %q: %v", c.calls, c.text, got)
		}
	}
}

// TestGrammarOfSyntaxes: what a grammar lets a model write reads as the call, in
// every syntax that can be asked for.
func TestGrammarOfSyntaxes(t *testing.T) {
	args := `{"city":"Bonn","days":2}`
	for _, syntax := range words.Names() {
		t.Run(syntax, func(t *testing.T) {
			p := plan(t, syntax, two)
			g := grammar(t, two, 1, p.Write)
			text := p.Write([]chat.Call{{Name: "weather", Args: []byte(args)}})
			if !g.takes(text) {
				text = fmt.Sprintf(`{"name":"weather","arguments":%s}`, args)
			}
			if !g.takes(text) {
				t.Fatal("neither the syntax's own call nor a plain one is taken")
			}
			reads(t, p, "weather", args, text)
		})
	}
}

// FuzzSchema: whatever a tool's schema is, every form comes out whole: JSON, a
// schema that compiles, a grammar that can be read.
func FuzzSchema(f *testing.F) {
	for _, s := range []string{``, `true`, weather, move, `{"type":"object","properties":{"a":{"$ref":"#"}}}`, `{"$id":"x","properties":{"a":{"$ref":"y#z"}}}`, `{"type":["object"],"properties":{"$ref":{"type":"string"}},"definitions":{"a/b":{"const":[]}}}`} {
		f.Add(s)
	}
	forms := []profile.Form{
		{Kind: profile.JSONSchema},
		{Kind: profile.JSONSchema, Strict: true, Object: true},
		{Kind: profile.JSONValue},
		{Kind: profile.StructuralTag},
		{Kind: profile.GrammarFormat},
	}
	f.Fuzz(func(t *testing.T, src string) {
		if schema.Measure([]byte(src)) != nil {
			t.Skip() // it doesn't get so far
		}
		_, compiles := schema.Compile([]byte(src))
		tools := []chat.Tool{{Name: "f", Schema: []byte(src)}, {Name: "weather", Schema: []byte(weather)}}
		for _, form := range forms {
			out, _, ok := constrain.Apply(&chat.Request{}, constrain.Constraint{Tools: tools, Forced: true, Write: colons}, []profile.Form{form})
			if !ok {
				t.Fatalf("%+v: nothing", form)
			}
			if raw, set := out.Extra["openai.response_format"]; set && !json.Valid(raw) {
				t.Fatalf("%+v: %s", form, raw)
			}
			if out.Format == nil {
				continue
			}
			if _, err := schema.Compile(out.Format.Schema); err != nil && compiles == nil {
				t.Fatalf("%v in %s", err, out.Format.Schema)
			}
		}
		grammar(t, tools, 2, colons)
	})
}
