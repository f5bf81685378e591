package args

import (
	"slices"
	"strings"
)

// nearest returns up to n names that look like name, the nearest first. It is
// for messages: nothing is ever called by likeness.
func nearest(name string, names []string, n int) []string {
	type scored struct {
		name     string
		distance int
	}
	want := fold(name)
	if want == "" || len(want) > maxName {
		return nil
	}
	var out []scored
	for i, c := range names {
		if i == 1000 {
			break
		}
		have := fold(c)
		if len(have) > maxName {
			continue
		}
		d := distance(want, have)
		longer := max(len(want), len(have))
		if strings.Contains(have, want) || strings.Contains(want, have) {
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

// distance is the number of letters to add, drop or change.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
