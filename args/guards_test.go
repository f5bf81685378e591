package args_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/ferrule/ferrule/args"
	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/schema"
)

// guarding reads calls to one tool that takes anything, with guards on its fields.
func guarding(t testing.TB, rules map[string]args.Guard, texts ...string) func(arguments string) *args.Problems {
	t.Helper()
	set, err := args.Compile([]chat.Tool{{Name: "write", Kind: chat.ToolFunction, Schema: []byte(`{"type":"object"}`)}}, args.Options{
		Rules: map[string]args.Rule{"write": {Guards: rules}}, Seen: args.NewSeen(texts),
	})
	if err != nil {
		t.Fatal(err)
	}
	return func(arguments string) *args.Problems {
		r := set.Read(chat.Written{Name: "write", JSON: []byte(arguments)})
		if r.Problems == nil && (len(r.Calls) != 1 || string(r.Calls[0].Args) != arguments) {
			t.Errorf("%s came out as %v", arguments, r.Calls)
		}
		return r.Problems
	}
}

func object(field, text string) string {
	b, err := json.Marshal(map[string]string{field: text})
	if err != nil {
		panic(err)
	}
	return string(b)
}

func elision(t testing.TB, texts ...string) func(content string) *args.Problems {
	read := guarding(t, map[string]args.Guard{"content": args.GuardElision}, texts...)
	return func(content string) *args.Problems { return read(object("content", content)) }
}

func linesOf(t *testing.T, path string) []string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(strings.Split(string(b), "\n"), func(l string) bool { return l == "" })
}

// TestElisionLines: what stands for left-out text by itself, among other lines,
// and what only looks like it.
func TestElisionLines(t *testing.T) {
	read := elision(t)
	within := func(line string) string { return "func a() {\n\tbegin();\n" + line + "\n\tend();\n}\n" }
	for _, line := range linesOf(t, "testdata/guards/elided_lines.txt") {
		p := read(within(line))
		if p == nil || len(p.List) != 1 || p.List[0].Keyword != "guard_elision" || p.List[0].Path != "content" || p.List[0].Pointer != "/content" {
			t.Errorf("%q isn't refused: %+v", line, p)
			continue
		}
		if got, _ := json.Marshal(strings.TrimSpace(line)); len(line) < 50 && !strings.ContainsAny(line, "<>&") && p.List[0].Got != string(got) {
			t.Errorf("of %q the model is told %s", line, p.List[0].Got)
		}
	}
	for _, line := range linesOf(t, "testdata/guards/whole_lines.txt") {
		if p := read(within(line)); p != nil {
			t.Errorf("%q is refused", line)
		}
	}
}

// TestElisionTexts: the same of whole texts, where what stands around decides.
func TestElisionTexts(t *testing.T) {
	read := elision(t)
	for path, refused := range map[string]bool{"testdata/guards/elided.txtar": true, "testdata/guards/whole.txtar": false} {
		a, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Files {
			for _, text := range []string{string(f.Data), strings.ReplaceAll(string(f.Data), "\n", "\r\n"), strings.TrimSuffix(string(f.Data), "\n")} {
				if p := read(text); refused != (p != nil) {
					t.Errorf("%s: %s: refused is %v, want %v", path, f.Name, p != nil, refused)
				}
			}
		}
	}
}

// TestElisionThatIsOld: a line that stood in the file already is no elision; its
// twin, a line that didn't, is.
func TestElisionThatIsOld(t *testing.T) {
	const line = "\t// ... rest of the table\n"
	for _, c := range []struct {
		name string
		seen string
		old  bool
	}{
		{"as it is", "func a() {\n" + line + "}", true},
		{"otherwise indented", "// ... rest of the table", true},
		{"numbered", "    12\t// ... rest of the table\n    13\t}", true},
		{"with arrows", "     1→func a() {\n     2→\t// ... rest of the table", true},
		{"in a diff", "+\t// ... rest of the table", true},
		{"in JSON", `{"content":"func a() {\n\t// ... rest of the table\n}"}`, true},
		{"other words", "// ... rest of the file", false},
		{"within a line", "x() // ... rest of the table", false},
		{"nothing", "", false},
	} {
		p := elision(t, "Hello", c.seen)("func b() {\n" + line + "}\n")
		if c.old != (p == nil) {
			t.Errorf("%s: refused is %v", c.name, p != nil)
		}
	}
	// What an edit takes away stands in its own call.
	read := guarding(t, map[string]args.Guard{"edits.new": args.GuardElision})
	if p := read(`{"edits":[{"old":"a\n// ...\nb","new":"a\n// ...\nc"}]}`); p != nil {
		t.Errorf("a line that the edit replaces: %v", p)
	}
	p := read(`{"edits":[{"old":"a","new":"b"},{"old":"a\nb","new":"a\n// ...\nc"}]}`)
	if p == nil || p.List[0].Path != "edits[1].new" || p.List[0].Pointer != "/edits/1/new" || p.List[0].Got != `"// ..."` {
		t.Errorf("a line that it doesn't: %+v", p)
	}
}

func TestCutID(t *testing.T) {
	seen := []string{
		`{"id":"call_abc123def456","parent":"550e8400-e29b-41d4-a716-446655440000"}`,
		"commit 3f2a9c1d5e6b7f8091a2b3c4d5e6f708192a3b4c (main). See req-20240017.",
		"GET https://api.example.com/v1/projects/p12345678/locations/eu-west1",
		"src/main1.go:12: x\nreport-2024.pdf\nuser_12345678 and user, item:Zk9fQ2x81mN\nON 2024-05-01 at 1767225600",
		"trunk-ABCDEFGH1, twice: abc-12345 and abc-12345-x9",
	}
	read := guarding(t, map[string]args.Guard{"id": args.GuardCutID}, seen...)
	for _, id := range []string{
		"call_abc123", "call_abc123def45", "call_a", "call_abc12…", "call_abc123...", "call_abc123def456\uFFFD", "...", "anything…",
		"550e8400-e29b", "550e8400", "550e8400-e29b-41d4-a716-44665544000", "3f2a9c1d", "req-2024001", "p123456", "Zk9fQ2x",
		"trunk-ABC", "item:Zk9fQ", "176722560", " call_abc123 ", "https://api.example.com/v1/proj",
	} {
		p := read(object("id", id))
		if p == nil || p.List[0].Keyword != "guard_cut_id" || p.List[0].Want == "" {
			t.Errorf("%q passes", id)
		}
	}
	for _, id := range []string{
		"call_abc123def456", "550e8400-e29b-41d4-a716-446655440000", "req-20240017", "REQ-2024001", "call_abc123def4567", "call_xyz",
		"p12345678", "projects/p12345678", "https://api.example.com/v1/projects/p12345678", "src/main1.go", "report-2024",
		"user", "User", "call", "trunk", "a", "", "2024", "1767", "17672", "abc-12345", "abc-12345-x9", "item", "two words", "a…b",
		"Zk9fQ2x81mN", "item:Zk9fQ2x81mN", "nothing-like-it-1", "wait", "日本語",
	} {
		if p := read(object("id", id)); p != nil {
			t.Errorf("%q is refused: %+v", id, p.List)
		}
	}
	if p := read(`{"id":17672256}`); p == nil || p.List[0].Got != `"17672256"` {
		t.Errorf("a number that was cut: %+v", p)
	}
	if p := read(`{"id":1767225600}`); p != nil {
		t.Errorf("a whole number: %+v", p)
	}
}

// TestGuardsAreOff: nothing is guarded unless it is named, at its place.
func TestGuardsAreOff(t *testing.T) {
	const call = `{"id":"x…","a":{"content":"a\n// ...\nb"},"content":{"id":"y…"},"ids":["z…"],"a.b":"w…"}`
	for _, c := range []struct {
		rules map[string]args.Guard
		want  []string
	}{
		{nil, nil},
		{map[string]args.Guard{"id": "nonsense"}, nil},
		{map[string]args.Guard{"content": args.GuardCutID, "a": args.GuardElision, "b": args.GuardCutID}, nil},
		{map[string]args.Guard{"id": args.GuardCutID}, []string{"id"}},
		{map[string]args.Guard{"a.content": args.GuardElision}, []string{"a.content"}},
		{map[string]args.Guard{"content.id": args.GuardCutID, "ids": args.GuardCutID}, []string{"content.id", "ids[0]"}},
		{map[string]args.Guard{"a.b": args.GuardCutID}, []string{"a.b"}},
	} {
		var got []string
		if p := guarding(t, c.rules)(call); p != nil {
			for _, q := range p.List {
				got = append(got, q.Path)
			}
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%v: %s", c.rules, d)
		}
	}
}

// TestGuardsAreBounded: many texts, many values, long lines; and one
// conversation may be asked from several sides.
func TestGuardsAreBounded(t *testing.T) {
	var b strings.Builder
	for i := range 210_000 {
		fmt.Fprintf(&b, "tok%07d ... %d\n", i, i)
	}
	text := b.String()
	read := guarding(t, map[string]args.Guard{"ids": args.GuardCutID, "content": args.GuardElision}, text)
	if p := read(`{"ids":["tok00000","x…"]}`); p == nil || len(p.List) != 1 || p.List[0].Path != "ids[1]" {
		t.Errorf("with more tokens than are kept: %+v", p)
	}
	many := `{"ids":["x…"` + strings.Repeat(`,"x…"`, 2000) + `]}`
	if p := read(many); p == nil || len(p.List) != 50 {
		t.Error("more problems than can be told")
	}
	for name, content := range map[string]string{
		"doc string":  "\"\"\"\na\n" + strings.Repeat("...\n", 20_000) + "\"\"\"\n",
		"stubs":       strings.Repeat("def f():\n  ...\n", 10_000),
		"comments":    "def f():\n" + strings.Repeat(" # a\n", 20_000) + strings.Repeat(" # a\n # ...\n # b\n", 5_000),
		"one line":    strings.Repeat(".", 1<<18),
		"long line":   "// ..." + strings.Repeat(" rest", 20_000),
		"many fences": strings.Repeat("a\n```\n// ...\n```\n", 10_000) + "b",
	} {
		if p := read(object("content", content)); p != nil {
			t.Errorf("%s: %+v", name, p.List)
		}
	}
	read = guarding(t, map[string]args.Guard{"id": args.GuardCutID, "content": args.GuardElision}, "call_abc123def456")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if read(`{"id":"call_abc123"}`) == nil || read(`{"content":"a\n// ...\nb"}`) == nil || read(`{"id":"call_abc123def456"}`) != nil {
				t.Error("asked at once it says otherwise")
			}
		})
	}
	wg.Wait()
}

// FuzzGuards: no text makes a guard fail, and the same text is judged alike.
func FuzzGuards(f *testing.F) {
	f.Add("a\n// ... rest\nb", "call_abc123def456 // ... rest of the file")
	f.Add("def f():\n    ...\n", "...")
	f.Add("call_abc123", "call_abc123def456")
	f.Add("```\n...\n\"\"\"\n/*\n", "12→// ...")
	f.Add("---\na: 1\n...\n", "\ufffd…")
	rules := map[string]args.Guard{"content": args.GuardElision, "id": args.GuardCutID}
	f.Fuzz(func(t *testing.T, value, seen string) {
		value = strings.ToValidUTF8(value, "\uFFFD")
		var last []schema.Problem
		for i := range 2 {
			var got []schema.Problem
			for field := range rules {
				if p := guarding(t, rules, seen)(object(field, value)); p != nil {
					got = append(got, p.List...)
				}
			}
			slices.SortFunc(got, func(a, b schema.Problem) int { return strings.Compare(a.Path, b.Path) })
			if i > 0 && !cmp.Equal(got, last) {
				t.Fatalf("%q is judged in two ways:\n%s", value, cmp.Diff(last, got))
			}
			last = got
			// A value that stood there whole is no id that was cut, unless it says so itself.
			if p := guarding(t, rules, seen+"\n"+value)(object("id", value)); p != nil &&
				!strings.HasSuffix(strings.TrimSpace(value), "...") && !strings.ContainsAny(value, "…⋯\uFFFD") {
				t.Fatalf("%q stood there and is refused", value)
			}
		}
	})
}
