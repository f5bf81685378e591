package args

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxElision is how long a line that stands for left-out text may be, in bytes.
const maxElision = 160

// elided returns the first new line of a text that stands for text that was
// left out, or "". Such a line is an ellipsis and nothing else but words like
// "rest of the code", in any language's comment or bare. old tells lines that
// aren't new.
func elided(value string, old func(line string) bool) string {
	if !hasEllipsis(value) {
		return ""
	}
	lines := strings.Split(strings.ReplaceAll(value, "\r\n", "\n"), "\n")
	var p *page
	for i, l := range lines {
		if !hasEllipsis(l) {
			continue
		}
		line := trim(l)
		kind := kindOf(line)
		if kind == noElision {
			continue
		}
		if p == nil {
			p = newPage(lines)
		}
		if !p.excuses(i, kind) && !old(line) {
			return line
		}
	}
	return ""
}

func hasEllipsis(s string) bool {
	return strings.Contains(s, "...") || strings.Contains(s, "…") || strings.Contains(s, ". . .") || strings.ContainsAny(s, "⋯⋮")
}

// trim takes away the space around a line, what isn't seen included.
func trim(line string) string {
	return strings.TrimFunc(line, func(r rune) bool { return unicode.IsSpace(r) || r == '\ufeff' || r == '\u200b' })
}

// elision says what kind of line it is.
type elision uint8

const (
	noElision  elision = iota
	bareDots           // an ellipsis alone: it can be a language's own
	commentDot         // the same in a comment
	withWords          // with words that say so
)

// starts are what an elision outside of a comment may begin with.
const starts = ".…⋯⋮[({<-*+> "

var (
	apostrophes = strings.NewReplacer("'", "", "’", "")
	otherDots   = strings.NewReplacer(". . .", "…", "⋯", "…", "⋮", "…")
)

// kindOf tells what a line is by itself, whatever stands around it.
func kindOf(line string) elision {
	if len(line) > maxElision {
		return noElision
	}
	inner, comment := uncommented(line)
	if !comment {
		if !strings.ContainsRune(starts, firstRune(line)) {
			return noElision
		}
		inner = line
	}
	inner, enclosed := unbracketed(inner)
	dotted := ellipses(inner)
	if !strings.Contains(dotted, "…") {
		return noElision
	}
	words := strings.FieldsFunc(strings.ToLower(apostrophes.Replace(dotted)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	switch {
	case len(words) == 0 && strings.Trim(dotted, "… ,;") != "":
		return noElision
	case len(words) == 0 && comment:
		return commentDot
	case len(words) == 0:
		return bareDots
	case spread(dotted, comment):
		return noElision
	}
	leads := strings.HasPrefix(strings.TrimPrefix(strings.ToLower(dotted), "todo: "), "…")
	if comment || enclosed {
		if leads && (saysRest(words) || namesPart(words)) || !leads && saysRestFirmly(words) {
			return withWords
		}
		return noElision
	}
	// Bare, it could be a sentence that goes on.
	if dotted = strings.TrimLeft(dotted, "-*+> "); strings.HasPrefix(dotted, "…") && saysRest(words) {
		return withWords
	}
	return noElision
}

// comments are how languages begin and end a line that is all comment; the
// longer ones first.
var comments = []struct{ opener, closer string }{
	{"<!--", "-->"},
	{"<%--", "--%>"},
	{"{{!--", "--}}"},
	{"{{/*", "*/}}"},
	{"{/*", "*/}"},
	{"{{!", "}}"},
	{"--[[", "]]"},
	{"<%#", "%>"},
	{"<#", "#>"},
	{"/*", "*/"},
	{"(*", "*)"},
	{"{-", "-}"},
	{"{#", "#}"},
	{"#|", "|#"},
	{"#=", "=#"},
	{"@*", "*@"},
	{`"""`, `"""`},
	{"'''", "'''"},
	{"//", ""},
	{"--", ""},
	{"-#", ""},
	{"::", ""},
	{"#", ""},
	{";", ""},
	{"%", ""},
	{"!", ""},
	{"'", ""},
	{"@rem ", ""},
	{"rem ", ""},
	{"dnl ", ""},
}

// uncommented returns what a comment says.
func uncommented(line string) (string, bool) {
	for _, c := range comments {
		if len(line) < len(c.opener) || !strings.EqualFold(line[:len(c.opener)], c.opener) {
			continue
		}
		inner := trim(line[len(c.opener):])
		if c.closer != "" {
			inner = strings.TrimSuffix(inner, c.closer)
		} else if quoted := strings.TrimLeft(c.opener, "'") == ""; quoted && strings.HasSuffix(inner, "'") {
			return "", false // somebody says it
		}
		return strings.Trim(inner, " \t/#;%*=~_!-"), true
	}
	return "", false
}

// unbracketed takes off what encloses a text as a whole.
func unbracketed(s string) (inner string, enclosed bool) {
	const open, closed = "[({<", "])}>"
	for range 3 {
		s = trim(s)
		if len(s) < 2 {
			break
		}
		i := strings.IndexByte(open, s[0])
		if i < 0 || s[len(s)-1] != closed[i] {
			break
		}
		s, enclosed = s[1:len(s)-1], true
	}
	return trim(s), enclosed
}

// ellipses writes every ellipsis as one character. Four dots and more are a
// ruler unless words stand beside them.
func ellipses(s string) string {
	s = otherDots.Replace(s)
	var b strings.Builder
	for s != "" {
		n := len(s) - len(strings.TrimLeft(s, "."))
		switch {
		case n >= 3 && n <= 6 && (n == 3 || strings.Trim(s, ". ") != "" || b.Len() > 0):
			b.WriteString("…")
		case n > 0:
			b.WriteString(s[:n])
		default:
			n = strings.IndexByte(s, '.')
			if n < 0 {
				n = len(s)
			}
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	s = b.String()
	for strings.Contains(s, "……") {
		s = strings.ReplaceAll(s, "……", "…")
	}
	return s
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// spread reports whether it is …name, as languages write what a list goes into
// or comes from.
func spread(dotted string, comment bool) bool {
	name, ok := strings.CutPrefix(dotted, "…")
	if !ok || name == "" || unicode.IsSpace(firstRune(name)) {
		return false
	}
	name = strings.TrimRight(name, ",;")
	if strings.ContainsFunc(name, func(r rune) bool { return unicode.IsSpace(r) || r == '…' }) {
		return false
	}
	return !comment || !firm[strings.ToLower(strings.Trim(name, "."))]
}
