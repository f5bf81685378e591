package words_test

import (
	"strings"
	"testing"

	"github.com/ferrule/ferrule/args"
	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/words"
)

// shapeOf is the shape of a call as the end of a prompt shows it.
func shapeOf(t *testing.T, s words.Syntax) string {
	t.Helper()
	tail := string(s.WriteTail(nil, words.Tail{Tools: []chat.Tool{readFileTool()}, Frame: liveFrame, Dropped: true}))
	_, shape, ok := strings.Cut(tail, ":\n")
	if !ok {
		t.Fatalf("no shape in %q", tail)
	}
	return shape
}

// No shape is shown that isn't taken back: filled in, it is that call, and
// nothing of it is a repair. As it stands it is none.
func TestShapesAreCalls(t *testing.T) {
	tools := []chat.Tool{readFileTool(), nowTool()}
	set, err := args.Compile(tools, args.Options{Parallel: true})
	if err != nil {
		t.Fatal(err)
	}
	known := func(name string) bool { found, _, _ := set.Find(name); return found != nil }
	fill := strings.NewReplacer(
		"<tool name>", "read_file", "tool_name", "read_file", "<name from the list>", "read_file",
		"<argument>", "path", "argument_name", "path", "<value>", "a.txt",
	)
	for _, name := range words.Names() {
		s, _ := words.Lookup(name)
		shape := shapeOf(t, s)
		contract := string(s.WriteContract(nil, words.Docs{Tools: tools, Parallel: true}))
		if f, ok := s.(words.Framed); !(ok && f.Framed()) && !strings.Contains(contract, shape) {
			t.Errorf("%s: the contract doesn't show %q:\n%s", name, shape, contract)
		}
		for _, behind := range []string{"", "\n"} {
			text := fill.Replace(shape) + behind
			calls := read(t, name, liveFrame, known, nil, chat.FinishStop, bytewise(text)...).calls()
			if len(calls) != 1 || len(calls[0].Repairs) > 0 || calls[0].Syntax != name {
				t.Errorf("%s: %q is read as %+v", name, text, calls)
				continue
			}
			got := set.Read(calls[0])
			if got.Problems != nil || len(got.Calls) != 1 || got.Calls[0].Name != "read_file" || !sameArgs(got.Calls[0].Args, []byte(`{"path":"a.txt"}`)) {
				t.Errorf("%s: %q is %+v", name, text, got)
			}
		}
		for _, w := range read(t, name, liveFrame, known, nil, chat.FinishStop, shape).calls() {
			if got := set.Read(w); got.Problems == nil {
				t.Errorf("%s: the shape as it stands runs: %+v", name, got.Calls)
			}
		}
	}
}

// Arguments of a transcript that aren't a JSON object leave the shape whole.
func TestBrokenArgumentsKeepTheShape(t *testing.T) {
	for _, name := range words.Names() {
		s, _ := words.Lookup(name)
		for _, broken := range []string{"", "null", `{"path": "a`, `["a"]`, `"</tool_call>`, "7", `{"path":"\ud800"}`} {
			calls := []chat.Call{called("", "read_file", broken), called("", "now", "{}")}
			text := string(s.WriteCalls(nil, calls, liveFrame))
			got := read(t, name, liveFrame, func(string) bool { return true }, nil, chat.FinishStop, text).calls()
			if n := len(got); n < 1 || !strings.HasSuffix(got[n-1].Name, "now") || got[n-1].Why != "" {
				t.Errorf("%s: behind %q, the next call is lost in\n%s\n%+v", name, broken, text, got)
			}
		}
	}
}

// The ordinal of a call is the same in it, in its result and on every later turn.
func TestCallsAreCounted(t *testing.T) {
	q := request(user("x"),
		chat.Message{Role: chat.RoleAssistant, Parts: []chat.Part{called("a", "now", "{}"), called("b", "read_file", "{}")}},
		result("b", "two"), result("a", "one"),
		chat.Message{Role: chat.RoleAssistant, Parts: []chat.Part{called("a", "now", "{}")}},
		result("a", "three"), result("unknown", "four"))
	p := plan(t, q, words.Settings{Syntax: "kimi"})
	got := show(p.Request())
	for _, want := range []string{
		"functions.now:0<", "functions.read_file:1<", "functions.now:2<", "## Return of functions.read_file:1\n[result ",
		"## Return of functions.now:0\n[result ", "## Return of functions.now:2\n[result ",
	} {
		if strings.Count(got, want) != 1 && want != "functions.now:0<" {
			t.Errorf("%q isn't there once in\n%s", want, got)
		}
	}
	if next := p.Show(called("", "now", "{}")); !strings.Contains(next, "functions.now:3<") {
		t.Errorf("the next call is shown as %s", next)
	}
}
