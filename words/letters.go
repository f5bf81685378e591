package words

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A text is compared by its letters, since that is what stays the same when a
// tool shows it in its own way and a model repeats it. Reading goes in two steps:
// readThrough undoes the writing (escapes, entities, colours, forms), and
// lettersOf keeps what is then a letter or a digit.

// maxEscape is the longest escape that is read through, in bytes: the longest
// entity name is 33 with its ampersand and semicolon.
const maxEscape = 36

// letters returns the letters of s: case and full-width forms folded, format
// characters and ANSI sequences dropped, backslash escapes, HTML entities and
// percent encoding read through at any depth. Brackets count as letters for a
// syntax whose frame holds no word.
//
// The law: writing s as a JSON string, as HTML text or percent-encoded doesn't
// change its letters, and neither does doing so again.
func letters(s string, brackets bool) []byte {
	return lettersOf(readThrough([]byte(s)), brackets)
}

// readThrough undoes every layer of escaping in one pass. Each byte goes to the
// end of what is written so far; where it completes an escape there, the escape
// is taken back and what it stands for is written in its place, which may
// complete another one. So a layer inside a layer needs no second pass, the
// order of the layers doesn't matter, and the work is linear: what is taken
// back is always longer than what comes instead.
func readThrough(s []byte) []byte {
	d := decoder{out: make([]byte, 0, len(s))}
	d.text(s)
	if d.tagged {
		// Tag characters are unseen by people and read by models: both count.
		d.inPlace = true
		d.ascii('\n')
		d.text(s)
	}
	for out := d.out; ; {
		i := bytes.IndexByte(out, innerSlash)
		if i < 0 {
			return d.out
		}
		out[i] = '\\'
		out = out[i+1:]
	}
}

type decoder struct {
	out     []byte
	hot     int  // an escape can end only before this place of out
	esc     bool // an ESC was seen, so colours are looked for
	flat    bool // only forms, unseen characters and colours are read
	tagged  bool // there are tag characters
	inPlace bool // they are read as what they stand for
}

// innerSlash stands for a backslash that was itself written as an escape. One
// that follows it in plain form belongs to a layer further out, so the two make
// no pair: %5C\u006e is \n and not \\u006e.
const innerSlash = 2

// opensEscape holds for each byte that an escape begins with how many bytes
// may follow until its end.
var opensEscape = [256]uint8{'\\': 10, innerSlash: 10, '%': 2, '&': maxEscape, 0x1b: maxEscape}

// endsEscape marks the bytes that one ends with, colours aside.
var endsEscape = func() (t [256]bool) {
	for c := range t {
		t[c] = hexValue(byte(c)) >= 0 || strings.IndexByte(`;}nrtbf"'/`, byte(c)) >= 0
	}
	return t
}()

func (d *decoder) text(s []byte) {
	for i := 0; i < len(s); {
		// Most bytes neither open an escape nor can end one: they go out as they are.
		j := i
		if len(d.out) > d.hot {
			for j < len(s) && s[j] < utf8.RuneSelf && opensEscape[s[j]] == 0 {
				j++
			}
		} else if !d.esc {
			for j < len(s) && s[j] < utf8.RuneSelf && opensEscape[s[j]] == 0 && !endsEscape[s[j]] {
				j++
			}
		}
		d.out = append(d.out, s[i:j]...)
		if i = j; i == len(s) {
			return
		}
		if c := s[i]; c < utf8.RuneSelf {
			if c == innerSlash {
				c = ' '
			}
			d.ascii(c)
			i++
			continue
		}
		r, n := utf8.DecodeRune(s[i:])
		if plainRune(r) || r == utf8.RuneError && n == 1 {
			d.out = append(d.out, s[i:i+n]...)
		} else {
			d.rune(r)
		}
		i += n
	}
}

// plainRune knows the great blocks of letters that nothing is to be done to.
func plainRune(r rune) bool {
	return r >= 0x4e00 && r <= 0x9fff || r >= 0xac00 && r <= 0xd7a3 || r >= 0x3041 && r <= 0x3096
}

// rune writes one character, folded.
func (d *decoder) rune(r rune) {
	if r, ok := d.fold(r); ok {
		if r < utf8.RuneSelf {
			d.ascii(byte(r))
		} else {
			d.out = utf8.AppendRune(d.out, r)
		}
	}
}

// fold brings a character to its plain form; false means that it is dropped.
func (d *decoder) fold(r rune) (rune, bool) {
	switch {
	case r < 0xad:
		return r, true
	case r >= 0xff01 && r <= 0xff5e: // full-width forms
		return r - 0xfee0, true
	case r == 0x3000:
		return ' ', true
	case r >= 0xe0020 && r <= 0xe007e:
		d.tagged = true
		return r - 0xe0000, d.inPlace
	}
	return r, !unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// ascii writes c and every escape that it completes.
func (d *decoder) ascii(c byte) {
	for {
		d.out = append(d.out, c)
		if n := opensEscape[c]; n > 0 {
			d.hot = max(d.hot, len(d.out)+int(n))
			d.esc = d.esc || c == 0x1b
			return
		}
		if len(d.out) > d.hot || !d.esc && !endsEscape[c] {
			return
		}
		n, r := d.completed(c)
		if n == 0 {
			return
		}
		d.out = d.out[:len(d.out)-n]
		switch {
		case r < 0: // it stands for nothing
			return
		case r >= rawByte:
			d.out = append(d.out, byte(r-rawByte))
			if r, n = d.tailRune(); n == 0 {
				return
			}
			d.out = d.out[:len(d.out)-n]
		}
		var ok bool
		if r, ok = d.fold(r); !ok {
			return
		}
		if r >= utf8.RuneSelf {
			d.appendRune(r)
			return
		}
		if c = byte(r); c == '\\' {
			c = innerSlash
		}
	}
}

// rawByte is added to a byte of 0x80 and more that is part of a character.
const rawByte = 1 << 24

// appendRune writes r; the two halves of a surrogate pair become one character.
func (d *decoder) appendRune(r rune) {
	if r < 0xd800 || r > 0xdfff {
		d.out = utf8.AppendRune(d.out, r)
		return
	}
	// A half is kept as the three bytes that it would be in UTF-8.
	if n := len(d.out); r >= 0xdc00 && n >= 3 && d.out[n-3] == 0xed && d.out[n-2]&0xf0 == 0xa0 {
		high := rune(d.out[n-2]&0x0f)<<6 | rune(d.out[n-1]&0x3f)
		d.out = d.out[:n-3]
		d.rune(0x10000 + high<<10 + (r - 0xdc00))
		return
	}
	d.out = append(d.out, 0xed, byte(0x80|r>>6&0x3f), byte(0x80|r&0x3f))
}

// tailRune returns the character that the last byte of out completes, if it does.
func (d *decoder) tailRune() (rune, int) {
	for n := 2; n <= utf8.UTFMax && n <= len(d.out); n++ {
		if r, size := utf8.DecodeRune(d.out[len(d.out)-n:]); size == n && r != utf8.RuneError {
			return r, n
		}
	}
	return 0, 0
}

// completed tells which escape ends with c, the last byte of out: how many
// bytes it takes and what it stands for, -1 for nothing. n is 0 if none does.
func (d *decoder) completed(c byte) (n int, r rune) {
	if d.esc {
		if n := ansi(d.out); n > 0 {
			return n, -1
		}
	}
	o := d.out
	switch {
	case d.flat:
		return 0, 0
	case c == ';':
		return entity(o)
	case c == '}':
		return braced(o)
	case hexValue(c) >= 0:
		if n, r := hexEscape(o); n > 0 {
			return n, r
		}
	}
	if len(o) < 2 || !isSlash(o[len(o)-2]) {
		return 0, 0
	}
	switch c {
	case 'n', 'r':
		return unslash(o, 1), '\n'
	case 't':
		return unslash(o, 1), '\t'
	case 'b', 'f':
		return unslash(o, 1), ' '
	case '"', '\'', '/':
		return 1 + backslashes(o[:len(o)-1]), rune(c)
	}
	return 0, 0
}

// lettersOf returns the letters and digits of a text that was read through.
func lettersOf(text []byte, brackets bool) []byte {
	keep := &asciiLetter
	if brackets {
		keep = &asciiLetterOrBracket
	}
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			if l := keep[c]; l != 0 {
				out = append(out, l)
			}
			i++
			continue
		}
		r, n := utf8.DecodeRune(text[i:])
		switch {
		case plainRune(r):
			out = append(out, text[i:i+n]...)
		case r == utf8.RuneError && n == 1:
			if halfPair(text[i:]) {
				n = 3
				break
			}
			r = rune(c) // as Latin-1
			fallthrough
		default:
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				out = utf8.AppendRune(out, unicode.ToLower(unicode.ToUpper(r)))
			}
		}
		i += n
	}
	return out
}

// halfPair knows half of a surrogate pair, which is no character.
func halfPair(b []byte) bool {
	return len(b) >= 3 && b[0] == 0xed && b[1]&0xe0 == 0xa0 && b[2]&0xc0 == 0x80
}

// asciiLetter holds the folded form of ASCII's letters and digits, 0 for the
// rest; asciiLetterOrBracket the brackets too, but for those that tools put
// before lines.
var (
	asciiLetter          = foldedASCII("")
	asciiLetterOrBracket = foldedASCII("()[]{}")
)

func foldedASCII(brackets string) (t [utf8.RuneSelf]byte) {
	for c := range t {
		if alnum(byte(c)) || strings.IndexByte(brackets, byte(c)) >= 0 {
			t[c] = byte(unicode.ToLower(rune(c)))
		}
	}
	return t
}
