package jsonmend_test

import (
	"bytes"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/ferrule/ferrule/jsonmend"
)

// abuse is input made to cost: a front, and one unit again and again.
var abuse = []struct {
	name, front, unit string
	kind              error
}{
	{"brackets", "", "[", jsonmend.ErrTooDeep},
	{"braces", "", "{", jsonmend.ErrUnexpected},
	{"pairs", "", "[]", jsonmend.ErrRoots},
	{"objects", "", "{}", jsonmend.ErrRoots},
	{"nested objects", "", `{"a":`, jsonmend.ErrTooDeep},
	{"closers", "", "]", jsonmend.ErrUnquoted},
	{"quotes", "", `"`, jsonmend.ErrUnexpected},
	{"quotes in a value", `{"a":`, `"`, jsonmend.ErrReadings},
	{"single quotes", "", "'", jsonmend.ErrUnexpected},
	{"single quotes in a value", `{"a":`, "'", jsonmend.ErrReadings},
	{"smart quotes", "", "“”", jsonmend.ErrUnexpected},
	{"triple quotes", "", `""" `, jsonmend.ErrUnexpected},
	{"triples in a value", `{"a":`, `""" `, jsonmend.ErrReadings},
	{"back quotes", "", "`", jsonmend.ErrEmpty},
	{"fences", "", "```\n", jsonmend.ErrEmpty},
	{"fences in a value", `{"a":`, "```", jsonmend.ErrReadings},
	{"backslashes", "", `\`, jsonmend.ErrUnquoted},
	{"string of backslashes", `["`, `\`, jsonmend.ErrCutString},
	{"kept backslashes", `["`, `\d`, jsonmend.ErrCutString},
	{"quotes with backslashes", `["`, `\"`, jsonmend.ErrCutString},
	{"unicode escapes", "", `\u`, jsonmend.ErrUnquoted},
	{"string of unicode escapes", `["`, `\u`, jsonmend.ErrEscape},
	{"half pairs", `["`, `\ud83d`, jsonmend.ErrCutString},
	{"pairs of halves", `["`, `\ud83d\ude00`, jsonmend.ErrCutString},
	{"commas", "", ",", jsonmend.ErrUnquoted},
	{"list of commas", "[", ",", jsonmend.ErrEllipsis},
	{"object of commas", "{", ",", jsonmend.ErrCut},
	{"colons", "", ":", jsonmend.ErrUnquoted},
	{"list of colons", "[", ":", jsonmend.ErrUnquoted},
	{"object of colons", "{a", ":", jsonmend.ErrUnquoted},
	{"inner", `{"a":"`, `" x`, jsonmend.ErrCutString},
	{"inner keys", `{"a":"`, `", "k`, jsonmend.ErrUnexpected},
	{"inner colons", `{"a":"`, `"x":`, jsonmend.ErrCutString},
	{"inner spaces", `{"a":"`, `"      `, jsonmend.ErrReadings},
	{"inner plus", `{"a":"`, `"+`, jsonmend.ErrReadings},
	{"inner opener of another kind", `{"a":"`, `",“`, jsonmend.ErrUnexpected},
	{"inner bare keys", `{"a":"`, `" kk:`, jsonmend.ErrReadings},
	{"inner words", `["`, `" word`, jsonmend.ErrCutString},
	{"inner brackets", `["`, `"[`, jsonmend.ErrReadings},
	{"double in single", "['", `"`, jsonmend.ErrCutString},
	{"double in single, as members", "{'a':'", `","`, jsonmend.ErrCutString},
	{"joined", `["a"`, ` + "a"`, nil},
	{"tokens", "{}", "<x>", nil},
	{"tags", "", "<", jsonmend.ErrUnquoted},
	{"open tags", `{"a":1`, "<x>", jsonmend.ErrUnexpected},
	{"block comments", "[", "/**/", jsonmend.ErrCut},
	{"one comment", "[/*", "a:", jsonmend.ErrCut},
	{"comments not closed", "[", "/*", jsonmend.ErrUnquoted},
	{"line comments", "[", "# :\n", jsonmend.ErrCut},
	{"comments behind strings", `["a"`, " // a\n", nil},
	{"digits", "[", "1", jsonmend.ErrTooLong},
	{"a number alone", "", "9", jsonmend.ErrTooLong},
	{"signs", "[", "+", jsonmend.ErrUnquoted},
	{"points", "[", ".", jsonmend.ErrEllipsis},
	{"exponent", "[1e", "1", jsonmend.ErrTooLong},
	{"big exponents", "[", "1e1000000,", jsonmend.ErrTooLong},
	{"underscores", "[1", "_000", jsonmend.ErrTooLong},
	{"numbers", "[", "+1,", jsonmend.ErrCut},
	{"words", "[", "a", jsonmend.ErrUnquoted},
	{"one word", "", "a", jsonmend.ErrUnquoted},
	{"prose", "", "word ", jsonmend.ErrUnquoted},
	{"calls", "", "f(", jsonmend.ErrUnquoted},
	{"thinking", "", "<think>", jsonmend.ErrCut},
	{"ellipses", "", "…", jsonmend.ErrEllipsis},
	{"spaces", "", " ", jsonmend.ErrEmpty},
	{"odd spaces", "[", "\u00a0", jsonmend.ErrCut},
	{"byte order marks", "", "\ufeff", jsonmend.ErrEmpty},
	{"keys", "{", `"a":1,`, jsonmend.ErrCut},
	{"bare keys", "{", "a:1,", jsonmend.ErrCut},
	{"keys without a comma", "{", `"a":"a"`, jsonmend.ErrReadings},
	{"full width", "", "｛", jsonmend.ErrUnexpected},
	{"tuples", "[", "(1,),", jsonmend.ErrCut},
	{"lines", "[", "1\n", nil},
	{"wrong closers", "[", "[1}", jsonmend.ErrUnexpected},
	{"empty strings", "[", `"",`, jsonmend.ErrCut},
	{"empty single strings", "[", "'',", jsonmend.ErrCut},
	{"strings", "[", `"a",`, jsonmend.ErrCut},
	{"roots", "", "1 ", jsonmend.ErrUnexpected},
	{"object roots", "", `{"a":1}`, jsonmend.ErrRoots},
	{"control characters", `["`, "\x01", jsonmend.ErrControls},
	{"colours", `["`, "\x1b[0m", jsonmend.ErrCutString},
	{"null bytes", "", "\x00", jsonmend.ErrUnquoted},
	{"string of null bytes", `["`, "\x00", jsonmend.ErrControls},
	{"no UTF-8", "", "\xff", jsonmend.ErrEncoding},
	{"cut in a character", `["`, "é", jsonmend.ErrCutString},
	{"prototypes", `{"__proto__":`, `{"constructor":`, jsonmend.ErrTooDeep},
}

// TestAbuse: whatever the bytes, the steps and the allocated memory grow with the
// input and no faster, and the answer is clear.
func TestAbuse(t *testing.T) {
	o := jsonmend.Options{Stopped: true, Keys: []string{"a", "k"}}
	for _, c := range abuse {
		for _, size := range []int{1 << 10, 1 << 16, 1 << 20} {
			in := []byte(c.front + strings.Repeat(c.unit, (size-len(c.front))/len(c.unit)))
			err := costs(t, in, o)
			if size > 1<<10 && !errors.Is(err, c.kind) {
				t.Errorf("%s: %v, want %v", c.name, err, c.kind)
			}
		}
	}
}

// TestAbuseTwins: as much of what is well meant goes through.
func TestAbuseTwins(t *testing.T) {
	for _, c := range []struct{ front, unit, back string }{
		{`["`, `\"`, `"]`},
		{`["`, `\\`, `"]`},
		{`["`, `\d`, `"]`},
		{`["`, `\ud83d\ude00`, `",]`},
		{`["`, `,:{}[]`, `"]`},
		{`["`, "é\n", `"]`},
		{`["`, "\x1b[0m", `"]`},
		{"['", `"`, "']"},
		{`{"a":"x`, ` "y" z`, `"}`},
		{`{"a":"""`, `"x" `, `"""}`},
		{"[", "/**/", "1]"},
		{"[", "1,", "]"},
		{"[", "1\n", "]"},
		{"[", "'',", "]"},
		{"[", "(1,),", "]"},
		{"[", `{a:1,},`, "]"},
		{"[", "1e300, ", "]"},
		{"{", `"a":1,`, "}"},
		{"{", `a:1,`, "}"},
		{"```json\n[", `{"a":1},`, "1]\n```"},
		{"", "\n", "null"},
	} {
		for _, size := range []int{1 << 10, 40_000, 1 << 20} {
			n := (size - len(c.front) - len(c.back)) / len(c.unit)
			if c.front == "{" {
				n = min(n, jsonmend.MaxKeys)
			}
			if err := costs(t, []byte(c.front+strings.Repeat(c.unit, n)+c.back), jsonmend.Options{}); err != nil {
				t.Errorf("%s%s…%s: %v", c.front, c.unit, c.back, err)
			}
		}
	}
}

// costs mends in and holds it to the bounds.
func costs(t *testing.T, in []byte, o jsonmend.Options) error {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	steps, err := jsonmend.Steps(in, o)
	runtime.ReadMemStats(&after)
	if steps > stepsPerByte*len(in)+fewSteps {
		t.Errorf("%.40q: %.1f steps a byte", in, float64(steps)/float64(len(in)))
	}
	if got := int(after.TotalAlloc - before.TotalAlloc); got > bytesPerByte*len(in)+fewBytes {
		t.Errorf("%.40q: %.1f bytes allocated for each", in, float64(got)/float64(len(in)))
	}
	return err
}

// TestBeyond: ten million brackets are too many bytes, or too deep.
func TestBeyond(t *testing.T) {
	many := bytes.Repeat([]byte("["), 10_000_000)
	for _, c := range []struct {
		in   []byte
		max  int
		kind error
	}{
		{many, 0, jsonmend.ErrTooLarge},
		{many[:jsonmend.DefaultMaxBytes], 0, jsonmend.ErrTooDeep},
		{many, len(many), jsonmend.ErrTooDeep},
		{[]byte("{\"a\":\"x\xc3"), 0, jsonmend.ErrCut}, // cut in the middle of a character
		{append([]byte("{x:"), many...), 2 * len(many), jsonmend.ErrTooDeep},
	} {
		if _, err := jsonmend.Mend(c.in, jsonmend.Options{MaxBytes: c.max}); !errors.Is(err, c.kind) {
			t.Errorf("%v, want %v", err, c.kind)
		}
	}
}
