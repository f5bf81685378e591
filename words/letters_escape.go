package words

import (
	"html"
	"unicode/utf8"
)

// Each function here looks at the end of what is written so far and tells
// whether an escape is complete there: how many bytes it takes and what it
// stands for. n is 0 where there is none.

// hexEscape knows the forms that end with a hex digit: %41, \x41, \u0041, \U00000041.
func hexEscape(o []byte) (n int, r rune) {
	if v, ok := hexTail(o, 2); ok && o[len(o)-3] == '%' {
		return 3, byteRune(v)
	}
	for _, f := range [...]struct {
		letter byte
		digits int
	}{{'u', 4}, {'x', 2}, {'U', 8}} {
		at := len(o) - f.digits - 2
		if at < 0 || !isSlash(o[at]) || o[at+1] != f.letter {
			continue
		}
		v, ok := hexTail(o, f.digits)
		if !ok || v > utf8.MaxRune {
			continue
		}
		if f.letter == 'x' {
			v = byteRune(v)
		}
		return unslash(o, f.digits+1), v
	}
	return 0, 0
}

// byteRune marks a byte that is only part of a character.
func byteRune(v rune) rune {
	if v >= utf8.RuneSelf {
		v += rawByte
	}
	return v
}

// hexTail reads the last n bytes of o as hex digits; there is a byte before them.
func hexTail(o []byte, n int) (v rune, ok bool) {
	if len(o) <= n {
		return 0, false
	}
	for _, c := range o[len(o)-n:] {
		h := hexValue(c)
		if h < 0 {
			return 0, false
		}
		if v > utf8.MaxRune {
			return 0, false
		}
		v = v<<4 | rune(h)
	}
	return v, true
}

func hexValue(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// braced knows \u{1F600}.
func braced(o []byte) (n int, r rune) {
	i := len(o) - 2
	for ; i >= 0 && len(o)-i <= 8 && hexValue(o[i]) >= 0; i-- {
	}
	digits := len(o) - 2 - i
	if digits == 0 || i < 2 || o[i] != '{' || o[i-1] != 'u' || !isSlash(o[i-2]) {
		return 0, 0
	}
	v, ok := hexTail(o[:len(o)-1], digits)
	if !ok || v > utf8.MaxRune {
		return 0, 0
	}
	return unslash(o, digits+3), v
}

// unslash counts the bytes that an escape takes at the end of o: body bytes and
// those of the backslashes before it that its layers use up. \\n is \n written
// once more; in \\\n a backslash stands before the escape and stays.
func unslash(o []byte, body int) int {
	o = o[:len(o)-body]
	k := backslashes(o)
	left := k
	for left%2 == 0 {
		left /= 2
	}
	left = (left - 1) / 2
	for i := range left {
		o[len(o)-k+i] = innerSlash
	}
	return body + k - left
}

// backslashes counts those of one layer that b ends with.
func backslashes(b []byte) int {
	n := 0
	for n < len(b) && isSlash(b[len(b)-1]) && b[len(b)-1-n] == b[len(b)-1] {
		n++
	}
	return n
}

func isSlash(c byte) bool { return c == '\\' || c == innerSlash }

// entity knows HTML's: &lt; &#60; &#x3c;.
func entity(o []byte) (n int, r rune) {
	i := len(o) - 2
	for i >= 0 && len(o)-i < maxEscape && (alnum(o[i]) || o[i] == '#') {
		i--
	}
	if i < 0 || o[i] != '&' || i == len(o)-2 {
		return 0, 0
	}
	e := o[i:]
	switch string(e) {
	case "&lt;":
		return len(e), '<'
	case "&gt;":
		return len(e), '>'
	case "&amp;":
		return len(e), '&'
	case "&quot;":
		return len(e), '"'
	}
	s := html.UnescapeString(string(e))
	if len(s) > 1 && s[len(s)-1] == ';' {
		return 0, 0 // no entity, or only its beginning is one
	}
	r, _ = utf8.DecodeRuneInString(s)
	return len(e), r
}

// ansi tells how many bytes a terminal's control sequence takes that ends with
// the last byte of o. Those that carry text (titles, links) stay: whatever is
// dropped here could hide a call.
func ansi(o []byte) int {
	const esc = 0x1b
	n := len(o)
	c := o[n-1]
	if n >= 3 && o[n-3] == esc && (o[n-2] == '(' || o[n-2] == ')') {
		return 3
	}
	if c < 0x40 || c > 0x7e {
		return 0
	}
	i := n - 2
	for i > 0 && n-i < maxEscape && (o[i] >= '0' && o[i] <= '?' || o[i] == '!') {
		i--
	}
	if i > 0 && o[i] == '[' && o[i-1] == esc {
		return n - i + 1
	}
	return 0
}

func alnum(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
