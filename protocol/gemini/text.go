package gemini

import (
	"strings"

	"github.com/ferrule/ferrule/rawjson"
)

// text returns the text of a JSON string; "" for anything else. Bytes that
// aren't UTF-8 become U+FFFD.
func text(v []byte) string {
	s, err := rawjson.String(v)
	if err != nil {
		return ""
	}
	return strings.ToValidUTF8(s, "\ufffd")
}

// integer reads a whole number that stands as one, or as a text of one: the
// protocol writes 64-bit numbers so. It is 0 for anything else.
func integer(v []byte) int {
	s := text(v)
	if s == "" {
		s = string(v)
	}
	n := 0
	if len(s) > 15 {
		return 0
	}
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return 0
		}
		n = n*10 + int(c-'0')
	}
	return n
}
