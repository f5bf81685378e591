package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ferrule/ferrule/provider/demo"
)

// TestProbeLearns: what a probe found out is known to the gateway, for everybody.
func TestProbeLearns(t *testing.T) {
	url, stop, err := demo.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	dir := t.TempDir()
	file := filepath.Join(dir, "ferrule.yaml")
	yaml := fmt.Sprintf("store: %s\nfence_key: %s\nproviders:\n  p: { protocol: openai, url: %s }\n", filepath.Join(dir, "facts.db"), strings.Repeat("k", 64), url)
	if err := os.WriteFile(file, []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	p := &program{ctx: t.Context(), stdout: &out, stderr: &errs, lookup: func(string) (string, bool) { return "", false }}
	for _, model := range []string{"wrapper", "native"} {
		if code := p.run([]string{"probe", "p/" + model, "--yes", "--config", file}); code != exitGood {
			t.Fatalf("%d: %s", code, errs.String())
		}
	}
	if !strings.Contains(out.String(), "system dropped, tools emulated") {
		t.Errorf("%s", out.String())
	}
	out.Reset()
	p.run([]string{"learned", "--config", file})
	if got := out.String(); !strings.Contains(got, "p/wrapper") || !strings.Contains(got, "dropped") || strings.Contains(got, "p/native") {
		t.Errorf("%s", got)
	}
}
