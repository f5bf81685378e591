package args

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ferrule/ferrule/rawjson"
)

// What a model wrote is shown to it in such a way that nothing of it can be
// taken for a call, by whatever reads its next answer or by itself.

const (
	maxShown = 60  // characters of a value or a name
	maxPlace = 100 // of where it stands
	maxTool  = 64  // of a tool's name
	maxWhy   = 200 // of a reason
)

// sent shows a value that the model sent. Of an object or a list only the kind
// is told; a text ends before what could begin a call.
func sent(got string) string {
	switch rawjson.Kind([]byte(got)) {
	case '{':
		return "an object"
	case '[':
		return "a list"
	}
	return harmless(got)
}

// harmless ends a text before what could begin a call, its quotes closed.
func harmless(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	i := markAt(text)
	if i < 0 {
		return text
	}
	kept := strings.TrimRight(text[:i], `\ `) + "…"
	if quotes := strings.Count(kept, `"`) - strings.Count(kept, `\"`); quotes%2 == 1 {
		kept += `"`
	}
	return kept
}

// marks are the letters that begin something in one syntax of calls or another.
const marks = "<＜{｛`✿"

// begins reports whether a call could begin at c: a mark, a bracket before a
// word, a parenthesis behind one.
func begins(before, c, next rune) bool {
	switch c {
	case '[':
		return unicode.IsLetter(next)
	case '(':
		return unicode.IsLetter(before) || unicode.IsDigit(before) || before == '_'
	}
	return strings.ContainsRune(marks, c)
}

// markAt is where a text begins to look like a call; -1 where nowhere.
func markAt(text string) int {
	rs := []rune(text)
	at := 0
	for i, c := range rs {
		before, next := around(rs, i)
		if begins(before, c, next) {
			return at
		}
		at += len(string(c))
	}
	return -1
}

func around(rs []rune, i int) (before, next rune) {
	before, next = ' ', ' '
	if i > 0 {
		before = rs[i-1]
	}
	if i+1 < len(rs) {
		next = rs[i+1]
	}
	return before, next
}

// words shows a reason, which may hold what the model wrote.
func words(why string) string {
	return cutTo(harmless(oneLine(why)), maxWhy)
}

func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, s)
}

// place names where a value stands.
func place(path string) string {
	if path == "" {
		return "the arguments"
	}
	if r := []rune(path); len(r) > maxPlace {
		path = "…" + string(r[len(r)-maxPlace:])
	}
	return named(path)
}

// quote shows a name that a model wrote.
func quote(name string) string {
	name = strings.NewReplacer(`"`, "", `\`, "", "[", "", "]", "", "(", "", ")", "").Replace(cutTo(name, 4*maxShown))
	return strconv.Quote(cutTo(named(name), maxShown))
}

// named takes out of a name what could make a call of it.
func named(name string) string {
	for {
		rs := []rune(name)
		kept := rs[:0:0]
		for i, c := range rs {
			before, next := around(rs, i)
			if c >= ' ' && !begins(before, c, next) && !strings.ContainsRune(">}|＞｝｜", c) {
				kept = append(kept, c)
			}
		}
		if len(kept) == len(rs) {
			return name
		}
		name = string(kept) // what was taken out may have parted something
	}
}

// cutTo keeps the first characters of a text.
func cutTo(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	return string([]rune(s)[:limit]) + "…"
}
