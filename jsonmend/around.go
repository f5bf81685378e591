package jsonmend

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// thinking are the names of blocks that a model thinks in.
var thinking = []string{"think", "thinking", "thought", "thoughts", "reasoning", "reflection"}

// front leaves out what stands in front of the value.
func (m *mender) front() {
	if hasPrefix(m.in, "\uFEFF") {
		m.mended(StripBOM, 0)
		m.i = len("\uFEFF")
	}
	for m.err == nil {
		m.i = m.blank(m.i)
		if m.i >= len(m.in) {
			m.fail(ErrEmpty, m.i)
			return
		}
		n, r := 0, StripFence
		switch c := m.in[m.i]; {
		case c == '`':
			n = m.fence(m.i)
		case c == '<':
			if n, r = m.thought(m.i), StripThinking; n == 0 {
				n, r = m.token(m.i), StripToken
			}
			if n == 0 {
				m.words()
			}
		case isLetter(c), c == '_':
			m.named()
		case c >= utf8.RuneSelf:
			_, quoted := m.quote(m.i)
			if p, _ := m.char(m.i); p >= utf8.RuneSelf && !quoted {
				m.words()
			}
		}
		if n == 0 {
			return // the value, or why there is none
		}
		m.mended(r, m.i)
		m.i = n
	}
}

// thought returns the end of a block of thinking that begins at i, or 0. It must
// be closed.
func (m *mender) thought(i int) int {
	for _, name := range thinking {
		if hasPrefix(m.in[i:], "<"+name+">") {
			end := "</" + name + ">"
			m.steps += len(m.in) - i
			if n := bytes.Index(m.in[i:], []byte(end)); n >= 0 {
				return i + n + len(end)
			}
			m.fail(ErrCut, i)
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
		case isWord(c), c >= utf8.RuneSelf, strings.IndexByte("|/_-:.=", c) >= 0:
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
		n := m.token(i)
		if m.in[i] == '`' {
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
func (m *mender) named() {
	from, n := m.i, m.name(m.i)
	w := m.in[from:n]
	b := m.blank(n)
	if (literal(w) != "" || notFinite[string(w)]) && (b >= len(m.in) || m.onlyTokens(b)) {
		return
	}
	if n < len(m.in) && m.in[n] == '(' {
		if b = m.blank(n + 1); b < len(m.in) && m.in[b] == '{' {
			m.i, m.call = b, true
			m.left(StripCall, from, n)
			return
		}
	}
	m.words()
}

// words leaves out one run of prose before an object. Prose ends as prose
// does; text that might be a part of the value is none.
func (m *mender) words() {
	from := m.i
	n := bytes.IndexByte(m.in[from:], '{')
	if n < 0 {
		m.fail(m.junk(ErrUnquoted), from)
		return
	}
	m.steps += 2 * n
	p := m.in[from : from+n]
	trimmed := bytes.TrimSpace(p)
	last, _ := utf8.DecodeLastRune(trimmed)
	apart := len(trimmed) < len(p) || last == ':' || last == '>' || last == '`'
	label := last == ':' && len(trimmed) == m.name(from)+1-from // a: {…}
	ends := unicode.IsLetter(last) || unicode.IsDigit(last) || strings.ContainsRune(":.!?>`)*-", last)
	if !apart || label || !ends || bytes.ContainsAny(p, "[]}\"") || bytes.Count(p, []byte("(")) != bytes.Count(p, []byte(")")) {
		m.fail(ErrReadings, from)
		return
	}
	m.i += n
	m.prose = true
	m.left(StripProseBefore, from, m.i)
}

// behind leaves out what stands behind a value, and reports whether another
// value begins.
func (m *mender) behind() bool {
	for end, comma := m.i, false; ; end = m.i {
		m.space()
		switch {
		case m.err != nil:
			return false
		case m.i >= len(m.in):
			if m.call {
				m.fail(ErrCut, m.i)
			}
			return false
		}
		at := m.i
		c, size := m.char(at)
		n, r := at+size, DropComma
		switch {
		case c == '{', c == '[':
			return true
		case c == ')' && m.call:
			m.call = false
			if m.i = n; n < len(m.in) && m.in[n] == ';' {
				m.i++
			}
			continue
		case isCloser(c):
			if m.prose || m.guessed {
				m.fail(ErrReadings, at)
			}
			r, m.closers = ExtraCloser, true
		case c == ',':
			comma = true
		case c == '`':
			n, r = at+len(m.in[at:])-len(bytes.TrimLeft(m.in[at:], "`")), StripFence
			m.steps += n - at
		case c == '<' && m.token(at) > 0:
			n, r = m.token(at), StripToken
		default:
			m.rest(at == end || comma)
			return false
		}
		m.mended(r, at)
		m.i = n
	}
}

// rest leaves out prose behind the one object. It stands apart, and what
// follows a comma is none.
func (m *mender) rest(joined bool) {
	at := m.i
	tail := m.in[at:]
	m.steps += 2 * len(tail)
	first, _ := utf8.DecodeRune(tail)
	name := m.name(at)
	label := name < len(m.in) && (m.in[name] == ':' || m.in[name] == '=')
	switch {
	case bytes.ContainsAny(tail, "{["):
		m.fail(m.junk(ErrRoots), at)
	case joined, label, m.prose, m.call, m.out[m.start] != '{', !unicode.IsLetter(first), bytes.ContainsAny(tail, "}]\""):
		m.fail(m.junk(ErrUnexpected), at)
	default:
		m.i = len(m.in)
		m.left(StripProseAfter, at, m.i)
	}
}
