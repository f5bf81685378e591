package schema_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ferrule/ferrule/rawjson"
	"github.com/ferrule/ferrule/schema"
)

const search = `{"type":"object","properties":{"query":{"type":"string","description":"What to search for"},` +
	`"limit":{"type":"integer","minimum":1,"maximum":100},"order":{"enum":["newest","oldest"]},"deep":{"type":"boolean"}},` +
	`"required":["query"],"additionalProperties":false}`

func TestExamplePrefersWhatWasRight(t *testing.T) {
	s := compile(t, search)
	for in, want := range map[string]string{
		`{"query":5,"limit":7,"order":"new"}`:                           `{"query":"<What to search for>","limit":7}`,
		`{"query":"go","limit":"7"}`:                                    `{"query":"go"}`,
		`{"query":"` + strings.Repeat("x", 300) + `","order":"oldest"}`: `{"query":"<What to search for>","order":"oldest"}`,
		`{"q":1}`:  `{"query":"<What to search for>"}`,
		`not json`: `{"query":"<What to search for>"}`,
		``:         `{"query":"<What to search for>"}`,
	} {
		if got := string(s.Example([]byte(in))); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}

func TestMadeUp(t *testing.T) {
	s := compile(t, search)
	if ps := s.MadeUp(s.Example(nil)); len(ps) != 1 || ps[0].Path != "query" || ps[0].Keyword != "placeholder" {
		t.Errorf("the example itself: %v", ps)
	}
	for _, v := range []string{`{"query":"What to search for"}`, `{"query":"<title>"}`, `{"query":"<query>"}`, `{}`} {
		if ps := s.MadeUp([]byte(v)); ps != nil {
			t.Errorf("%s: %v", v, ps)
		}
	}
	own := compile(t, `{"type":"object","properties":{"tag":{"type":"string","default":"<the tag>"}}}`)
	if ps := own.MadeUp([]byte(`{"tag":"<the tag>"}`)); ps != nil {
		t.Errorf("the schema's own default: %v", ps)
	}
}

func TestProperties(t *testing.T) {
	got := compile(t, search).Properties()
	want := []schema.Property{
		{"query", []string{"string"}, true, nil},
		{"limit", []string{"integer"}, false, nil},
		{"order", []string{"string"}, false, []string{`"newest"`, `"oldest"`}},
		{"deep", []string{"boolean"}, false, nil},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	open := compile(t, `{"type":"object","additionalProperties":{"type":"integer"}}`)
	if p, ok := open.Property("any"); !ok || p.Types[0] != "integer" {
		t.Errorf("a field under additionalProperties: %v, %v", p, ok)
	}
	if !compile(t, search).Closed() || open.Closed() || !open.Object() {
		t.Error("Closed or Object is wrong")
	}
}

func TestLoose(t *testing.T) {
	s := schema.Loose([]byte(`{"type":"object","properties":{"a":{"$ref":"http://example.com/"}},"required":["a"]}`))
	for v, want := range map[string]string{`{"a":1}`: "", `{}`: "required", `[1]`: "type", `{"a":`: "json", `{"a":1,"a":2}`: "duplicate"} {
		got := ""
		if ps := s.Check([]byte(v)); len(ps) > 0 {
			got = ps[0].Keyword
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", v, got, want)
		}
	}
	for _, src := range []string{"", "null", "[]", `{"a":`, strings.Repeat("[", 1<<20)} {
		if ps := schema.Loose([]byte(src)).Check([]byte(`{"a":1}`)); ps != nil {
			t.Errorf("%.20q refuses an object: %v", src, ps)
		}
	}
}

func TestCache(t *testing.T) {
	c := &schema.Cache{Entries: 2}
	get := func(n int) *schema.Schema {
		s, err := c.Compile(fmt.Appendf(nil, `{"type":"object","maxProperties":%d}`, n))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	one := get(1)
	if get(1) != one {
		t.Error("compiled twice")
	}
	get(2)
	get(1)
	get(3) // puts 2 out, the one not used for longest
	if get(1) != one {
		t.Error("the latest used was put out")
	}
	if _, err := c.Compile([]byte(`{"$ref":"http://example.com"}`)); err == nil {
		t.Error("a refused schema came out of the cache")
	}
	var none *schema.Cache
	if s, err := none.Compile(nil); err != nil || s.Check([]byte(`{}`)) != nil {
		t.Error("a nil cache doesn't compile", err)
	}
}

func TestConcurrent(t *testing.T) {
	c := &schema.Cache{Entries: 3}
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 50 {
				src := fmt.Sprintf(`{"type":"object","properties":{"next":{"$ref":"#"},"n":{"maximum":%d}}}`, (g+i)%6)
				s, err := c.Compile([]byte(src))
				if err != nil {
					t.Error(err)
					return
				}
				if s.Check([]byte(`{"next":{"next":{"n":0}}}`)) != nil || len(s.Check([]byte(`{"next":{"n":9}}`))) != 1 {
					t.Error("a wrong verdict")
				}
			}
		})
	}
	wg.Wait()
}

// FuzzSchema: whatever a schema and a value are, nothing panics; an example
// passes; what passes is JSON; the order of problems is fixed.
func FuzzSchema(f *testing.F) {
	f.Add(search, `{"query":5,"limit":"3"}`)
	f.Add(`{"type":["STRING","null"],"nullable":true,"enum":["a"]}`, `"b"`)
	f.Add(`{"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[{"$ref":"#/$defs/a"},{"type":"array","items":{"$ref":"#"}}]}}}`, `[[[]]]`)
	f.Add(`{"properties":{"a":{"pattern":"^[a-z]{3}$","minLength":5},"b":{"multipleOf":0.3,"minimum":1}},"required":["a","b"]}`, `{"a":"x","b":1e20}`)
	f.Add(`{"items":[{"const":1},true],"additionalItems":false,"dependencies":{"a":["b"],"c":{}}}`, `[1,2,3]`)
	f.Add(`{"$schema":"http://json-schema.org/draft-04/schema#","id":"x","$ref":"x"}`, `{}`)
	f.Fuzz(func(t *testing.T, src, value string) {
		if len(src) > 2000 || len(value) > 2000 {
			return
		}
		merr := schema.Measure([]byte(src))
		s, err := schema.Compile([]byte(src))
		if merr != nil && err == nil {
			t.Fatalf("%q is beyond a limit (%v) and compiles", src, merr)
		}
		if err != nil {
			s = schema.Loose([]byte(src))
		}
		if n := len([]rune(s.Signature())); n > 400 || strings.Contains(s.Signature(), "\n") {
			t.Fatalf("the signature of %q has %d characters", src, n)
		}
		if e := s.Example([]byte(value)); e != nil && s.Check(e) != nil {
			t.Fatalf("the example %s of %q doesn't pass: %v", e, src, s.Check(e))
		}
		ps := s.Check([]byte(value))
		if len(ps) == 0 && rawjson.Valid([]byte(value), schema.MaxNesting) != nil {
			t.Fatalf("%q passes and isn't JSON", value)
		}
		if d := cmp.Diff(ps, s.Check([]byte(value))); d != "" {
			t.Fatalf("two checks differ: %s", d)
		}
	})
}

// twenty is a tool of 20 fields and a call with all of them.
func twenty() (src, value string) {
	kinds := []struct{ schema, value string }{
		{`{"type":"string","minLength":1,"description":"A text"}`, `"some words of ordinary length"`},
		{`{"type":"integer","minimum":0,"maximum":1000}`, `42`},
		{`{"enum":["one","two","three"]}`, `"two"`},
		{`{"type":"boolean"}`, `true`},
		{`{"type":"array","items":{"type":"string"}}`, `["a","b","c"]`},
	}
	var s, v []string
	for i := range 20 {
		k := kinds[i%len(kinds)]
		s = append(s, fmt.Sprintf(`"field_%d":%s`, i, k.schema))
		v = append(v, fmt.Sprintf(`"field_%d":%s`, i, k.value))
	}
	return `{"type":"object","properties":{` + strings.Join(s, ",") + `},"required":["field_0","field_1"],"additionalProperties":false}`,
		`{` + strings.Join(v, ",") + `}`
}

func BenchmarkCheck20Fields(b *testing.B) {
	src, value := twenty()
	s := compile(b, src)
	b.ReportAllocs()
	for b.Loop() {
		if s.Check([]byte(value)) != nil {
			b.Fatal("refused")
		}
	}
}

func BenchmarkCompile20Fields(b *testing.B) {
	src, _ := twenty()
	b.ReportAllocs()
	for b.Loop() {
		compile(b, src)
	}
}

func BenchmarkCached20Fields(b *testing.B) {
	src, _ := twenty()
	var c schema.Cache
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Compile([]byte(src)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkExplainable(b *testing.B) {
	s := compile(b, search)
	for b.Loop() {
		s.Check([]byte(`{"query":5,"limit":"3","order":"new","zzz":1}`))
	}
}
