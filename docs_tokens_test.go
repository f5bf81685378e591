package ferrule_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
	"github.com/ferrule/ferrule/tokens"
	"github.com/ferrule/ferrule/words"
)

var update = flag.Bool("update", false, "rewrite the tables of tokens in docs/syntaxes.md")

const smallWindow = 32768 // tokens

// TestTokensTables: docs/syntaxes.md tells of the tokens that there are.
func TestTokensTables(t *testing.T) {
	text := page(t, "docs/syntaxes.md")
	for name, want := range map[string]string{"agents": agentsTable(t), "contracts": contractsTable()} {
		begin, end := "<!-- "+name+" -->\n", "<!-- end of "+name+" -->"
		i, j := strings.Index(text, begin), strings.Index(text, end)
		if i < 0 || j < i {
			t.Fatalf("docs/syntaxes.md has no table of %s", name)
		}
		if got := text[i+len(begin) : j]; got != want {
			t.Errorf("the table of %s is\n%s\nand should be, as -update writes it,\n%s", name, got, want)
			text = text[:i+len(begin)] + want + text[j:]
		}
	}
	if *update {
		if err := os.WriteFile("docs/syntaxes.md", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func agentsTable(t *testing.T) string {
	files, err := filepath.Glob("words/testdata/agents/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no tools of agents", err)
	}
	syntax, _ := words.Lookup("hermes")
	var b strings.Builder
	b.WriteString("| tools of | tools | `full` | `short` | `names` | in 32k | in 16k | in 8k |\n|---|---|---|---|---|---|---|---|\n")
	for _, f := range files {
		tools := toolsIn(t, f)
		fmt.Fprintf(&b, "| %s | %d |", strings.TrimSuffix(filepath.Base(f), ".json"), len(tools))
		for _, l := range words.Levels() {
			fmt.Fprintf(&b, " %d |", tokens.Estimator{}.Count(words.Contract(syntax, tools, l, true)))
		}
		for window := smallWindow; window >= smallWindow/4; window /= 2 {
			level, sizes, err := words.Fit(syntax, tools, window, tokens.Estimator{})
			if err != nil {
				b.WriteString(" doesn't fit |")
				continue
			}
			fmt.Fprintf(&b, " `%s`, %d left |", level, window-sizes[level])
		}
		b.WriteString("\n")
	}
	return b.String()
}

func contractsTable() string {
	var b strings.Builder
	b.WriteString("| syntax | around the list |")
	rule := "\n|---|---|"
	names := tokens.Names()[1:]
	for _, n := range names {
		fmt.Fprintf(&b, " `%s` |", n)
		rule += "---|"
	}
	b.WriteString(rule + "\n")
	for _, name := range words.Names() {
		syntax, _ := words.Lookup(name)
		text := words.Contract(syntax, nil, words.LevelFull, true)
		fmt.Fprintf(&b, "| %s | %d |", name, tokens.Estimator{}.Count(text))
		for _, n := range names {
			e, _ := tokens.Named(n)
			fmt.Fprintf(&b, " %d |", e.Count(text))
		}
		b.WriteString("\n")
	}
	return b.String()
}

func toolsIn(t *testing.T, file string) (out []chat.Tool) {
	err := rawjson.Elements([]byte(page(t, file)), func(v []byte) bool {
		tool := chat.Tool{Kind: chat.ToolFunction}
		for key, into := range map[string]*string{"name": &tool.Name, "description": &tool.Description} {
			s, _ := rawjson.Get(v, key)
			var err error
			if *into, err = rawjson.String(s); err != nil {
				t.Fatal(file, err)
			}
		}
		tool.Schema, _ = rawjson.Get(v, "parameters")
		out = append(out, tool)
		return true
	})
	if err != nil {
		t.Fatal(file, err)
	}
	return out
}
