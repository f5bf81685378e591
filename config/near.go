package config

import (
	"slices"
	"strings"
)

// meant returns `: did you mean "x"?` for the nearest of the names, or what
// there is to choose from where none is near.
func meant(name string, names []string) string {
	best, least := "", 1+len(name)/3
	for _, n := range names {
		if d := distance(strings.ToLower(name), n); d <= least && (best == "" || d < least) {
			best, least = n, d
		}
	}
	if best != "" {
		return `: did you mean "` + best + `"?`
	}
	sorted := slices.Sorted(slices.Values(names))
	return ": known are " + strings.Join(sorted, ", ")
}

// distance counts the letters to add, drop, change or swap to make b of a.
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
