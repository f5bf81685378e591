package near_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ferrule/ferrule/near"
)

func TestNames(t *testing.T) {
	names := []string{"read_file", "write_file", "list_files", "search"}
	for _, c := range []struct {
		name string
		want []string
	}{
		{"raed_file", []string{"read_file"}},
		{"ReadFile", []string{"read_file"}},
		{"file", []string{"read_file", "write_file", "list_files"}},
		{"local/search", []string{"search"}},
		{"delete", nil},
		{"", nil},
		{strings.Repeat("x", 10_000), nil},
	} {
		if got := near.Names(c.name, names, 3); !slices.Equal(got, c.want) && (len(c.want) != 1 || len(got) == 0 || got[0] != c.want[0]) {
			t.Errorf("near %q: %v, want %v", c.name, got, c.want)
		}
	}
	if got := near.Names("file", names, 1); len(got) != 1 {
		t.Errorf("more than were asked for: %v", got)
	}
}
