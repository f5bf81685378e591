// Package cases finds the outside cases that tests read: a folder `shared`
// beside the checkout, or where $FERRULE_SHARED says.
package cases

import (
	"bytes"
	"iter"
	"os"
	"path/filepath"
	"testing"
)

// Read returns a file of the outside cases, by its path below their folder.
// Where the folder is absent it skips the test.
func Read(t testing.TB, path string) []byte {
	t.Helper()
	dir := os.Getenv("FERRULE_SHARED")
	if dir == "" {
		dir = filepath.Join(root(t), "..", "shared")
	}
	b, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(path)))
	if err != nil {
		t.Skipf("the outside cases aren't here (a folder `shared` beside the checkout, or where $FERRULE_SHARED says): %v", err)
	}
	return b
}

// Lines yields the lines of such a file, one JSON object each.
func Lines(t testing.TB, path string) iter.Seq[[]byte] {
	t.Helper()
	b := Read(t, path)
	return func(yield func([]byte) bool) {
		for line := range bytes.Lines(b) {
			if line = bytes.TrimSpace(line); len(line) > 0 && !yield(line) {
				return
			}
		}
	}
}

// root is the folder of the module that the test belongs to.
func root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("no go.mod above the test")
		}
		dir = up
	}
}
