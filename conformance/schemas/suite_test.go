// Package schemas runs the official JSON-Schema-Test-Suite through schema.Compile and Check.
package schemas

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ferrule/ferrule/schema"
	_ "github.com/kaptinlin/jsonschema" // carries the suite
)

// drafts are the suite's folders and what a schema of each says of itself.
var drafts = []struct{ folder, uri string }{
	{"draft4", "http://json-schema.org/draft-04/schema#"},
	{"draft6", "http://json-schema.org/draft-06/schema#"},
	{"draft7", "http://json-schema.org/draft-07/schema#"},
	{"draft2019-09", "https://json-schema.org/draft/2019-09/schema"},
	{"draft2020-12", "https://json-schema.org/draft/2020-12/schema"},
}

func suiteDir(t *testing.T) string {
	t.Helper()
	return filepath.Join(moduleDir(t, "github.com/kaptinlin/jsonschema"), "testdata", "JSON-Schema-Test-Suite")
}

// moduleDir finds a module of go.mod in the module cache.
func moduleDir(t *testing.T, path string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", path).Output()
	if err != nil {
		t.Fatalf("find the module %s: %v", path, err)
	}
	return strings.TrimSpace(string(out))
}

type group struct {
	Description string
	Schema      json.RawMessage
	Tests       []struct {
		Description string
		Data        json.RawMessage
		Valid       bool
	}
}

func groups(t *testing.T, file string) []group {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var gs []group
	if err := json.Unmarshal(b, &gs); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return gs
}

// explicit writes the draft into a schema that doesn't name it. A boolean
// schema can't say its draft and needs none.
func explicit(t *testing.T, src json.RawMessage, draft string) []byte {
	t.Helper()
	src = bytes.TrimSpace(src)
	if src[0] != '{' {
		return src
	}
	var has map[string]json.RawMessage
	if err := json.Unmarshal(src, &has); err != nil {
		t.Fatal(err)
	}
	if has["$schema"] != nil {
		return src
	}
	out := fmt.Appendf(nil, `{"$schema":%q`, draft)
	if len(has) > 0 {
		out = append(out, ',')
	}
	return append(out, src[1:]...)
}

// A reason is why a test can't pass, and the error that shows it.
type reason struct {
	text  string
	shown func(s *schema.Schema, err error) bool
}

var reasons = map[string]reason{
	"outside": {"leaves the document", func(_ *schema.Schema, err error) bool {
		var limit *schema.LimitError
		return errors.As(err, &limit) && limit.Limit == schema.LimitRef
	}},
	"metaschema": {"has a $schema of its own, whose document isn't loaded", func(s *schema.Schema, err error) bool {
		return err == nil && len(s.Notes()) == 1 && strings.Contains(s.Notes()[0], "isn't known")
	}},
}

const exceptionsFile = "testdata/exceptions.txt"

// exceptions reads the tests that are known not to pass: a reason, then the test.
func exceptions(t *testing.T) map[string]string {
	t.Helper()
	b, err := os.ReadFile(exceptionsFile)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]string{}
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		why, name, _ := strings.Cut(line, " ")
		if _, ok := reasons[why]; !ok {
			t.Fatalf("%s: the reason %q isn't known", exceptionsFile, why)
		}
		known[name] = why
	}
	return known
}

// TestSuite runs the required tests of every draft. A listed exception that
// passes fails: the list only shrinks.
func TestSuite(t *testing.T) {
	dir, known := suiteDir(t), exceptions(t)
	for _, d := range drafts {
		t.Run(d.folder, func(t *testing.T) {
			total, excepted := 0, map[string]int{}
			eachTest(t, dir, d.folder, func(g group) func(name string, data []byte, valid bool) {
				s, err := schema.Compile(explicit(t, g.Schema, d.uri))
				return func(name string, data []byte, valid bool) {
					total++
					wrong := verdict(s, err, data, valid)
					why, listed := known[name]
					delete(known, name)
					switch {
					case listed && wrong == "":
						t.Errorf("%s\npasses: take it out of %s", name, exceptionsFile)
					case listed && !reasons[why].shown(s, err):
						t.Errorf("%s\nfails, but not because it %s: %s", name, reasons[why].text, wrong)
					case listed:
						excepted[why]++
					case wrong != "":
						t.Errorf("%s\n%s", name, wrong)
					}
				}
			})
			t.Logf("%d tests; exceptions: %v", total, excepted)
		})
	}
	for name := range known {
		t.Errorf("%s: the suite has no test %q", exceptionsFile, name)
	}
}

// eachTest compiles each group of a draft's required tests and calls what came
// of it with each test and its name.
func eachTest(t *testing.T, dir, draft string, compile func(group) func(name string, data []byte, valid bool)) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "tests", draft, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatal("no tests in ", dir, err)
	}
	for _, f := range files {
		for _, g := range groups(t, f) {
			run := compile(g)
			for _, c := range g.Tests {
				run(fmt.Sprintf("%s/%s: %s: %s", draft, filepath.Base(f), g.Description, c.Description), c.Data, c.Valid)
			}
		}
	}
}

// verdict says what is wrong with what Compile and Check made of a test.
func verdict(s *schema.Schema, err error, data []byte, valid bool) string {
	if err != nil {
		return fmt.Sprintf("the schema is refused: %v", err)
	}
	if ps := s.Check(data); (len(ps) == 0) != valid {
		return fmt.Sprintf("valid should be %v: %v (notes %q)", valid, ps, s.Notes())
	}
	return ""
}
