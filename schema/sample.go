package schema

import (
	"regexp/syntax"
	"strconv"
	"strings"
	"unicode/utf8"
)

// formats shows how texts of a format look, different ones: reserved names and
// numbers only.
var formats = map[string][]string{
	"date":                  {"2026-01-31", "2026-02-28", "2026-03-31"},
	"date-time":             {"2026-01-31T09:30:00Z", "2026-02-28T09:30:00Z", "2026-03-31T09:30:00Z"},
	"time":                  {"09:30:00Z", "10:30:00Z", "11:30:00Z"},
	"duration":              {"PT15M", "PT1H", "P1D"},
	"email":                 {"name@example.com", "a@b.example", "other@example.com"},
	"idn-email":             {"name@example.com", "a@b.example", "other@example.com"},
	"hostname":              {"example.com", "example.org", "a.example"},
	"idn-hostname":          {"example.com", "example.org", "a.example"},
	"ipv4":                  {"192.0.2.1", "192.0.2.2", "192.0.2.3"},
	"ipv6":                  {"2001:db8::1", "2001:db8::2", "2001:db8::3"},
	"uri":                   {"https://example.com/", "https://example.org/", "https://a.example"},
	"url":                   {"https://example.com/", "https://example.org/", "https://a.example"},
	"iri":                   {"https://example.com/", "https://example.org/", "https://a.example"},
	"uri-reference":         {"/example", "/other", "/a"},
	"iri-reference":         {"/example", "/other", "/a"},
	"uri-template":          {"/example/{id}", "/other/{id}"},
	"uuid":                  {"00000000-0000-4000-8000-000000000000", "00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"},
	"json-pointer":          {"/example", "/other", "/a"},
	"relative-json-pointer": {"1/example", "1/other"},
	"regex":                 {"example.*", "other.*"},
	"byte":                  {"ZXhhbXBsZQ==", "b3RoZXI="},
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

// numbered tells the texts of several places apart.
func numbered(made string, nth int) string {
	if nth == 0 {
		return made
	}
	return made[:len(made)-1] + " " + strconv.Itoa(nth+1) + ">"
}

// sampleText makes the nth text that fits n, as far as that can be told.
func sampleText(n *node, name string, nth int) string {
	fits := func(t string) bool { return fitsText(n, t) }
	for i, t := range formats[n.word(formatHint)] {
		if i >= nth && fits(t) {
			return t
		}
	}
	t := madeText(n, numbered(made(name, n), nth))
	if p := n.word("pattern"); p != "" && !fits(t) {
		for i := range maxSamples {
			if s := sampleOf(p, i); fits(s) {
				if nth--; nth < 0 {
					return s
				}
			}
		}
	}
	return t
}

// maxSamples is how many lengths of a pattern's text are tried.
const maxSamples = 40

func fitsText(n *node, t string) bool {
	length := utf8.RuneCountInString(t)
	if v := n.get("maxLength"); v != nil && length > whole(v) || length < whole(n.get("minLength")) {
		return false
	}
	p := n.word("pattern")
	if p == "" {
		return true
	}
	re, err := compilePattern(p)
	return err != nil || re.MatchString(t)
}

// madeText brings a made-up text to a length that n takes.
func madeText(n *node, t string) string {
	if v := n.get("maxLength"); v != nil {
		if limit := whole(v); utf8.RuneCountInString(t) > limit {
			if limit < 3 {
				return strings.Repeat("x", limit)
			}
			t = string([]rune(t)[:limit-1]) + ">"
		}
	}
	if v := whole(n.get("minLength")); v > utf8.RuneCountInString(t) && v <= maxPadded {
		t = t[:len(t)-1] + strings.Repeat(".", v-utf8.RuneCountInString(t)) + ">"
	}
	return t
}

const maxPadded = 1000 // characters of a text that must be long

// sampleOf makes a short text that a pattern matches, most likely; the higher
// more, the more often what may repeat does.
func sampleOf(p string, more int) string {
	re, err := syntax.Parse(p, syntax.Perl)
	if err != nil {
		return ""
	}
	w := sampler{more: more}
	w.write(re)
	return w.b.String()
}

type sampler struct {
	b    strings.Builder
	more int
}

const maxSample = 500 // bytes

func (w *sampler) write(re *syntax.Regexp) {
	if w.b.Len() > maxSample {
		return
	}
	switch re.Op {
	case syntax.OpLiteral:
		w.b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		w.b.WriteRune(likely(re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		w.b.WriteByte('x')
	case syntax.OpCapture:
		w.write(re.Sub[0])
	case syntax.OpPlus:
		w.times(re.Sub[0], 1+w.more)
	case syntax.OpStar:
		w.times(re.Sub[0], w.more)
	case syntax.OpQuest:
		w.times(re.Sub[0], min(w.more, 1))
	case syntax.OpRepeat:
		n := re.Min + w.more
		if re.Max >= 0 {
			n = min(n, re.Max)
		}
		w.times(re.Sub[0], n)
	case syntax.OpConcat:
		for _, s := range re.Sub {
			w.write(s)
		}
	case syntax.OpAlternate:
		w.write(re.Sub[0])
	}
}

func (w *sampler) times(re *syntax.Regexp, n int) {
	for range min(n, maxSample) {
		w.write(re)
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
