package gemini

import (
	"fmt"
	"strings"
	"unicode/utf8"

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

// maxExcerpt bounds, in characters, what a fault quotes of an answer that can't be read.
const maxExcerpt = 120

// excerpt returns the beginning of b on one line, quoted.
func excerpt(b []byte) string {
	b = b[:min(len(b), maxExcerpt*utf8.UTFMax)]
	s := strings.Join(strings.Fields(strings.ToValidUTF8(string(b), "\ufffd")), " ")
	if runes := []rune(s); len(runes) > maxExcerpt {
		s = string(runes[:maxExcerpt]) + "…"
	}
	return fmt.Sprintf("%q", s)
}

// maxText bounds, in bytes, what a fault says of an upstream's error.
const maxText = 4 << 10

// bound cuts a text to maxText, between characters.
func bound(s string) string {
	s = strings.TrimSpace(strings.ToValidUTF8(s, "\ufffd"))
	if len(s) <= maxText {
		return s
	}
	n := maxText - len("…")
	for !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
