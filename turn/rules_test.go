package turn

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ferrule/ferrule/args"
	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/schema"
)

// The configuration and args know the same guards, though neither may import the other.
func TestGuardsAreTheSame(t *testing.T) {
	var words []string
	for _, g := range args.Guards {
		words = append(words, string(g))
	}
	if d := cmp.Diff(words, profile.Guards, cmpopts.SortSlices(strings.Compare)); d != "" {
		t.Error(d)
	}
}

func offers(names ...string) []chat.Tool {
	var ts []chat.Tool
	for _, n := range names {
		ts = append(ts, chat.Tool{Name: n, Kind: chat.ToolFunction})
	}
	return ts
}

func TestArgsOptions(t *testing.T) {
	yes, no := true, false
	for _, c := range []struct {
		name string
		q    chat.Request
		p    profile.Profile
		want args.Options
	}{
		{"nothing known", chat.Request{Tools: offers("bash", "read_file")}, profile.Profile{}, args.Options{Parallel: true}},
		{
			"rules and aliases of tools that aren't offered",
			chat.Request{Tools: offers("bash")},
			profile.Profile{
				Aliases: map[string]profile.Alias{"Open": {Tool: "read_file"}},
				Rules:   []profile.ToolRule{{Tools: "delete_*", Effects: profile.Writes, Guards: map[string]string{"id": "cut_id"}}},
			},
			args.Options{Parallel: true},
		},
		{"what says nothing", chat.Request{Tools: offers("bash")}, profile.Profile{
			Unknown: profile.Keep, Rules: []profile.ToolRule{{Tools: "*", Effects: profile.Reads, Lenient: &no}},
		}, args.Options{Parallel: true}},
		{"one call at a time", chat.Request{Tools: offers("bash"), Parallel: &no}, profile.Profile{}, args.Options{}},
		{"several, said so", chat.Request{Tools: offers("bash"), Parallel: &yes}, profile.Profile{}, args.Options{Parallel: true}},
		{"unknown fields", chat.Request{}, profile.Profile{Unknown: profile.Drop}, args.Options{Parallel: true, DropUnknown: true}},
		{
			"everything",
			chat.Request{Tools: offers("bash", "delete_file", "think")},
			profile.Profile{
				Aliases: map[string]profile.Alias{
					"Execute":       {Tool: "bash"},
					"shell_command": {Tool: "bash", Keys: map[string]string{"cmd": "command"}},
				},
				Rules: []profile.ToolRule{
					{Tools: "b*", Lenient: &yes, Refs: []string{"ref"}},
					{Tools: "bash", Keys: map[string]string{"cmd": "command"}, Join: []string{"script"}},
					{Tools: "delete_*", Effects: profile.Writes, Guards: map[string]string{"id": "cut_id"}},
				},
			},
			args.Options{
				Parallel: true,
				Aliases: map[string]args.Alias{
					"Execute":       {Tool: "bash"},
					"shell_command": {Tool: "bash", Keys: map[string]string{"cmd": "command"}},
				},
				Rules: map[string]args.Rule{
					"bash":        {Lenient: true, Refs: []string{"ref"}, Keys: map[string]string{"cmd": "command"}, Join: []string{"script"}},
					"delete_file": {Writes: true, Guards: map[string]args.Guard{"id": args.GuardCutID}},
				},
				Seen: args.NewSeen(nil),
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			cache := new(schema.Cache)
			got := argsOptions(&c.q, c.p, cache)
			if got.Cache != cache {
				t.Error("the cache is lost")
			}
			if (got.Seen == nil) != (c.want.Seen == nil) {
				t.Errorf("what was seen: %v", got.Seen)
			}
			// Seen has no door to look in by; its texts have a test of their own.
			if d := cmp.Diff(c.want, got, cmpopts.IgnoreFields(args.Options{}, "Cache", "Seen")); d != "" {
				t.Error(d)
			}
		})
	}
}

// A request of whose tools nothing is known, which is the usual one, pays nothing.
func TestNothingKnownCostsNothing(t *testing.T) {
	q, cache := &chat.Request{Tools: offers("bash", "read_file", "write_file")}, new(schema.Cache)
	if n := testing.AllocsPerRun(10, func() { argsOptions(q, profile.Profile{}, cache) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestDestructiveHint(t *testing.T) {
	reads := []profile.ToolRule{{Tools: "*", Effects: profile.Reads}}
	for _, c := range []struct {
		name, key, annotations string
		rules                  []profile.ToolRule
		want                   bool
	}{
		{"destructive", "openai.annotations", `{"title": "Delete", "destructiveHint": true}`, nil, true},
		{"beside the function", "openai.tool.annotations", `{"destructiveHint":true}`, nil, true},
		{"of another protocol", "other.annotations", `{"destructiveHint":true}`, nil, true},
		{"also said to be harmless", "openai.annotations", `{"readOnlyHint":true,"destructiveHint":true}`, nil, true},
		{"said twice", "openai.annotations", `{"destructiveHint":true,"destructiveHint":false}`, nil, true},
		{"the configuration knows better", "openai.annotations", `{"destructiveHint":true}`, reads, false},
		{"not destructive", "openai.annotations", `{"destructiveHint":false}`, nil, false},
		{"read only", "openai.annotations", `{"readOnlyHint":true}`, nil, false},
		{"read only, and the configuration knows better", "openai.annotations", `{"readOnlyHint":true}`, []profile.ToolRule{{Tools: "*", Effects: profile.Writes}}, true},
		{"a text", "openai.annotations", `{"destructiveHint":"true"}`, nil, false},
		{"another case", "openai.annotations", `{"DestructiveHint":true}`, nil, false},
		{"deeper", "openai.annotations", `{"x":{"destructiveHint":true}}`, nil, false},
		{"no object", "openai.annotations", `["destructiveHint", true]`, nil, false},
		{"nothing", "openai.annotations", ``, nil, false},
		{"cut", "openai.annotations", `{"destructiveHint":`, nil, false},
		{"elsewhere", "openai.notes", `{"destructiveHint":true}`, nil, false},
		{"a like key", "openai.myannotations", `{"destructiveHint":true}`, nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			q := chat.Request{Tools: []chat.Tool{{Name: "drop", Extra: chat.Extra{c.key: json.RawMessage(c.annotations)}}}}
			o := argsOptions(&q, profile.Profile{Rules: c.rules}, nil)
			if got := o.Rules["drop"].Writes; got != c.want {
				t.Errorf("writes: %v", got)
			}
			// A second tool of that name, which says nothing, takes nothing back.
			q.Tools = append(q.Tools, chat.Tool{Name: "drop"})
			if got := argsOptions(&q, profile.Profile{Rules: c.rules}, nil).Rules["drop"].Writes; got != c.want {
				t.Errorf("with a second of that name: %v", got)
			}
		})
	}
}

func TestSeenTexts(t *testing.T) {
	q := &chat.Request{
		System: []chat.Part{chat.Text{Text: "be brief"}},
		Messages: []chat.Message{
			{Role: chat.RoleUser, Parts: []chat.Part{chat.Text{Text: "find it"}, chat.Image{URL: "http://h/p.png"}}},
			{Role: chat.RoleAssistant, Parts: []chat.Part{
				chat.Reasoning{Text: "thinking"},
				chat.Text{Text: "looking"},
				chat.Call{ID: "c1", Name: "grep", Args: []byte(`{"q":"a\n\u2026","n":[12, {"deep":"x"}],"ok":true,"z":null,"e":{}}`)},
				chat.Call{ID: "c2", Name: "patch", Args: []byte("*** Begin Patch\n…")},
			}},
			{Role: chat.RoleTool, Parts: []chat.Part{
				chat.Result{ID: "c1", Parts: []chat.Part{chat.Text{Text: "item-1234"}, chat.Image{URL: "x"}}},
				chat.Result{ID: "c2", Error: true, Parts: []chat.Part{chat.Text{Text: "failed"}}},
			}},
			{Role: chat.RoleSystem, Parts: []chat.Part{chat.Text{Text: "go on"}}},
		},
	}
	want := []string{"be brief", "find it", "looking", "a\n…", "12", "x", "*** Begin Patch\n…", "item-1234", "failed", "go on"}
	if d := cmp.Diff(want, seenTexts(q)); d != "" {
		t.Error(d)
	}
	deep := `{"id":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}`
	for _, odd := range []string{deep, `{"id":"abc`, `{"id":"abc"} tail`} {
		q := &chat.Request{Messages: []chat.Message{{Parts: []chat.Part{chat.Call{Args: []byte(odd)}}}}}
		if d := cmp.Diff([]string{odd}, seenTexts(q)); d != "" {
			t.Error(d)
		}
	}
}
