package turn_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/turn"
)

// named is a request whose first tool has a name, and was called in an earlier turn.
func named(name string, more ...string) *chat.Request {
	q := request("Again.")
	schema := q.Tools[0].Schema
	q.Tools = nil
	for _, n := range append([]string{name}, more...) {
		q.Tools = append(q.Tools, chat.Tool{Name: n, Kind: chat.ToolFunction, Schema: schema})
	}
	q.Messages = append([]chat.Message{
		{Role: chat.RoleUser, Parts: []chat.Part{chat.Text{Text: "First."}}},
		{Role: chat.RoleAssistant, Parts: []chat.Part{chat.Call{ID: "a", Name: name, Args: []byte(`{"city":"Rome"}`)}}},
		{Role: chat.RoleTool, Parts: []chat.Part{chat.Result{ID: "a", Name: name, Parts: []chat.Part{chat.Text{Text: "Sun."}}}}},
	}, q.Messages...)
	return q
}

// TestNamesThatCantBeWritten: in words a tool has a name that every syntax can
// write; the client hears its own, from the model's plain one, and from its own
// where the model writes that.
func TestNamesThatCantBeWritten(t *testing.T) {
	long := strings.Repeat("very_long_name_", 6)
	for _, c := range []struct {
		name, told string // "": some other
		more       []string
	}{
		{"fs.read", "fs_read", nil},
		{"mcp:files/read file", "mcp_files_read_file", nil},
		{"fs.read", "", []string{"fs_read"}},
		{"fs.read", "fs_read", []string{"fs/read"}},
		{long, "", nil},
		{"天気", "", nil},
		{"9lives", "9lives", nil},
	} {
		for _, syntax := range []string{"hermes", "ferrule", "pythonic", "qwen-coder", "envelope"} {
			for _, choice := range []chat.Choice{{}, {Mode: chat.ChoiceNamed, Name: c.name}, {Mode: chat.ChoiceAuto, Allowed: []string{c.name}}} {
				p := inWords
				p.Syntax = syntax
				p.Rules = []profile.ToolRule{{Tools: c.name, Keys: map[string]string{"place": "city"}}}
				q := named(c.name, c.more...)
				q.Choice = choice
				u := &upstream{t: t, script: []say{{text: "x", finish: chat.FinishStop}}}
				var r turn.Runner
				r.Key = []byte("k")
				// What the model is told first, then the same turn with its answer.
				_, _ = (&r).Run(t.Context(), turn.Target{Provider: "p", Model: "up", Upstream: u, Profile: p, Owner: "o"}, named(c.name, c.more...), func(chat.Frame) error { return nil })
				told := toldOf(u.got[0])
				_, after, _ := strings.Cut(told, `"function":{"name":"`)
				name, _, _ := strings.Cut(after, `"`)
				if len(name) > 64 || strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != "" || c.told != "" && name != c.told {
					t.Fatalf("%s, %s: the model is told of %q", c.name, syntax, name)
				}
				if strings.Contains(told, c.name+`"`) && name != c.name {
					t.Errorf("%s, %s: it is told of both", c.name, syntax)
				}
				if syntax != "hermes" {
					continue
				}
				for _, wrote := range []string{name, c.name} {
					u = &upstream{t: t, script: []say{{text: fmt.Sprintf("<tool_call>\n{\"name\": %q, \"arguments\": {\"place\": \"Oslo\"}}\n</tool_call>", wrote), finish: chat.FinishStop}}}
					g, rep := run(t, &turn.Runner{Key: []byte("k")}, p, u, q)
					if d := cmp.Diff([]string{c.name + ` {"city":"Oslo"}`}, g.Calls); d != "" {
						t.Errorf("%s written as %s, choice %+v: %s", c.name, wrote, choice, d)
					} else if rep.Calls[0].Name != c.name {
						t.Errorf("the report says %s", rep.Calls[0].Name)
					}
				}
				if d := cmp.Diff(named(c.name, c.more...).Messages, q.Messages); d != "" {
					t.Error("the client's request was changed", d)
				}
			}
		}
	}
}

// TestNamesStayApart: whatever a client calls its tools, the model is told of as
// many names, each that can be written, and the same on the next turn.
func TestNamesStayApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.StringOfN(rapid.SampledFrom([]rune("ab._/ -ü気1")), 1, 70, -1), 1, 6, rapid.ID).Draw(t, "names")
		q := named(names[0], names[1:]...)
		told := func() []string {
			u := &counted{}
			_, _ = (&turn.Runner{Key: []byte("k")}).Run(t.Context(), turn.Target{Provider: "p", Model: "up", Upstream: u, Profile: inWords}, q, func(chat.Frame) error { return nil })
			if u.q == nil {
				t.Fatalf("%q was refused", names)
			}
			var list []string
			for _, part := range strings.Split(toldOf(u.q), `"function":{"name":"`)[1:] {
				name, _, _ := strings.Cut(part, `"`)
				list = append(list, name)
			}
			return list
		}
		first := told()
		seen := map[string]bool{}
		for _, n := range first {
			if seen[n] || n == "" || len(n) > 64 {
				t.Fatalf("%q is told as %q", names, first)
			}
			seen[n] = true
		}
		if len(seen) != len(names) {
			t.Fatalf("%q is told as %q", names, first)
		}
		if d := cmp.Diff(first, told()); d != "" {
			t.Fatal(d)
		}
	})
}

// counted answers hello, and keeps what it was asked.
type counted struct{ q *chat.Request }

func (u *counted) Send(_ context.Context, q *chat.Request) (chat.Stream, error) {
	u.q = q
	return &stream{fs: []chat.Frame{{Events: []chat.Event{{Kind: chat.EventText, Text: "Hello."}, {Kind: chat.EventFinish, Finish: chat.FinishStop}}}}}, nil
}
