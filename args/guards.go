package args

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/ferrule/ferrule/rawjson"
	"github.com/ferrule/ferrule/schema"
)

// payload is one value that a guard looks at.
type payload struct {
	text string
	seen *Seen
	old  func(line string) bool // the line isn't new
}

// guards have a check each, which returns what shows that the value isn't whole.
var guards = map[Guard]struct {
	check   func(payload) string
	keyword string // of the problem
	want    string
}{
	GuardCutID: {
		func(p payload) string { return p.seen.cutID(p.text) },
		"guard_cut_id", "the whole id, as it stood in the result",
	},
	GuardElision: {
		func(p payload) string { return elided(p.text, p.old) },
		"guard_elision", "the file's whole content: a line stands for text that was left out",
	},
}

// guarded checks the payloads of arguments that fit their schema. Rules are by
// field; edits.new is the field new of edits or of each of its elements.
func guarded(args []byte, rules map[string]Guard, seen *Seen) []schema.Problem {
	const maxProblems = 50
	if len(rules) == 0 {
		return nil
	}
	var fields []leaf
	leaves(args, leaf{}, func(l leaf) { fields = append(fields, l) })
	// What an edit replaces stands in another field of the call.
	beside := sync.OnceValue(func() map[string]bool {
		lines := map[string]bool{}
		for _, f := range fields {
			if _, ok := rules[f.place]; !ok {
				addMarks(lines, f.text)
			}
		}
		return lines
	})
	old := func(line string) bool { return seen.stood(line) || beside()[line] }
	var out []schema.Problem
	for _, f := range fields {
		g, ok := guards[rules[f.place]]
		if !ok {
			continue
		}
		bad := g.check(payload{f.text, seen, old})
		if bad == "" {
			continue
		}
		if len(out) == maxProblems {
			break
		}
		out = append(out, schema.Problem{
			Path: f.path, Pointer: f.pointer, Keyword: g.keyword, Want: g.want,
			Got: shown(rawjson.AppendString(nil, bad[:min(len(bad), 400)])),
		})
	}
	slices.SortStableFunc(out, func(a, b schema.Problem) int { return strings.Compare(a.Pointer, b.Pointer) })
	return out
}

// leaf is a text or a number among arguments.
type leaf struct {
	path    string // edits[2].new
	pointer string
	place   string // edits.new
	text    string
}

// leaves calls f with each of them, in order. It goes as deep as arguments that
// passed their schema may nest.
func leaves(v []byte, at leaf, f func(leaf)) {
	switch rawjson.Kind(v) {
	case '{':
		_ = rawjson.Members(v, func(k, m []byte) bool {
			key := string(k)
			leaves(m, leaf{
				path: below(at.path, key), place: below(at.place, key),
				pointer: at.pointer + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(key),
			}, f)
			return true
		})
	case '[':
		n := 0
		_ = rawjson.Elements(v, func(e []byte) bool {
			i := strconv.Itoa(n)
			leaves(e, leaf{path: at.path + "[" + i + "]", place: at.place, pointer: at.pointer + "/" + i}, f)
			n++
			return true
		})
	case '"':
		if text, err := rawjson.String(v); err == nil {
			at.text = text
			f(at)
		}
	case '0':
		at.text = strings.TrimSpace(string(v))
		f(at)
	}
}
