package ferrule_test

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ferrule/ferrule/args"
	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/config"
	"github.com/ferrule/ferrule/history"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/protocol/anthropic"
	"github.com/ferrule/ferrule/protocol/gemini"
	"github.com/ferrule/ferrule/protocol/openai"
	"github.com/ferrule/ferrule/schema"
	"github.com/ferrule/ferrule/words"
)

// The pages under docs are held to the code: an example is loaded, a table is
// compared, the name of a test must be one.

func page(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// blocks returns what stands in a page's fences of one kind.
func blocks(text, kind string) (out []string) {
	for _, m := range regexp.MustCompile("(?ms)^```"+kind+"\n(.*?)\n```$").FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	return out
}

// found collects what the first group of re finds in the sources of a glob,
// tests left out.
func found(t *testing.T, glob, re string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(glob)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]bool{}
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		for _, m := range regexp.MustCompile(re).FindAllStringSubmatch(page(t, f), -1) {
			out[m[1]] = true
		}
	}
	if len(out) == 0 {
		t.Errorf("nothing in %s matches %s", glob, re)
	}
	return out
}

func docsEnv() config.Env {
	vars := map[string]string{"HOSTED_KEY": "h", "MY_KEY": "m", "FENCE_KEY": strings.Repeat("f", 64), "NEXT_FENCE_KEY": strings.Repeat("n", 64)}
	return config.Env{
		Lookup:    func(n string) (string, bool) { v, ok := vars[n]; return v, ok },
		ReadFile:  func(string) ([]byte, error) { return []byte("secret\n"), nil },
		Protocols: []string{anthropic.Name, gemini.Name, openai.Name},
		Syntaxes:  append([]string{profile.AutoSyntax}, words.Known()...),
		Dialects:  schema.Dialects(),
		Repairs:   args.Repairs(),
		History:   func(s string) error { _, err := history.Parse(s); return err },
	}
}

func TestConfigurationPage(t *testing.T) {
	text := page(t, "docs/configuration.md")
	example := blocks(text, "yaml")
	if len(example) != 1 {
		t.Fatalf("%d examples", len(example))
	}
	c, err := config.Parse([]byte(example[0]), docsEnv())
	if err != nil {
		t.Fatal(err)
	}
	if err := c.CheckListen(); err != nil {
		t.Error(err)
	}
	if len(c.Providers) != 3 || len(c.Keys) != 2 || len(c.Aliases) != 2 {
		t.Errorf("the example lost something: %+v", c)
	}
	// The errors name the keys that there are.
	for at, wrong := range map[string]string{
		"the file":   "zzzzzzzz: 1",
		"limits":     "limits: { zzzzzzzz: 1 }",
		"a provider": "providers: { a: { zzzzzzzz: 1 } }",
		"a model":    "providers: { a: { models: { m: { zzzzzzzz: 1 } } } }",
		"a key":      "keys: [{ zzzzzzzz: 1 }]",
		"a secret":   "fence_key: { zzzzzzzz: 1 }",
	} {
		_, err := config.Parse([]byte(wrong), docsEnv())
		if err == nil {
			t.Fatalf("%s takes zzzzzzzz", at)
		}
		known := regexp.MustCompile(`known are ([a-z_, ]+)`).FindStringSubmatch(err.Error())
		if known == nil {
			t.Fatalf("%s: %v", at, err)
		}
		for _, key := range strings.Split(known[1], ", ") {
			if !strings.Contains(text, "`"+key+"`") || !regexp.MustCompile(`(?m)[{ ,]?\b`+key+`:`).MatchString(example[0]) {
				t.Errorf("%s: the page doesn't tell of %s in words and in its example", at, key)
			}
		}
	}
}

// TestPagesNameWhatThereIs: names that the code has and a page must have too.
func TestPagesNameWhatThereIs(t *testing.T) {
	text := page(t, "docs/configuration.md")
	for _, c := range []struct{ glob, re, as string }{
		{"provider/discover.go", `"([A-Z]+_API_KEY)"`, "`%`"},
		{"provider/discover.go", `_API_KEY", "([a-z]+)"`, "`%`"},
		{"provider/discover.go", `\{"[a-z]+", (\d+)\}`, "(%)"},
		{"gateway/metrics.go", `"(ferrule_[a-z_]+)"`, "`%`"},
		{"gateway/server.go", `"(/[a-z0-9/]+)"`, "`GET %`"},
		{"gateway/surface.go", `"(/[a-z0-9_/]+)"`, "%`"},
		{"config/config.go", `"(FERRULE_[A-Z]+)"`, "`%`"},
		{"cmd/ferrule/*.go", `"(FERRULE_[A-Z]+)"`, "`%`"},
		{"turn/report.go", `; ([a-z]+)=`, "`%`"},
		{"turn/turn.go", `(?m)^\t(?:Clean|Repaired|Retried|Failed|Passed|Quoted) +=\s"([a-z]+)"`, "`%`"},
	} {
		for name := range found(t, c.glob, c.re) {
			if name == "dialect" || name == "/models" || name == "/v1/models" {
				continue // not set by anything yet; told of in one row
			}
			if want := strings.Replace(c.as, "%", name, 1); !strings.Contains(text, want) {
				t.Errorf("docs/configuration.md doesn't have %s of %s", want, c.glob)
			}
		}
	}
	for field := range found(t, "cmd/ferrule/*.go", `(?m)^\t([A-Z]\w+) +\w+ +.*help:"`) {
		flag := "--" + strings.ToLower(regexp.MustCompile(`([a-z])([A-Z])`).ReplaceAllString(field, "$1-$2"))
		if command := "`ferrule " + strings.TrimPrefix(flag, "--"); !strings.Contains(text, "`"+flag) && !strings.Contains(text, command) {
			t.Errorf("docs/configuration.md has neither the flag %s nor a command of that name", flag)
		}
	}
}

// codes finds where the source names the code of an error.
var codes = map[string][]string{
	"turn/*.go":            {`\bCode\w*\s*[=:]\s*"([a-z_]+)"`},
	"gateway/*.go":         {`\bCode:\s*"([a-z_]+)"`, `faultf\([\w.]+,\s*"([a-z_]+)"`, `modelFault\("([a-z_]+)"`},
	"provider/*.go":        {`\bcode\w+\s*=\s*"([a-z_]+)"`},
	"chat/*.go":            {`\bCode\w+\s*=\s*"([a-z_]+)"`},
	"schema/*.go":          {`\bLimit\w+\s*=\s*"([a-z_]+)"`},
	"protocol/gemini/*.go": {`\bcode\w+\s*=\s*"([a-z_]+)"`},
	"protocol/openai/*.go": {`\bcode\w+\s*=\s*"([a-z_]+)"`, `\bCode:\s*"([a-z_]+)"`},

	"protocol/anthropic/*.go": {`\bcode\w+\s*=\s*"([a-z_]+)"`},
}

func TestErrorsPage(t *testing.T) {
	text := page(t, "docs/errors.md")
	told := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\|").FindAllStringSubmatch(text, -1) {
		if told[m[1]] {
			t.Errorf("%s is told of twice", m[1])
		}
		told[m[1]] = true
	}
	inSource := map[string]bool{}
	for glob, res := range codes {
		for _, re := range res {
			maps.Copy(inSource, found(t, glob, re))
		}
	}
	for _, code := range slices.Sorted(maps.Keys(inSource)) {
		if !told[code] && !strings.Contains(text, "`"+code+"` is what a list of models") {
			t.Errorf("docs/errors.md has no row for %s", code)
		}
	}
	for _, code := range slices.Sorted(maps.Keys(told)) {
		if !inSource[code] {
			t.Errorf("docs/errors.md tells of %s, which is nowhere in the source", code)
		}
	}
	var snapshots strings.Builder
	files, err := filepath.Glob("args/testdata/explain/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no snapshots", err)
	}
	for _, f := range append(files, "turn/correct.tmpl") {
		snapshots.WriteString(page(t, f))
	}
	texts := blocks(text, "text")
	if len(texts) == 0 {
		t.Error("no text that a model reads")
	}
	for _, b := range texts {
		if !strings.Contains(snapshots.String(), b) {
			t.Errorf("no model reads this any more:\n%s", b)
		}
	}
	for class := range found(t, "args/problems.go", `"(Tool[A-Z]\w+)"`) {
		if !strings.Contains(text, class) {
			t.Errorf("docs/errors.md doesn't tell of %s", class)
		}
	}
}

// TestSecurityPage: every test that the page names is there, and every rule
// that the page calls built has one that refuses and one that succeeds.
func TestSecurityPage(t *testing.T) {
	text := page(t, "docs/security.md")
	rows := regexp.MustCompile(`(?m)^\| ([A-Z]\d)[^|]*\| ([^|]+)\| ([^|]+)\|$`).FindAllStringSubmatch(text, -1)
	if len(rows) < 20 {
		t.Fatalf("%d rows of tests", len(rows))
	}
	name := regexp.MustCompile("`([a-z/]+)\\.((?:Test|Fuzz)\\w+)`")
	for _, r := range rows {
		if !strings.Contains(text, "**"+r[1]) {
			t.Errorf("%s has tests and no rule", r[1])
		}
		for _, cell := range r[2:] {
			if strings.TrimSpace(cell) == "the same" {
				continue // each of them has both
			}
			tests := name.FindAllStringSubmatch(cell, -1)
			if len(tests) == 0 {
				t.Errorf("%s: no test in %q", r[1], cell)
			}
			for _, m := range tests {
				if !hasTest(t, m[1], m[2]) {
					t.Errorf("%s: there is no %s in %s", r[1], m[2], m[1])
				}
			}
		}
	}
}

func hasTest(t *testing.T, dir, name string) bool {
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(files, func(f string) bool {
		return strings.Contains(page(t, f), "func "+name+"(")
	})
}

// TestLinks: what a page links to is there, headings included.
func TestLinks(t *testing.T) {
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	for _, p := range append(pages, "README.md", "CONTRIBUTING.md") {
		for _, m := range link.FindAllStringSubmatch(page(t, p), -1) {
			target, heading, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			file := p
			if target != "" {
				file = filepath.Join(filepath.Dir(p), target)
			}
			if _, err := fs.Stat(os.DirFS("."), filepath.ToSlash(file)); err != nil {
				t.Errorf("%s links to %s: %v", p, m[1], err)
				continue
			}
			if heading != "" && !slices.Contains(anchors(page(t, file)), heading) {
				t.Errorf("%s links to %s, which has no such heading", p, m[1])
			}
		}
	}
}

// anchors are the names of a page's headings.
func anchors(text string) (out []string) {
	for _, m := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(text, -1) {
		a := regexp.MustCompile(`[^a-z0-9 _-]`).ReplaceAllString(strings.ToLower(m[1]), "")
		out = append(out, strings.ReplaceAll(a, " ", "-"))
	}
	return out
}

// TestArgumentsPage: the page names each repair that there is, and no other.
func TestArgumentsPage(t *testing.T) {
	text := page(t, "docs/arguments.md")
	there := map[string]bool{}
	for _, c := range []struct{ glob, re string }{
		{"jsonmend/repairs.go", `(?m)^\t\w+ +Repair += "(\w+)"`},
		{"args/repairs.go", `(?m)^\tRepair\w+ += "(\w+)"`},
		{"args/find.go", `(?m)^\tRepair\w+ += "(\w+)"`},
		{"turn/*.go", `(?m)^\tRepair[A-Z]\w* += "(\w+)"`},
	} {
		maps.Copy(there, found(t, c.glob, c.re))
	}
	for name := range there {
		if !strings.Contains(text, "`"+name+"`") {
			t.Errorf("docs/arguments.md doesn't tell of the repair %s", name)
		}
	}
	for _, row := range regexp.MustCompile("(?m)^\\| (`[a-z_]+`(?:, `[a-z_]+`)*) \\|").FindAllStringSubmatch(text, -1) {
		for _, m := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(row[1], -1) {
			if !there[m[1]] {
				t.Errorf("docs/arguments.md tells of %s, which is no repair", m[1])
			}
		}
	}
}

// TestSyntaxesPage: the page shows each syntax that can be asked for as it is
// written, and names the forms that are only read.
func TestSyntaxesPage(t *testing.T) {
	text := page(t, "docs/syntaxes.md")
	cell := func(b []byte) string {
		return strings.NewReplacer("\n", "⏎", "|", `\|`).Replace(string(b))
	}
	call := []chat.Call{{Name: "add", Args: []byte(`{"n":1,"to":"x"}`)}}
	for _, s := range words.Syntaxes() {
		if !s.Written {
			if !strings.Contains(text, "`"+s.Name+"`") {
				t.Errorf("docs/syntaxes.md doesn't name %s", s.Name)
			}
			continue
		}
		syntax, _ := words.Lookup(s.Name)
		row := "| `" + s.Name + "` | `" + cell(syntax.WriteCalls(nil, call, words.Frame{Toolset: "…", Nonce: "…"})) + "` | `" +
			cell(syntax.WriteResults(nil, []words.Fenced{{Name: "add", Text: "…"}})) + "` |"
		if !strings.Contains(text, row) {
			t.Errorf("docs/syntaxes.md doesn't have the row\n%s", row)
		}
	}
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\|").FindAllStringSubmatch(text, -1) {
		if _, ok := words.Lookup(m[1]); !ok {
			t.Errorf("docs/syntaxes.md has a row for %s, which can't be asked for", m[1])
		}
	}
}

// TestHistoryPage: the page tells of each rule with its source, of each flavour
// with its rules, and of no other.
func TestHistoryPage(t *testing.T) {
	text := page(t, "docs/history.md")
	told := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\|").FindAllStringSubmatch(text, -1) {
		told[m[1]] = true
	}
	for _, name := range history.Names() {
		row := regexp.MustCompile("(?m)^\\| `" + name + "` \\|.*$").FindString(text)
		if !strings.HasSuffix(row, "| "+history.Source(name)+" |") {
			t.Errorf("docs/history.md has no row for %s that ends in its source: %s", name, row)
		}
		delete(told, name)
	}
	for _, name := range history.Flavours() {
		rules, err := history.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		row := "| `" + name + "` | `" + strings.ReplaceAll(rules.String(), ",", "`, `") + "` |"
		if !strings.Contains(text, row) {
			t.Errorf("docs/history.md doesn't have the row\n%s", row)
		}
		delete(told, name)
	}
	for name := range told {
		t.Errorf("docs/history.md tells of %s, which is neither a rule nor a flavour", name)
	}
}
