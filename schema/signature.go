package schema

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ferrule/ferrule/rawjson"
)

const (
	maxSignature = 400 // characters
	maxWanted    = 120
	maxOptionsIn = 12 // options that a signature lists
	perCharacter = 5  // nodes that may be looked at for each
)

// SignatureFor is the signature of the operation that a value names: of a
// union's forms and a condition's branches those that its constants choose. The
// whole signature where they choose none. At most 400 characters.
func (s *Schema) SignatureFor(value []byte) string {
	if rawjson.Kind(value) != '{' || rawjson.Valid(value, MaxNesting) != nil {
		return s.signature
	}
	return s.signFor(s.root, maxSignature, value)
}

// sign writes n in one line of at most limit characters.
func (s *Schema) sign(n *node, limit int) string { return s.signFor(n, limit, nil) }

// signFor writes of n what a value's constants choose. Inner objects lose
// their fields first, the innermost ones before the others; then an object
// loses those that needn't be there.
func (s *Schema) signFor(n *node, limit int, value []byte) string {
	for depth := 4; depth > 0; depth-- {
		g := signer{s: s, left: limit * perCharacter}
		if line := g.expr(n, depth, value); utf8.RuneCountInString(line) <= limit {
			return line
		}
	}
	g := signer{s: s, left: limit * perCharacter, room: limit}
	return cut(g.expr(n, 1, value), limit)
}

// wanted says in short what n takes.
func (s *Schema) wanted(n *node) string { return s.sign(n, maxWanted) }

// cut keeps the first characters of a line.
func cut(line string, limit int) string {
	if utf8.RuneCountInString(line) <= limit {
		return line
	}
	return string([]rune(line)[:limit-1]) + "…"
}

type signer struct {
	s    *Schema
	open []*node
	left int // nodes that may still be looked at
	room int // characters of an object; 0: as many as it needs
}

// expr writes n. value is what a model sent there, nil where nothing is known.
func (g *signer) expr(n *node, depth int, value []byte) string {
	n = g.s.deref(n)
	switch g.left--; {
	case isFalse(n):
		return "nothing"
	case n == nil || n.kind != '{' || g.left < 0:
		return "any"
	case slices.Contains(g.open, n):
		// It stands within itself: its kind is all that a line can hold.
		return strings.Join(append(g.s.types(n), "any")[:1], "")
	}
	g.open = append(g.open, n)
	defer func() { g.open = g.open[:len(g.open)-1] }()
	return g.flat(g.s.flat(n, value), depth, value)
}

// flat writes a flat node.
func (g *signer) flat(n *node, depth int, value []byte) string {
	if isFalse(n) {
		return "nothing"
	}
	if opts := g.s.options(n); len(opts) > 0 {
		return choices(opts)
	}
	if size := unionSize(n); size > 0 {
		if g.left -= size; g.left < 0 {
			return "any"
		}
		return g.union(g.s.forms(n, value), depth, value)
	}
	ts := g.s.types(n)
	if len(ts) == 0 && n.get("properties") != nil {
		ts = []string{"object"}
	}
	if len(ts) == 0 {
		return "any"
	}
	parts := make([]string, 0, len(ts))
	for _, t := range ts {
		parts = append(parts, g.typed(n, t, depth, value))
	}
	return strings.Join(parts, "|")
}

func (g *signer) union(forms []form, depth int, value []byte) string {
	room := g.room
	defer func() { g.room = room }()
	var parts []string
	for _, f := range forms {
		part := "any"
		if g.left--; g.left >= 0 && !slices.Contains(g.open, f.branch) {
			g.open = append(g.open, f.branch)
			part = g.flat(f.laid, depth, value)
			g.open = g.open[:len(g.open)-1]
		}
		if slices.Contains(parts, part) {
			continue
		}
		if room > 0 {
			if g.room -= utf8.RuneCountInString(part) + 1; g.room < 2 && len(parts) > 0 {
				parts = append(parts, "…")
				break
			}
			g.room = max(g.room, 2)
		}
		parts = append(parts, part)
	}
	if len(parts) > maxOptionsIn {
		parts = append(parts[:maxOptionsIn], "…")
	}
	return strings.Join(parts, "|")
}

// choices writes options, each cut to what is shown of a value.
func choices(opts []string) string {
	short := make([]string, 0, maxOptionsIn)
	for _, o := range opts[:min(len(opts), maxOptionsIn)] {
		short = append(short, show([]byte(o)))
	}
	if len(opts) > maxOptionsIn {
		short = append(short, "…")
	}
	return strings.Join(short, "|")
}

func (g *signer) typed(n *node, t string, depth int, value []byte) string {
	switch t {
	case "object":
		return g.object(n, depth, value)
	case "array":
		return g.array(n, depth, value)
	case "integer", "number":
		return t + hints(between(n, numberBounds, ""), multiple(n))
	case "string":
		if f := n.word(formatHint); f != "" {
			return t + hints(show([]byte(f)))
		}
		if p := n.word("pattern"); p != "" && len(p) <= 40 {
			return t + hints(p)
		}
		return t + hints(between(n, lengthBounds, " characters"))
	}
	return t
}

func (g *signer) array(n *node, depth int, value []byte) string {
	if tuple := n.get("prefixItems"); tuple != nil {
		parts := make([]string, 0, len(tuple.vals))
		for _, c := range tuple.vals {
			parts = append(parts, g.expr(c, depth, nil))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	item := "any"
	if it := n.get("items"); it != nil {
		item = g.expr(it, depth, only(value))
	}
	if strings.ContainsAny(item, "|(") && (!strings.HasPrefix(item, "{") || strings.Contains(item, "}|")) {
		item = "(" + item + ")"
	}
	return item + "[]" + hints(between(n, countBounds, " items"), differing(n))
}

// only is the element of a list that has but one.
func only(value []byte) (found []byte) {
	if rawjson.Kind(value) != '[' {
		return nil
	}
	count := 0
	_ = rawjson.Elements(value, func(v []byte) bool {
		found = v
		count++
		return count < 2
	})
	if count != 1 {
		return nil
	}
	return found
}

func (g *signer) object(n *node, depth int, value []byte) string {
	fields := slices.DeleteFunc(shownFields(n), func(f field) bool { return isFalse(f.node) })
	rest := g.rest(n, depth)
	switch {
	case len(fields) == 0 && len(rest) > 0:
		return "{" + strings.Join(rest, ", ") + "}"
	case len(fields) == 0 && (isFalse(n.get("additionalProperties")) || n.get("properties") != nil):
		return "{}"
	case len(fields) == 0 || depth == 0:
		return "object"
	}
	required := shownRequired(n)
	parts := make([]string, 0, len(fields)+len(rest))
	needed := make([]bool, 0, len(fields))
	for _, f := range fields {
		if g.left < 0 {
			parts, rest = append(parts, "…"), nil
			break
		}
		must := slices.Contains(required, f.name)
		parts, needed = append(parts, g.field(f, must, depth, value)), append(needed, must)
	}
	parts = append(parts, rest...)
	if g.room > 0 {
		parts = squeeze(parts, needed, g.room)
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// field writes one field of an object. One that would take too much of a small
// room is written by its type alone.
func (g *signer) field(f field, must bool, depth int, value []byte) string {
	label := f.name
	if !plainName(f.name) {
		label = string(text(cut(f.name, maxShown)).raw)
	}
	if !must {
		label += "?"
	}
	inner, _ := rawjson.Get(value, f.name)
	line := label + ": " + g.expr(f.node, depth-1, inner)
	if g.room > 0 && utf8.RuneCountInString(line) > g.room/3 {
		line = label + ": " + strings.Join(append(g.s.types(f.node), "any")[:1], "")
	}
	return line
}

// rest writes the fields that a schema takes without naming them.
func (g *signer) rest(n *node, depth int) (out []string) {
	if depth < 2 {
		return nil
	}
	if ps := n.get("patternProperties"); ps != nil {
		for i, k := range ps.keys {
			out = append(out, "[/"+show([]byte(k))+"/]: "+g.expr(ps.vals[i], depth-1, nil))
		}
	}
	if rest := n.get("additionalProperties"); rest != nil && rest.kind == '{' {
		out = append(out, "[name]: "+g.expr(rest, depth-1, nil))
	}
	return out
}

// squeeze leaves out what doesn't fit into room characters, what is needed last.
func squeeze(parts []string, needed []bool, room int) []string {
	kept := make([]bool, len(parts))
	left := room - len("{}") - len(", ") - 1
	for _, round := range []bool{true, false} {
		for i, p := range parts {
			must := i < len(needed) && needed[i]
			if must != round {
				continue
			}
			if left -= utf8.RuneCountInString(p) + len(", "); left < 0 {
				break
			}
			kept[i] = true
		}
	}
	var out []string
	for i, p := range parts {
		if kept[i] {
			out = append(out, p)
		}
	}
	if len(out) < len(parts) {
		out = append(out, "…")
	}
	return out
}
