package words

import (
	"bytes"
	"html"
	"slices"
	"strings"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
)

// maxTexts bounds how many unescaped forms of what was shown are read for calls.
const maxTexts = 12

// reads reports whether a call with w's name and arguments can be read in what
// was shown, as it is or with a layer of escaping taken off.
func (s *Shown) reads(w chat.Written) bool {
	if w.Name == "" || !s.mayHold(w) {
		return false
	}
	if s.calls == nil {
		s.calls = map[string]bool{}
		s.findCalls()
	}
	return s.calls[callKey(w)]
}

// mayHold tells whether w's name and every text among its arguments stand in
// what was shown: without them no call like it can.
func (s *Shown) mayHold(w chat.Written) bool {
	if !s.spells(w.Name) {
		return false
	}
	for _, m := range members(w) {
		if m.plain && len(letters(m.text, false)) > 0 && !s.spells(m.text) {
			return false
		}
	}
	return true
}

// HoldsCall reports whether what was shown holds something that reads as a call
// to one of the request's tools.
func (s *Shown) HoldsCall() bool {
	if s.calls == nil {
		s.calls = map[string]bool{}
		s.findCalls()
	}
	return len(s.calls) > 0
}

func (s *Shown) findCalls() {
	names := map[string]bool{}
	for _, t := range s.q.Tools {
		names[t.Name] = true
	}
	known := func(name string) bool { return names[name] }
	for _, text := range layers(strings.Join(s.collect(), "\n")) {
		bare := withoutMarkup([]byte(text))
		forms := [][]byte{[]byte(text), bare, withoutPrefixes(bare), withoutSharedPrefixes(bare)}
		for i, f := range forms {
			if slices.ContainsFunc(forms[:i], func(b []byte) bool { return bytes.Equal(b, f) }) {
				continue
			}
			for _, w := range ReadAll(f, known) {
				s.calls[callKey(w)] = true
			}
		}
	}
}

// layers returns text and what comes out when escaping is taken off, one layer
// after the other, in each order that finds something to take off.
func layers(text string) []string {
	texts := []string{flat(text)}
	for i := 0; i < len(texts); i++ {
		for _, off := range [...]func(string) string{withoutBackslashes, html.UnescapeString, withoutPercent} {
			if len(texts) == maxTexts {
				break
			}
			if t := off(texts[i]); t != texts[i] {
				if t = flat(t); !slices.Contains(texts, t) {
					texts = append(texts, t)
				}
			}
		}
	}
	return texts
}

// flat folds forms and drops what isn't seen, and reads no escape.
func flat(s string) string {
	d := decoder{out: make([]byte, 0, len(s)), flat: true}
	d.text([]byte(s))
	return string(d.out)
}

// withoutBackslashes reads a JSON string's escapes wherever they stand, and
// those of Markdown: one layer of them.
func withoutBackslashes(s string) string {
	if !strings.Contains(s, `\"`) && !strings.Contains(s, `\u00`) && !strings.Contains(s, `\{`) {
		return s // no brace or quote of a call is escaped
	}
	out := make([]byte, 0, len(s))
	for {
		i := strings.IndexByte(s, '\\')
		if i < 0 || i+1 == len(s) {
			return string(append(out, s...))
		}
		out = append(out, s[:i]...)
		s = s[i:]
		n := 2
		if s[1] == 'u' {
			n = 6
			if len(s) >= 12 && s[6] == '\\' && s[7] == 'u' {
				n = 12 // perhaps a surrogate pair
			}
		}
		n = min(n, len(s))
		t, err := rawjson.AppendUnquoted(out, []byte(`"`+s[:n]+`"`))
		if err != nil {
			n = 2
			t = append(out, s[:n]...)
			if !alnum(s[1]) {
				t = append(out, s[1])
			}
		}
		out, s = t, s[n:]
	}
}

// withoutPercent takes one layer of percent encoding off a text that has
// encoded quotes; what is no encoding stays.
func withoutPercent(s string) string {
	if !strings.Contains(s, "%22") {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) && hexValue(s[i+1]) >= 0 && hexValue(s[i+2]) >= 0 {
			out = append(out, byte(hexValue(s[i+1])<<4|hexValue(s[i+2])))
			i += 2
			continue
		}
		out = append(out, s[i])
	}
	return string(out)
}

// member is one argument in the form in which arguments are compared.
type member struct {
	name, text string
	plain      bool // text is words; otherwise canonical JSON
}

// members returns w's arguments, sorted by name. Text by name and JSON come out
// alike, so that a call is the same in whichever syntax it stands.
func members(w chat.Written) []member {
	var ms []member
	for _, p := range w.Params {
		ms = append(ms, member{p.Name, p.Text, !p.Literal})
	}
	args := w.JSON
	if rawjson.Kind(args) == '"' { // an object written as a string
		if t, err := rawjson.AppendUnquoted(nil, args); err == nil {
			args = t
		}
	}
	if rawjson.Valid(args, rawjson.MaxDepth) != nil || rawjson.Kind(args) != '{' {
		if t := bytes.TrimSpace(args); len(t) > 0 {
			ms = append(ms, member{"", string(t), false})
		}
		return ms
	}
	_ = rawjson.Members(args, func(k, v []byte) bool { // Valid has seen to errors
		m := member{name: string(k), text: string(v)}
		if t, err := rawjson.AppendUnquoted(nil, v); err == nil {
			m.text, m.plain = string(t), true
		} else if c, err := rawjson.Canonical(v); err == nil {
			m.text = string(c)
		}
		ms = append(ms, m)
		return true
	})
	slices.SortStableFunc(ms, func(a, b member) int { return strings.Compare(a.name, b.name) })
	return ms
}

// callKey is what two calls have in common that do the same. The name counts by
// its letters, since the tool is found by them too.
func callKey(w chat.Written) string {
	key := letters(w.Name, false)
	for _, m := range members(w) {
		key = rawjson.AppendString(key, m.name)
		key = rawjson.AppendString(key, strings.TrimSpace(m.text))
	}
	return string(key)
}
