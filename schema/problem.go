package schema

import (
	"sort"
	"strconv"
	"strings"
)

// Problem is one thing that is wrong with a value.
type Problem struct {
	Path    string   // for people and models: items[2].name; "" is the whole value
	Pointer string   // the same as a JSON pointer
	Keyword string   // of the schema; or json, number, duplicate, placeholder, too_complex
	Want    string   // what the schema takes there
	Got     string   // the JSON that stands there, cut to 60 characters; "" where nothing does
	Allowed []string // the JSON of the options, or the known names where a name isn't known
}

// maxProblems bounds what is told of one value.
const maxProblems = 50

func problemAt(place []string, keyword, want, got string) Problem {
	return Problem{Path: pathOf(place), Pointer: pointerOf(place), Keyword: keyword, Want: want, Got: got}
}

func pointerOf(place []string) string {
	var b strings.Builder
	for _, tok := range place {
		b.WriteByte('/')
		if strings.ContainsAny(tok, "~/") {
			tok = strings.NewReplacer("~", "~0", "/", "~1").Replace(tok)
		}
		b.WriteString(tok)
	}
	return b.String()
}

func pathOf(place []string) string {
	var b strings.Builder
	for _, tok := range place {
		switch _, err := strconv.ParseUint(tok, 10, 32); {
		case err == nil:
			b.WriteString("[" + tok + "]")
		case plainName(tok):
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(tok)
		default:
			b.WriteString("[" + strconv.Quote(show([]byte(tok))) + "]")
		}
	}
	return b.String()
}

// plainName reports whether a name reads well without quotes.
func plainName(s string) bool {
	if s == "" || len(s) > 64 {
		return false
	}
	for _, c := range s {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' && c != '-' && c != '$' && c < 0x80 {
			return false
		}
	}
	return true
}

func sorted(ps []Problem) []Problem {
	sort.SliceStable(ps, func(i, j int) bool {
		a, b := ps[i], ps[j]
		if a.Pointer != b.Pointer {
			return a.Pointer < b.Pointer
		}
		if a.Keyword != b.Keyword {
			return a.Keyword < b.Keyword
		}
		return a.Want < b.Want
	})
	out := ps[:0]
	for i, p := range ps {
		if i > 0 && p.Pointer == ps[i-1].Pointer && p.Keyword == ps[i-1].Keyword && p.Want == ps[i-1].Want {
			continue
		}
		out = append(out, p)
	}
	return out[:min(len(out), maxProblems)]
}
