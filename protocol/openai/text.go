package openai

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
)

// surrogate is the form in which text.go keeps half of an escaped pair until
// its other half comes: the three bytes that UTF-8 forbids for it.
const surrogateLen = 3

// appendText appends the text of a JSON string that a cursor has read. Bytes
// that aren't UTF-8 become U+FFFD; so does half of an escaped pair, unless it
// stands at either end, where the other half may be in another piece: there it
// stays as the three bytes that would spell it.
func appendText(dst, quoted []byte) []byte {
	if text, ok := asIs(quoted); ok {
		return append(dst, text...)
	}
	first, last := edges(quoted)
	if first != 0 {
		dst = appendSurrogate(dst, first)
		quoted = append([]byte{'"'}, quoted[7:]...)
	}
	if last != 0 {
		quoted = append(quoted[:len(quoted)-7:len(quoted)-7], '"')
	}
	text, err := rawjson.AppendUnquoted(dst, quoted)
	if err != nil {
		if text, err = rawjson.AppendUnquoted(dst, bytes.ToValidUTF8(quoted, []byte("\ufffd"))); err != nil {
			return dst
		}
	}
	if last != 0 {
		text = appendSurrogate(text, last)
	}
	return text
}

// asIs returns what stands between the quotes where that is the text itself.
func asIs(quoted []byte) (text []byte, ok bool) {
	text = quoted[1 : len(quoted)-1]
	return text, bytes.IndexByte(text, '\\') < 0 && utf8.Valid(text)
}

// edges returns the low half that a string begins with and the high half that
// it ends with, 0 for none.
func edges(quoted []byte) (first, last rune) {
	n := len(quoted)
	if n < 8 {
		return 0, 0
	}
	if r := escaped(quoted[1:7]); r >= 0xDC00 && r <= 0xDFFF {
		first = r
	}
	if r := escaped(quoted[n-7 : n-1]); r >= 0xD800 && r < 0xDC00 && (n > 8 || first == 0) {
		// Only an odd number of backslashes begins an escape.
		slashes := 0
		for i := n - 7; i > 0 && quoted[i] == '\\'; i-- {
			slashes++
		}
		if slashes%2 == 1 {
			last = r
		}
	}
	return first, last
}

// escaped returns the value of a \uXXXX escape, -1 for anything else.
func escaped(b []byte) rune {
	if b[0] != '\\' || b[1] != 'u' {
		return -1
	}
	var r rune
	for _, c := range b[2:6] {
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return -1
		}
	}
	return r
}

func appendSurrogate(dst []byte, r rune) []byte {
	return append(dst, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F)
}

// surrogateAt returns the half of a pair that b begins with, 0 for none.
func surrogateAt(b []byte) rune {
	if len(b) < surrogateLen || b[0] != 0xED || b[1] < 0xA0 {
		return 0
	}
	return 0xD000 | rune(b[1]&0x3F)<<6 | rune(b[2]&0x3F)
}

// half keeps the first half of a pair that was cut by the border of two pieces.
type half rune

// whole returns a piece with its pairs made whole. A half that ends the piece
// is kept for the next one; one that stays alone becomes U+FFFD.
func (h *half) whole(text []byte) []byte {
	first := surrogateAt(text)
	if *h == 0 && first == 0 && (len(text) < surrogateLen || surrogateAt(text[len(text)-surrogateLen:]) == 0) {
		return text
	}
	if len(text) == 0 {
		return text
	}
	out := make([]byte, 0, len(text)+utf8.UTFMax)
	isLow := first >= 0xDC00
	if *h != 0 || isLow {
		low := first
		if !isLow {
			low = -1
		}
		out = utf8.AppendRune(out, utf16.DecodeRune(rune(*h), low))
		if isLow {
			text = text[surrogateLen:]
		}
	}
	*h = 0
	if n := len(text) - surrogateLen; n >= 0 {
		if last := surrogateAt(text[n:]); last != 0 {
			*h, text = half(last), text[:n]
		}
	}
	return append(out, text...)
}

// rest ends the pieces: a half that is still alone becomes U+FFFD.
func (h *half) rest() string {
	if *h == 0 {
		return ""
	}
	*h = 0
	return "\ufffd"
}

// str returns the text of a JSON string; "" for anything else.
func str(quoted []byte) string {
	if len(quoted) <= 2 || quoted[0] != '"' {
		return ""
	}
	if text, ok := asIs(quoted); ok {
		return string(text)
	}
	return valid(appendText(nil, quoted))
}

// valid returns text whose lone halves of pairs are U+FFFD.
func valid(text []byte) string {
	var h half
	return string(h.whole(text)) + h.rest()
}

// arena hands out strings that stay valid, many from one allocation.
type arena struct{ b strings.Builder }

const arenaSize = 1 << 10

func (a *arena) string(text []byte) string {
	if a.b.Cap()-a.b.Len() < len(text) {
		if len(text) > arenaSize/4 {
			return string(text)
		}
		a.b = strings.Builder{}
		a.b.Grow(arenaSize)
	}
	n := a.b.Len()
	a.b.Write(text)
	return a.b.String()[n:]
}

// withExtra returns e with one of this protocol's members added.
func withExtra(e chat.Extra, field string, value []byte) chat.Extra {
	if e == nil {
		e = chat.Extra{}
	}
	e[own+field] = json.RawMessage(bytes.Clone(value))
	return e
}
