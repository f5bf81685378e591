package config

import (
	"slices"
	"strings"

	"github.com/ferrule/ferrule/near"
)

// meant returns `: did you mean "x"?` for the nearest of the names, or what
// there is to choose from where none is near.
func meant(name string, names []string) string {
	if like := near.Names(name, names, 1); len(like) > 0 {
		return `: did you mean "` + like[0] + `"?`
	}
	return ": known are " + strings.Join(slices.Sorted(slices.Values(names)), ", ")
}
