// Package near finds names that look like another. It is for messages alone:
// nothing is ever chosen by likeness.
package near

import (
	"slices"
	"strings"
)

// Bounds of the work for one message.
const (
	longest = 200  // bytes of a name
	most    = 1000 // names that are looked at
)

// Names returns up to n of the names that look like name, the nearest first.
// Case, -, _ and . don't count. A name that holds the other one is near, if
// that is more than a letter or two, which stand in any name.
func Names(name string, names []string, n int) []string {
	type scored struct {
		name     string
		distance int
	}
	want := fold(name)
	if want == "" || len(want) > longest {
		return nil
	}
	var out []scored
	for _, c := range names[:min(most, len(names))] {
		have := fold(c)
		if len(have) > longest {
			continue
		}
		d := distance(want, have)
		longer, shorter := max(len(want), len(have)), min(len(want), len(have))
		if shorter >= 3 && (strings.Contains(have, want) || strings.Contains(want, have)) {
			d = min(d, longer/4)
		}
		if d*2 <= longer {
			out = append(out, scored{c, d})
		}
	}
	slices.SortStableFunc(out, func(a, b scored) int { return a.distance - b.distance })
	var found []string
	for _, s := range out[:min(n, len(out))] {
		found = append(found, s.name)
	}
	return found
}

func fold(s string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "", ".", "").Replace(s))
}

// distance counts the bytes to add, drop, change or swap to make b of a.
func distance(a, b string) int {
	before, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next := make([]int, len(b)+1)
		next[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			next[j] = min(row[j]+1, next[j-1]+1, row[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}
