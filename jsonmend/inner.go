package jsonmend

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// endsPlainly reports whether a string can end before j: a delimiter stands
// there.
func (m *mender) endsPlainly(j int, key bool) bool {
	if j < len(m.in) && (m.in[j] == ',' || key && m.in[j] == ':') {
		return true
	}
	i := m.blank(j)
	line := m.broke
	if i >= len(m.in) {
		return true
	}
	c, _ := m.char(i)
	if key {
		return c == ':' || c == ',' || c == '}'
	}
	switch c {
	case ',', '}', ']':
		return true
	case ')':
		return m.call || m.inTuple()
	case '#':
		return i > j && m.commentAt(i)
	case '/':
		return m.commentAt(i)
	case '+':
		_, ok := m.quote(m.blank(i + 1))
		return ok
	case '<', '`':
		if m.onlyTokens(i) {
			return true
		}
	}
	return len(m.stack) == 0 || m.commaFits(i, line, -1)
}

// inner finds the one closer of a string that holds quotation marks of its own
// kind: the only one behind which the container goes on or ends. Two such are
// two readings; none is a string that isn't finished. It looks at the rest of
// the input, but only one string of a text can pass it.
func (m *mender) inner(s *str) int {
	if s.key || len(m.stack) == 0 {
		m.fail(ErrUnexpected, m.i)
		return -1
	}
	end, loose, member, opening := -1, 0, false, false
	last, inside := m.i, m.i // behind the mark before, and behind the last one inside
	for i := m.i; i < len(m.in) && m.err == nil; {
		m.steps++
		if m.in[i] == '\\' {
			i += 2
			continue
		}
		size := s.q.closes(m.in, i)
		if size == 0 {
			i++
			continue
		}
		b := m.blank(i + size)
		switch {
		case m.goesOn(b, m.broke):
			if end >= 0 {
				m.fail(ErrReadings, s.from)
			}
			end = i
		case m.tired():
			m.fail(ErrReadings, s.from)
		case end < 0:
			if !m.apostrophe(i, size) {
				loose++
				opening = b == i+size && (m.opens(i) || s.q.closes(m.in, b) > 0)
			}
			colon := m.isColon(b)
			member = member || colon
			if m.elsewhere(s, i, b, colon, m.in[last:i]) || loose%2 == 1 && m.keyBegins(s.q, i, b) {
				m.fail(ErrReadings, s.from)
			}
			inside = i + size
		}
		last = i + size
		i = b
	}
	if end < 0 {
		m.fail(ErrCutString, s.from)
		return -1
	}
	// Marks stand in pairs. With one alone, this may be its pair and the true
	// end be missing, or this be the true end and what follows belong inside.
	// One at the very front may be the opener, doubled.
	b := m.blank(end + len(s.q.close))
	unsure := b >= len(m.in) || m.in[b] == ','
	doubled := m.i == s.body
	if s.joins || loose%2 == 1 && (member || opening || unsure || doubled || m.blank(inside) == end) || doubled && inside == end {
		m.fail(ErrReadings, s.from)
	}
	m.mended(EscapeInnerQuotes, m.i)
	return end
}

// elsewhere reports whether the mark at i, with b behind it and the blank, can
// be the end of the string too: a known key ends there, a comma or a plus may be
// missing.
func (m *mender) elsewhere(s *str, i, b int, colon bool, before []byte) bool {
	first, apart := i == m.i, b > i+1
	if colon && (first || m.known(before)) || m.quotedKeyAt(b) || apart && m.memberAt(b) {
		return true
	}
	return first && m.another(s.q, b, apart)
}

// keyBegins reports whether the mark at i, which isn't the second of a pair, has
// what looks like the next key behind it, or begins it.
func (m *mender) keyBegins(q *quote, i, b int) bool {
	if i == m.i && m.quotedKeyAt(i) {
		before := bytes.TrimRight(m.in[:i], " \t\r\n")
		return before[len(before)-1] == ','
	}
	if b >= len(m.in) || m.in[b] != ',' {
		return false
	}
	n := m.blank(b + 1)
	size := q.closes(m.in, n)
	return size > 0 && m.name(n+size) > n+size
}

// another reports whether another value can begin at b.
func (m *mender) another(q *quote, b int, apart bool) bool {
	if b >= len(m.in) {
		return false
	}
	if _, ok := m.quote(b); !ok {
		c := m.in[b]
		return m.top() != '{' && (apart || c == '{' || c == '[') && m.starts(b)
	}
	size := q.closes(m.in, b)
	if size == 0 {
		return true
	}
	n := m.blank(b + size)
	return !m.goesOn(n, m.broke)
}

// goesOn reports whether the innermost container goes on, or ends, at b, in
// front of which a line may have ended.
func (m *mender) goesOn(b int, line bool) bool {
	if b >= len(m.in) {
		return true
	}
	open := m.top()
	switch c, size := m.char(b); c {
	case closerOf(open):
		return true
	case ',':
		n := m.blank(b + size)
		if n >= len(m.in) || m.commentAt(n) {
			return true
		}
		c, _ := m.char(n)
		return c == closerOf(open) || m.starts(n)
	}
	return m.commentAt(b) || line && m.starts(b)
}

// starts reports whether the next member of the object, or element of the
// list, can begin at i.
func (m *mender) starts(i int) bool {
	if m.top() == '{' {
		return m.keyAt(i)
	}
	return m.valueAt(i)
}

// valueAt reports whether a value can begin at i.
func (m *mender) valueAt(i int) bool {
	if _, ok := m.quote(i); ok {
		return true
	}
	if i >= len(m.in) {
		return false
	}
	switch c := m.in[i]; {
	case c == '{', c == '[', c == '(', c == '-', isDigit(c):
		return true
	}
	return literal(m.in[i:m.word(i)]) != ""
}

// commaFits reports whether a comma is missing in front of i: always where a
// line ended, and on one line only behind what isn't a string. In a tuple two
// strings are one, to Python.
func (m *mender) commaFits(i int, line bool, textEnd int) bool {
	switch open := m.top(); {
	case open == 0, open == '(':
		return false
	case line:
		return m.starts(i)
	default:
		return open == '{' && textEnd >= 0 && m.blank(textEnd) != i && m.keyAt(i)
	}
}

const longestKey = 256

// keyAt reports whether a key and its colon stand at i.
func (m *mender) keyAt(i int) bool {
	return m.quotedKeyAt(i) || m.bareKeyAt(i) >= 0
}

// bareKeyAt returns the offset of the colon of the bare key at i, or -1.
func (m *mender) bareKeyAt(i int) int {
	n := m.name(i)
	if n == i {
		return -1
	}
	if n = m.blank(n); !m.isColon(n) {
		return -1
	}
	return n
}

// memberAt reports whether a bare key, its colon and a value can stand at i.
func (m *mender) memberAt(i int) bool {
	colon := m.bareKeyAt(i)
	if colon < 0 {
		return false
	}
	_, size := m.char(colon)
	return m.valueAt(m.blank(colon + size))
}

func (m *mender) isColon(i int) bool {
	if i >= len(m.in) {
		return false
	}
	c, _ := m.char(i)
	return c == ':'
}

func (m *mender) quotedKeyAt(i int) bool {
	q, ok := m.quote(i)
	if !ok {
		return false
	}
	for j := i + len(q.open); j < min(len(m.in), i+longestKey); j++ {
		m.steps++
		if m.in[j] == '\\' {
			j++
		} else if size := q.closes(m.in, j); size > 0 {
			return m.isColon(m.blank(j + size))
		}
	}
	return false
}

// name returns the end of the bare name that stands at i.
func (m *mender) name(i int) int {
	from := i
	for i < len(m.in) {
		m.steps++
		r, n := rune(m.in[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRune(m.in[i:])
		}
		begins := r < utf8.RuneSelf && isLetter(byte(r)) || r == '_' || r == '$' || r >= utf8.RuneSelf && unicode.IsLetter(r)
		if !begins && (i == from || r != '-' && r != '.' && !unicode.IsDigit(r) && !unicode.IsMark(r)) {
			break
		}
		i += n
	}
	return i
}

// apostrophe reports whether the mark at i stands inside a word.
func (m *mender) apostrophe(i, size int) bool {
	if m.in[i] == '"' || i+size >= len(m.in) {
		return false
	}
	before, _ := utf8.DecodeLastRune(m.in[:i])
	behind, _ := utf8.DecodeRune(m.in[i+size:])
	return unicode.IsLetter(before) && unicode.IsLetter(behind)
}

// opens reports whether the mark at i follows what an opening one does.
func (m *mender) opens(i int) bool {
	if i > 1 && m.in[i-2] == '\\' {
		return true // \n
	}
	c := m.in[i-1]
	return c <= ' ' || c < utf8.RuneSelf && unicode.IsPunct(rune(c)) || c == '=' || c == '>' || c == '`'
}

func (m *mender) known(name []byte) bool {
	for _, k := range m.opt.Keys {
		if string(name) == k {
			return true
		}
	}
	return false
}
