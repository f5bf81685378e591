package store_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/store"
)

var urls = map[string]string{"p": "http://127.0.0.1:1/v1", "q": "http://127.0.0.1:2/v1"}

func open(t *testing.T, path string) *store.Store {
	t.Helper()
	s, err := store.Open(path, urls)
	if err != nil {
		t.Fatal(err)
	}
	s.Failed = func(err error) { t.Error(err) }
	t.Cleanup(func() { _ = s.Close() })
	return s
}

var (
	inWords  = profile.Fact{Field: "tools", Value: "emulated", Why: "tools_unsupported"}
	minimal  = profile.Fact{Field: "dialect", Value: "minimal", Why: "schema_refused", Tools: "0123456789ab"}
	anyone   = profile.Place{Provider: "p", Model: "m"}
	ann, bob = profile.Place{Owner: "ann", Provider: "p", Model: "m"}, profile.Place{Owner: "bob", Provider: "p", Model: "m"}
)

// TestFactsOutliveTheProcess: by owner, field and tools, and not at another address.
func TestFactsOutliveTheProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "facts.db")
	s := open(t, path)
	s.Learn(ann, inWords)
	s.Learn(anyone, minimal)
	odd := profile.Place{Provider: "p", Model: "a\nb'; DROP TABLE facts; --"}
	s.Learn(odd, inWords)
	_ = s.Close()
	s = open(t, path)
	for at, want := range map[profile.Place][]profile.Fact{
		ann: {inWords, minimal}, bob: {minimal}, anyone: {minimal}, odd: {inWords},
		{Provider: "p", Model: "other"}: nil, {Provider: "q", Model: "m"}: nil,
	} {
		if d := cmp.Diff(want, s.Learned(at)); d != "" {
			t.Errorf("%+v: %s", at, d)
		}
	}
	moved, err := store.Open(path, map[string]string{"p": "http://127.0.0.1:9/v1"})
	if err != nil {
		t.Fatal(err)
	}
	defer moved.Close()
	if got := moved.Learned(ann); len(got) > 0 {
		t.Errorf("at another address: %v", got)
	}
}

// TestLife: a fact holds an hour; met again after it ran out, 6, 24, 168 hours,
// and no longer for being met while it holds. A native success ends it.
func TestLife(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "facts.db"))
	now := time.Unix(1_800_000_000, 0)
	s.Now = func() time.Time { return now }
	for _, hours := range []int{1, 6, 24, 168, 168} {
		s.Learn(anyone, inWords)
		s.Learn(anyone, inWords)
		now = now.Add(time.Duration(hours)*time.Hour - time.Second)
		if len(s.Learned(anyone)) != 1 {
			t.Errorf("gone before %d hours", hours)
		}
		if now = now.Add(2 * time.Second); len(s.Learned(anyone)) != 0 {
			t.Errorf("there after %d hours", hours)
		}
	}
	s.Learn(anyone, inWords)
	s.Unlearn(anyone, "tools")
	if got := s.Learned(anyone); len(got) > 0 {
		t.Errorf("after a native success: %v", got)
	}
	s.Learn(anyone, inWords)
	if now = now.Add(2 * time.Hour); len(s.Learned(anyone)) > 0 {
		t.Error("what was forgotten was confirmed")
	}
	// Another value is another fact.
	s.Learn(anyone, profile.Fact{Field: "tools", Value: "none"})
	if now = now.Add(2 * time.Hour); len(s.Learned(anyone)) > 0 {
		t.Error("another value was confirmed")
	}
}

// TestClear forgets what it is asked to.
func TestClear(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "facts.db"))
	for _, at := range []profile.Place{ann, anyone, {Provider: "q", Model: "m"}, {Provider: "q", Model: "n"}} {
		s.Learn(at, inWords)
	}
	for _, c := range []struct {
		model string
		gone  int
	}{{"nothing", 0}, {"q/m", 1}, {"m", 2}, {"", 1}} {
		if n, err := s.Clear(c.model); n != c.gone || err != nil {
			t.Errorf("%q: %d, %v", c.model, n, err)
		}
	}
	if all, err := s.All(); len(all) > 0 || err != nil {
		t.Errorf("%v %v", all, err)
	}
}

// TestBrokenFile: what is no store stands aside, and a new one is made.
func TestBrokenFile(t *testing.T) {
	for name, break_ := range map[string]func(path string) error{
		"no database": func(path string) error { return os.WriteFile(path, []byte(strings.Repeat("nonsense", 1000)), 0o600) },
		"pages lost": func(path string) error {
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for i := 100; i < len(b); i++ {
				b[i] = 0xaa
			}
			return os.WriteFile(path, b, 0o600)
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "facts.db")
			s := open(t, path)
			s.Learn(anyone, inWords)
			_ = s.Close()
			if err := break_(path); err != nil {
				t.Fatal(err)
			}
			s, err := store.Open(path, urls)
			if !errors.Is(err, store.ErrBroken) {
				t.Fatalf("%v", err)
			}
			defer s.Close()
			s.Learn(ann, inWords)
			if len(s.Learned(ann)) != 1 || len(s.Learned(anyone)) != 0 {
				t.Error("the new one doesn't work")
			}
			if _, err := os.Stat(path + ".broken"); err != nil {
				t.Error(err)
			}
		})
	}
}

const writerFile = "FERRULE_TEST_STORE"

// TestMain is also the process that writes until it is killed.
func TestMain(m *testing.M) {
	if path := os.Getenv(writerFile); path != "" {
		s, err := store.Open(path, urls)
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		from, _ := strconv.Atoi(os.Getenv(writerFile + "_FROM"))
		for i := from; i < from+100_000; i++ {
			s.Learn(profile.Place{Owner: os.Getenv(writerFile + "_OWNER"), Provider: "p", Model: strconv.Itoa(i)}, inWords)
			fmt.Println(i)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// writer starts a process that learns of one model after the other, and tells of each.
func writer(t *testing.T, path, owner string, from int) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), writerFile+"="+path, writerFile+"_FROM="+strconv.Itoa(from), writerFile+"_OWNER="+owner)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	return c, bufio.NewScanner(out)
}

// TestKilled: a process that is killed at any moment, 200 times, loses at most
// the fact that it was about to tell of, and never the file.
func TestKilled(t *testing.T) {
	rounds := 200
	if testing.Short() {
		rounds = 20
	}
	path := filepath.Join(t.TempDir(), "facts.db")
	told := map[string]bool{}
	next := 0
	for i := range rounds {
		c, lines := writer(t, path, "", next)
		for range 1 + i%7 {
			if !lines.Scan() {
				t.Fatal("the writer ended by itself")
			}
			told[lines.Text()] = true
			next, _ = strconv.Atoi(lines.Text())
			next++
		}
		time.Sleep(time.Duration(i%5) * time.Millisecond / 2) // anywhere in the next ones
		if err := c.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for lines.Scan() {
			told[lines.Text()] = true
			next, _ = strconv.Atoi(lines.Text())
			next++
		}
		_ = c.Wait()
	}
	s := open(t, path)
	all, err := s.All()
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	for _, f := range all {
		there[f.Model] = true
	}
	for model := range told {
		if !there[model] {
			t.Errorf("the fact of %s is lost", model)
		}
	}
	t.Logf("killed %d times, %d facts told of, %d there", rounds, len(told), len(there))
}

// TestTwoProcesses: two write to one file, both are heard, and a third that had
// it open sees what they wrote.
func TestTwoProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "facts.db")
	s := open(t, path)
	now := time.Now()
	s.Now = func() time.Time { return now }
	a, fromA := writer(t, path, "ann", 0)
	b, fromB := writer(t, path, "bob", 0)
	for range 50 {
		if !fromA.Scan() || !fromB.Scan() {
			t.Fatal("a writer ended by itself")
		}
	}
	_, _ = a.Process.Kill(), b.Process.Kill()
	_, _ = a.Wait(), b.Wait()
	now = now.Add(time.Minute)
	for i := range 50 {
		for _, owner := range []string{"ann", "bob"} {
			if got := s.Learned(profile.Place{Owner: owner, Provider: "p", Model: strconv.Itoa(i)}); len(got) != 1 {
				t.Errorf("%s's fact of %d: %v", owner, i, got)
			}
		}
	}
}

// BenchmarkLearned is what a request asks for: no read of the file.
func BenchmarkLearned(b *testing.B) {
	s, err := store.Open(filepath.Join(b.TempDir(), "facts.db"), urls)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	for i := range 1000 {
		s.Learn(profile.Place{Provider: "p", Model: strconv.Itoa(i)}, inWords)
	}
	for b.Loop() {
		s.Learned(profile.Place{Owner: "ann", Provider: "p", Model: "500"})
	}
}
