package schema_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/mail"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/ferrule/ferrule/rawjson"
	"github.com/ferrule/ferrule/schema"
)

// examples are schemas and the example of each; "" is none. Each passes.
var examples = []struct{ name, src, prefer, want string }{
	{"plain", search, ``, `{"query":"<What to search for>"}`},
	{"nothing", ``, ``, `{}`},
	{"never", `false`, ``, ``},
	{"what is shown", obj(`"a":{"type":"string","examples":["x","y"]},"b":{"type":"integer","default":7}`, `"required":["a","b"]`), ``, `{"a":"x","b":7}`},
	{"shown, and wrong", obj(`"a":{"type":"string","default":5},"b":{"type":"integer","examples":[3]}`, `"required":["a","b"]`), ``, `{"a":"<the a>","b":3}`},
	{"shown as a whole", obj(`"a":{"type":"string"},"b":{"type":"integer"}`, `"examples":[{"a":5},{"a":"x","b":1}]`), ``, `{"a":"x","b":1}`},
	{"shown as a whole, preferred", obj(`"a":{"type":"string"},"b":{"type":"integer"}`, `"examples":[{"a":"x","b":1}]`), `{"a":true,"b":9}`, `{"a":"x","b":9}`},
	{"bounds", obj(`"a":{"type":"integer","minimum":18},"b":{"type":"number","maximum":-2},"c":{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":0.1},"d":{"type":"integer","minimum":-10,"maximum":-1,"multipleOf":3},"e":{"type":"integer","multipleOf":0.5},"f":{"type":"integer","exclusiveMaximum":1}`, `"required":["a","b","c","d","e","f"]`), ``, `{"a":18,"b":-2,"c":0.0984375,"d":-3,"e":1,"f":0}`},
	{"no whole number", obj(`"a":{"type":"integer","exclusiveMinimum":0,"exclusiveMaximum":1}`, `"required":["a"]`), ``, ``},
	{"lengths", obj(`"a":{"type":"string","minLength":12},"b":{"type":"string","maxLength":2},"c":{"type":"string","maxLength":0}`, `"required":["a","b","c"]`), ``, `{"a":"<the a.....>","b":"xx","c":""}`},
	{"lists", obj(`"a":{"type":"array","items":{"type":"string"},"minItems":2},"b":{"type":"array","items":{"type":"string"},"minItems":3,"uniqueItems":true},"c":{"type":"array","items":{"enum":["x","y"]},"minItems":2,"uniqueItems":true},"d":{"type":"array","maxItems":0}`, `"required":["a","b","c","d"]`), ``, `{"a":["<the a>","<the a 2>"],"b":["<the b>","<the b 2>","<the b 3>"],"c":["x","y"],"d":[]}`},
	{"different objects", obj(`"l":{"type":"array","minItems":2,"uniqueItems":true,"items":`+obj(`"id":{"type":"integer"},"on":{"type":"boolean"}`, `"required":["id","on"]`)+`}`, `"required":["l"]`), ``, `{"l":[{"id":1,"on":true},{"id":2,"on":false}]}`},
	{"more options than there are", obj(`"c":{"type":"array","items":{"enum":["x","y"]},"minItems":3,"uniqueItems":true}`, `"required":["c"]`), ``, ``},
	{"contains", obj(`"l":{"type":"array","items":{"type":"integer"},"contains":{"minimum":9}}`, `"required":["l"]`), ``, `{"l":[9]}`},
	{"a tuple", obj(`"l":{"type":"array","prefixItems":[{"type":"number"},{"enum":["m","s"]}],"items":false,"minItems":2}`, `"required":["l"]`), ``, `{"l":[1,"m"]}`},
	{"patterns", obj(`"a":{"type":"string","pattern":"^[A-Z]{3}-\\d+$"},"b":{"type":"string","pattern":"^[a-z]*$","minLength":4},"c":{"type":"string","pattern":"^(on|off)$"},"d":{"type":"string","pattern":"^v\\d+(\\.\\d+)?$"},"e":{"type":"string","pattern":"needed"}`, `"required":["a","b","c","d","e"]`), ``, `{"a":"XXX-0","b":"xxxx","c":"on","d":"v0","e":"needed"}`},
	{"a pattern that can't be met", obj(`"a":{"type":"string","pattern":"^a{3}$","minLength":5}`, `"required":["a"]`), ``, ``},
	{"nested", obj(`"a":`+obj(`"b":`+obj(`"c":{"type":"boolean"}`, `"required":["c"]`), `"required":["b"]`), `"required":["a"]`), ``, `{"a":{"b":{"c":true}}}`},
	{"nothing is needed", obj(`"a":{"type":"string"},"b":{"type":"integer"},"c":{"type":"integer"}`), ``, `{"a":"<the a>","b":1}`},
	{"needed, and not described", obj(``, `"required":["path"]`), ``, `{"path":"<the path>"}`},
	{"needs another", obj(`"card":{"type":"string"},"code":{"type":"integer"},"x":{}`, `"required":["card"],"dependentRequired":{"card":["code"]}`), ``, `{"card":"<the card>","code":1}`},
	{"free names", `{"type":"object","additionalProperties":{"type":"integer"},"minProperties":2}`, ``, `{"<a name>":1,"<a name 2>":1}`},
	{"names by pattern", `{"type":"object","patternProperties":{"^x-[a-z]+$":{"type":"boolean"}},"additionalProperties":false,"minProperties":1}`, ``, `{"x-x":true}`},
	{"recursion", `{"type":"object","properties":{"v":{"type":"string"},"next":{"$ref":"#"}},"required":["v"]}`, ``, `{"v":"<the v>"}`},
	{"recursion that never ends", `{"type":"object","properties":{"next":{"$ref":"#"}},"required":["next"]}`, ``, ``},
	{"recursion with a way out", obj(`"f":{"$ref":"#/$defs/f"}`, `"required":["f"],"$defs":{"f":{"anyOf":[{"type":"array","minItems":1,"items":{"$ref":"#/$defs/f"}},{"type":"integer"}]}}`), ``, `{"f":1}`},
	{"joined", `{"allOf":[` + obj(`"a":{"type":"string"}`, `"required":["a"]`) + `,` + obj(`"a":{"minLength":9},"b":{"type":"integer","minimum":5}`, `"required":["b"]`) + `]}`, ``, `{"a":"<the a..>","b":5}`},
	{"exactly one form", `{"type":"object","oneOf":[{"properties":{"a":{"type":"integer"}},"required":["a"]},{"properties":{"b":{"type":"integer"}},"required":["b"]}]}`, `{"b":4}`, `{"b":4}`},
	{"null or an object", obj(`"a":{"anyOf":[{"type":"null"},`+obj(`"b":{"type":"string"}`, `"required":["b"]`)+`]}`, `"required":["a"]`), ``, `{"a":{"b":"<the b>"}}`},

	{"operation by union", opsByUnion, `{"op":"move","id":"7","to":"end"}`, `{"op":"move","id":1,"to":"end"}`},
	{"the last operation", opsByUnion, `{"op":"count","text":5}`, `{"op":"count"}`},
	{"no such operation", opsByUnion, `{"op":"nix"}`, `{"op":"add","text":"<the text>"}`},
	{"operation by condition", opsByCondition, `{"action":"move","id":"7","text":"x"}`, `{"action":"move","id":1,"to":"<the to>","text":"x"}`},
	{"the first operation", opsByCondition, ``, `{"action":"add","text":"<the text>"}`},
	{"operation by then", opsByElse, `{"command":"set","key":"k","value":"1"}`, `{"command":"set","key":"k","value":1}`},
	{"operation by else", opsByElse, `{"command":"get","key":"k","value":"1"}`, `{"command":"get","key":"k"}`},
	{"operation beside fields", opsBeside, `{"op":"close"}`, `{"op":"close","path":"<the path>"}`},
	{"operation by reference", opsByRef, `{"kind":"type","text":4}`, `{"kind":"type","text":"<the text>"}`},

	{"right fields", search, `{"query":5,"limit":7,"order":"new"}`, `{"query":"<What to search for>","limit":7}`},
	{"right fields within", obj(`"f":`+obj(`"from":{"type":"string"},"to":{"type":"integer"}`, `"required":["from","to"]`), `"required":["f"]`), `{"f":{"from":"here","to":"x"}}`, `{"f":{"from":"here","to":1}}`},
	{"fields that aren't there", search, `{"q":1}`, `{"query":"<What to search for>"}`},
	{"no JSON", search, `{"query":`, `{"query":"<What to search for>"}`},
	{"no object", search, `["query"]`, `{"query":"<What to search for>"}`},
}

func TestExample(t *testing.T) {
	for _, c := range examples {
		t.Run(c.name, func(t *testing.T) {
			s := compile(t, c.src)
			got := s.Example([]byte(c.prefer))
			if string(got) != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if got != nil && s.Check(got) != nil {
				t.Errorf("%s doesn't pass: %v", got, s.Check(got))
			}
		})
	}
}

// TestExampleFormats: the text of a format is one, three times over.
func TestExampleFormats(t *testing.T) {
	layout := func(l string) func(string) error {
		return func(s string) error { _, err := time.Parse(l, s); return err }
	}
	matches := func(re string) func(string) error {
		return func(s string) error {
			if !regexp.MustCompile(re).MatchString(s) {
				return fmt.Errorf("not %s", re)
			}
			return nil
		}
	}
	absolute := func(s string) error {
		u, err := url.Parse(s)
		if err == nil && (!u.IsAbs() || u.Host == "") {
			err = fmt.Errorf("not absolute")
		}
		return err
	}
	for format, is := range map[string]func(string) error{
		"date": layout(time.DateOnly), "date-time": layout(time.RFC3339), "time": layout("15:04:05Z07:00"),
		"duration": matches(`^P(\d+D)?(T(\d+H)?(\d+M)?)?$`), "uuid": matches(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$`),
		"email": func(s string) error { _, err := mail.ParseAddress(s); return err },
		"ipv4":  func(s string) error { _, err := netip.ParseAddr(s); return err },
		"ipv6":  func(s string) error { _, err := netip.ParseAddr(s); return err },
		"uri":   absolute, "url": absolute, "hostname": matches(`^[a-z]+\.[a-z]+$`), "json-pointer": matches(`^(/[^/]+)+$`),
		"byte": func(s string) error { _, err := base64.StdEncoding.DecodeString(s); return err },
	} {
		s := compile(t, obj(`"l":{"type":"array","minItems":2,"uniqueItems":true,"items":{"type":"string","format":"`+format+`"}}`, `"required":["l"]`))
		var got struct{ L []string }
		if err := json.Unmarshal(s.Example(nil), &got); err != nil || len(got.L) != 2 {
			t.Errorf("%s: %s", format, s.Example(nil))
			continue
		}
		for _, v := range got.L {
			if err := is(v); err != nil {
				t.Errorf("%q is no %s: %v", v, format, err)
			}
		}
	}
	short := compile(t, obj(`"m":{"type":"string","format":"email","maxLength":12}`, `"required":["m"]`))
	if got := string(short.Example(nil)); got != `{"m":"a@b.example"}` {
		t.Errorf("a short address: %s", got)
	}
}

func TestExampleTakesNothingLong(t *testing.T) {
	s := compile(t, search)
	if got, want := string(s.Example([]byte(`{"query":"`+strings.Repeat("x", 300)+`","order":"oldest"}`))), `{"query":"<What to search for>","order":"oldest"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestOffered: nothing of it is the model's own words.
func TestOffered(t *testing.T) {
	for _, c := range []struct{ src, value, want string }{
		{search, `{"query":"rm","limit":3,"order":"newest","deep":true,"x":true}`, `{"order":"newest","deep":true}`},
		{search, `{"order":"new","deep":"true"}`, `{}`},
		{opsByUnion, `{"op":"move","id":3,"to":"end"}`, `{"op":"move","to":"end"}`},
		{opsByCondition, `{"action":"add","text":"x"}`, `{"action":"add"}`},
		{obj(`"o":` + search), `{"o":{"query":"x","order":"oldest"}}`, `{"o":{"order":"oldest"}}`},
		{search, `[1]`, ``},
		{search, `{"order":`, ``},
	} {
		if got := string(compile(t, c.src).Offered([]byte(c.value))); got != c.want {
			t.Errorf("%s: got %s, want %s", c.value, got, c.want)
		}
	}
}

// TestMadeUpIsSeen: what an example makes up is known again, however it was
// cut, lengthened or numbered.
func TestMadeUpIsSeen(t *testing.T) {
	for _, src := range []string{
		obj(`"a":{"type":"string","maxLength":6}`, `"required":["a"]`),
		obj(`"a":{"type":"string","minLength":40}`, `"required":["a"]`),
		obj(`"a":{"type":"array","items":{"type":"string","description":"A tag"},"minItems":3,"uniqueItems":true}`, `"required":["a"]`),
		obj(``, `"required":["path"]`),
		obj(`"a":{"$ref":"#/$defs/t"}`, `"required":["a"],"$defs":{"t":{"type":"string","maxLength":7}}`),
		`{"type":"object","minProperties":1}`,
	} {
		s := compile(t, src)
		if e := s.Example(nil); len(s.MadeUp(e)) == 0 {
			t.Errorf("%s isn't seen to be made up", e)
		}
	}
	for _, v := range []string{`{"query":"<b>"}`, `{"query":"<What to search for 2 times>"}`, `{"query":"<a 2>"}`} {
		if ps := compile(t, search).MadeUp([]byte(v)); ps != nil {
			t.Errorf("%s: %v", v, ps)
		}
	}
}

// drawn is a schema and a value that passes it.
type drawn struct{ src, value string }

// drawSchema draws a schema that can be met, and a value that meets it.
func drawSchema(t *rapid.T, depth int) drawn {
	kinds := []string{"string", "integer", "number", "boolean", "enum", "format", "nullable"}
	if depth > 0 {
		kinds = append(kinds, "object", "object", "array", "anyOf", "operation")
	}
	switch kind := rapid.SampledFrom(kinds).Draw(t, "kind"); kind {
	case "integer", "number":
		lo := rapid.IntRange(-50, 50).Draw(t, "lo")
		hi := lo + rapid.IntRange(0, 50).Draw(t, "width")
		return drawn{fmt.Sprintf(`{"type":%q,"minimum":%d,"maximum":%d}`, kind, lo, hi), fmt.Sprint(rapid.IntRange(lo, hi).Draw(t, "n"))}
	case "boolean":
		return drawn{`{"type":"boolean"}`, fmt.Sprint(rapid.Bool().Draw(t, "b"))}
	case "enum":
		opts := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z]{1,6}`), 1, 5, rapid.ID).Draw(t, "options")
		b, _ := json.Marshal(opts)
		return drawn{`{"enum":` + string(b) + `}`, fmt.Sprintf("%q", rapid.SampledFrom(opts).Draw(t, "option"))}
	case "format":
		return drawn{`{"type":"string","format":"date"}`, `"2025-05-05"`}
	case "nullable":
		return drawn{`{"type":["integer","null"]}`, rapid.SampledFrom([]string{"null", "3"}).Draw(t, "null")}
	case "array":
		item := drawSchema(t, depth-1)
		return drawn{fmt.Sprintf(`{"type":"array","items":%s,"minItems":%d}`, item.src, rapid.IntRange(0, 2).Draw(t, "least")), "[" + item.value + "," + item.value + "]"}
	case "anyOf":
		a, b := drawSchema(t, depth-1), drawSchema(t, 0)
		return drawn{`{"anyOf":[` + a.src + `,` + b.src + `]}`, a.value}
	case "operation":
		a, b := drawSchema(t, depth-1), drawSchema(t, depth-1)
		return drawn{fmt.Sprintf(`{"oneOf":[{"type":"object","properties":{"op":{"const":"a"},"a":%s},"required":["op","a"]},{"type":"object","properties":{"op":{"const":"b"},"b":%s},"required":["op","b"]}]}`, a.src, b.src), `{"op":"b","b":` + b.value + `}`}
	case "object":
		return drawObject(t, depth-1)
	}
	low := rapid.IntRange(0, 30).Draw(t, "low")
	return drawn{fmt.Sprintf(`{"type":"string","minLength":%d,"maxLength":%d}`, low, low+rapid.IntRange(0, 30).Draw(t, "more")), fmt.Sprintf("%q", strings.Repeat("s", low))}
}

// drawObject draws a closed object whose fields don't depend on each other.
func drawObject(t *rapid.T, depth int) drawn {
	names := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z]{1,5}`), 1, 5, rapid.ID).Draw(t, "names")
	var props, values, required []string
	for _, n := range names {
		d := drawSchema(t, depth)
		props = append(props, fmt.Sprintf("%q:%s", n, d.src))
		must := rapid.Bool().Draw(t, "must")
		if must {
			required = append(required, fmt.Sprintf("%q", n))
		}
		if must || rapid.Bool().Draw(t, "there") {
			values = append(values, fmt.Sprintf("%q:%s", n, d.value))
		}
	}
	return drawn{obj(strings.Join(props, ","), `"required":[`+strings.Join(required, ",")+`]`, `"additionalProperties":false`), "{" + strings.Join(values, ",") + "}"}
}

// TestExamplePasses: a schema that can be met has an example; it passes.
func TestExamplePasses(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		d := drawObject(r, 3)
		s, err := schema.Compile([]byte(d.src))
		if err != nil {
			r.Fatal(err)
		}
		if ps := s.Check([]byte(d.value)); ps != nil {
			r.Fatalf("%s doesn't take %s: %v", d.src, d.value, ps)
		}
		for _, prefer := range []string{"", d.value, "{}"} {
			e := s.Example([]byte(prefer))
			if e == nil {
				r.Fatalf("%s has no example", d.src)
			}
			if ps := s.Check(e); ps != nil {
				r.Fatalf("%s of %s: %v", e, d.src, ps)
			}
		}
	})
}

// TestExampleKeepsWhatWasRight: of a call with one bad field the others stand
// in the example, to the byte.
func TestExampleKeepsWhatWasRight(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		d := drawObject(r, 2)
		s, err := schema.Compile([]byte(d.src))
		if err != nil {
			r.Fatal(err)
		}
		props := s.Properties()
		bad := rapid.SampledFrom(props).Draw(r, "bad").Name
		broken, err := rawjson.Edit([]byte(d.value), rawjson.Change{Key: bad, Value: []byte(`{"never":["taken"]}`)})
		if err != nil {
			r.Fatal(err)
		}
		for _, p := range s.Check(broken) {
			if p.Pointer != "/"+bad && !strings.HasPrefix(p.Pointer, "/"+bad+"/") {
				r.Fatalf("one field is bad and %v is told", p)
			}
		}
		e := s.Example(broken)
		if e == nil || s.Check(e) != nil {
			r.Fatalf("the example of %s is %s", d.src, e)
		}
		_ = rawjson.Members([]byte(d.value), func(k, v []byte) bool {
			got, _ := rawjson.Get(e, string(k))
			if string(k) != bad && len(v) <= 200 && string(got) != string(v) {
				r.Fatalf("%s was right in %s and is %s in %s", k, broken, got, e)
			}
			return true
		})
	})
}

// TestExampleEnds: whatever a schema asks for, looking for an example ends.
func TestExampleEnds(t *testing.T) {
	var same, other []string
	for i := range 60 {
		same = append(same, fmt.Sprintf(`{"$ref":"#","title":"%d"}`, i))
		other = append(other, fmt.Sprintf(`{"properties":{"p":{"$ref":"#"},"q%d":{"$ref":"#"}},"required":["p","q%d"]}`, i, i))
	}
	three := func(ref string) string {
		return `{"anyOf":[{"$ref":"` + ref + `"},{"$ref":"` + ref + `","title":"1"},{"$ref":"` + ref + `","title":"2"}]}`
	}
	lists := `{"type":"array","minItems":50}`
	for range 4 {
		lists = `{"type":"array","minItems":50,"items":` + lists + `}`
	}
	for _, src := range []string{
		`{"anyOf":[` + strings.Join(same, ",") + `]}`,
		`{"oneOf":[` + strings.Join(other, ",") + `],"not":{}}`,
		`{"allOf":[{"anyOf":[` + strings.Join(other, ",") + `]},{"oneOf":[` + strings.Join(other, ",") + `]}],"not":{}}`,
		`{"$ref":"#/$defs/a","$defs":{"a":` + three("#/$defs/b") + `,"b":` + three("#/$defs/c") + `,"c":{"anyOf":[{"$ref":"#/$defs/a"},{"type":"array","minItems":2,"items":{"$ref":"#/$defs/a"}}]}}}`,
		`{"$ref":"#/$defs/a","$defs":{"a":{"if":{"properties":{"p":{"const":1}}},"then":{"$ref":"#/$defs/a"},"else":{"$ref":"#/$defs/a"},"properties":{"p":{"$ref":"#/$defs/a"},"q":{"$ref":"#/$defs/a"}},"required":["p","q"]}}}`,
		lists,
		`{"type":"object","minProperties":1000000}`,
		obj(`"a":{"type":"string","minLength":1000000}`, `"required":["a"]`),
		obj(`"a":{"type":"string","pattern":"^(a{1,100}){1,9}$","minLength":900}`, `"required":["a"]`),
	} {
		s := compile(t, src)
		for _, prefer := range []string{"", `{"p":{"p":{"p":{"p":1}}},"q1":1}`} {
			if e := s.Example([]byte(prefer)); e != nil && s.Check(e) != nil {
				t.Errorf("%.60s: %.60s doesn't pass", src, e)
			}
			if kept := s.Offered([]byte(prefer)); len(kept) > len("{}") {
				t.Errorf("%.60s offers %s", src, kept)
			}
			s.SignatureFor([]byte(prefer))
		}
	}
}
