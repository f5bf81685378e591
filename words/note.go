package words

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxNote is how long a note may be, in characters.
const maxNote = 200

// Note is a line that tells a model something about a call of its own. It
// stands in front of that call's result and is Ferrule's word, not the tool's:
// so it is one line, and holds nothing of which a call, a fence or a block
// could be made, wherever its parts came from.
func Note(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune("<>{}[]`|", r), r == utf8.RuneError, unicode.Is(unicode.Cf, r):
			return -1
		case unicode.IsSpace(r), unicode.IsControl(r):
			return ' '
		}
		return r
	}, text)
	text = strings.Join(strings.Fields(text), " ")
	if n := []rune(text); len(n) > maxNote {
		text = string(n[:maxNote-1]) + "…"
	}
	return "Note: " + text
}
