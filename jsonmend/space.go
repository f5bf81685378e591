package jsonmend

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// space passes over white space and comments, and notes whether a line ended.
func (m *mender) space() *Error {
	m.line = false
	for m.i < len(m.in) {
		m.steps++
		switch c := m.in[m.i]; {
		case c == '\n':
			m.line = true
			m.i++
		case c == ' ', c == '\t', c == '\r':
			m.i++
		case c == '#' && m.hash(m.i):
			if err := m.comment("#", "\n"); err != nil {
				return err
			}
		case c == '/' && hasPrefix(m.in[m.i:], "//"):
			if err := m.comment("//", "\n"); err != nil {
				return err
			}
		case c == '/' && hasPrefix(m.in[m.i:], "/*"):
			if err := m.comment("/*", "*/"); err != nil {
				return err
			}
		default:
			n := m.oddSpace(m.i)
			if n == 0 {
				return nil
			}
			if err := m.mended(OddSpaces, m.i); err != nil {
				return err
			}
			m.i += n
		}
	}
	return nil
}

// hash reports whether a comment begins at i: #fff is none.
func (m *mender) hash(i int) bool {
	if i+1 >= len(m.in) {
		return true
	}
	c := m.in[i+1]
	return c == '#' || c == ' ' || c == '\t' || c == '\r' || c == '\n'
}

// oddSpace returns the size of a space that JSON doesn't know, or 0.
func (m *mender) oddSpace(i int) int {
	c := m.in[i]
	if c == '\v' || c == '\f' {
		return 1
	}
	if c < utf8.RuneSelf {
		return 0
	}
	r, n := utf8.DecodeRune(m.in[i:])
	if unicode.IsSpace(r) || r == 0xFEFF || r == 0x200B || r == 0x2060 {
		return n
	}
	return 0
}

// blank returns the offset behind white space and notes in m.broke whether a
// line ended there. It passes no comments.
func (m *mender) blank(i int) int {
	m.broke = false
	for i < len(m.in) {
		m.steps++
		switch m.in[i] {
		case '\n':
			m.broke = true
			i++
		case ' ', '\t', '\r':
			i++
		default:
			n := m.oddSpace(i)
			if n == 0 {
				return i
			}
			i += n
		}
	}
	return i
}

// comment passes over a comment. One that may hold a member, or that stands
// for what was left out, is refused.
func (m *mender) comment(open, close string) *Error {
	at := m.i
	body := m.in[at+len(open):]
	n := bytes.Index(body, []byte(close))
	switch {
	case n >= 0:
		body = body[:n]
		m.i += len(open) + n
		if close != "\n" {
			m.i += len(close)
		}
	case close != "\n":
		return m.fail(ErrCut, at)
	default:
		m.i = len(m.in)
	}
	m.steps += 2 * len(body)
	if bytes.Contains(body, []byte("...")) || bytes.Contains(body, []byte("…")) {
		return m.fail(ErrEllipsis, at)
	}
	if m.holdsMember(body) {
		return m.fail(ErrHiddenMember, at)
	}
	return m.mended(StripComment, at)
}

// holdsMember looks for `"key":`, for a known key with a colon, and for any
// name with a colon and the beginning of a value.
func (m *mender) holdsMember(s []byte) bool {
	for from := 0; ; {
		c := bytes.IndexByte(s[from:], ':')
		if c < 0 {
			return false
		}
		c += from
		before := bytes.TrimRight(s[from:c], " \t")
		from = c + 1
		if len(before) == 0 {
			continue
		}
		if q := before[len(before)-1]; q == '"' || q == '\'' || q == '`' {
			return true
		}
		word := before[bytes.LastIndexAny(before, " \t\n,{:")+1:]
		if m.known(word) {
			return true
		}
		behind := bytes.TrimLeft(s[from:], " \t")
		if len(word) == 0 || isDigit(word[0]) || len(behind) == 0 {
			continue
		}
		if v := behind[0]; v == '"' || v == '\'' || v == '{' || v == '[' || v == '-' || isDigit(v) {
			return true
		}
		end := bytes.IndexAny(behind, " \t\r\n,}:")
		if end < 0 {
			end = len(behind)
		}
		if _, ok := literals[string(behind[:end])]; ok {
			return true
		}
	}
}

// junk tells an ellipsis from anything else that shouldn't be at m.i.
func (m *mender) junk(kind error) error {
	if m.i < len(m.in) && (hasPrefix(m.in[m.i:], "...") || hasPrefix(m.in[m.i:], "…")) {
		return ErrEllipsis
	}
	return kind
}
