package gateway

import (
	"cmp"
	"slices"
	"strings"
)

// matches tells whether a glob, in which * stands for any text, fits a name.
func matches(glob, name string) bool {
	parts := strings.Split(glob, "*")
	last := len(parts) - 1
	if last == 0 {
		return glob == name
	}
	if !strings.HasPrefix(name, parts[0]) {
		return false
	}
	name = name[len(parts[0]):]
	for _, p := range parts[1:last] {
		i := strings.Index(name, p)
		if i < 0 {
			return false
		}
		name = name[i+len(p):]
	}
	return strings.HasSuffix(name, parts[last])
}

// nearest returns up to n of the names that share most pairs of letters with
// name, the nearest first. Likeness only ever goes into an error message.
func nearest(name string, names []string, n int) []string {
	const longest, alike = 200, 0.4
	if len(name) > longest {
		return nil
	}
	want := pairs(name)
	type scored struct {
		name  string
		score float64
	}
	var found []scored
	for _, c := range names {
		have := pairs(c)
		common := 0
		for p := range want {
			if have[p] {
				common++
			}
		}
		// What is asked for must be there; a provider's name before it costs little.
		score := float64(common)/float64(max(len(want), 1)) - float64(len(have)-common)/200
		if score >= alike {
			found = append(found, scored{c, score})
		}
	}
	slices.SortStableFunc(found, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	var out []string
	for _, f := range found[:min(n, len(found))] {
		out = append(out, f.name)
	}
	return out
}

// pairs returns the pairs of neighbouring bytes of s, its case folded.
func pairs(s string) map[[2]byte]bool {
	s = strings.ToLower(s)
	m := make(map[[2]byte]bool, len(s))
	for i := 0; i+1 < len(s); i++ {
		m[[2]byte{s[i], s[i+1]}] = true
	}
	return m
}
