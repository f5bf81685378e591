package jsonmend_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"github.com/ferrule/ferrule/internal/cases"
	"github.com/ferrule/ferrule/jsonmend"
	"github.com/ferrule/ferrule/rawjson"
)

const (
	stepsPerByte = 8
	fewSteps     = 1024 // that the smallest input may cost
	bytesPerByte = 20
	fewBytes     = 8 << 10 // likewise
)

// laws are what holds for any bytes whatever.
func laws(t interface {
	Helper()
	Fatalf(string, ...any)
}, in []byte, o jsonmend.Options,
) {
	t.Helper()
	before := bytes.Clone(in)
	r, err := jsonmend.Mend(in, o)
	if !bytes.Equal(before, in) {
		t.Fatalf("%q: the input was changed", before)
	}
	if n, _ := jsonmend.Steps(in, o); n > stepsPerByte*len(in)+fewSteps {
		t.Fatalf("%.200q: %d steps for %d bytes", in, n, len(in))
	}
	if err != nil {
		var e *jsonmend.Error
		if !errors.As(err, &e) || e.Kind == nil || e.Offset < 0 || e.Offset > len(in) {
			t.Fatalf("%q: %v", in, err)
		}
		if json.Valid(in) && !lawful(e.Kind) {
			t.Fatalf("%q is JSON and was refused: %v", in, err)
		}
		return
	}
	if !json.Valid(r.Value) || rawjson.Valid(r.Value, jsonmend.MaxDepth) != nil {
		t.Fatalf("%q gave %q, which isn't JSON", in, r.Value)
	}
	if !json.Valid(in) && r.Repairs == nil {
		t.Fatalf("%q isn't JSON and was taken as such", in)
	}
	if json.Valid(in) && !o.Object && (!bytes.Equal(in, r.Value) || r.Repairs != nil) {
		t.Fatalf("%q is JSON and became %q, %v", in, r.Value, r.Repairs)
	}
	again, err := jsonmend.Mend(r.Value, jsonmend.Options{MaxBytes: 2*len(r.Value) + 1, Object: o.Object})
	if err != nil || !bytes.Equal(again.Value, r.Value) || again.Repairs != nil {
		t.Fatalf("%q gave %q, and that %q, %v, %v", in, r.Value, again.Value, again.Repairs, err)
	}
	if s, ok := invented(in, r.Value); ok {
		t.Fatalf("%q gave %q: %q wasn't there", in, r.Value, s)
	}
}

// lawful are the refusals of what the grammar of JSON lets through.
func lawful(kind error) bool {
	for _, k := range []error{
		jsonmend.ErrDuplicate, jsonmend.ErrSurrogate, jsonmend.ErrTooDeep, jsonmend.ErrTooLarge,
		jsonmend.ErrTooLong, jsonmend.ErrTooMany, jsonmend.ErrEncoding,
	} {
		if kind == k {
			return true
		}
	}
	return false
}

// invented returns a string or number of the output whose letters and digits
// don't stand in the input in order.
func invented(in, out []byte) (string, bool) {
	seen := letters(in)
	d := json.NewDecoder(bytes.NewReader(out))
	d.UseNumber()
	for {
		tok, err := d.Token()
		if err != nil {
			return "", false
		}
		var want string
		switch v := tok.(type) {
		case string:
			raw, _ := json.Marshal(v)
			want = letters(raw)
		case json.Number:
			want = strings.ReplaceAll(letters([]byte(v)), "0", "") // .5 and 5. get one
		}
		if !inOrder(want, seen) {
			return want, true
		}
	}
}

// letters reads through escapes at one depth and keeps letters and digits.
func letters(b []byte) string {
	var s strings.Builder
	for _, r := range unescaped(string(b)) {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			s.WriteRune(r)
		}
	}
	return s.String()
}

func unescaped(s string) string {
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+5 < len(s) && s[i+1] == 'u' {
			var text string
			end := i + 6
			if end+6 <= len(s) && s[end:end+2] == `\u` && json.Unmarshal([]byte(`"`+s[i:end+6]+`"`), &text) == nil && !strings.ContainsRune(text, '\uFFFD') {
				out.WriteString(text)
				i = end + 5
				continue
			}
			if json.Unmarshal([]byte(`"`+s[i:end]+`"`), &text) == nil {
				out.WriteString(text)
				i = end - 1
				continue
			}
		}
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("bfnrt", s[i+1]) >= 0 {
			i++ // a control character is no letter
			continue
		}
		if s[i] == '\\' && i+1 < len(s) && s[i+1] == '\\' {
			i++
			continue
		}
		out.WriteByte(s[i])
	}
	return out.String()
}

func inOrder(want, seen string) bool {
	w := []rune(want)
	i := 0
	for _, r := range seen {
		if i < len(w) && w[i] == r {
			i++
		}
	}
	return i == len(w)
}

var pieces = []string{
	`{`, `}`, `[`, `]`, `(`, `)`, `,`, `:`, `"`, `'`, "`", `\`, `\"`, `\n`, `\u00e9`, `\ud83d`, " ", "\n", "\t", "\x00",
	`"a"`, `"b"`, `"a":`, `'k': `, `k:`, `1`, `-0.5`, `+1`, `.5`, `5.`, `1e5`, `1_0`, `true`, `None`, `NaN`, `undefined`,
	`"x y"`, `“`, `”`, `’`, `"""`, `//`, `/*`, `*/`, `#`, `...`, `…`, "```json\n", "```", `<|im_end|>`, `</x>`, `<think>`, `</think>`,
	`Call it:`, `f(`, `｛`, `：`, "\u00a0", "\uFEFF", "\xff", `é`, `+`, `"a":1`, `"a":"b"`, `{"a":1}`, `[1,2]`, `\d`, `\'`,
}

func TestLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 24).Draw(t, "pieces"), "")
		laws(t, []byte(in), jsonmend.Options{Stopped: rapid.Bool().Draw(t, "stopped"), Object: rapid.Bool().Draw(t, "object")})
	})
}

// TestValidStays: JSON comes back as it is, and so does what was mended of it.
func TestValidStays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := value(t, 4)
		in, err := json.MarshalIndent(v, "", rapid.SampledFrom([]string{"", " ", "\t"}).Draw(t, "indent"))
		if err != nil {
			t.Fatal(err)
		}
		r, err := jsonmend.Mend(in, jsonmend.Options{})
		if err != nil || !bytes.Equal(r.Value, in) || r.Repairs != nil {
			t.Fatalf("%s became %s, %v, %v", in, r.Value, r.Repairs, err)
		}
		laws(t, in, jsonmend.Options{})
		broken := append([]byte("```json\n"), append(in, "\n```"...)...)
		r, err = jsonmend.Mend(broken, jsonmend.Options{})
		var want bytes.Buffer
		if json.Compact(&want, in) != nil || err != nil || !bytes.Equal(r.Value, want.Bytes()) {
			t.Fatalf("%s became %s, %v", broken, r.Value, err)
		}
	})
}

func value(t *rapid.T, depth int) any {
	kinds := 4
	if depth > 0 {
		kinds = 6
	}
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0:
		return rapid.String().Draw(t, "string")
	case 1:
		return rapid.Int().Draw(t, "int")
	case 2:
		return rapid.Bool().Draw(t, "bool")
	case 4:
		list := []any{}
		for range rapid.IntRange(0, 4).Draw(t, "n") {
			list = append(list, value(t, depth-1))
		}
		return list
	case 5:
		object := map[string]any{}
		for range rapid.IntRange(0, 20).Draw(t, "n") {
			object[rapid.String().Draw(t, "key")] = value(t, depth-2)
		}
		return object
	}
	return nil
}

// TestManyKeys: an object may have very many keys, and one pair of them may
// disagree.
func TestManyKeys(t *testing.T) {
	object := func(n int, more string) []byte {
		b := []byte("{")
		for i := range n {
			b = fmt.Appendf(b, `"key%d":1,`, i)
		}
		return append(b, more...)
	}
	for _, c := range []struct {
		in   []byte
		kind error
	}{
		{object(jsonmend.MaxKeys-1, `"last":1}`), nil},
		{object(jsonmend.MaxKeys, `"last":1}`), jsonmend.ErrTooMany},
		{object(500, `"last":1,"la\u0073t":1}`), nil},
		{object(500, `"last":1,"la\u0073t":2}`), jsonmend.ErrDuplicate},
		{object(500, `last:1,'last':2}`), jsonmend.ErrDuplicate},
	} {
		if _, err := jsonmend.Mend(c.in, jsonmend.Options{}); !errors.Is(err, c.kind) {
			t.Errorf("%v, want %v", err, c.kind)
		}
		costs(t, c.in, jsonmend.Options{})
	}
}

func FuzzMend(f *testing.F) {
	for _, p := range pieces {
		f.Add([]byte(`{"a":`+p+`,"b":"`+p+`"}`), true, false)
	}
	f.Add([]byte("1.E0"), true, true)
	f.Add([]byte("{\"\":\"0\"0\"\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\""), true, false)
	f.Add([]byte(`{"json": "{"a": 1, "b": [true, null]}"}`), false, true)
	seed(f)
	f.Fuzz(func(t *testing.T, in []byte, stopped, object bool) {
		laws(t, in, jsonmend.Options{Stopped: stopped, Object: object, Keys: []string{"a"}})
	})
}

// seed adds what models really wrote, where it is at hand.
func seed(f *testing.F) {
	dir := os.Getenv("FERRULE_SHARED")
	if dir == "" {
		dir = "../../shared"
	}
	for _, name := range []string{"/data/arguments/cases.jsonl", "/fieldlog/cases.jsonl"} {
		b, err := os.ReadFile(dir + name)
		if err != nil {
			continue
		}
		for line := range bytes.Lines(b) {
			var c struct{ Input json.RawMessage }
			if json.Unmarshal(line, &c) != nil {
				continue
			}
			var text string
			var from struct{ Arguments, Text string }
			if json.Unmarshal(c.Input, &text) == nil {
				f.Add([]byte(text), true, true)
			} else if json.Unmarshal(c.Input, &from) == nil {
				f.Add([]byte(from.Arguments+from.Text), true, true)
			}
		}
	}
}

// TestOutsideLaws holds the outside cases to the laws too, whole and cut at
// every fifth byte.
func TestOutsideLaws(t *testing.T) {
	for line := range cases.Lines(t, "data/arguments/cases.jsonl") {
		var c outside
		if json.Unmarshal(line, &c) != nil {
			continue
		}
		for i := len(c.Input); i >= 0; i -= 5 {
			laws(t, []byte(c.Input[:i]), jsonmend.Options{Stopped: i%2 == 0})
		}
	}
}
