package schema_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/ferrule/ferrule/schema"
)

var update = flag.Bool("update", false, "rewrite the outcomes in testdata")

// TestCases runs testdata/check: each file holds a schema, what it turns out
// to be, and values with what is wrong with them. No problems: it passes.
func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/check/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(f)
			if err != nil {
				t.Fatal(err)
			}
			got := &txtar.Archive{Comment: a.Comment}
			add := func(name, data string) {
				if data != "" && !strings.HasSuffix(data, "\n") {
					data += "\n"
				}
				got.Files = append(got.Files, txtar.File{Name: name, Data: []byte(data)})
			}
			src := section(a, "schema")
			add("schema", src)
			s, err := schema.Compile([]byte(src))
			var limit *schema.LimitError
			switch {
			case errors.As(err, &limit):
				add("limit", limit.Error())
			case err != nil:
				add("error", err.Error())
			}
			if err == nil {
				add("signature", s.Signature())
				if n := s.Notes(); len(n) > 0 {
					add("notes", strings.Join(n, "\n"))
				}
				add("example", string(s.Example(nil)))
				for _, f := range a.Files {
					if f.Name == "value" {
						add("value", string(f.Data))
						add("problems", problems(s.Check(f.Data)))
					}
				}
			}
			want, out := string(txtar.Format(a)), string(txtar.Format(got))
			if *update {
				if err := os.WriteFile(f, []byte(out), 0o600); err != nil {
					t.Fatal(err)
				}
			} else if want != out {
				t.Errorf("-want +got; -update rewrites:\n%s", cmp.Diff(want, out))
			}
		})
	}
}

func section(a *txtar.Archive, name string) string {
	for _, f := range a.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

func problems(ps []schema.Problem) string {
	var b strings.Builder
	for _, p := range ps {
		fmt.Fprintf(&b, "%s (%s) %s: want %s, got %s", p.Path, p.Pointer, p.Keyword, p.Want, p.Got)
		if len(p.Allowed) > 0 {
			fmt.Fprintf(&b, " allowed %s", strings.Join(p.Allowed, ", "))
		}
		b.WriteByte('\n')
	}
	return b.String()
}
