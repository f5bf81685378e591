package jsonmend

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// spaceLike are the bytes that space looks at.
var spaceLike = func() (t [256]bool) {
	for c := range t {
		t[c] = c <= ' ' || c == '/' || c == '#' || c >= utf8.RuneSelf
	}
	return t
}()

// space passes over white space and comments, and notes whether a line ended.
func (m *mender) space() {
	m.line = false
	text := m.i == m.textEnd
	for m.err == nil && m.i < len(m.in) && spaceLike[m.in[m.i]] {
		m.steps++
		switch c := m.in[m.i]; {
		case c == '\n':
			m.line = true
			m.i++
		case c == ' ', c == '\t', c == '\r':
			m.i++
		case m.commentAt(m.i):
			m.comment(text)
		default:
			n := m.oddSpace(m.i)
			if n == 0 {
				return
			}
			m.mended(OddSpaces, m.i)
			m.i += n
		}
	}
}

// commentAt reports whether a comment begins at i: #fff is none.
func (m *mender) commentAt(i int) bool {
	next := byte('\n')
	if i+1 < len(m.in) {
		next = m.in[i+1]
	}
	switch m.in[i] {
	case '/':
		return next == '/' || next == '*'
	case '#':
		return next == '#' || next == ' ' || next == '\t' || next == '\r' || next == '\n'
	}
	return false
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

// comment passes over a comment; text says that it stands behind a string. One
// that may hold a member, that may have begun inside a string, or that stands for
// what was left out, is refused.
func (m *mender) comment(text bool) {
	at := m.i
	open, closer := 2, "\n"
	switch {
	case m.in[at] == '#':
		open = 1
	case m.in[at+1] == '*':
		closer = "*/"
	}
	body := m.in[at+open:]
	n := bytes.Index(body, []byte(closer))
	last := n < 0
	switch {
	case !last:
		body = body[:n]
		m.i += open + n
		if closer != "\n" {
			m.i += len(closer)
		}
	case closer != "\n":
		m.fail(ErrCut, at)
		return
	default:
		m.i = len(m.in)
	}
	m.steps += 2 * len(body)
	switch {
	case bytes.Contains(body, []byte("...")), bytes.Contains(body, []byte("…")):
		m.fail(ErrEllipsis, at)
	case m.holdsMember(body), kind(m.top()) == '[' && holdsElement(body):
		m.fail(ErrHiddenMember, at)
	case bytes.Count(body, []byte(`"`))%2 == 1,
		text && bytes.IndexByte(body, m.in[m.textEnd-1]) >= 0,
		at == m.textEnd && bytes.ContainsAny(body, "\"'`”’"),
		last && bytes.ContainsAny(body, "]}"):
		m.fail(ErrReadings, at)
	default:
		m.mended(StripComment, at)
	}
}

// holdsElement looks for a string with a delimiter behind it.
func holdsElement(s []byte) bool {
	for {
		q := bytes.IndexByte(s, '"')
		if q < 0 {
			return false
		}
		s = bytes.TrimLeft(s[q+1:], " \t\r")
		if len(s) == 0 || s[0] == ',' || s[0] == ']' || s[0] == ')' {
			return true
		}
	}
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
		if literal(behind[:end]) != "" {
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
