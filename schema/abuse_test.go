package schema_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/ferrule/ferrule/schema"
)

var rep = strings.Repeat

// listOf is a JSON list of n entries.
func listOf(n int, entry func(i int) string) string {
	l := make([]string, n)
	for i := range l {
		l[i] = entry(i)
	}
	return "[" + strings.Join(l, ",") + "]"
}

// fieldsOf is an object with n fields.
func fieldsOf(n int, value string) string {
	o := listOf(n, func(i int) string { return fmt.Sprintf(`"k%d":%s`, i, value) })
	return "{" + o[1:len(o)-1] + "}"
}

// requiring is a list of n forms that each want a field of their own.
func requiring(n int) string {
	return listOf(n, func(i int) string { return fmt.Sprintf(`{"required":["k%d"]}`, i) })
}

// TestAbusedSchemas: a schema is compiled or refused under the limit's name.
func TestAbusedSchemas(t *testing.T) {
	for _, c := range []struct{ name, src, limit string }{
		{"file", `{"$ref":"file:///etc/passwd"}`, schema.LimitRef},
		{"urn", `{"$ref":"urn:example:other"}`, schema.LimitRef},
		{"its own urn", `{"$id":"urn:example:own","properties":{"a":{"$ref":"urn:example:own"}}}`, ""},
		{"upwards", `{"$ref":"../../schema.json"}`, schema.LimitRef},
		{"http, deep inside", `{"properties":{"a":{"items":{"not":{"$ref":"https://example.com/a#/b"}}}}}`, schema.LimitRef},
		{"http, its own", `{"$id":"https://example.com/a","properties":{"a":{"$ref":"https://example.com/a"}}}`, ""},
		{"http as data", `{"default":{"$ref":"https://example.com/a"}}`, ""},
		{"recursiveRef out", `{"$schema":"https://json-schema.org/draft/2019-09/schema","$recursiveRef":"other"}`, schema.LimitRef},
		{"a metaschema of its own", `{"$schema":"http://example.com/meta"}`, ""},
		{"10,000 forms of allOf", `{"allOf":` + requiring(10_000) + `}`, ""},
		{"10,000 forms of anyOf", `{"anyOf":` + requiring(10_000) + `}`, ""},
		{"20,000 forms of anyOf", `{"anyOf":` + requiring(20_000) + `}`, schema.LimitComplex},
		{"10,000 properties", many(10_000, `{"type":"string"}`), ""},
		{"100,000 options", enum(100_000), schema.LimitComplex},
		{"10,000 options", enum(10_000), ""},
		{"100,000 required names", `{"required":` + listOf(100_000, func(i int) string { return fmt.Sprintf(`"k%d"`, i) }) + `}`, schema.LimitComplex},
		{"10,000 required names", `{"required":` + listOf(10_000, func(i int) string { return fmt.Sprintf(`"k%d"`, i) }) + `}`, ""},
		{"100,000 dependent names", `{"dependentRequired":{"a":` + listOf(100_000, func(i int) string { return fmt.Sprintf(`"k%d"`, i) }) + `}}`, schema.LimitComplex},
		{"an option of a million digits", `{"enum":[1e1000000]}`, schema.LimitNumber},
		{"a count of a million digits", `{"minLength":1e1000000}`, schema.LimitNumber},
		{"a default of a million digits", `{"default":-1e-1000000}`, schema.LimitNumber},
		{"ten million brackets in a default", `{"default":` + rep("[", 10_000_000), schema.LimitNesting},
		{"ten million schemas", rep(`{"items":`, 10_000_000), schema.LimitNesting},
		{"repeats of repeats", `{"pattern":"(a{1000}){1000}"}`, ""},
		{"200 stars", `{"pattern":"` + rep("(", 200) + "a" + rep(")*", 200) + `"}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := schema.Compile([]byte(c.src))
			var limit *schema.LimitError
			switch {
			case c.limit == "" && err != nil:
				t.Errorf("refused: %v", err)
			case c.limit != "" && (!errors.As(err, &limit) || limit.Limit != c.limit):
				t.Errorf("got %v, want %s", err, c.limit)
			case err != nil && len(err.Error()) > 200:
				t.Errorf("%d bytes of error", len(err.Error()))
			}
		})
	}
}

const (
	pair = `{"$ref":"#/$defs/a","$defs":{"a":{"type":"array","items":{"$ref":"#/$defs/b"}},"b":{"type":["array","null"],"items":{"$ref":"#/$defs/a"}}}}`
	// Two forms lead on, and neither fits: steps double with each level.
	twice = `{"anyOf":[{"type":"array","items":{"$ref":"#"}},{"type":"array","items":{"$ref":"#"},"minItems":2},{"type":"null"}]}`
	wide  = `{"anyOf":[{"type":"array","items":{"$ref":"#"}},{"type":"array","items":{"$ref":"#"},"minItems":2},%s]}`
)

// TestAbusedValues: the first problem's keyword, "" where the value passes.
func TestAbusedValues(t *testing.T) {
	constants := listOf(5000, func(i int) string { return fmt.Sprintf(`{"const":"k%d"}`, i) })
	heavy := rep("(a|b)?", 160) + "(x+x+)+y"
	for _, c := range []struct{ name, src, value, keyword string }{
		{"refers to itself", `{"$ref":"#"}`, `{}`, "schema"},
		{"refer to each other", `{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`, `{}`, "schema"},
		{"refer to each other, below the value", pair, `[[null]]`, "type"},
		{"refer to each other, deep", pair, rep("[", 63) + rep("]", 63), ""},
		{"one form refers to itself", `{"anyOf":[{"$ref":"#"},{"type":"string"}]}`, `"x"`, ""},
		{"a dynamic reference to itself", `{"$dynamicAnchor":"a","$dynamicRef":"#a"}`, `1`, "schema"},
		{"dynamic references to each other", `{"$dynamicAnchor":"a","anyOf":[{"$dynamicRef":"#b"},{"type":"null"}],"$defs":{"b":{"$dynamicAnchor":"b","$dynamicRef":"#a"}}}`, `null`, ""},
		{"a dynamic reference below the value", `{"$dynamicAnchor":"a","type":"object","properties":{"x":{"$dynamicRef":"#a"}}}`, `{"x":{"x":1}}`, "type"},
		{"a dynamic reference that fits", `{"$dynamicAnchor":"a","type":"object","properties":{"x":{"$dynamicRef":"#a"}}}`, `{"x":{"x":{}}}`, ""},
		{"a recursive reference to itself", `{"$schema":"https://json-schema.org/draft/2019-09/schema","$recursiveAnchor":true,"$recursiveRef":"#"}`, `1`, "schema"},
		{"doubles, deep", twice, rep("[", 60) + "1" + rep("]", 60), "too_complex"},
		{"doubles, flat", twice, `[[null,[]]]`, ""},
		{"doubles, wide", fmt.Sprintf(wide, constants[1:len(constants)-1]), rep("[", 30) + "1" + rep("]", 30), "too_complex"},
		{"doubles, wide, flat", fmt.Sprintf(wide, constants[1:len(constants)-1]), `["k4999"]`, ""},
		{"a tree of 60,000", `{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#"}}},"additionalProperties":false}`, `{"kids":[` + rep(`{"kids":[]},`, 60_000) + `{}]}`, ""},
		{"1,000 texts against 5,000 forms", `{"items":{"anyOf":` + constants + `}}`, "[" + rep(`"z",`, 1000) + `"z"]`, "too_complex"},
		{"one text against 5,000 forms", `{"items":{"anyOf":` + constants + `}}`, `["z"]`, "anyOf"},
		{"one text that fits one of 5,000 forms", `{"items":{"anyOf":` + constants + `}}`, `["k4999"]`, ""},
		{"20,000 fields of 200 forms, none left over", `{"allOf":` + listOf(200, func(i int) string { return fmt.Sprintf(`{"properties":{"k%d":true}}`, i) }) + `,"unevaluatedProperties":false}`, fieldsOf(20_000, "1"), "too_complex"},
		{"200 fields of 200 forms, none left over", `{"allOf":` + listOf(200, func(i int) string { return fmt.Sprintf(`{"properties":{"k%d":true}}`, i) }) + `,"unevaluatedProperties":false}`, fieldsOf(200, "1"), ""},
		{"200,000 wrong items", `{"type":"array","items":{"type":"string"}}`, "[" + rep("1,", 190_000) + "1]", "type"},
		{"200,000 right items", `{"type":"array","items":{"type":"number"}}`, "[" + rep("1,", 190_000) + "1]", ""},
		{"stars of stars, 100 KB", `{"pattern":"^(a+)+$"}`, `"` + rep("a", 100_000) + `!"`, "pattern"},
		{"stars of stars, 100 KB that fit", `{"pattern":"^(a+)+$"}`, `"` + rep("a", 100_000) + `"`, ""},
		{"2 MB in pieces against a heavy pattern", `{"items":{"pattern":"` + heavy + `"}}`, "[" + rep(`"`+rep("ab", 16_000)+`",`, 60) + `"a"]`, "too_complex"},
		{"2 MB against a heavy pattern that is ruled out", `{"not":{"pattern":"` + heavy + `"}}`, `"` + rep("ab", 1<<20) + `"`, "too_complex"},
		{"2 MB of fields against a heavy pattern", `{"patternProperties":{"` + heavy + `":false}}`, "{" + `"` + rep("ab", 1<<20) + `":1}`, "too_complex"},
		{"a piece against a heavy pattern", `{"items":{"pattern":"` + heavy + `"}}`, `["xxxy"]`, ""},
		{"2 MB against a light pattern", `{"pattern":"^[ab]+$"}`, `"` + rep("ab", 1<<20) + `"`, ""},
		{"a value of a million digits", `{"maximum":5}`, `1e1000000`, "number"},
		{"a value of a million digits below", `{"items":{"multipleOf":0.1}}`, `[1,-1e-1000000]`, "number"},
		{"a value of 300 digits", `{"minimum":5}`, `1e300`, ""},
		{"a count of 300 digits", `{"minLength":1e300}`, `"x"`, "minLength"},
		{"a highest count of 300 digits", `{"maxLength":1e300}`, `"x"`, ""},
		{"10 million brackets", `{}`, rep("[", 10_000_000), "json"},
		{"64 brackets", `{}`, rep("[", 64) + rep("]", 64), ""},
		{"10 million objects", `{}`, rep(`{"a":`, 10_000_000), "json"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := compile(t, c.src)
			ps := s.Check([]byte(c.value))
			keyword, size := "", 0
			if len(ps) > 0 {
				keyword = ps[0].Keyword
			}
			for _, p := range ps {
				size += len(p.Want) + len(p.Got) + len(p.Path)
			}
			if keyword != c.keyword {
				t.Errorf("got %q, want %q", keyword, c.keyword)
			}
			if len(ps) > 50 || size > 50_000 {
				t.Errorf("%d problems of %d bytes", len(ps), size)
			}
		})
	}
}

// TestPrototypeKeys: names that mean something elsewhere mean nothing here.
func TestPrototypeKeys(t *testing.T) {
	s := compile(t, `{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"integer"},"toString":{"type":"boolean"}},"required":["__proto__","constructor","toString"],"additionalProperties":false}`)
	for value, want := range map[string]string{
		`{"__proto__":"x","constructor":1,"toString":true}`: "",
		`{}`: "/__proto__ /constructor /toString",
		`{"__proto__":{"a":1},"constructor":1,"toString":true}`:                "/__proto__",
		`{"__proto__":"x","constructor":1,"toString":true,"hasOwnProperty":1}`: "/hasOwnProperty",
		`{"__proto__":"x","__proto__":"y","constructor":1,"toString":true}`:    "/__proto__",
		`{"\u005f_proto__":"x","constructor":1,"toString":true}`:               "",
	} {
		var got []string
		for _, p := range s.Check([]byte(value)) {
			got = append(got, p.Pointer)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %v, want %s", value, got, want)
		}
	}
	if ps := s.Check(s.Example(nil)); ps != nil {
		t.Errorf("its example doesn't pass: %v", ps)
	}
	open := compile(t, `{"enum":[{"__proto__":{"toString":1}},{"constructor":null}]}`)
	for value, fits := range map[string]bool{`{"__proto__":{"toString":1}}`: true, `{"constructor":null}`: true, `{"__proto__":{}}`: false, `{}`: false} {
		if (open.Check([]byte(value)) == nil) != fits {
			t.Errorf("%s: fits should be %v", value, fits)
		}
	}
}

// TestHeavyBesideLight: a value that is counted stands in nobody's way for
// good, and its count is its own.
func TestHeavyBesideLight(t *testing.T) {
	forms := listOf(500, func(i int) string { return fmt.Sprintf(`{"const":"k%d"}`, i) })
	s := compile(t, `{"items":{"anyOf":`+forms+`}}`)
	heavy := []byte("[" + rep(`"z",`, 2000) + `"z"]`)
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			value, want := []byte(`["k499"]`), ""
			if i == 0 {
				value, want = heavy, "too_complex"
			}
			got := ""
			if ps := s.Check(value); len(ps) > 0 {
				got = ps[0].Keyword
			}
			if got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
	wg.Wait()
}
