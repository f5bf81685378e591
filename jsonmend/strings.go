package jsonmend

import (
	"strings"
	"unicode/utf8"
)

// quote is a kind of quotation marks: how it opens and what closes it.
type quote struct {
	open  string
	close []string
	ascii byte // of the closers, where they begin with one
}

// quotes, those first that begin with another one.
var quotes = []quote{
	{`"""`, []string{`"""`}, '"'},
	{`'''`, []string{`'''`}, '\''},
	{`"`, []string{`"`}, '"'},
	{`'`, []string{`'`}, '\''},
	{"`", []string{"`"}, '`'},
	{"“", []string{"”", "“"}, 0},
	{"”", []string{"”"}, 0},
	{"‘", []string{"’", "‘"}, 0},
	{"’", []string{"’"}, 0},
}

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
	if q.ascii != 0 && in[i] != q.ascii || q.ascii == 0 && in[i] != 0xE2 {
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
	if err := m.str(q, false); err != nil {
		return err
	}
	for {
		m.textEnd = m.i
		plus := m.blank(m.i)
		if plus >= len(m.in) || m.in[plus] != '+' {
			return nil
		}
		next := m.blank(plus + 1)
		q, ok := m.quote(next)
		if !ok {
			return nil
		}
		if err := m.mended(JoinStrings, plus); err != nil {
			return err
		}
		m.i = next
		seam := len(m.out) - 1 // the closer, which the next opener follows
		if err := m.str(q, false); err != nil {
			return err
		}
		m.out = append(m.out[:seam], m.out[seam+2:]...)
	}
}

// copied is what a string held so far.
type copied struct {
	q     *quote
	key   bool
	end   int  // where inner quotes say that it ends, or -1
	kept  bool // a backslash was kept
	short bool // an escape such as \n or \t was read
	half  bool // a surrogate was read
}

// str reads one quoted string and writes it in double quotes.
func (m *mender) str(q *quote, key bool) *Error {
	from := m.i
	if q.open != `"` {
		if err := m.mended(NormaliseQuotes, from); err != nil {
			return err
		}
	}
	start := len(m.out)
	m.out = append(m.out, '"')
	m.i += len(q.open)
	body := m.i
	s := copied{q: q, key: key, end: -1}
	for m.i < len(m.in) {
		m.run8()
		if m.i >= len(m.in) {
			break
		}
		m.steps++
		if size := q.closes(m.in, m.i); size > 0 {
			if s.end < 0 && !m.endsPlainly(m.i+size, key) {
				end, err := m.inner(&s, from)
				if err != nil {
					return err
				}
				s.end = end
			}
			if s.end < 0 || s.end == m.i {
				if s.kept && s.short && drive(m.in[body:m.i]) {
					return m.fail(ErrReadings, from) // C:\Users\new
				}
				if s.half && !key {
					m.mark(start, from)
				}
				m.i += size
				m.out = append(m.out, '"')
				return nil
			}
		}
		if err := m.special(&s); err != nil {
			return err
		}
	}
	return m.fail(ErrCutString, from)
}

// run8 copies the bytes that are nothing special.
func (m *mender) run8() {
	i := m.i
	for i < len(m.in) && plain[m.in[i]] {
		i++
	}
	m.steps += i - m.i
	m.out = append(m.out, m.in[m.i:i]...)
	m.i = i
}

var plain = func() (t [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		t[c] = !strings.ContainsRune("\"'`\\", c)
	}
	return t
}()

// fewControls are always taken. More than a quarter of the text is no text:
// each becomes six bytes.
const fewControls = 64

const hexDigits = "0123456789abcdef"

// special copies one character that may need an escape.
func (m *mender) special(s *copied) *Error {
	switch c := m.in[m.i]; {
	case c == '\\':
		return m.escape(s)
	case c == '"':
		m.out = append(m.out, '\\', '"')
		m.i++
	case c < ' ':
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
		m.i++
	case c < utf8.RuneSelf:
		m.out = append(m.out, c)
		m.i++
	default:
		_, n := utf8.DecodeRune(m.in[m.i:])
		if n <= 1 {
			return m.fail(ErrEncoding, m.i)
		}
		m.out = append(m.out, m.in[m.i:m.i+n]...)
		m.i += n
	}
	return nil
}

// escape copies an escape. One that JSON doesn't know is a lone backslash.
func (m *mender) escape(s *copied) *Error {
	rest := m.in[m.i:]
	if len(rest) < 2 {
		m.i = len(m.in)
		return nil // cut
	}
	switch c := rest[1]; c {
	case 'b', 'f', 'n', 'r', 't':
		s.short = true
		fallthrough
	case '"', '\\', '/':
		m.out = append(m.out, rest[:2]...)
		m.i += 2
		return nil
	case 'u':
		n := 2
		for n < min(6, len(rest)) && isHex(rest[n]) {
			n++
		}
		if n < 6 {
			return m.fail(ErrEscape, m.i)
		}
		s.half = s.half || surrogate(rest[2:6]) != 0
		m.out = append(m.out, rest[:6]...)
		m.i += 6
		return nil
	case '\'', '`':
		if c == '`' && s.q.ascii != '`' {
			break
		}
		m.out = append(m.out, c)
		m.i += 2
		return m.mended(UnescapeQuote, m.i-2)
	case 'x', 'U', 'N', '0':
		if s.q.ascii == '\'' && len(rest) > 2 && (isHex(rest[2]) || rest[2] == '{') {
			return m.fail(ErrReadings, m.i) // Python's own escapes
		}
	}
	s.kept = true
	m.out = append(m.out, '\\', '\\')
	m.i++
	return m.mended(KeepBackslash, m.i-1)
}

func isHex(c byte) bool {
	return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f'
}

// drive reports whether s begins as a Windows path does.
func drive(s []byte) bool {
	return len(s) > 2 && (s[0]|0x20 >= 'a' && s[0]|0x20 <= 'z') && s[1] == ':' && s[2] == '\\'
}
