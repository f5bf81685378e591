package jsonmend

import (
	"bytes"
	"encoding/binary"
	"strings"
)

// quote is a kind of quotation marks: how it opens and what closes it.
type quote struct {
	open  string
	close string
	first byte       // of the closer
	plain *[256]bool // bytes that are nothing special inside
}

var inDouble, inSingle, inBack, inSmart = plainBut(`"`), plainBut(`'"`), plainBut("`\""), plainBut("\"\xe2")

// quotes, those first that begin with another one.
var quotes = []quote{
	{`"""`, `"""`, '"', inDouble},
	{`'''`, `'''`, '\'', inSingle},
	{`"`, `"`, '"', inDouble},
	{`'`, `'`, '\'', inSingle},
	{"`", "`", '`', inBack},
	{"“", "”", 0xE2, inSmart},
	{"‘", "’", 0xE2, inSmart},
}

var usual = &quotes[2]

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
	c := m.in[i]
	if c != '"' && c != '\'' && c != '`' && c != 0xE2 {
		return nil, false
	}
	for k := range quotes {
		if q := &quotes[k]; q.open[0] == c && hasPrefix(m.in[i:], q.open) {
			return q, true
		}
	}
	return nil, false
}

func hasPrefix(b []byte, s string) bool { return len(b) >= len(s) && string(b[:len(s)]) == s }

// closes returns the size of the closer that stands at i, or 0.
func (q *quote) closes(in []byte, i int) int {
	switch {
	case i >= len(in) || in[i] != q.first:
		return 0
	case len(q.close) == 1:
		return 1
	case hasPrefix(in[i:], q.close):
		return len(q.close)
	}
	return 0
}

// text reads a string value, and those that a plus sign adds to it.
func (m *mender) text(q *quote) {
	s := str{q: q}
	for {
		m.str(&s)
		if m.err != nil || m.i < len(m.in) && m.in[m.i] != '+' && !spaceLike[m.in[m.i]] {
			return
		}
		plus := m.blank(m.i)
		if plus >= len(m.in) || m.in[plus] != '+' {
			return
		}
		next := m.blank(plus + 1)
		q, ok := m.quote(next)
		if !ok {
			return
		}
		// print("+") with its quotes not escaped looks the same.
		left := bytes.TrimRight(m.in[s.body:m.i], " \"'`")
		right := bytes.TrimLeft(m.in[next:], " \"'`")
		if plus == m.i || next == plus+1 || len(left) == 0 || len(right) == 0 ||
			strings.IndexByte("([{=,", left[len(left)-1]) >= 0 || strings.IndexByte(")]}=,", right[0]) >= 0 {
			m.fail(ErrReadings, s.from)
			return
		}
		m.mended(JoinStrings, plus)
		m.i = next
		s = str{q: q, joins: true}
	}
}

// str is a quoted string and what it held so far.
type str struct {
	q           *quote
	key         bool
	joins       bool // it goes on with another one
	from, body  int  // where it and its text begin
	written     int  // up to where
	end         int  // where inner quotes say that it ends, or -1
	marks       int  // double quotes inside other ones
	apostrophes int  // that had a backslash
	kept        bool // a backslash was kept
	word        bool // and letters stood behind it, as in \alpha
	share       bool // a word began as \\server\share does
	short       bool // an escape such as \n or \t was read
	odd         bool // one that may be none was: \b, \f or that of C:\new
}

// str reads one quoted string and writes it in double quotes.
func (m *mender) str(s *str) {
	s.from, s.body, s.end = m.i, m.i+len(s.q.open), -1
	if s.q != usual {
		m.mended(NormaliseQuotes, s.from)
	}
	if s.joins {
		m.out = m.out[:len(m.out)-1] // without the closer of the first one
	} else {
		m.here()
		m.out = append(m.out, '"')
	}
	if s.q.open == s.q.close && len(s.q.open) == 3 && len(m.stack) > 0 && m.endsPlainly(s.body, s.key) {
		m.fail(ErrReadings, s.from) // a mark between two
	}
	m.i, s.written = s.body, s.body
	for m.err == nil {
		i := s.q.special(m.in, m.i)
		m.steps += i - m.i + 1
		m.i = i
		if i >= len(m.in) {
			m.write(s)
			m.fail(ErrCutString, s.from)
			return
		}
		if m.in[i] == '\\' {
			if n := m.asItIs(s); n > 0 {
				m.i += n
				continue
			}
		} else if size := s.q.closes(m.in, i); size > 0 {
			if s.end < 0 && !m.endsPlainly(i+size, s.key) {
				s.end = m.inner(s)
			}
			if m.err != nil {
				return
			}
			if s.end < 0 || s.end == i {
				m.write(s)
				m.out = append(m.out, '"')
				m.i += size
				m.textEnd = m.i
				m.certain(s, i)
				return
			}
		}
		m.write(s)
		m.special(s)
		s.written = m.i
	}
}

// write writes what is the same in the output.
func (m *mender) write(s *str) { m.out = append(m.out, m.in[s.written:m.i]...) }

// special returns the offset of the next byte that is something special.
func (q *quote) special(in []byte, i int) int {
	for q.first == '"' && i+8 <= len(in) {
		n := special8(binary.LittleEndian.Uint64(in[i:]))
		if i += n; n < 8 {
			return i
		}
	}
	for i < len(in) && q.plain[in[i]] {
		i++
	}
	return i
}

// certain refuses a string, which ends at end, whose backslashes can be read in
// two ways.
func (m *mender) certain(s *str, end int) {
	if s.odd {
		m.odd = s.from
	}
	m.kept = m.kept || s.kept
	mixed := false // 'it\'s'
	if s.apostrophes > 0 && s.q.first != '\'' {
		m.steps += end - s.body
		mixed = bytes.Count(m.in[s.body:end], []byte("'")) > s.apostrophes
	}
	if s.word && s.short || // \alpha\nabla
		s.word && s.share || // \\server\share
		s.odd && (s.q != usual || s.end >= 0) || mixed {
		m.fail(ErrReadings, s.from)
	}
}

func isWord(c byte) bool { return isLetter(c) || isDigit(c) }

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// fewControls are always taken. More than a quarter of the text is no text:
// each becomes six bytes.
const fewControls = 64

const hexDigits = "0123456789abcdef"

// special copies one character that may need an escape.
func (m *mender) special(s *str) {
	c := m.in[m.i]
	switch {
	case c == '\\':
		m.escape(s)
		return
	case c == '"':
		// Marks stand in pairs: an odd one where a string could end may be its end.
		if s.marks++; s.q.first != '"' && s.marks%2 == 1 && len(m.stack) > 0 && !s.key {
			if b := m.blank(m.i + 1); m.goesOn(b, m.broke) {
				m.fail(ErrReadings, s.from)
			}
		}
		m.out = append(m.out, '\\', '"')
	case s.key && (c < ' ' || hasPrefix(m.in[m.i:], s.q.open)):
		m.fail(ErrUnexpected, s.from)
	case c >= ' ':
		m.out = append(m.out, c)
	default:
		m.mended(EscapeControlChars, m.i)
		if k := strings.IndexByte("\b\f\n\r\t", c); k >= 0 {
			m.out = append(m.out, '\\', "bfnrt"[k])
		} else {
			if m.controls++; m.controls > fewControls && m.controls > len(m.in)/4 {
				m.fail(ErrControls, m.i)
			}
			m.out = append(m.out, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	m.i++
}

// asItIs returns the size of the escape at m.i if JSON has it, else 0.
func (m *mender) asItIs(s *str) int {
	rest := m.in[m.i:]
	if len(rest) < 2 {
		return 0
	}
	switch rest[1] {
	case 'b', 'f':
		s.short, s.odd = true, true
	case 'n', 'r', 't':
		s.short = true
		s.odd = s.odd || m.in[m.i-1] == ':' && m.drive()
	case '\\':
		s.share = s.share || len(rest) > 2 && isLetter(rest[2]) && !isWord(m.in[m.i-1])
	case '"', '/':
	case 'u':
		if len(rest) < 6 || !isHex(rest[2]) || !isHex(rest[3]) || !isHex(rest[4]) || !isHex(rest[5]) {
			return 0
		}
		return 6
	default:
		return 0
	}
	return 2
}

// drive reports whether the escape at m.i, which stands behind a colon, can be
// the first one of a Windows path. A key of one letter with a new line behind
// it, as YAML has, begins none unless a name follows.
func (m *mender) drive() bool {
	i := m.i
	return i > 1 && isLetter(m.in[i-2]) && (i == 2 || !isLetter(m.in[i-3])) && i+2 < len(m.in) && isWord(m.in[i+2])
}

// escape copies an escape that JSON doesn't know: a lone backslash, unless it
// stands in front of quotation marks.
func (m *mender) escape(s *str) {
	rest := m.in[m.i:]
	if len(rest) < 2 {
		m.i = len(m.in) // cut
		return
	}
	c := rest[1]
	if c == 'u' && (len(rest) < 3 || isHex(rest[2]) || !isLetter(rest[2])) {
		m.fail(ErrEscape, m.i)
		return
	}
	if n := s.q.closes(m.in, m.i+1); n > 0 || c == '\'' {
		if c == '\'' {
			s.apostrophes++
		}
		n = max(n, 1)
		m.mended(UnescapeQuote, m.i)
		m.out = append(m.out, rest[1:1+n]...)
		m.i += 1 + n
		return
	}
	if s.q.first == '\'' && pythonEscape(rest) {
		m.fail(ErrReadings, m.i)
		return
	}
	s.kept = true
	s.word = s.word || len(rest) > 2 && isLetter(c) && isLetter(rest[2])
	m.mended(KeepBackslash, m.i)
	m.out = append(m.out, '\\', '\\')
	m.i++
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
