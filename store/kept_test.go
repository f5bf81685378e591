package store_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ferrule/ferrule/store"
)

func memory(t *testing.T, s *store.Store) *store.Memory {
	t.Helper()
	m, err := s.Memory()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestMemory: what is kept of a call outlives the process, name by name; what is
// too large isn't kept, and what was never there is nothing.
func TestMemory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "facts.db")
	s := open(t, path)
	m := memory(t, s)
	m.Put("call", map[string][]byte{"a": []byte("1"), "b": {0, 255}})
	m.Put("call", map[string][]byte{"a": []byte("2")})
	m.Put("large", map[string][]byte{"a": make([]byte, 2<<20)})
	_ = s.Close()
	m = memory(t, open(t, path))
	if d := cmp.Diff(map[string][]byte{"a": []byte("2"), "b": {0, 255}}, m.Get("call")); d != "" {
		t.Error(d)
	}
	if got := m.Get("large"); len(got) > 0 {
		t.Errorf("%d bytes", len(got["a"]))
	}
	if got := m.Get("other'; DROP TABLE kept; --"); got != nil {
		t.Errorf("%v", got)
	}
}

// TestMemoryForgets: the oldest goes, and the newest stays.
func TestMemoryForgets(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "facts.db"))
	at := time.Unix(1_800_000_000, 0)
	s.Now = func() time.Time { at = at.Add(time.Second); return at }
	m := memory(t, s)
	big := bytes.Repeat([]byte("x"), 300<<10)
	for i := range 256 {
		m.Put(fmt.Sprint("call ", i), map[string][]byte{"a": big})
	}
	if got := m.Get("call 0"); len(got) > 0 {
		t.Error("75 MB are kept")
	}
	if got := m.Get("call 255"); len(got["a"]) != len(big) {
		t.Error("the newest is gone")
	}
}

// TestCounts: how calls ended adds up over processes, for the address that the
// provider has.
func TestCounts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "facts.db")
	for range 2 {
		s := open(t, path)
		s.Count("p", "m", "clean", 2)
		s.Count("p", "m", "clean", 1)
		s.Count("p", "m", "failed", 1)
		s.Count("q", "n", "repaired", 5)
		_ = s.Close()
	}
	s := open(t, path)
	got, err := s.Counts()
	if err != nil {
		t.Fatal(err)
	}
	want := []store.Counted{{"p", "m", map[string]int{"clean": 6, "failed": 2}}, {"q", "n", map[string]int{"repaired": 10}}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if _, err := s.Clear("p/m"); err != nil {
		t.Fatal(err)
	}
	if got, _ = s.Counts(); len(got) != 1 {
		t.Errorf("after clearing: %v", got)
	}
	_ = s.Close()
	moved, err := store.Open(path, map[string]string{"q": "http://127.0.0.1:9/v1"})
	if err != nil {
		t.Fatal(err)
	}
	defer moved.Close()
	if got, _ = moved.Counts(); len(got) != 0 {
		t.Errorf("at another address: %v", got)
	}
}
