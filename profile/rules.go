package profile

import (
	"maps"
	"slices"
	"strings"
)

// Guards lists what a ToolRule may ask of a field's payload.
var Guards = []string{
	"cut_id",  // an id that was cut short is refused
	"elision", // a content with a part left out is refused
}

// Rule returns what is known of one tool: every rule that fits its name in one,
// later ones over earlier ones. Keys and guards win field by field; references
// and joined fields add up.
func (p Profile) Rule(tool string) ToolRule {
	out := ToolRule{Tools: tool}
	for _, r := range p.Rules {
		if Matches(r.Tools, tool) {
			out = out.merge(r)
		}
	}
	return out
}

// merge returns r with what o says besides. Neither is changed.
func (r ToolRule) merge(o ToolRule) ToolRule {
	if o.Effects != "" {
		r.Effects = o.Effects
	}
	if o.Lenient != nil {
		r.Lenient = o.Lenient
	}
	r.Keys = over(r.Keys, o.Keys)
	r.Guards = over(r.Guards, o.Guards)
	r.Refs = union(r.Refs, o.Refs)
	r.Join = union(r.Join, o.Join)
	return r
}

// over returns a with all of b, which wins, as a map of its own where both say something.
func over[V any](a, b map[string]V) map[string]V {
	switch {
	case len(b) == 0:
		return a
	case len(a) == 0:
		return b
	}
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

// union returns a and what b has besides, in order.
func union(a, b []string) []string {
	out := slices.Clip(a)
	for _, s := range b {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// Matches tells whether a glob, in which * stands for any text and everything else
// for itself, is a name's.
func Matches(glob, name string) bool {
	parts := strings.Split(glob, "*")
	last := len(parts) - 1
	if last == 0 {
		return glob == name
	}
	name, ok := strings.CutPrefix(name, parts[0])
	for _, part := range parts[1:last] {
		if !ok {
			return false
		}
		_, name, ok = strings.Cut(name, part)
	}
	return ok && strings.HasSuffix(name, parts[last])
}
