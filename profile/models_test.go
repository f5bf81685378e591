package profile_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ferrule/ferrule/args"
	"github.com/ferrule/ferrule/history"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/schema"
	"github.com/ferrule/ferrule/tokens"
	"github.com/ferrule/ferrule/words"
)

// TestModels holds the table to what it may say.
func TestModels(t *testing.T) {
	rows, err := profile.Models()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) < 40 {
		t.Errorf("%d rows", len(rows))
	}
	seen := map[string]int{}
	for _, r := range rows {
		if r.Why == "" || len(r.Match) == 0 || r.Line == 0 {
			t.Errorf("line %d: it needs match and why: %+v", r.Line, r)
		}
		if !slices.ContainsFunc(profile.Fields(), r.Says) {
			t.Errorf("line %d says nothing", r.Line)
		}
		if r.Dialect != "" && !slices.Contains(schema.Dialects(), r.Dialect) {
			t.Errorf("line %d: there is no dialect %s", r.Line, r.Dialect)
		}
		if _, err := history.Parse(r.History); err != nil {
			t.Errorf("line %d: %v", r.Line, err)
		}
		if n := len(r.Tags); n != 0 && n != 2 {
			t.Errorf("line %d: %q is no opener with its closer", r.Line, r.Tags)
		}
		for _, name := range r.Repairs {
			if !slices.Contains(args.Repairs(), name) {
				t.Errorf("line %d: there is no repair %s", r.Line, name)
			}
		}
		if r.Syntax != "" && r.Syntax != "none" && !slices.Contains(words.Known(), r.Syntax) {
			t.Errorf("line %d: there is no syntax %s", r.Line, r.Syntax)
		}
		if r.Tokens != "" && !slices.Contains(tokens.Names(), r.Tokens) {
			t.Errorf("line %d: there is no estimator %s", r.Line, r.Tokens)
		}
		if r.Thinking != "" && !slices.Contains([]profile.Thinking{profile.ThinkingLast, profile.ThinkingEnds, profile.ThinkingNever}, r.Thinking) {
			t.Errorf("line %d: there is no thinking_calls %s", r.Line, r.Thinking)
		}
		if r.Special && r.Syntax == "" {
			t.Errorf("line %d: special_tokens goes with syntax", r.Line)
		}
		for _, glob := range r.Match {
			if glob != strings.ToLower(glob) || strings.ContainsAny(glob, "/: ") {
				t.Errorf("line %d: no plain name fits %q", r.Line, glob)
			}
			if r.Syntax != "" && seen[glob] > 0 {
				t.Errorf("line %d: line %d has %q too", r.Line, seen[glob], glob)
			}
			if r.Syntax != "" {
				seen[glob] = r.Line
			}
		}
	}
}

// TestAbout: the longest glob that says something of a field wins, a plain name
// over any glob, and the fields go by themselves.
func TestAbout(t *testing.T) {
	for model, want := range map[string][3]string{ // syntax, thinking, tokens
		"Qwen/Qwen3-Coder-30B":     {"qwen-coder", "ends", "qwen"},
		"qwen3:8b":                 {"hermes", "ends", "qwen"},
		"deepseek-r1-distill-qwen": {"none", "", "qwen"},
		"gpt-4":                    {"", "", "cl100k"},
		"gpt-4.1":                  {"", "", "o200k"},
		"gpt-oss-120b":             {"harmony", "", "o200k"},
		"nobody-knows-this":        {"", "", ""},
		"":                         {"", "", ""},
	} {
		k := profile.About(model)
		var got [3]string
		if r := k.Row(profile.SyntaxField); r != nil {
			got[0] = r.Syntax
		}
		if r := k.Row(profile.ThinkingField); r != nil {
			got[1] = string(r.Thinking)
		}
		if r := k.Row(profile.TokensField); r != nil {
			got[2] = r.Tokens
		}
		if got != want {
			t.Errorf("%s: %v, want %v", model, got, want)
		}
	}
}
