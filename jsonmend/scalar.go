package jsonmend

import "bytes"

// literals are the spellings of other languages.
var literals = map[string]string{
	"true": "true", "false": "false", "null": "null",
	"True": "true", "False": "false", "None": "null",
	"TRUE": "true", "FALSE": "false", "NULL": "null", "Null": "null",
	"undefined": "null", "nil": "null",
}

var notFinite = map[string]bool{
	"NaN": true, "nan": true, "NAN": true, "Infinity": true, "infinity": true, "INFINITY": true,
	"Inf": true, "inf": true, "INF": true,
}

// scalar reads a number or a word.
func (m *mender) scalar() *Error {
	from := m.i
	to := m.word(from)
	w := m.in[from:to]
	if len(w) == 0 {
		return m.fail(m.junk(ErrUnquoted), from)
	}
	if lit, ok := literals[string(w)]; ok {
		m.i = to
		m.out = append(m.out, lit...)
		if lit != string(w) {
			return m.mended(NormaliseLiterals, from)
		}
		return nil
	}
	if c := w[0]; c == '+' || c == '-' || c == '.' || isDigit(c) {
		return m.number(w)
	}
	if notFinite[string(w)] {
		return m.fail(ErrNotFinite, from)
	}
	if to == len(m.in) && len(m.stack) > 0 {
		for l := range literals {
			if bytes.HasPrefix([]byte(l), w) {
				return m.fail(ErrCut, from)
			}
		}
	}
	return m.fail(m.junk(ErrUnquoted), from)
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
func (m *mender) number(w []byte) *Error {
	at, from := m.i, len(m.out)
	if notFinite[string(bytes.TrimLeft(w, "+-"))] {
		return m.fail(ErrNotFinite, at)
	}
	rest := m.mantissa(w)
	written := len(m.out) > from && m.out[len(m.out)-1] != '-'
	if written {
		rest = m.exponent(rest)
	}
	n := m.out[from:]
	kind := error(nil)
	switch digits := bytes.TrimLeft(n, "-"); {
	case !written && len(rest) == 0 || written && len(rest) > 0 && rest[0]|0x20 == 'e':
		kind = ErrUnquoted
		if at+len(w) == len(m.in) && len(m.stack) > 0 {
			kind = ErrCutNumber
		}
	case !written || len(rest) > 0:
		kind = m.junk(ErrUnquoted)
	case len(digits) > 1 && digits[0] == '0' && isDigit(digits[1]):
		kind = ErrReadings // octal, or text such as a post code
	case w[0] == '+' && len(digits) >= telephone && len(bytes.Trim(digits, "0123456789")) == 0:
		kind = ErrReadings
	case tooLong(n):
		kind = ErrTooLong
	}
	if kind != nil {
		m.out = m.out[:from]
		return m.fail(kind, at)
	}
	m.i += len(w)
	m.numberEnd = m.i
	if !bytes.Equal(n, w) {
		return m.mended(NormaliseNumbers, at)
	}
	return nil
}

// mantissa writes the sign and the digits in front of an exponent, and returns
// what comes behind. It writes no digit if there is none.
func (m *mender) mantissa(w []byte) []byte {
	rest := w
	if rest[0] == '+' || rest[0] == '-' {
		if rest[0] == '-' {
			m.out = append(m.out, '-')
		}
		rest = rest[1:]
	}
	whole, rest := digits(rest)
	point := len(rest) > 0 && rest[0] == '.'
	var fraction []byte
	if point {
		fraction, rest = digits(rest[1:])
	}
	if len(whole)+len(fraction) == 0 {
		return rest
	}
	m.out = appendDigits(m.out, whole)
	if point {
		m.out = appendDigits(append(m.out, '.'), fraction)
	}
	return rest
}

// exponent writes a whole exponent and returns what comes behind.
func (m *mender) exponent(rest []byte) []byte {
	if len(rest) < 2 || rest[0]|0x20 != 'e' {
		return rest
	}
	sign := 1
	if rest[1] == '+' || rest[1] == '-' {
		sign = 2
	}
	power, more := digits(rest[sign:])
	if len(power) == 0 || bytes.IndexByte(power, '_') >= 0 {
		return rest
	}
	m.out = append(append(m.out, rest[:sign]...), power...)
	return more
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
