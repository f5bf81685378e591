package profile_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ferrule/ferrule/profile"
)

var yes, no = true, false

func TestMerge(t *testing.T) {
	full := profile.Profile{
		Tools: profile.Native, Syntax: "s", System: profile.Dropped, Context: 9, Origin: profile.Proof, Wrapper: true,
		OnInvalid: profile.Pass, Notes: profile.NotesAlways, Unknown: profile.Drop,
		Aliases: map[string]profile.Alias{"Execute": {Tool: "bash"}, "Run": {Tool: "bash"}},
		Rules:   []profile.ToolRule{{Tools: "*", Effects: profile.Writes}},
	}
	for _, c := range []struct {
		name       string
		p, q, want profile.Profile
	}{
		{"nothing said keeps everything", full, profile.Profile{}, full},
		{"nothing there takes everything", profile.Profile{}, full, full},
		{"nothing and nothing", profile.Profile{}, profile.Profile{}, profile.Profile{}},
		{
			"what is said wins", full,
			profile.Profile{
				Tools: profile.Auto, Syntax: "t", System: profile.Honoured, Context: 8, Origin: profile.Reading,
				OnInvalid: profile.Retry, Notes: profile.NotesEmulated, Unknown: profile.Keep,
				Aliases: map[string]profile.Alias{"Run": {Tool: "run"}, "Open": {Tool: "read_file"}},
				Rules:   []profile.ToolRule{{Tools: "read_*", Effects: profile.Reads}},
			},
			profile.Profile{
				Tools: profile.Auto, Syntax: "t", System: profile.Honoured, Context: 8, Origin: profile.Reading, Wrapper: true,
				OnInvalid: profile.Retry, Notes: profile.NotesEmulated, Unknown: profile.Keep,
				Aliases: map[string]profile.Alias{"Execute": {Tool: "bash"}, "Run": {Tool: "run"}, "Open": {Tool: "read_file"}},
				Rules:   []profile.ToolRule{{Tools: "*", Effects: profile.Writes}, {Tools: "read_*", Effects: profile.Reads}},
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if d := cmp.Diff(c.want, c.p.Merge(c.q)); d != "" {
				t.Error(d)
			}
		})
	}
}

// A provider's profile is merged anew for each of its models and each request.
func TestMergeChangesNeither(t *testing.T) {
	base := func() profile.Profile {
		return profile.Profile{
			Aliases: map[string]profile.Alias{"a": {Tool: "x"}},
			Rules:   append(make([]profile.ToolRule, 0, 8), profile.ToolRule{Tools: "x", Refs: append(make([]string, 0, 8), "r")}),
		}
	}
	p := base()
	one := p.Merge(profile.Profile{Aliases: map[string]profile.Alias{"a": {Tool: "1"}}, Rules: []profile.ToolRule{{Tools: "x", Refs: []string{"1"}}}})
	two := p.Merge(profile.Profile{Aliases: map[string]profile.Alias{"a": {Tool: "2"}}, Rules: []profile.ToolRule{{Tools: "x", Refs: []string{"2"}}}})
	first, second := one.Rule("x"), two.Rule("x")
	if d := cmp.Diff([]string{"r", "1"}, first.Refs); d != "" || one.Aliases["a"].Tool != "1" {
		t.Errorf("%+v %s", one, d)
	}
	if d := cmp.Diff([]string{"r", "2"}, second.Refs); d != "" || two.Aliases["a"].Tool != "2" {
		t.Errorf("%+v %s", two, d)
	}
	if d := cmp.Diff(base(), p); d != "" {
		t.Error(d)
	}
}

func TestRule(t *testing.T) {
	p := profile.Profile{Rules: []profile.ToolRule{
		{Tools: "*", Effects: profile.Writes, Guards: map[string]string{"id": "cut_id", "text": "elision"}},
		{Tools: "read_*", Effects: profile.Reads, Refs: []string{"ref", "element"}, Keys: map[string]string{"file": "path", "f": "path"}},
		{Tools: "mcp_*", Lenient: &yes, Join: []string{"content"}},
		{Tools: "read_file", Refs: []string{"ref", "target"}, Keys: map[string]string{"f": "file_path"}, Guards: map[string]string{"text": "cut_id"}},
		{Tools: "mcp_own", Lenient: &no},
	}}
	before := cmp.Diff(profile.Profile{}, p)
	for _, want := range []profile.ToolRule{
		{Tools: "bash", Effects: profile.Writes, Guards: map[string]string{"id": "cut_id", "text": "elision"}},
		{
			Tools: "read_dir", Effects: profile.Reads, Refs: []string{"ref", "element"},
			Keys: map[string]string{"file": "path", "f": "path"}, Guards: map[string]string{"id": "cut_id", "text": "elision"},
		},
		{
			Tools: "read_file", Effects: profile.Reads, Refs: []string{"ref", "element", "target"},
			Keys: map[string]string{"file": "path", "f": "file_path"}, Guards: map[string]string{"id": "cut_id", "text": "cut_id"},
		},
		{Tools: "mcp_any", Effects: profile.Writes, Lenient: &yes, Join: []string{"content"}, Guards: map[string]string{"id": "cut_id", "text": "elision"}},
		{Tools: "mcp_own", Effects: profile.Writes, Lenient: &no, Join: []string{"content"}, Guards: map[string]string{"id": "cut_id", "text": "elision"}},
	} {
		if d := cmp.Diff(want, p.Rule(want.Tools)); d != "" {
			t.Errorf("%s: %s", want.Tools, d)
		}
	}
	if cmp.Diff(profile.Profile{}, p) != before {
		t.Error("asking changed the rules")
	}
	if d := cmp.Diff(profile.ToolRule{Tools: "bash"}, profile.Profile{}.Rule("bash")); d != "" {
		t.Error(d)
	}
}

// fits asks through the one door that globs have.
func fits(glob, name string) bool {
	p := profile.Profile{Rules: []profile.ToolRule{{Tools: glob, Effects: profile.Writes}}}
	return p.Rule(name).Effects == profile.Writes
}

func TestGlob(t *testing.T) {
	for _, c := range []struct {
		glob, name string
		want       bool
	}{
		{"bash", "bash", true},
		{"bash", "Bash", false},
		{"bash", "bash2", false},
		{"", "", true},
		{"", "a", false},
		{"*", "", true},
		{"*", "any.thing", true},
		{"read_*", "read_", true},
		{"read_*", "read_file", true},
		{"read_*", "unread_file", false},
		{"*_file", "read_file", true},
		{"*_file", "read_files", false},
		{"a*a", "a", false},
		{"a*a", "aa", true},
		{"a*b*c", "a-b-c", true},
		{"a*b*c", "a-c-b", false},
		{"a**c", "ac", true},
		{"*ab*ab*", "ab", false},
		{"*ab*ab*", "xabyabz", true},
		{"a.c", "abc", false}, // everything but * is itself
		{"a?c", "abc", false},
		{"[ab]", "a", false},
		{`a\*`, "a*", false},
		{`a\*`, `a\b`, true},
	} {
		if got := fits(c.glob, c.name); got != c.want {
			t.Errorf("%q and %q: %v", c.glob, c.name, got)
		}
	}
}

func TestGlobIsOneExpression(t *testing.T) {
	text := rapid.StringOfN(rapid.SampledFrom([]rune("ab_.?[é")), 0, 8, -1)
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(text, 1, 4).Draw(t, "parts")
		glob := strings.Join(parts, "*")
		quoted := make([]string, len(parts))
		for i, p := range parts {
			quoted[i] = regexp.QuoteMeta(p)
		}
		re := regexp.MustCompile(`(?s)\A` + strings.Join(quoted, ".*") + `\z`)
		name := text.Draw(t, "name")
		if got := fits(glob, name); got != re.MatchString(name) {
			t.Fatalf("%q and %q: %v", glob, name, got)
		}
		// Whatever the stars are filled with, it fits.
		filled := parts[0]
		for _, p := range parts[1:] {
			filled += text.Draw(t, "filling") + p
		}
		if !fits(glob, filled) {
			t.Fatalf("%q and %q don't fit", glob, filled)
		}
	})
}
