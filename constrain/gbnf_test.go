package constrain_test

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// gbnf reads and follows GBNF as llama.cpp does, as far as grammars of ours go.
type gbnf map[string]part

// part returns where it may end in s, from each of the places where it begins.
type part func(g gbnf, s string, from map[int]bool) map[int]bool

func readGBNF(text string) (g gbnf, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	g = gbnf{}
	used := map[string]bool{"root": true}
	for line := range strings.Lines(text) {
		name, rest, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ::= ")
		if !ok || g[name] != nil {
			return nil, fmt.Errorf("no rule, or twice: %q", line)
		}
		r := &gbnfReader{rest: rest, used: used}
		g[name] = r.either()
		if r.rest != "" {
			return nil, fmt.Errorf("%q is left of %q", r.rest, line)
		}
	}
	for name := range used {
		if g[name] == nil {
			return nil, fmt.Errorf("there is no rule %s", name)
		}
	}
	return g, nil
}

func (g gbnf) takes(s string) bool { return g["root"](g, s, map[int]bool{0: true})[len(s)] }

type gbnfReader struct {
	rest string
	used map[string]bool
}

func (r *gbnfReader) either() part {
	all := []part{r.sequence()}
	for r.eat("|") {
		all = append(all, r.sequence())
	}
	return func(g gbnf, s string, from map[int]bool) map[int]bool {
		to := map[int]bool{}
		for _, p := range all {
			for at := range p(g, s, from) {
				to[at] = true
			}
		}
		return to
	}
}

func (r *gbnfReader) eat(s string) bool {
	rest, ok := strings.CutPrefix(strings.TrimLeft(r.rest, " "), s)
	if ok {
		r.rest = rest
	}
	return ok
}

func (r *gbnfReader) sequence() part {
	var all []part
	for {
		r.rest = strings.TrimLeft(r.rest, " ")
		if r.rest == "" || r.rest[0] == '|' || r.rest[0] == ')' {
			break
		}
		all = append(all, r.repeated(r.one()))
	}
	if len(all) == 0 {
		panic("an empty alternative")
	}
	return func(g gbnf, s string, at map[int]bool) map[int]bool {
		for _, p := range all {
			at = p(g, s, at)
		}
		return at
	}
}

func (r *gbnfReader) repeated(p part) part {
	if r.rest == "" || !strings.Contains("?*+", r.rest[:1]) {
		return p
	}
	mark := r.rest[0]
	r.rest = r.rest[1:]
	return func(g gbnf, s string, from map[int]bool) map[int]bool {
		to, next := map[int]bool{}, from
		if mark != '+' {
			for at := range from {
				to[at] = true
			}
		}
		for len(next) > 0 {
			fresh := map[int]bool{}
			for at := range p(g, s, next) {
				if !to[at] {
					to[at], fresh[at] = true, true
				}
			}
			if next = fresh; mark == '?' {
				break
			}
		}
		return to
	}
}

func (r *gbnfReader) one() part {
	switch r.rest[0] {
	case '(':
		r.rest = r.rest[1:]
		p := r.either()
		if !r.eat(")") {
			panic("( isn't closed")
		}
		return p
	case '"':
		r.rest = r.rest[1:]
		text := ""
		for r.rest[0] != '"' {
			text += string(r.char())
		}
		r.rest = r.rest[1:]
		return func(_ gbnf, s string, from map[int]bool) map[int]bool {
			to := map[int]bool{}
			for at := range from {
				if strings.HasPrefix(s[at:], text) {
					to[at+len(text)] = true
				}
			}
			return to
		}
	case '[':
		return r.class()
	}
	end := strings.IndexFunc(r.rest, func(c rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789-", c)
	})
	if end < 0 {
		end = len(r.rest)
	}
	if end == 0 {
		panic("what is this: " + r.rest)
	}
	name := r.rest[:end]
	r.used[name], r.rest = true, r.rest[end:]
	return func(g gbnf, s string, from map[int]bool) map[int]bool {
		if len(from) == 0 {
			return from
		}
		return g[name](g, s, from)
	}
}

func (r *gbnfReader) class() part {
	r.rest = r.rest[1:]
	not := strings.HasPrefix(r.rest, "^")
	r.rest = strings.TrimPrefix(r.rest, "^")
	var ranges [][2]rune
	for r.rest[0] != ']' {
		low := r.char()
		high := low
		if len(r.rest) > 1 && r.rest[0] == '-' && r.rest[1] != ']' {
			r.rest = r.rest[1:]
			high = r.char()
		}
		ranges = append(ranges, [2]rune{low, high})
	}
	r.rest = r.rest[1:]
	return func(_ gbnf, s string, from map[int]bool) map[int]bool {
		to := map[int]bool{}
		for at := range from {
			c, n := utf8.DecodeRuneInString(s[at:])
			in := false
			for _, x := range ranges {
				in = in || x[0] <= c && c <= x[1]
			}
			if n > 0 && in != not {
				to[at+n] = true
			}
		}
		return to
	}
}

func (r *gbnfReader) char() rune {
	c, n := utf8.DecodeRuneInString(r.rest)
	r.rest = r.rest[n:]
	if c != '\\' {
		return c
	}
	c = rune(r.rest[0])
	r.rest = r.rest[1:]
	switch c {
	case 'n':
		return '\n'
	case 'x':
		v, err := strconv.ParseUint(r.rest[:2], 16, 8)
		if err != nil {
			panic(err)
		}
		r.rest = r.rest[2:]
		return rune(v)
	case '"', '\\', ']', '-':
		return c
	}
	panic("an escape that llama.cpp doesn't know: " + string(c))
}
