package schema

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxSentence is how long a first sentence may be, in bytes.
const maxSentence = 240

// FirstSentence returns the first sentence of a text, in one line. A paragraph,
// a list and a heading end one too. One that is longer than 240 bytes is cut
// behind a word, with an ellipsis.
func FirstSentence(s string) string {
	line := firstParagraph(s)
	line = line[:sentenceEnd(line)]
	if len(line) <= maxSentence {
		return line
	}
	cut := maxSentence - len("…")
	for !utf8.RuneStart(line[cut]) {
		cut--
	}
	if i := strings.LastIndexByte(line[:cut], ' '); i > cut/2 {
		cut = i
	}
	return strings.TrimRightFunc(line[:cut], isGap) + "…"
}

func isGap(r rune) bool { return unicode.IsSpace(r) || r == ',' || r == ';' || r == ':' }

// firstParagraph joins the lines of the first paragraph that says something. A
// heading is only taken where nothing else is there.
func firstParagraph(s string) string {
	var lines []string
	heading := ""
	for line := range strings.Lines(s) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" && len(lines) > 0:
			return strings.Join(lines, " ")
		case line == "":
		case strings.HasPrefix(line, "#") && len(lines) == 0:
			if heading == "" {
				heading = strings.TrimLeft(line, "# \t")
			}
		case len(lines) > 0 && isItem(line):
			return strings.Join(lines, " ")
		default:
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return heading
	}
	return strings.Join(lines, " ")
}

// isItem reports whether a line begins an entry of a list, a heading or a tag.
func isItem(line string) bool {
	rest := strings.TrimLeft(line, "0123456789")
	switch {
	case strings.ContainsRune("#<", rune(line[0])):
		return true
	case strings.HasPrefix(line, "- "), strings.HasPrefix(line, "* "), strings.HasPrefix(line, "• "):
		return true
	}
	return len(rest) < len(line) && (strings.HasPrefix(rest, ". ") || strings.HasPrefix(rest, ") "))
}

// shortForms end in a dot that ends no sentence.
var shortForms = []string{"e.g.", "i.e.", "etc.", "vs.", "cf.", "approx.", "incl.", "max.", "min.", "no.", "nr."}

// sentenceEnd is where the first sentence of a line ends.
func sentenceEnd(line string) int {
	for i, r := range line {
		_, width := utf8.DecodeRuneInString(line[i:])
		after := line[i+width:]
		switch r {
		case '。', '！', '？':
			return len(line) - len(after)
		case '.', '!', '?':
			if after == "" || after[0] != ' ' && !closes(after) {
				continue
			}
			if r == '.' && isShortForm(line[:i+1]) {
				continue
			}
			if after[0] != ' ' {
				return i + 2
			}
			return i + 1
		}
	}
	return len(line)
}

// closes reports whether a text begins with what closes a quoted sentence.
func closes(s string) bool {
	return len(s) > 1 && strings.IndexByte(`)"'`, s[0]) >= 0 && s[1] == ' '
}

func isShortForm(s string) bool {
	begun := strings.LastIndexAny(s, " (") + 1
	last := strings.ToLower(s[begun:])
	for _, f := range shortForms {
		if last == f {
			return true
		}
	}
	return false
}
