package jsonmend

import (
	"unicode"
	"unicode/utf8"
)

// endsPlainly reports whether a string can end before j: a delimiter stands
// there.
func (m *mender) endsPlainly(j int, key bool) bool {
	i := m.blank(j)
	line := m.broke
	if i >= len(m.in) {
		return true
	}
	if key {
		return m.in[i] == ':' || hasPrefix(m.in[i:], "：") || m.in[i] == ',' || m.in[i] == '}'
	}
	switch c := m.in[i]; c {
	case ',', '}', ']', ')':
		return true
	case '/', '#':
		return c == '#' && i > j && m.hash(i) || i+1 < len(m.in) && (m.in[i+1] == '/' || m.in[i+1] == '*')
	case '+':
		_, ok := m.quote(m.blank(i + 1))
		return ok
	case 0xEF:
		return i+3 <= len(m.in) && wide[string(m.in[i:i+3])] != 0
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
func (m *mender) inner(s *copied, from int) (int, *Error) {
	if s.key || len(m.stack) == 0 {
		return 0, m.fail(ErrUnexpected, m.i)
	}
	end, loose, member, opening := -1, 0, false, false
	last := m.i // behind the mark before
	for i := m.i; i < len(m.in); {
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
				return 0, m.fail(ErrReadings, from)
			}
			end = i
		case end < 0:
			if !m.apostrophe(i, size) {
				loose++
				opening = b == i+size && (m.opens(i) || s.q.closes(m.in, b) > 0)
			}
			colon := b < len(m.in) && m.in[b] == ':'
			member = member || colon
			// A known key is a reading too, and so is a missing comma or plus.
			if colon && m.known(m.in[last:i]) || m.quotedKeyAt(b) || i == m.i && m.another(s.q, b) {
				return 0, m.fail(ErrReadings, from)
			}
		}
		last = i + size
		i = b
	}
	if end < 0 {
		return 0, m.fail(ErrCutString, from)
	}
	// Marks stand in pairs. With one alone, this may be its pair and the true
	// end be missing, or this be the true end and what follows belong inside.
	b := m.blank(end + len(s.q.close[0]))
	unsure := b >= len(m.in) || m.in[b] == ','
	if loose%2 == 1 && (member || opening || unsure) {
		return 0, m.fail(ErrReadings, from)
	}
	return end, m.mended(EscapeInnerQuotes, m.i)
}

// another reports whether another string can begin at b.
func (m *mender) another(q *quote, b int) bool {
	if _, ok := m.quote(b); !ok {
		return false
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
	open := m.stack[len(m.stack)-1].open
	switch c := m.in[b]; c {
	case closerOf(open):
		return true
	case ',':
		n := m.blank(b + 1)
		return n >= len(m.in) || m.in[n] == closerOf(open) || m.starts(n)
	}
	return line && m.starts(b)
}

// starts reports whether the next member of the object, or element of the
// list, can begin at i.
func (m *mender) starts(i int) bool {
	if m.stack[len(m.stack)-1].open == '{' {
		return m.keyAt(i)
	}
	if _, ok := m.quote(i); ok {
		return true
	}
	switch c := m.in[i]; {
	case c == '{', c == '[', c == '(', c == '-', isDigit(c):
		return true
	}
	_, ok := literals[string(m.in[i:m.word(i)])]
	return ok
}

// commaFits reports whether a comma is missing in front of i: always where a
// line ended, and on one line only behind what isn't a string.
func (m *mender) commaFits(i int, line bool, textEnd int) bool {
	if len(m.stack) == 0 {
		return false
	}
	object := m.stack[len(m.stack)-1].open == '{'
	if line {
		return m.starts(i)
	}
	return object && textEnd >= 0 && m.blank(textEnd) != i && m.keyAt(i)
}

const longestKey = 256

// keyAt reports whether a key and its colon stand at i.
func (m *mender) keyAt(i int) bool {
	if m.quotedKeyAt(i) {
		return true
	}
	n := m.name(i)
	if n == i {
		return false
	}
	n = m.blank(n)
	return n < len(m.in) && m.in[n] == ':'
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
			j = m.blank(j + size)
			return j < len(m.in) && m.in[j] == ':'
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
		inside := i > from && (r == '-' || r == '.' || unicode.IsDigit(r) || unicode.IsMark(r))
		if r != '_' && r != '$' && !unicode.IsLetter(r) && !inside {
			break
		}
		i += n
	}
	return i
}

// apostrophe reports whether the mark at i stands inside a word.
func (m *mender) apostrophe(i, size int) bool {
	if m.in[i] == '"' || i == 0 || i+size >= len(m.in) {
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
	return c <= ' ' || c < utf8.RuneSelf && unicode.IsPunct(rune(c)) || c == '=' || c == '>'
}

func (m *mender) known(name []byte) bool {
	for _, k := range m.opt.Keys {
		if string(name) == k {
			return true
		}
	}
	return false
}
