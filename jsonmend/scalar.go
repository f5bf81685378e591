package jsonmend

import "bytes"

// literal returns what a spelling of JSON's or another language's means, or "".
func literal(w []byte) string {
	switch string(w) {
	case "true", "True", "TRUE":
		return "true"
	case "false", "False", "FALSE":
		return "false"
	case "null", "None", "NULL", "Null", "undefined", "nil":
		return "null"
	}
	return ""
}

var notFinite = map[string]bool{
	"NaN": true, "nan": true, "NAN": true, "Infinity": true, "infinity": true, "INFINITY": true,
	"Inf": true, "inf": true, "INF": true,
}

// scalar reads a number or a word.
func (m *mender) scalar() {
	from := m.i
	to := m.word(from)
	w := m.in[from:to]
	lit := literal(w)
	switch {
	case len(w) == 0:
		m.fail(m.junk(ErrUnquoted), from)
	case lit != "":
		if lit != string(w) {
			m.mended(NormaliseLiterals, from)
		}
		m.out = append(m.out, lit...)
		m.i = to
	case notFinite[string(bytes.TrimLeft(w, "+-"))]:
		m.fail(ErrNotFinite, from)
	case bytes.IndexByte([]byte("+-.0123456789"), w[0]) >= 0:
		m.number(w)
	case to == len(m.in) && len(m.stack) > 0 && beginsLiteral(w):
		m.fail(ErrCut, from)
	default:
		m.fail(m.junk(ErrUnquoted), from)
	}
}

// beginsLiteral reports whether w is a literal that was cut.
func beginsLiteral(w []byte) bool {
	for _, l := range []string{"true", "false", "null", "True", "False", "None", "TRUE", "FALSE", "NULL", "Null", "undefined", "nil"} {
		if len(w) < len(l) && l[:len(w)] == string(w) {
			return true
		}
	}
	return false
}

// word returns the end of what stands at i up to a space, a delimiter or a comment.
func (m *mender) word(i int) int {
	for ; i < len(m.in); i++ {
		m.steps++
		switch c := m.in[i]; {
		case c <= ' ', c == ',', c == ':', c == '"', c == '\'', c == '`', c == '<', c == '{', c == '[', c == '(', isCloser(c):
			return i
		case c == '/' && i+1 < len(m.in) && (m.in[i+1] == '/' || m.in[i+1] == '*'):
			return i
		case c >= 0x80 && m.oddSpace(i) > 0:
			return i
		case c == 0xEF:
			if i+3 <= len(m.in) && wide[string(m.in[i:i+3])] != 0 {
				return i
			}
		}
	}
	return i
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// telephone is how many digits behind a plus sign may be a telephone's.
const telephone = 7

// number writes the number w, which stands at m.i. Its digits stay as they are.
func (m *mender) number(w []byte) {
	at, from := m.i, len(m.out)
	m.i += len(w)
	m.numberEnd = m.i
	if numberEnd(w, 0) == len(w) && !tooLong(w) {
		m.out = append(m.out, w...)
		return
	}
	rest := w
	if w[0] == '+' || w[0] == '-' {
		rest = w[1:]
		m.out = append(m.out, bytes.TrimLeft(w[:1], "+")...)
	}
	first := len(m.out)
	whole, rest := digits(rest)
	m.out = appendDigits(m.out, whole)
	fraction := []byte(nil)
	if len(rest) > 0 && rest[0] == '.' {
		fraction, rest = digits(rest[1:])
		m.out = appendDigits(append(m.out, '.'), fraction)
	}
	some := len(whole)+len(fraction) > 0
	if power := exponentEnd(rest); some && power > 0 {
		m.out, rest = append(m.out, rest[:power]...), rest[power:]
	}
	n := m.out[first:]
	switch ends := len(rest) == 0 || some && rest[0]|0x20 == 'e'; {
	case ends && (!some || len(rest) > 0):
		kind := ErrUnquoted
		if m.i == len(m.in) && len(m.stack) > 0 {
			kind = ErrCutNumber
		}
		m.fail(kind, at)
	case len(rest) > 0:
		m.i = at
		m.fail(m.junk(ErrUnquoted), at)
	case len(n) > 1 && n[0] == '0' && isDigit(n[1]):
		m.fail(ErrReadings, at) // octal, or text such as a post code
	case w[0] == '+' && digitsEnd(n, 0) == len(n) && len(n) >= telephone:
		m.fail(ErrReadings, at)
	case tooLong(m.out[from:]):
		m.fail(ErrTooLong, at)
	}
	m.mended(NormaliseNumbers, at)
}

// exponentEnd returns the size of the exponent that s begins with, or 0.
func exponentEnd(s []byte) int {
	if len(s) < 2 || s[0]|0x20 != 'e' {
		return 0
	}
	from := 1
	if s[1] == '+' || s[1] == '-' {
		from = 2
	}
	if end := digitsEnd(s, from); end > from {
		return end
	}
	return 0
}

// digits splits off the digits in front, with the underscores that part them in
// groups of three.
func digits(s []byte) (d, rest []byte) {
	i := digitsEnd(s, 0)
	for i > 0 && i <= 3 || i > 3 && s[i-4] == '_' {
		next := digitsEnd(s, min(i+1, len(s)))
		if i == len(s) || s[i] != '_' || next != i+4 {
			break
		}
		i = next
	}
	return s[:i], s[i:]
}

func appendDigits(out, d []byte) []byte {
	if len(d) == 0 {
		return append(out, '0')
	}
	for _, c := range d {
		if c != '_' {
			out = append(out, c)
		}
	}
	return out
}
