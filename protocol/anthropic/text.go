package anthropic

import (
	"bytes"
	"strings"

	"github.com/ferrule/ferrule/rawjson"
)

// text returns the text of a JSON string; "" for anything else.
func text(v []byte) string {
	s, err := rawjson.String(v)
	if err != nil {
		return ""
	}
	return strings.ToValidUTF8(s, "\ufffd")
}

// integer reads a whole number; it is 0 for anything else, and for one that is
// no count.
func integer(v []byte) (n int, ok bool) {
	if len(v) == 0 || len(v) > 15 {
		return 0, false
	}
	for _, c := range v {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, true
}

// member returns one member of what may be an object; nil where it isn't there.
func member(v []byte, path ...string) []byte {
	m, _ := rawjson.Get(v, path...)
	return m
}

// joint joins the pieces of a text. A pair of escapes that spell one character
// may be cut by the border of two pieces: the first half waits for the next one.
type joint struct{ half []byte }

const escapeLen = len(`\ud83d`)

// next returns the text of a piece, a JSON string.
func (j *joint) next(quoted []byte) string {
	if rawjson.Kind(quoted) != '"' {
		return ""
	}
	quoted = bytes.TrimSpace(quoted)
	from, to := 1, len(quoted)-1
	cut := halfAtEnd(quoted[from:to])
	if len(j.half) == 0 && !cut {
		return text(quoted)
	}
	b := append(append([]byte{'"'}, j.half...), quoted[from:to]...)
	if j.half = nil; cut {
		n := len(b) - escapeLen
		j.half = bytes.Clone(b[n:])
		b = b[:n]
	}
	return text(append(b, '"'))
}

// rest ends the pieces: a half that is still alone can't be spelled.
func (j *joint) rest() string {
	if len(j.half) == 0 {
		return ""
	}
	j.half = nil
	return "\ufffd"
}

// halfAtEnd reports whether the inside of a JSON string ends with the escape of
// the first half of a pair.
func halfAtEnd(b []byte) bool {
	n := len(b) - escapeLen
	if n < 0 || b[n] != '\\' || b[n+1] != 'u' || b[n+2]|0x20 != 'd' {
		return false
	}
	if h := b[n+3] | 0x20; h != '8' && h != '9' && h != 'a' && h != 'b' {
		return false
	}
	slashes := 0
	for i := n; i >= 0 && b[i] == '\\'; i-- {
		slashes++
	}
	return slashes%2 == 1 // an even number spells backslashes
}
