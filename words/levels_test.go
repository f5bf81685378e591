package words_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
	"github.com/ferrule/ferrule/schema"
	estimate "github.com/ferrule/ferrule/tokens"
	"github.com/ferrule/ferrule/words"
)

// agentTools is a list of tools of the sizes and shapes of an agent's.
func agentTools(t testing.TB, name string) (out []chat.Tool) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "agents", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	text := func(v []byte, key string) string {
		m, _ := rawjson.Get(v, key)
		s, err := rawjson.String(m)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	err = rawjson.Elements(b, func(v []byte) bool {
		parameters, _ := rawjson.Get(v, "parameters")
		out = append(out, chat.Tool{Kind: chat.ToolFunction, Name: text(v, "name"), Description: text(v, "description"), Schema: parameters})
		return true
	})
	if err != nil || len(out) == 0 {
		t.Fatal(len(out), err)
	}
	return out
}

func hermes(t testing.TB) words.Syntax {
	t.Helper()
	s, ok := words.Lookup("hermes")
	if !ok {
		t.Fatal("hermes can't be asked for")
	}
	return s
}

// TestLevelBorders: a level is taken up to its share of the window and no
// further; past the last one the tools are refused, with the figures.
func TestLevelBorders(t *testing.T) {
	tools, s := agentTools(t, "gemini-cli"), hermes(t)
	var e estimate.Estimator
	sizes := map[words.Level]int{}
	for _, l := range words.Levels() {
		sizes[l] = e.Count(words.Contract(s, tools, l, true))
	}
	if sizes[words.LevelFull] <= sizes[words.LevelShort] || sizes[words.LevelShort] <= sizes[words.LevelNames] {
		t.Fatalf("sizes %v", sizes)
	}
	for _, c := range []struct {
		level words.Level
		share int
		next  string // one token of the window less
	}{
		{words.LevelFull, 15, "short"},
		{words.LevelShort, 25, "names"},
		{words.LevelNames, 40, "refused"},
	} {
		window := (sizes[c.level]*100 + c.share - 1) / c.share // the smallest that it fits
		got := func(window int) string {
			l, _, err := words.Fit(s, tools, window, e)
			var large *words.TooLargeError
			if errors.As(err, &large) {
				if large.Window != window || large.Tools != len(tools) || large.Sizes[words.LevelNames] != sizes[words.LevelNames] {
					t.Errorf("the error says %+v", large)
				}
				return "refused"
			}
			return l.String()
		}
		if l := got(window); l != c.level.String() {
			t.Errorf("window %d: %s, want %s", window, l, c.level)
		}
		if l := got(window - 1); l != c.next {
			t.Errorf("window %d: %s, want %s", window-1, l, c.next)
		}
	}
	if l, _, err := words.Fit(s, tools, 0, e); l != words.LevelFull || err != nil {
		t.Errorf("unknown window: %v, %v", l, err)
	}
}

// TestLevelsTellLess: each level has all the names, and what it should not have is gone.
func TestLevelsTellLess(t *testing.T) {
	tool := chat.Tool{
		Name: "find", Kind: chat.ToolFunction, Description: "Finds orders. Second sentence.",
		Schema: []byte(`{"title":"Find","type":"object","properties":{"state":{"type":"string","enum":["open","paid"],"description":"The state. More of it."},"limit":{"type":"integer","maximum":100}},"required":["state"]}`),
	}
	for _, c := range []struct {
		level words.Level
		line  string
	}{
		{words.LevelFull, `{"type":"function","function":{"name":"find","description":"Finds orders. Second sentence.","parameters":{"title":"Find","type":"object","properties":{"state":{"type":"string","enum":["open","paid"],"description":"The state. More of it."},"limit":{"type":"integer","maximum":100}},"required":["state"]}}}`},
		{words.LevelShort, `{"type":"function","function":{"name":"find","description":"Finds orders.","parameters":{"type":"object","properties":{"state":{"type":"string","enum":["open","paid"],"description":"The state."},"limit":{"type":"integer","maximum":100}},"required":["state"]}}}`},
		{words.LevelNames, `{"type":"function","function":{"name":"find","parameters":{"type":"object","properties":{"state":{"type":"string","enum":["open","paid"]},"limit":{"type":"integer"}},"required":["state"]}}}`},
	} {
		if text := words.Contract(hermes(t), []chat.Tool{tool}, c.level, true); !strings.Contains(text, "\n"+c.line+"\n") {
			t.Errorf("%s:\n%s\ndoesn't have\n%s", c.level, text, c.line)
		}
	}
	full, _ := schema.Compile(tool.Schema)
	if string(tool.Schema) == "" || full.Check([]byte(`{"state":"open","limit":101}`)) == nil {
		t.Error("what calls are checked against has changed")
	}
}

// TestLevelIsTheConversationsOwn: neither what was said nor what may be called
// now changes how much is told, so that a prompt goes on as it began.
func TestLevelIsTheConversationsOwn(t *testing.T) {
	tools := agentTools(t, "opencode")
	rapid.Check(t, func(r *rapid.T) {
		window := rapid.IntRange(1500, 40000).Draw(r, "window")
		plan := func(ms []chat.Message, choice chat.Choice, parallel *bool) (*words.Plan, error) {
			q := request(ms...)
			q.Tools, q.Choice, q.Parallel = tools, choice, parallel
			return words.NewPlan(q, words.Settings{Syntax: "hermes", Key: fenceKey, Rand: seeded(1), Window: window})
		}
		ms := []chat.Message{user("hi")}
		first, firstErr := plan(ms, chat.Choice{}, nil)
		for range rapid.IntRange(1, 5).Draw(r, "turns") {
			ms = append(ms,
				chat.Message{Role: chat.RoleAssistant, Parts: []chat.Part{called("a", tools[0].Name, `{}`)}},
				result("a", strings.Repeat("x ", rapid.IntRange(0, 20000).Draw(r, "result"))))
			several := rapid.Bool().Draw(r, "several")
			choice := rapid.SampledFrom([]chat.Choice{{}, {Mode: chat.ChoiceRequired}, {Mode: chat.ChoiceNamed, Name: tools[1].Name}}).Draw(r, "choice")
			p, err := plan(ms, choice, &several)
			if (err == nil) != (firstErr == nil) {
				r.Fatalf("then %v, at first %v", err, firstErr)
			}
			if err == nil && p.Level() != first.Level() {
				r.Fatalf("then %s, at first %s", p.Level(), first.Level())
			}
		}
	})
}

// TestAgentsHaveRoom: the tools of each agent that is known fit a window of
// 32768 tokens with their first sentences, and leave three quarters of it.
func TestAgentsHaveRoom(t *testing.T) {
	files, err := filepath.Glob("testdata/agents/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".json")
		tools := agentTools(t, name)
		for _, family := range estimate.Names() {
			e, _ := estimate.Named(family)
			l, _, err := words.Fit(hermes(t), tools, 32768, e)
			if err != nil || l > words.LevelShort {
				t.Errorf("%s, %s: %v, %v", name, family, l, err)
			}
		}
	}
}

// TestTooLarge: the plan refuses what Fit refuses, but not where nothing may be called.
func TestTooLarge(t *testing.T) {
	q := request(user("hi"))
	s := words.Settings{Syntax: "hermes", Key: fenceKey, Rand: seeded(1), Window: 200}
	_, err := words.NewPlan(q, s)
	var large *words.TooLargeError
	if !errors.As(err, &large) {
		t.Fatalf("got %v", err)
	}
	q.Choice.Mode = chat.ChoiceNone
	if _, err := words.NewPlan(q, s); err != nil {
		t.Errorf("no call is allowed: %v", err)
	}
	q.Choice = chat.Choice{}
	s.Window = 2000
	p, err := words.NewPlan(q, s)
	if err != nil || p.Level() != words.LevelFull {
		t.Errorf("a larger window: %v", err)
	}
}

func TestLevelNamed(t *testing.T) {
	var names []string
	for _, l := range words.Levels() {
		got, ok := words.LevelNamed(l.String())
		if !ok || got != l {
			t.Errorf("%s: %v, %v", l, got, ok)
		}
		names = append(names, l.String())
	}
	if d := cmp.Diff([]string{"full", "short", "names"}, names); d != "" {
		t.Error(d)
	}
	if _, ok := words.LevelNamed("terse"); ok || slices.Contains(names, "") {
		t.Error("a level that isn't there")
	}
}
