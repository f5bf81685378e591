package args_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/ferrule/ferrule/args"
	"github.com/ferrule/ferrule/chat"
)

var update = flag.Bool("update", false, "rewrite the outcomes in testdata")

type toolLine struct {
	Name       string          `json:"name"`
	Parameters json.RawMessage `json:"parameters"`
	Kind       string          `json:"kind"`
}

type callLine struct {
	ID     string       `json:"id"`
	Name   string       `json:"name"`
	JSON   *string      `json:"json"`
	Params []chat.Param `json:"params"`
	Why    string       `json:"why"`
	Cut    bool         `json:"cut"`

	Stopped bool `json:"stopped"`
}

// TestRead runs testdata/read: tools, one a line, and what was written, one
// call a line, each with what it turns out to be.
func TestRead(t *testing.T) {
	eachCase(t, "testdata/read/*.txtar", func(set *args.Set, w chat.Written) []txtar.File {
		return []txtar.File{{Name: "reading", Data: []byte(reading(set.Read(w)))}}
	})
}

func eachCase(t *testing.T, glob string, outcome func(*args.Set, chat.Written) []txtar.File) {
	files, err := filepath.Glob(glob)
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
			var set *args.Set
			var options []byte
			for _, sec := range a.Files {
				switch sec.Name {
				case "options":
					options = sec.Data
				case "tools":
					set = compileWith(t, sec.Data, options)
				case "call":
				default:
					continue
				}
				got.Files = append(got.Files, sec)
				if sec.Name == "call" {
					got.Files = append(got.Files, outcome(set, written(t, sec.Data))...)
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

func compile(t testing.TB, lines []byte) *args.Set { return compileWith(t, lines, nil) }

// compileWith compiles tools, one a line, with args.Options as JSON.
func compileWith(t testing.TB, lines, options []byte) *args.Set {
	t.Helper()
	var o args.Options
	if options != nil {
		if err := json.Unmarshal(options, &o); err != nil {
			t.Fatal(err)
		}
	}
	var tools []chat.Tool
	for _, l := range strings.Split(strings.TrimSpace(string(lines)), "\n") {
		var tl toolLine
		if err := json.Unmarshal([]byte(l), &tl); err != nil {
			t.Fatal(l, err)
		}
		tools = append(tools, chat.Tool{Name: tl.Name, Schema: tl.Parameters, Kind: chat.ToolKind(tl.Kind)})
	}
	set, err := args.Compile(tools, o)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func written(t testing.TB, line []byte) chat.Written {
	t.Helper()
	var c callLine
	if err := json.Unmarshal(line, &c); err != nil {
		t.Fatal(string(line), err)
	}
	w := chat.Written{ID: c.ID, Name: c.Name, Params: c.Params, Why: c.Why, Cut: c.Cut, Stopped: c.Stopped}
	if c.JSON != nil {
		w.JSON = []byte(*c.JSON)
	}
	return w
}

func reading(r args.Reading) string {
	var b strings.Builder
	for _, c := range r.Calls {
		fmt.Fprintf(&b, "call %s %s %s\n", c.ID, c.Name, c.Args)
	}
	if len(r.Repairs) > 0 {
		fmt.Fprintf(&b, "repairs %s\n", strings.Join(r.Repairs, " "))
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "note %s\n", n)
	}
	if p := r.Problems; p != nil {
		fmt.Fprintf(&b, "%s (%s): %v\n", p.Class, p.Bucket, p)
		if len(p.Near) > 0 {
			fmt.Fprintf(&b, "near %s\n", strings.Join(p.Near, " "))
		}
	}
	return b.String()
}
