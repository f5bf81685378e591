package ferrule_test

import (
	"bufio"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/ferrule/ferrule/"

// layers says which of our packages each package may import; "*" is any.
// rawjson reads bytes and knows nothing else, so everybody may use it.
var layers = map[string][]string{
	"chat":               {},
	"rawjson":            {},
	"near":               {},
	"tokens":             {},
	"internal/cases":     {}, // for tests
	"internal/dialects":  {}, // for tests
	"schema":             {"rawjson"},
	"jsonmend":           {"rawjson"},
	"protocol":           {"chat"},
	"protocol/sse":       {"rawjson"},
	"protocol/faults":    {},
	"protocol/openai":    {"chat", "protocol", "protocol/faults", "protocol/sse", "rawjson"},
	"protocol/gemini":    {"chat", "protocol", "protocol/faults", "protocol/sse", "rawjson"},
	"protocol/anthropic": {"chat", "protocol", "protocol/faults", "protocol/sse", "rawjson"},
	"history":            {"chat", "rawjson"},
	"refusal":            {"chat", "rawjson"},
	"profile":            {"chat"},
	"store":              {"profile", "chat"},
	"constrain":          {"schema", "profile", "chat", "rawjson"},
	"words":              {"schema", "jsonmend", "chat", "rawjson", "tokens"},
	"args":               {"schema", "jsonmend", "chat", "rawjson", "near"},
	"turn":               {"words", "args", "tokens", "constrain", "history", "refusal", "profile", "schema", "chat", "rawjson"},
	"provider":           {"protocol", "chat", "rawjson"},
	"provider/demo":      {"chat", "rawjson"},
	"config":             {"profile", "refusal", "tokens", "chat", "near"},
	"probe":              {"turn", "refusal", "profile", "schema", "chat", "rawjson"},
	"catalog":            {"rawjson"},
	"gateway":            {"turn", "provider", "catalog", "protocol", "protocol/anthropic", "protocol/openai", "profile", "chat", "rawjson", "near"},
	"cmd/ferrule":        {"*"},
}

// outside says which modules beside the standard library a package may import.
var outside = map[string][]string{
	"schema":      {"github.com/santhosh-tekuri/jsonschema/v6", "golang.org/x/text"},
	"config":      {"github.com/goccy/go-yaml"},
	"store":       {"modernc.org/sqlite"},
	"profile":     {"github.com/goccy/go-yaml"},
	"gateway":     {"github.com/prometheus/"},
	"cmd/ferrule": {"github.com/alecthomas/kong", "github.com/prometheus/"},
}

// pure packages do no I/O.
var pure = []string{"chat", "rawjson", "tokens", "schema", "jsonmend", "words", "args", "history", "refusal", "profile", "constrain"}

var ioPackages = []string{"net", "net/http", "os", "os/exec", "log", "log/slog", "syscall"}

func TestLayers(t *testing.T) {
	eachFile(t, func(pkg, file string, imports []string) {
		allowed, known := layers[pkg]
		if !known {
			t.Errorf("%s: package %s has no row in the table of layers", file, pkg)
			return
		}
		for _, imp := range imports {
			switch ours, isOurs := strings.CutPrefix(imp, module); {
			case isOurs:
				if !holds(allowed, ours) {
					t.Errorf("%s imports %s: %s may import only %v", file, ours, pkg, allowed)
				}
			case strings.Contains(strings.SplitN(imp, "/", 2)[0], "."):
				if !prefixed(outside[pkg], imp) {
					t.Errorf("%s imports %s, which %s may not", file, imp, pkg)
				}
			default:
				if holds(pure, pkg) && holds(ioPackages, imp) {
					t.Errorf("%s imports %s: %s does no I/O", file, imp, pkg)
				}
			}
		}
	})
}

// TestNoBranchNamesAMember holds the loops to their tables: outside of a
// member's own file and of the one table that lists it, no code names a syntax.
func TestNoBranchNamesAMember(t *testing.T) {
	branch := regexp.MustCompile(`(==|!=|case)\s*"(hermes|envelope|demo|ollama|openai|anthropic|gemini|llama|qwen)[^"]*"`)
	eachFile(t, func(pkg, file string, _ []string) {
		if pkg == "provider/demo" || pkg == "cmd/ferrule" {
			return
		}
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		sc := bufio.NewScanner(f)
		for n := 1; sc.Scan(); n++ {
			if branch.MatchString(sc.Text()) {
				t.Errorf("%s:%d branches on a member's name: %s", file, n, strings.TrimSpace(sc.Text()))
			}
		}
	})
}

// TestGoVersion checks that no module of the build list needs a newer Go than ours.
func TestGoVersion(t *testing.T) {
	b, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`(?m)^go 1\.26(\.\d+)?$`).Match(b) {
		t.Error("go.mod should say go 1.26")
	}
	if regexp.MustCompile(`(?m)^toolchain`).Match(b) {
		t.Error("go.mod names a toolchain: a dependency needs a newer Go than ours")
	}
}

func eachFile(t *testing.T, f func(pkg, file string, imports []string)) {
	t.Helper()
	seen := 0
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if _, err := os.Stat(path.Join(p, "go.mod")); err == nil && p != "." {
				return filepath.SkipDir
			}
			if n := d.Name(); n != "." && (strings.HasPrefix(n, ".") || n == "testdata" || n == "node_modules") {
				return filepath.SkipDir
			}
			return nil
		}
		pkg := filepath.ToSlash(filepath.Dir(p))
		if !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go") || pkg == "." {
			return nil
		}
		src, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		var imports []string
		for _, i := range src.Imports {
			name, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			imports = append(imports, name)
		}
		seen++
		f(pkg, p, imports)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen == 0 {
		t.Fatal("no Go file was read")
	}
}

func holds(list []string, s string) bool {
	for _, l := range list {
		if l == s || l == "*" {
			return true
		}
	}
	return false
}

func prefixed(list []string, s string) bool {
	for _, l := range list {
		if strings.HasPrefix(s, l) {
			return true
		}
	}
	return false
}
