package schema

import (
	"math/big"
	"regexp/syntax"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ferrule/ferrule/rawjson"
)

// formats shows how a text of a format looks: reserved names and numbers only.
var formats = map[string]string{
	"date": "2026-01-31", "date-time": "2026-01-31T09:30:00Z", "time": "09:30:00Z", "duration": "PT15M",
	"email": "name@example.com", "idn-email": "name@example.com", "hostname": "example.com",
	"ipv4": "192.0.2.1", "ipv6": "2001:db8::1", "uri": "https://example.com/", "url": "https://example.com/",
	"iri": "https://example.com/", "uri-reference": "/example", "uuid": "00000000-0000-4000-8000-000000000000",
	"json-pointer": "/example", "regex": "example.*",
}

const maxMade = 60 // characters of a made-up text

// made is a text that says what a field is, and looks it.
func made(name string, n *node) string {
	what := n.word("description")
	if what == "" {
		what = n.word("title")
	}
	what = strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune("<>\"\\`{}", r) {
			return ' '
		}
		return r
	}, what)
	for _, stop := range []string{". ", "; ", " (", ": "} {
		what, _, _ = strings.Cut(what, stop)
	}
	what = strings.TrimRight(strings.Join(strings.Fields(what), " "), ".,:;")
	if what == "" {
		what = "the " + strings.Join(strings.FieldsFunc(name, func(r rune) bool {
			return r == '_' || r == '-' || r == ' ' || strings.ContainsRune("<>\"\\`{}", r)
		}), " ")
	}
	if !strings.Contains(what, " ") {
		what = "the " + what // one word in angle brackets may be meant
	}
	if utf8.RuneCountInString(what) > maxMade {
		what = string([]rune(what)[:maxMade])
		if i := strings.LastIndexByte(what, ' '); i > 0 {
			what = what[:i]
		}
	}
	return "<" + what + ">"
}

// sampleText makes a text that fits n as far as that can be told.
func sampleText(n *node, name string) string {
	if f, ok := formats[n.word(formatHint)]; ok {
		return f
	}
	if p := n.word("pattern"); p != "" {
		if re, err := compilePattern(p); err == nil {
			if t := made(name, n); re.MatchString(t) {
				return t
			}
			return sampleOf(p)
		}
	}
	t := made(name, n)
	if v := n.get("maxLength"); v != nil {
		if limit := whole(v); utf8.RuneCountInString(t) > limit {
			if limit < 3 {
				return strings.Repeat("x", limit)
			}
			t = string([]rune(t)[:limit-1]) + ">"
		}
	}
	if v := whole(n.get("minLength")); v > utf8.RuneCountInString(t) && v <= 1000 {
		t = t[:len(t)-1] + strings.Repeat(".", v-utf8.RuneCountInString(t)) + ">"
	}
	return t
}

// sampleOf makes a short text that a pattern matches, most likely.
func sampleOf(p string) string {
	re, err := syntax.Parse(p, syntax.Perl)
	if err != nil {
		return ""
	}
	var b strings.Builder
	sample(&b, re.Simplify())
	return b.String()
}

func sample(b *strings.Builder, re *syntax.Regexp) {
	if b.Len() > 500 {
		return
	}
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		b.WriteRune(likely(re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte('x')
	case syntax.OpCapture, syntax.OpPlus:
		sample(b, re.Sub[0])
	case syntax.OpRepeat:
		for range re.Min {
			sample(b, re.Sub[0])
		}
	case syntax.OpConcat:
		for _, s := range re.Sub {
			sample(b, s)
		}
	case syntax.OpAlternate:
		sample(b, re.Sub[0])
	}
}

// likely picks a readable character of a class.
func likely(ranges []rune) rune {
	for _, c := range "xaX0A1-_. " {
		for i := 0; i+1 < len(ranges); i += 2 {
			if ranges[i] <= c && c <= ranges[i+1] {
				return c
			}
		}
	}
	if len(ranges) > 0 {
		return ranges[0]
	}
	return 'x'
}

// number makes a number within the bounds, the nth different one.
func number(n *node, integer bool, nth int) []byte {
	v := big.NewRat(int64(1+nth), 1)
	one := big.NewRat(1, 1)
	half := func(x *big.Rat, sign int64) *big.Rat {
		if integer {
			return new(big.Rat).Add(x, big.NewRat(sign, 1))
		}
		return new(big.Rat).Add(x, big.NewRat(sign, 2))
	}
	if lo := rat(n.get("minimum")); lo != nil && v.Cmp(lo) < 0 {
		v = lo
	}
	if lo := rat(n.get("exclusiveMinimum")); lo != nil && v.Cmp(lo) <= 0 {
		v = half(lo, 1)
	}
	if hi := rat(n.get("maximum")); hi != nil && v.Cmp(hi) > 0 {
		v = hi
	}
	if hi := rat(n.get("exclusiveMaximum")); hi != nil && v.Cmp(hi) >= 0 {
		v = half(hi, -1)
	}
	step := rat(n.get("multipleOf"))
	if step == nil && integer {
		step = one
	}
	if step != nil && step.Sign() > 0 {
		q := new(big.Rat).Quo(v, step)
		k := new(big.Int).Div(new(big.Int).Add(q.Num(), new(big.Int).Sub(q.Denom(), big.NewInt(1))), q.Denom())
		v = new(big.Rat).Mul(new(big.Rat).SetInt(k), step)
	}
	if v.IsInt() {
		return []byte(v.Num().String())
	}
	return []byte(strings.TrimRight(v.FloatString(9), "0"))
}

func rat(n *node) *big.Rat {
	if n == nil || n.kind != '0' {
		return nil
	}
	v, ok := new(big.Rat).SetString(string(n.raw))
	if !ok {
		return nil
	}
	return v
}

// whole reads a length or a count; 0 where there is none.
func whole(n *node) int {
	if n == nil || n.kind != '0' {
		return 0
	}
	f, err := strconv.ParseFloat(string(n.raw), 64)
	if err != nil || f < 0 || f > 1e9 {
		return 1e9
	}
	return int(f)
}

// madeUp lists the texts that Example may make up and the schema doesn't hold itself.
func (s *Schema) madeUp() map[string]bool {
	out := map[string]bool{made("value", nil): true}
	var walk func(n *node, name string)
	walk = func(n *node, name string) {
		out[made(name, n)] = true
		if ps := n.get("properties"); ps != nil {
			for i, k := range ps.keys {
				walk(ps.vals[i], k)
			}
		}
		eachBelow(n, func(keyword string, c *node) {
			if keyword != "properties" {
				walk(c, name)
			}
		})
	}
	walk(s.root, "value")
	var own func(n *node)
	own = func(n *node) {
		for _, v := range append(s.given(n), n.get("const")) {
			if v != nil && v.kind == '"' {
				delete(out, v.str)
			}
		}
		if e := n.get("enum"); e != nil {
			for _, v := range e.vals {
				delete(out, v.str)
			}
		}
		eachBelow(n, func(_ string, c *node) { own(c) })
	}
	own(s.root)
	return out
}

// MadeUp finds the values that Example made up for this schema and a model
// copied: such a call was never meant.
func (s *Schema) MadeUp(value []byte) []Problem {
	if !strings.Contains(string(value), `"<`) {
		return nil
	}
	var out []Problem
	var walk func(b []byte, place []string)
	walk = func(b []byte, place []string) {
		switch rawjson.Kind(b) {
		case '{':
			_ = rawjson.Members(b, func(k, v []byte) bool {
				walk(v, append(place, string(k)))
				return true
			})
		case '[':
			i := 0
			_ = rawjson.Elements(b, func(v []byte) bool {
				walk(v, append(place, strconv.Itoa(i)))
				i++
				return true
			})
		case '"':
			if t, err := rawjson.String(b); err == nil && s.made[t] {
				out = append(out, problemAt(place, "placeholder", "a value of your own: this one only says what the field is", show(b)))
			}
		}
	}
	walk(value, nil)
	return sorted(out)
}
