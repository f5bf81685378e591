package rawjson_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ferrule/ferrule/rawjson"
)

func TestEdit(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"set in place", `{ "model" : "a" , "x":1 }`, `{ "model" : "b" , "x":1 }`},
		{"set at the end", `{"x":1}`, `{"x":1,"model":"b"}`},
		{"set in an empty object", `{ }`, `{"model":"b" }`},
		{"drop the first", `{"tools":[], "x":1}`, `{ "x":1,"model":"b"}`},
		{"drop the last", `{"x":1,"tools":[]}`, `{"x":1,"model":"b"}`},
		{"drop the only one", `{"tools":[{"model":2}]}`, `{"model":"b"}`},
		{"change both of a doubled key", `{"model":"a","model":"c"}`, `{"model":"b","model":"b"}`},
		{"an escaped key is the same key", `{"mod\u0065l":"a"}`, `{"mod\u0065l":"b"}`},
		{"a key in another case is another key", `{"Model":"a"}`, `{"Model":"a","model":"b"}`},
		{"space around", " \n{\"x\":1}\n", " \n{\"x\":1,\"model\":\"b\"}\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := []byte(c.in)
			got, err := rawjson.Edit(in, rawjson.Change{Key: "model", Value: []byte(`"b"`)}, rawjson.Change{Key: "tools"})
			if err != nil || string(got) != c.want {
				t.Errorf("got %s, %v; want %s", got, err, c.want)
			}
			if string(in) != c.in {
				t.Errorf("the input was changed to %s", in)
			}
		})
	}
	for _, bad := range []string{``, `[]`, `1`, `{"a":1`, `{"a" 1}`, `{"a":1 "b":2}`, `{"a":}`} {
		if got, err := rawjson.Edit([]byte(bad), rawjson.Change{Key: "tools"}); err == nil {
			t.Errorf("Edit(%q) = %q, want an error", bad, got)
		}
	}
}

func TestCanonical(t *testing.T) {
	for _, c := range []struct{ a, b string }{
		{`{"b":1,"a":[true, null]}`, `{"a":[true,null],"b":1}`},
		{`1`, `1.0`},
		{`1`, `10e-1`},
		{`100`, `1e2`},
		{`0`, `-0.0`},
		{`0.5`, `5e-1`},
		{`12345678901234567890`, `1234567890123456789e1`},
		{`"\u0041\/"`, `"A/"`},
		{`1e400`, `10e399`},
	} {
		a, errA := rawjson.Canonical([]byte(c.a))
		b, errB := rawjson.Canonical([]byte(c.b))
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			t.Errorf("%s and %s: %s and %s (%v, %v), want the same", c.a, c.b, a, b, errA, errB)
		}
	}
	for _, c := range []struct{ a, b string }{
		{`9007199254740993`, `9007199254740992`}, {`"1"`, `1`}, {`[1,2]`, `[2,1]`}, {`1e400`, `1e401`}, {`-1`, `1`},
	} {
		a, _ := rawjson.Canonical([]byte(c.a))
		b, _ := rawjson.Canonical([]byte(c.b))
		if bytes.Equal(a, b) {
			t.Errorf("%s and %s are both %s, want them apart", c.a, c.b, a)
		}
	}
	if got, err := rawjson.Canonical([]byte(`{"a":{"x":1,"x":1}}`)); err == nil {
		t.Errorf("a doubled key gave %s, want an error", got)
	}
}

func TestDoubled(t *testing.T) {
	for in, want := range map[string]bool{
		`{"a":1,"a":2}`:                                 true,
		`{"a":1,"A":2}`:                                 false,
		`{"a":1,"\u0061":2}`:                            true,
		`{"x":[{"a":1},{"a":2}]}`:                       false,
		`{"x":{"a":1},"a":{"a":2,"x":3}}`:               false,
		`[{"b":{"c":[],"d":"a","c":1}}]`:                true,
		`{"a":"a","b":"a"}`:                             false,
		many(100, "k99"):                                true,
		many(100, "k100"):                               false,
		`[` + many(20, "x") + `,` + many(20, "y") + `]`: false,
	} {
		if _, got := rawjson.Doubled([]byte(in)); got != want {
			t.Errorf("Doubled(%s) = %v, want %v", in, got, want)
		}
	}
}

// many is an object with the keys k0 to k(n-1) and one more.
func many(n int, more string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"k%d":{},`, i)
	}
	return "{" + b.String() + `"` + more + `":0}`
}

func TestDepth(t *testing.T) {
	deep := strings.Repeat("[", 65) + strings.Repeat("]", 65)
	if err := rawjson.Valid([]byte(deep), 64); !errors.Is(err, rawjson.ErrDepth) {
		t.Errorf("65 deep: %v, want ErrDepth", err)
	}
	if err := rawjson.Valid([]byte(deep), 65); err != nil {
		t.Errorf("65 deep with room for 65: %v", err)
	}
	if err := rawjson.Valid(bytes.Repeat([]byte("["), 10_000_000), 64); !errors.Is(err, rawjson.ErrDepth) {
		t.Errorf("ten million brackets: %v, want ErrDepth", err)
	}
}

func TestStringRoundTrip(t *testing.T) {
	for _, s := range []string{"", "plain", "\"\\\n\t\x00\x1f", "héllo 🌍", "</script>\u2028"} {
		b := rawjson.AppendString(nil, s)
		got, err := rawjson.String(b)
		if err != nil || got != s {
			t.Errorf("%q came back as %q, %v", s, got, err)
		}
	}
	if got, _ := rawjson.String([]byte(`"\ud83c\udf0d\ud83c"`)); got != "🌍\ufffd" {
		t.Errorf("surrogates gave %q", got)
	}
}

// FuzzValid holds Valid to encoding/json's own reading, and the readers to Valid.
func FuzzValid(f *testing.F) {
	for _, s := range []string{`{"a":[1,2.5e-3,"\u00e9\n",true,null,{}]}`, `{"a":1,}`, `[1 2]`, "\"\x80\"", `01`, `-`, `1.`, `{"a":{"b":{"c":[]}}}`, ` 1 x`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		err := rawjson.Valid(b, rawjson.MaxDepth)
		if errors.Is(err, rawjson.ErrDepth) {
			return
		}
		std := json.Valid(b)
		if err == nil && !std {
			t.Fatalf("%q passes here and not in encoding/json", b)
		}
		// encoding/json takes bytes that aren't UTF-8; we don't.
		if err != nil && std && bytes.Equal(bytes.ToValidUTF8(b, nil), b) {
			t.Fatalf("%q passes in encoding/json and not here: %v", b, err)
		}
		rawjson.Doubled(b)
		c, cerr := rawjson.Canonical(b)
		if err == nil && cerr == nil {
			again, err := rawjson.Canonical(c)
			if err != nil || !bytes.Equal(again, c) {
				t.Fatalf("canonical form of %q isn't stable: %q, then %q (%v)", b, c, again, err)
			}
		}
		if out, eerr := rawjson.Edit(b, rawjson.Change{Key: "k", Value: []byte("1")}); err == nil && eerr == nil {
			if v, ok := rawjson.Get(out, "k"); !ok || string(v) != "1" || rawjson.Valid(out, rawjson.MaxDepth) != nil {
				t.Fatalf("edit of %q gave %q", b, out)
			}
		}
	})
}
