package jsonmend

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// thinking are the names of blocks that a model thinks in.
var thinking = []string{"think", "thinking", "thought", "thoughts", "reasoning", "reflection"}

// front leaves out what stands in front of the value.
func (m *mender) front() *Error {
	if hasPrefix(m.in, "\uFEFF") {
		m.i = len("\uFEFF")
		if err := m.mended(StripBOM, 0); err != nil {
			return err
		}
	}
	for {
		if b := m.blank(m.i); b < len(m.in) {
			m.i = b
		} else {
			return m.fail(ErrEmpty, len(m.in))
		}
		switch c := m.in[m.i]; {
		case c == '<':
			n, r := m.thought(m.i), StripThinking
			if n < 0 {
				return m.fail(ErrCut, m.i)
			}
			if n == 0 {
				n, r = m.token(m.i), StripToken
			}
			if n == 0 {
				return m.words()
			}
			if err := m.mended(r, m.i); err != nil {
				return err
			}
			m.i = n
		case c == '`':
			n := m.fence(m.i)
			if n == 0 {
				return nil // a string in back quotes
			}
			if err := m.mended(StripFence, m.i); err != nil {
				return err
			}
			m.i = n
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_':
			return m.named()
		case c >= utf8.RuneSelf:
			if p, _ := m.char(m.i); p < utf8.RuneSelf {
				return nil
			}
			if _, ok := m.quote(m.i); ok {
				return nil
			}
			return m.words()
		default:
			return nil
		}
	}
}

// thought returns the end of a block of thinking that begins at i: 0 is none,
// -1 one that isn't closed.
func (m *mender) thought(i int) int {
	for _, name := range thinking {
		if hasPrefix(m.in[i:], "<"+name+">") {
			end := "</" + name + ">"
			m.steps += len(m.in) - i
			if n := bytes.Index(m.in[i:], []byte(end)); n >= 0 {
				return i + n + len(end)
			}
			return -1
		}
	}
	return 0
}

const longestToken = 64

// token returns the end of a tag or special token such as </tool_call> or
// <|im_end|> at i, or 0.
func (m *mender) token(i int) int {
	for j := i + 1; j < min(len(m.in), i+longestToken); j++ {
		m.steps++
		switch c := m.in[j]; {
		case c == '>':
			if j == i+1 {
				return 0
			}
			return j + 1
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', isDigit(c), c >= utf8.RuneSelf:
		case c == '|', c == '/', c == '_', c == '-', c == ':', c == '.', c == '=':
		default:
			return 0
		}
	}
	return 0
}

// fence returns the end of a code fence with its language, or of one back quote
// in front of an object, or 0.
func (m *mender) fence(i int) int {
	n := i
	for n < len(m.in) && m.in[n] == '`' {
		n++
	}
	m.steps += n - i
	if n-i < 3 {
		if n < len(m.in) && m.in[n] == '{' {
			return n
		}
		return 0
	}
	if end := m.name(n); end == len(m.in) || end < len(m.in) && bytes.IndexByte([]byte(" \t\r\n{["), m.in[end]) >= 0 {
		return end
	}
	return n
}

// onlyTokens reports whether nothing but tokens and fences stands from i on.
func (m *mender) onlyTokens(i int) bool {
	if len(m.in)-i > 4*longestToken {
		return false
	}
	for i = m.blank(i); i < len(m.in); i = m.blank(i) {
		n := 0
		switch m.in[i] {
		case '<':
			n = m.token(i)
		case '`':
			n = m.fence(i)
		}
		if n == 0 {
			return false
		}
		i = n
	}
	return true
}

// named reads a text that begins with a word: a literal, name({…}), or prose.
func (m *mender) named() *Error {
	n := m.name(m.i)
	w := m.in[m.i:n]
	if _, ok := literals[string(w)]; ok || notFinite[string(w)] {
		if b := m.blank(n); b >= len(m.in) || m.onlyTokens(b) {
			return nil
		}
	}
	if n < len(m.in) && m.in[n] == '(' {
		if b := m.blank(n + 1); b < len(m.in) && m.in[b] == '{' {
			from := m.i
			m.i, m.call = b, true
			return m.left(StripCall, from, n)
		}
	}
	return m.words()
}

// words leaves out one run of prose before an object. Prose ends as prose
// does; text that might be a part of the value is none.
func (m *mender) words() *Error {
	n := bytes.IndexByte(m.in[m.i:], '{')
	if n < 0 {
		return m.fail(m.junk(ErrUnquoted), m.i)
	}
	m.steps += 2 * n
	p := m.in[m.i : m.i+n]
	trimmed := bytes.TrimSpace(p)
	last, _ := utf8.DecodeLastRune(trimmed)
	apart := len(trimmed) < len(bytes.TrimLeft(p, " \t\r\n")) || last == ':' || last == '>' || last == '`'
	name := m.name(m.i)
	label := last == ':' && len(trimmed) == name+1-m.i // a: {…}
	if !apart || label || bytes.ContainsAny(p, "[]}\"") || bytes.Count(p, []byte("(")) != bytes.Count(p, []byte(")")) {
		return m.fail(ErrReadings, m.i)
	}
	if !unicode.IsLetter(last) && !unicode.IsDigit(last) && bytes.IndexByte([]byte(":.!?>`)*-"), byte(min(last, 0xff))) < 0 {
		return m.fail(ErrReadings, m.i)
	}
	from := m.i
	m.i += n
	m.prose = true
	return m.left(StripProseBefore, from, m.i)
}

// behind leaves out what stands behind a value, and reports whether another
// value begins.
func (m *mender) behind() (bool, *Error) {
	comma := false
	for {
		end := m.i
		if err := m.space(); err != nil {
			return false, err
		}
		if m.i >= len(m.in) {
			if m.call {
				return false, m.fail(ErrCut, m.i)
			}
			return false, nil
		}
		at, r := m.i, Repair("")
		c, size := m.char(m.i)
		n := at + size
		switch {
		case c == '{' || c == '[':
			return true, nil
		case c == ')' && m.call:
			m.call = false
			m.i = n
			if n < len(m.in) && m.in[n] == ';' {
				m.i++
			}
			continue
		case isCloser(c):
			if m.prose || m.guessed {
				return false, m.fail(ErrReadings, at)
			}
			r, m.closers = ExtraCloser, true
		case c == ',':
			r, comma = DropComma, true
		case c == '`':
			n, r = m.ticks(at), StripFence
		case c == '<' && m.token(at) > 0:
			n, r = m.token(at), StripToken
		default:
			return false, m.rest(end, comma)
		}
		if err := m.mended(r, at); err != nil {
			return false, err
		}
		m.i = n
	}
}

func (m *mender) ticks(i int) int {
	for i < len(m.in) && m.in[i] == '`' {
		m.steps++
		i++
	}
	return i
}

// rest leaves out prose behind the one object. It stands apart, and what
// follows a comma is none.
func (m *mender) rest(end int, comma bool) *Error {
	at := m.i
	tail := m.in[at:]
	m.steps += 2 * len(tail)
	if bytes.ContainsAny(tail, "{[") {
		return m.fail(m.junk(ErrRoots), at)
	}
	first, _ := utf8.DecodeRune(tail)
	name := m.name(at)
	label := name < len(m.in) && (m.in[name] == ':' || m.in[name] == '=')
	if at == end || comma || m.out[m.start] != '{' || m.prose || m.call || label ||
		!unicode.IsLetter(first) || bytes.ContainsAny(tail, "}]\"") {
		return m.fail(m.junk(ErrUnexpected), at)
	}
	m.i = len(m.in)
	return m.left(StripProseAfter, at, len(m.in))
}
