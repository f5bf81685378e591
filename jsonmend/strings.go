package jsonmend

import (
	"bytes"
	"strings"
)

// quote is a kind of quotation marks: how it opens and what closes it.
type quote struct {
	open  string
	close []string
	first byte       // of every closer
	plain *[256]bool // bytes that are nothing special inside
}

var inDouble, inSingle, inBack, inSmart = plainBut(`"`), plainBut(`'"`), plainBut("`\""), plainBut("\"\xe2")

// quotes, those first that begin with another one.
var quotes = []quote{
	{`"""`, []string{`"""`}, '"', inDouble},
	{`'''`, []string{`'''`}, '\'', inSingle},
	{`"`, []string{`"`}, '"', inDouble},
	{`'`, []string{`'`}, '\'', inSingle},
	{"`", []string{"`"}, '`', inBack},
	{"“", []string{"”"}, 0xE2, inSmart},
	{"‘", []string{"’"}, 0xE2, inSmart},
}

// plainBut holds all bytes but control characters, the backslash and those of s.
func plainBut(s string) *[256]bool {
	var t [256]bool
	for c := range t {
		t[c] = c >= ' ' && c != '\\' && strings.IndexByte(s, byte(c)) < 0
	}
	return &t
}

// quote returns the kind of quotation marks that open at i.
func (m *mender) quote(i int) (*quote, bool) {
	if i >= len(m.in) {
		return nil, false
	}
	m.steps++
	switch m.in[i] {
	case '"', '\'', '`', 0xE2:
	default:
		return nil, false
	}
	for k := range quotes {
		if hasPrefix(m.in[i:], quotes[k].open) {
			return &quotes[k], true
		}
	}
	return nil, false
}

func hasPrefix(b []byte, s string) bool { return len(b) >= len(s) && string(b[:len(s)]) == s }

// closes returns the size of the closer that stands at i, or 0.
func (q *quote) closes(in []byte, i int) int {
	if i >= len(in) || in[i] != q.first {
		return 0
	}
	for _, c := range q.close {
		if hasPrefix(in[i:], c) {
			return len(c)
		}
	}
	return 0
}

// text reads a string value, and those that a plus sign adds to it.
func (m *mender) text(q *quote) *Error {
	s := str{q: q}
	for {
		if err := m.str(&s); err != nil {
			return err
		}
		plus := m.blank(m.i)
		if plus >= len(m.in) || m.in[plus] != '+' {
			return nil
		}
		next := m.blank(plus + 1)
		q, ok := m.quote(next)
		if !ok {
			return nil
		}
		// print("+") with its quotes not escaped looks the same.
		left := bytes.TrimRight(m.in[s.body:m.i], " \"'`")
		right := bytes.TrimLeft(m.in[next:], " \"'`")
		if plus == m.i || next == plus+1 || len(left) == 0 || len(right) == 0 ||
			strings.IndexByte("([{=,", left[len(left)-1]) >= 0 || strings.IndexByte(")]}=,", right[0]) >= 0 {
			return m.fail(ErrReadings, s.from)
		}
		if err := m.mended(JoinStrings, plus); err != nil {
			return err
		}
		m.i = next
		s = str{q: q, joins: true, start: s.start}
	}
}

// str is a quoted string and what it held so far.
type str struct {
	q           *quote
	key         bool
	joins       bool // it goes on with another one
	start       int  // where it begins in the output
	from, body  int  // where it and its text begin
	end         int  // where inner quotes say that it ends, or -1
	marks       int  // double quotes inside other ones
	apostrophes int  // that had a backslash
	kept        bool // a backslash was kept
	word        bool // and letters stood behind it, as in \alpha
	share       bool // a word began as \\server\share does
	short       bool // an escape such as \n or \t was read
	bell        bool // or \b or \f, which nobody means
	half        bool // a surrogate was read
}

// str reads one quoted string and writes it in double quotes.
func (m *mender) str(s *str) *Error {
	s.from, s.body, s.end = m.i, m.i+len(s.q.open), -1
	if s.q.open != `"` {
		if err := m.mended(NormaliseQuotes, s.from); err != nil {
			return err
		}
	}
	if s.joins {
		m.out = m.out[:len(m.out)-1] // without the closer of the first one
	} else {
		s.start = len(m.out)
		m.out = append(m.out, '"')
	}
	for m.i = s.body; ; {
		i := m.i
		for i < len(m.in) && s.q.plain[m.in[i]] {
			i++
		}
		m.out = append(m.out, m.in[m.i:i]...)
		m.steps += i - m.i + 1
		if m.i = i; i >= len(m.in) {
			return m.fail(ErrCutString, s.from)
		}
		if size := s.q.closes(m.in, i); size > 0 {
			if s.end < 0 && !m.endsPlainly(i+size, s.key) {
				end, err := m.inner(s)
				if err != nil {
					return err
				}
				s.end = end
			}
			if s.end < 0 || s.end == i {
				m.out = append(m.out, '"')
				m.i += size
				m.textEnd = m.i
				return m.certain(s, m.in[s.body:i])
			}
		}
		if err := m.special(s); err != nil {
			return err
		}
	}
}

// certain refuses a string whose backslashes can be read in two ways.
func (m *mender) certain(s *str, body []byte) *Error {
	if s.short || s.apostrophes > 0 {
		m.steps += len(body)
	}
	odd := s.bell || s.short && drive(body) // \b, C:\new
	if odd {
		m.odd = s.from
	}
	m.kept = m.kept || s.kept
	if s.half && !s.key {
		m.mark(s.start, s.from)
	}
	if s.word && s.short || // \alpha\nabla
		s.word && s.share ||
		odd && (s.q.open != `"` || s.end >= 0) ||
		s.apostrophes > 0 && s.q.first != '\'' && bytes.Count(body, []byte("'")) > s.apostrophes { // 'it\'s'
		return m.fail(ErrReadings, s.from)
	}
	return nil
}

// drive reports whether a Windows path stands in s. A key of one letter with a
// new line behind it, as YAML has, is none unless a name follows.
func drive(s []byte) bool {
	for from := 0; ; {
		i := bytes.Index(s[from:], []byte(`:\`))
		if i < 0 {
			return false
		}
		i += from
		from = i + 2
		if i > 0 && isLetter(s[i-1]) && (i == 1 || !isLetter(s[i-2])) && i+3 < len(s) && isWord(s[i+3]) {
			return true
		}
	}
}

func isWord(c byte) bool { return isLetter(c) || isDigit(c) }

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// fewControls are always taken. More than a quarter of the text is no text:
// each becomes six bytes.
const fewControls = 64

const hexDigits = "0123456789abcdef"

// special copies one character that may need an escape.
func (m *mender) special(s *str) *Error {
	c := m.in[m.i]
	switch {
	case c == '\\':
		return m.escape(s)
	case c == '"':
		// Marks stand in pairs: an odd one where a string could end may be its end.
		if s.marks++; s.q.first != '"' && s.marks%2 == 1 && len(m.stack) > 0 && !s.key {
			if b := m.blank(m.i + 1); m.goesOn(b, m.broke) {
				return m.fail(ErrReadings, s.from)
			}
		}
		m.out = append(m.out, '\\', '"')
	case s.key && (c < ' ' || hasPrefix(m.in[m.i:], s.q.open)):
		return m.fail(ErrUnexpected, s.from)
	case c >= ' ':
		m.out = append(m.out, c)
	default:
		if err := m.mended(EscapeControlChars, m.i); err != nil {
			return err
		}
		if k := strings.IndexByte("\b\f\n\r\t", c); k >= 0 {
			m.out = append(m.out, '\\', "bfnrt"[k])
		} else {
			if m.controls++; m.controls > fewControls && m.controls > len(m.in)/4 {
				return m.fail(ErrControls, m.i)
			}
			m.out = append(m.out, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	m.i++
	return nil
}

// escape copies an escape. One that JSON doesn't know is a lone backslash.
func (m *mender) escape(s *str) *Error {
	rest := m.in[m.i:]
	if len(rest) < 2 {
		m.i = len(m.in)
		return nil // cut
	}
	c := rest[1]
	switch c {
	case 'b', 'f':
		s.bell = true
		fallthrough
	case 'n', 'r', 't':
		s.short = true
		fallthrough
	case '"', '\\', '/':
		s.share = s.share || c == '\\' && len(rest) > 2 && isLetter(rest[2]) && !isWord(m.in[m.i-1])
		m.out = append(m.out, '\\', c)
		m.i += 2
		return nil
	case 'u':
		if len(rest) >= 6 && isHex(rest[2]) && isHex(rest[3]) && isHex(rest[4]) && isHex(rest[5]) {
			s.half = s.half || surrogate(rest[2:6]) != 0
			m.out = append(m.out, rest[:6]...)
			m.i += 6
			return nil
		}
		if len(rest) < 3 || isHex(rest[2]) || !isLetter(rest[2]) {
			return m.fail(ErrEscape, m.i)
		}
	}
	if n := s.q.closes(m.in, m.i+1); n > 0 || c == '\'' {
		if c == '\'' {
			s.apostrophes++
		}
		n = max(n, 1)
		m.out = append(m.out, rest[1:1+n]...)
		m.i += 1 + n
		return m.mended(UnescapeQuote, m.i-1-n)
	}
	if s.q.first == '\'' && pythonEscape(rest) {
		return m.fail(ErrReadings, m.i)
	}
	s.kept = true
	s.word = s.word || len(rest) > 2 && isLetter(c) && isLetter(rest[2])
	m.out = append(m.out, '\\', '\\')
	m.i++
	return m.mended(KeepBackslash, m.i-1)
}

// pythonEscape reports whether s begins with an escape that only Python and
// JavaScript know.
func pythonEscape(s []byte) bool {
	switch c := s[1]; c {
	case 'a', 'v', '\n', '\r':
		return true
	case 'x', 'U', 'N':
		return len(s) > 2 && (isHex(s[2]) || s[2] == '{')
	default:
		return isDigit(c)
	}
}

func isHex(c byte) bool {
	return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f'
}
