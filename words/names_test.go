package words_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/ferrule/ferrule/words"
)

// A tag of Kimi K3 is the word that a syntax goes by.
const tagNamedJSON = "kimi3.go"

// No file but a syntax's own and the table names it.
func TestOnlyTheTableNamesSyntaxes(t *testing.T) {
	in := map[string][]string{} // the files that hold a name as a text
	for file, f := range sources(t) {
		if strings.HasPrefix(file, "table") {
			continue
		}
		texts := textsOf(f)
		for _, s := range words.Syntaxes() {
			if texts[s.Name] && (s.Name != "json" || file != tagNamedJSON) {
				in[s.Name] = append(in[s.Name], file)
			}
		}
	}
	for name, files := range in {
		if len(files) > 1 {
			t.Errorf("%s is named in %v", name, files)
		}
	}
}

// What all syntaxes share, the Reader and the body readers, asks for no name:
// it neither holds one nor compares one.
func TestSharedPartsKnowNoSyntax(t *testing.T) {
	shared := 0
	for file, f := range sources(t) {
		if !strings.HasPrefix(file, "reader") && !strings.HasPrefix(file, "body_") && file != "openers.go" && file != "fence.go" {
			continue
		}
		shared++
		texts := textsOf(f)
		for _, s := range words.Syntaxes() {
			if texts[s.Name] {
				t.Errorf("%s names %s", file, s.Name)
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BinaryExpr:
				if (n.Op == token.EQL || n.Op == token.NEQ) && (callsName(n.X) || callsName(n.Y)) {
					t.Errorf("%s compares the name of a form", file)
				}
			case *ast.SwitchStmt:
				if callsName(n.Tag) {
					t.Errorf("%s switches on the name of a form", file)
				}
			}
			return true
		})
	}
	if shared < 10 {
		t.Errorf("only %d files were looked at", shared)
	}
}

// callsName reports whether an expression is the Name method of something.
func callsName(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	method, ok := call.Fun.(*ast.SelectorExpr)
	return ok && method.Sel.Name == "Name"
}

// sources are the package's files.
func sources(t *testing.T) map[string]*ast.File {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	out := map[string]*ast.File{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		out[file] = f
	}
	return out
}

// textsOf are the texts that stand in a file.
func textsOf(f *ast.File) map[string]bool {
	texts := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if s, err := strconv.Unquote(lit.Value); err == nil {
				texts[s] = true
			}
		}
		return true
	})
	return texts
}
