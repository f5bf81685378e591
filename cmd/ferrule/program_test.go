package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestExitCodes(t *testing.T) {
	for args, want := range map[string]int{
		"version": exitGood, "--help": exitGood, "serve --help": exitGood,
		"": exitUsage, "nonsense": exitUsage, "version extra": exitUsage, "serve --tools x": exitUsage, "demo --model x": exitUsage,
		"serve --config absent.yaml": exitFail,
	} {
		var out, errs bytes.Buffer
		p := &program{ctx: t.Context(), stdout: &out, stderr: &errs, lookup: func(string) (string, bool) { return "", false }}
		if got := p.run(strings.Fields(args)); got != want {
			t.Errorf("ferrule %s: %d, want %d (%s)", args, got, want, errs.String())
		}
		if (want == exitGood) != (errs.Len() == 0) {
			t.Errorf("ferrule %s: %q on stderr", args, errs.String())
		}
	}
}

func TestOnScreen(t *testing.T) {
	for in, want := range map[string]string{
		"plain, ünïcode 漢字 🙂\n\tx":  "plain, ünïcode 漢字 🙂\n\tx",
		"\x1b[2J":                   `\x1b[2J`,
		"a\rb\x00\x7f\u0085":        `a\rb\x00\x7f\u0085`,
		"\u202egpj.exe\u2066\u200f": `\u202egpj.exe\u2066\u200f`,
		"zero\u200bwidth\ufeff":     `zero\u200bwidth\ufeff`,
		"\U000e0041tag":             `\U000e0041tag`,
		"cut \xe6\xbc rune":         `cut \xe6\xbc rune`,
		"a real \ufffd":             "a real \ufffd",
		"line\u2028sep":             `line\u2028sep`,
	} {
		if got := onScreen(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
	if got := oneLine("a\nb\tc"); got != `a\nb\tc` {
		t.Errorf("got %q", got)
	}
}

func TestFenceKey(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "home")
	keys := make([][]byte, 16)
	var wg sync.WaitGroup
	for i := range keys {
		wg.Go(func() {
			var err error
			if keys[i], err = fenceKey(dir); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, k := range keys {
		if len(k) != fenceBytes || !bytes.Equal(k, keys[0]) {
			t.Fatalf("%d bytes, or not the same for all", len(k))
		}
	}
	path := filepath.Join(dir, fenceFile)
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".fence-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if err := os.WriteFile(path, []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := fenceKey(dir); err == nil || !strings.Contains(err.Error(), "delete it") {
		t.Errorf("got %v", err)
	}
}
