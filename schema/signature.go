package schema

import (
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	maxSignature = 400 // characters
	maxWanted    = 120
	maxOptionsIn = 12 // options that a signature lists
)

// sign writes n in one line of at most limit characters. Inner objects lose
// their fields first, the innermost ones before the others.
func (s *Schema) sign(n *node, limit int) string {
	line := ""
	for depth := 4; depth > 0; depth-- {
		g := signer{s: s, left: 2000}
		if line = g.expr(n, depth); utf8.RuneCountInString(line) <= limit {
			return line
		}
	}
	cut := string([]rune(line)[:limit-2])
	if i := strings.LastIndex(cut, ", "); i > 0 && strings.HasPrefix(cut, "{") {
		return cut[:i] + ", …}"
	}
	return cut + "…"
}

// wanted says in short what n takes.
func (s *Schema) wanted(n *node) string { return s.sign(n, maxWanted) }

type signer struct {
	s    *Schema
	open []*node
	left int // nodes that may still be looked at
}

func (g *signer) expr(n *node, depth int) string {
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
	if opts := g.s.options(n); len(opts) > 0 {
		return choices(opts)
	}
	ts := g.s.types(n)
	if len(ts) == 0 && (n.get("properties") != nil || n.get("allOf") != nil) && len(g.s.fields(n)) > 0 {
		ts = []string{"object"}
	}
	own := n.get("properties") != nil
	for _, k := range []string{"anyOf", "oneOf"} {
		if u := n.get(k); u != nil && !own {
			return g.union(u.vals, depth)
		}
	}
	if len(ts) == 0 {
		return "any"
	}
	parts := make([]string, 0, len(ts))
	for _, t := range ts {
		parts = append(parts, g.typed(n, t, depth))
	}
	return strings.Join(parts, "|")
}

func (g *signer) union(forms []*node, depth int) string {
	var parts []string
	for _, f := range forms {
		if p := g.expr(f, depth); !slices.Contains(parts, p) {
			parts = append(parts, p)
		}
	}
	return choices(parts)
}

func choices(opts []string) string {
	if len(opts) > maxOptionsIn {
		opts = append(slices.Clone(opts[:maxOptionsIn]), "…")
	}
	short := make([]string, len(opts))
	for i, o := range opts {
		short[i] = show([]byte(o))
	}
	return strings.Join(short, "|")
}

func (g *signer) typed(n *node, t string, depth int) string {
	switch t {
	case "object":
		return g.object(n, depth)
	case "array":
		if tuple := n.get("prefixItems"); tuple != nil {
			parts := make([]string, 0, len(tuple.vals))
			for _, c := range tuple.vals {
				parts = append(parts, g.expr(c, depth))
			}
			return "[" + strings.Join(parts, ", ") + "]"
		}
		item := "any"
		if it := n.get("items"); it != nil {
			item = g.expr(it, depth)
		}
		if strings.ContainsAny(item, "|(") && !strings.HasPrefix(item, "{") {
			item = "(" + item + ")"
		}
		return item + "[]" + span(n, "minItems", "maxItems", " items")
	case "integer", "number":
		return t + span(n, "minimum", "maximum", "")
	case "string":
		if f := n.word(formatHint); f != "" {
			return "string (" + show([]byte(f)) + ")"
		}
		if p := n.word("pattern"); p != "" && len(p) <= 40 {
			return "string (" + p + ")"
		}
		return t + span(n, "minLength", "maxLength", " characters")
	}
	return t
}

// span writes the bounds of a number, a length or a count.
func span(n *node, low, high, unit string) string {
	lo, hi := "", ""
	if v := n.get(low); v != nil && !(unit != "" && string(v.raw) == "0") {
		lo = string(v.raw)
	}
	if v := n.get(high); v != nil {
		hi = string(v.raw)
	}
	switch {
	case lo == "" && hi == "":
		return ""
	case hi == "":
		return " (≥" + lo + unit + ")"
	case lo == "":
		return " (≤" + hi + unit + ")"
	}
	return " (" + lo + "–" + hi + unit + ")"
}

func (g *signer) object(n *node, depth int) string {
	fields := g.s.fields(n)
	rest := n.get("additionalProperties")
	switch {
	case len(fields) == 0 && rest != nil && rest.kind == '{' && depth > 1:
		return "{[name]: " + g.expr(rest, depth-1) + "}"
	case len(fields) == 0 && isFalse(rest):
		return "{}"
	case len(fields) == 0 || depth == 0:
		return "object"
	}
	required := g.s.required(n)
	var b strings.Builder
	b.WriteByte('{')
	for i, f := range fields {
		if i > 0 {
			b.WriteString(", ")
		}
		if g.left < 0 {
			b.WriteString("…")
			break
		}
		if plainName(f.name) {
			b.WriteString(f.name)
		} else {
			b.Write(text(f.name).raw)
		}
		if !slices.Contains(required, f.name) {
			b.WriteByte('?')
		}
		b.WriteString(": " + g.expr(f.node, depth-1))
	}
	b.WriteByte('}')
	return b.String()
}
