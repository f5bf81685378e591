package schema

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ferrule/ferrule/rawjson"
)

// madeUp lists the texts that Example may make up and the schema doesn't hold itself.
func (s *Schema) madeUp() map[string]bool {
	out := map[string]bool{made("value", nil): true, madeName: true}
	add := func(n *node, name string) {
		t := made(name, n)
		out[t] = true
		if t = madeText(n, t); strings.HasPrefix(t, "<") && len(t) > len("<a>") {
			out[t] = true
		}
	}
	var walk func(n *node, name string)
	walk = func(n *node, name string) {
		add(n, name)
		if n.word("$ref") != "" {
			add(s.deref(n), name)
		}
		for _, required := range shownRequired(n) {
			out[made(required, nil)] = true
		}
		ps := n.get("properties")
		if ps != nil {
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
	s.eachOwn(s.root, func(v *node) { delete(out, v.str) })
	return out
}

// eachOwn visits the texts that a schema itself shows.
func (s *Schema) eachOwn(n *node, f func(*node)) {
	own := []*node{n.get("const"), n.get("example"), n.get("default")}
	for _, k := range []string{"enum", "examples"} {
		if l := n.get(k); l != nil {
			own = append(own, l.vals...)
		}
	}
	for _, v := range own {
		if v != nil && v.kind == '"' {
			f(v)
		}
	}
	eachBelow(n, func(_ string, c *node) { s.eachOwn(c, f) })
}

// isMade reports whether a text is one of those, or of their numbered ones.
func (s *Schema) isMade(t string) bool {
	if s.made[t] {
		return true
	}
	i := strings.LastIndexByte(t, ' ')
	if i < 0 || !strings.HasSuffix(t, ">") {
		return false
	}
	_, err := strconv.ParseUint(t[i+1:len(t)-1], 10, 16)
	return err == nil && s.made[t[:i]+">"]
}

// MadeUp finds the values that Example made up for this schema and a model
// copied: such a call was never meant.
func (s *Schema) MadeUp(value []byte) []Problem {
	if !strings.Contains(string(value), `"<`) {
		return nil
	}
	var out []Problem
	tell := func(place []string, text []byte) {
		if t, err := rawjson.String(text); err == nil && s.isMade(t) {
			out = append(out, problemAt(place, "placeholder", "a value of your own: this one only says what the field is", show(text)))
		}
	}
	var walk func(b []byte, place []string)
	walk = func(b []byte, place []string) {
		switch rawjson.Kind(b) {
		case '{':
			_ = rawjson.Members(b, func(k, v []byte) bool {
				if here := append(slices.Clip(place), string(k)); len(k) > 0 && k[0] == '<' {
					tell(here, rawjson.AppendString(nil, string(k)))
				}
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
			tell(place, b)
		}
	}
	walk(value, nil)
	return sorted(out)
}
