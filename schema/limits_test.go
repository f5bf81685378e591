package schema_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ferrule/ferrule/schema"
)

// doubling is a schema whose n levels double at each reference.
func doubling(keyword string, n int) string {
	var b strings.Builder
	b.WriteString(`{"type":"object","properties":{"x":{"$ref":"#/$defs/a0"}},"$defs":{`)
	for i := range n {
		fmt.Fprintf(&b, `"a%d":{%q:[{"$ref":"#/$defs/a%d"},{"$ref":"#/$defs/a%d"}]},`, i, keyword, i+1, i+1)
	}
	fmt.Fprintf(&b, `"a%d":{"type":"string"}}}`, n)
	return b.String()
}

func many(n int, what string) string {
	var b strings.Builder
	b.WriteString(`{"type":"object","properties":{`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"p%d":%s`, i, what)
	}
	return b.String() + `}}`
}

func enum(n int) string {
	return `{"type":"object","properties":{"e":{"enum":[0` + strings.Repeat(`,1`, n-1) + `]}}}`
}

func nested(n int) string {
	return strings.Repeat(`{"not":`, n) + `{}` + strings.Repeat(`}`, n)
}

// TestMeasure: beside each schema that is refused stands one that is taken.
func TestMeasure(t *testing.T) {
	for _, c := range []struct{ name, src, limit string }{
		{"60 doublings of anyOf", doubling("anyOf", 60), schema.LimitComplex},
		{"60 doublings of oneOf", doubling("oneOf", 60), schema.LimitComplex},
		{"60 doublings of allOf", doubling("allOf", 60), schema.LimitComplex},
		{"60 doublings of items", doubling("prefixItems", 60), schema.LimitComplex},
		{"400 doublings", doubling("anyOf", 400), schema.LimitComplex},
		{"10 doublings", doubling("anyOf", 10), ""},
		{"10,001 properties", many(10_001, "{}"), schema.LimitProperties},
		{"1,000 properties", many(1000, `{"type":"string"}`), ""},
		{"20,001 options", enum(20_001), schema.LimitComplex},
		{"2,000 options", enum(2000), ""},
		{"65 deep", nested(65), schema.LimitNesting},
		{"63 deep", nested(62), ""},
		{"ten million brackets", strings.Repeat("[", 10_000_000), schema.LimitNesting},
		{"600 references", many(600, `{"$ref":"#/properties/p0"}`), ""},
		{"a number of a million digits", `{"minimum":1e1000000}`, schema.LimitNumber},
		{"a large number", `{"minimum":1e200}`, ""},
		{"a recursive reference", `{"properties":{"next":{"$ref":"#"}}}`, ""},
		{"101 ids", `{"allOf":[` + strings.Repeat(`{"$id":"x"},`, 100) + `true]}`, ""},
		{"http", `{"$ref":"http://example.com/"}`, schema.LimitRef},
		{"a metaschema", `{"$ref":"https://json-schema.org/draft/2020-12/schema"}`, schema.LimitRef},
		{"$dynamicRef out", `{"$dynamicRef":"other#a"}`, schema.LimitRef},
		{"in the document", `{"$ref":"#/$defs/a","$defs":{"a":{}}}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := schema.Measure([]byte(c.src))
			var limit *schema.LimitError
			switch {
			case c.limit == "" && err != nil:
				t.Errorf("refused: %v", err)
			case c.limit != "" && (!errors.As(err, &limit) || limit.Limit != c.limit):
				t.Errorf("got %v, want %s", err, c.limit)
			}
			if _, cerr := schema.Compile([]byte(c.src)); c.limit != "" && (cerr == nil || cerr.Error() != err.Error()) {
				t.Errorf("Compile says %v, Measure %v", cerr, err)
			}
		})
	}
	ids := make([]string, 101)
	for i := range ids {
		ids[i] = fmt.Sprintf(`{"$id":"x%d"}`, i)
	}
	if err := schema.Measure([]byte(`{"allOf":[` + strings.Join(ids, ",") + `]}`)); err == nil {
		t.Error("101 different ids pass")
	}
	places := make([]string, 501)
	for i := range places {
		places[i] = fmt.Sprintf(`{"$ref":"#/x/%d"}`, i)
	}
	src := `{"x":[` + strings.Repeat("{},", 500) + `{}],"anyOf":[` + strings.Join(places, ",") + `]}`
	if err := schema.Measure([]byte(src)); err == nil {
		t.Error("references to 501 places pass")
	}
}

// TestValueThatGoesRound: a schema that refers to itself in two branches
// doubles its steps with each level of the value.
func TestValueThatGoesRound(t *testing.T) {
	s := compile(t, `{"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[
		{"type":"object","properties":{"x":{"$ref":"#/$defs/a"}},"required":["y"]},
		{"type":"object","properties":{"x":{"$ref":"#/$defs/a"}},"required":["z"]}]}}}`)
	deep := strings.Repeat(`{"x":`, 60) + "1" + strings.Repeat("}", 60)
	if ps := s.Check([]byte(deep)); len(ps) != 1 || ps[0].Keyword != "too_complex" {
		t.Errorf("got %v, want too_complex", ps)
	}
	if ps := s.Check([]byte(`{"x":{"z":1},"y":2}`)); ps != nil {
		t.Errorf("a small value is refused: %v", ps)
	}
}

func TestLargeValues(t *testing.T) {
	s := compile(t, `{"type":"object","properties":{"content":{"type":"string"},"list":{"type":"array","items":{"anyOf":[`+strings.Repeat(`{"const":1},`, 500)+`{"type":"string"}]}}}}`)
	if ps := s.Check([]byte(`{"content":"` + strings.Repeat("x", 2<<20) + `"}`)); ps != nil {
		t.Errorf("2 MB of text are refused: %v", ps)
	}
	if ps := s.Check([]byte(`{"list":[0` + strings.Repeat(",0", 500_000) + `]}`)); len(ps) != 1 || ps[0].Keyword != "too_complex" {
		t.Errorf("half a million items against 500 forms: %d problems, want too_complex", len(ps))
	}
	if ps := s.Check([]byte(`{"list":["a","b"]}`)); ps != nil {
		t.Errorf("two items are refused: %v", ps)
	}
	p := compile(t, `{"type":"object","properties":{"a":{"type":"string","pattern":"`+strings.Repeat("(a|b)?", 100)+`$"}}}`)
	if ps := p.Check([]byte(`{"a":"` + strings.Repeat("ab", 1<<20) + `"}`)); len(ps) != 1 || ps[0].Keyword != "too_complex" {
		t.Errorf("2 MB against a heavy pattern: %v, want too_complex", ps)
	}
	if ps := p.Check([]byte(`{"a":"abab"}`)); ps != nil {
		t.Errorf("a short text is refused: %v", ps)
	}
}

func compile(t testing.TB, src string) *schema.Schema {
	t.Helper()
	s, err := schema.Compile([]byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return s
}
