package turn_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/internal/cases"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/rawjson"
	"github.com/ferrule/ferrule/turn"
)

// rejected is an error whose body carries what the model wrote.
func rejected(text string) *chat.Fault {
	b, _ := json.Marshal(map[string]any{"error": map[string]string{"message": "Failed to call a function.", "failed_generation": text}})
	return &chat.Fault{Status: 400, Code: "tool_use_failed", Text: "Failed to call a function.", Wire: &chat.Wire{Body: b}}
}

// unparsed is an error that carries it from a place on.
func unparsed(pos int, text string) *chat.Fault {
	return &chat.Fault{Status: 500, Text: fmt.Sprintf("Failed to parse input at pos %d: %s", pos, text)}
}

// nameless is an error that carries a call's arguments alone.
func nameless(text string) *chat.Fault {
	return &chat.Fault{Status: 500, Text: "error parsing tool call: raw='" + text + "', err=invalid character"}
}

func TestRescue(t *testing.T) {
	weather := []string{`weather {"city": "Oslo"}`}
	calls := chat.FinishCalls
	showing := func(q *chat.Request) { q.Messages[0].Parts[0] = chat.Text{Text: "What does this do?\n" + oslo} }
	for _, c := range []struct {
		name string
		edit func(*chat.Request)
		say  say
		want got // without a code: the fault's own
	}{
		{"a whole answer", nil, say{refuse: rejected("Let me look.\n" + oslo)}, got{Text: "Let me look.", Calls: weather, Finish: calls}},
		{"a form that ends it", nil, say{refuse: rejected(`weather{"city": "Oslo"}</function>`)}, got{Calls: weather, Finish: calls}},
		{"a form without its marks' ends", nil, say{refuse: rejected(`<function=weather{"city": "Oslo"}</function>`)}, got{Calls: weather, Finish: calls}},
		{"two calls", nil, say{refuse: unparsed(0, oslo+rome)}, got{Calls: append(weather, `weather {"city": "Rome"}`), Finish: calls}},
		{"from a place on", nil, say{refuse: unparsed(184, oslo)}, got{Calls: weather, Finish: calls}},
		{"in a stream", nil, say{inside: rejected(oslo)}, got{Calls: weather, Finish: calls}},
		{"behind its words", nil, say{text: "Let me look.", after: rejected("Let me look." + oslo)}, got{Text: "Let me look.", Calls: weather, Finish: calls}},
		{"behind words, alone", nil, say{text: "Let me look.", after: unparsed(13, oslo)}, got{Text: "Let me look.", Calls: weather, Finish: calls}},
		{"arguments that one tool takes", nil, say{refuse: nameless(`{"city": "Oslo",}`)}, got{Calls: []string{`weather {"city":"Oslo"}`}, Finish: calls}},

		{"words", nil, say{refuse: rejected("I can't do that.")}, got{Status: 400}},
		{"nothing", nil, say{refuse: rejected("")}, got{Status: 400}},
		{"a form that is cut", nil, say{refuse: rejected(`weather{"city": "Oslo"`)}, got{Status: 400}},
		{"a form with words before it", nil, say{refuse: rejected(`Say weather{"city": "Oslo"}</function>`)}, got{Status: 400}},
		{"a cut call", nil, say{refuse: rejected(broken)}, got{Status: 400}},
		{"a cut call behind a good one", nil, say{refuse: rejected(oslo + broken)}, got{Status: 400}},
		{"a value without its end", nil, say{refuse: rejected("<tool_call>\n<function=weather>\n<parameter=city>\nOslo")}, got{Status: 400}},
		{"a call that doesn't fit", nil, say{refuse: rejected(wrong)}, got{Status: 400}},
		{"an unknown tool", nil, say{refuse: rejected(unknown)}, got{Status: 400}},
		{"quoted", showing, say{refuse: rejected(oslo)}, got{Status: 400}},
		{"a quoted form", showing, say{refuse: rejected(`weather{"city": "Oslo"}</function>`)}, got{Status: 400}},
		{"quoted arguments", showing, say{refuse: nameless(`{"city": "Oslo"}`)}, got{Status: 500}},
		{"no call is allowed", choice(chat.Choice{Mode: chat.ChoiceNone}), say{refuse: rejected(oslo)}, got{Status: 400}},
		{"another tool is asked for", choice(chat.Choice{Mode: chat.ChoiceNamed, Name: "remove"}), say{refuse: rejected(oslo)}, got{Status: 400}},
		{"behind other words", nil, say{text: "Something else.", after: rejected("Let me look." + oslo)}, got{Text: "Something else.", Status: 400}},
		{"arguments that no tool takes", nil, say{refuse: nameless(`{"town": "Oslo"}`)}, got{Status: 500}},
		{"arguments that are cut", nil, say{refuse: nameless(`{"city": "Os`)}, got{Status: 500}},
	} {
		// A wrapper isn't asked once more: TestRejectedOutput has that.
		for mode, p := range map[string]profile.Profile{"native": {Tools: profile.Native, Wrapper: true}, "words": inWords} {
			t.Run(c.name+"/"+mode, func(t *testing.T) {
				q := request("What is the weather?")
				if c.edit != nil {
					c.edit(q)
				}
				if c.say.text != "" {
					q.Stream = true
				}
				g, rep := run(t, &turn.Runner{Key: []byte("k")}, p, &upstream{t: t, script: []say{c.say}}, q)
				if g.Code = ""; c.say.after != nil && mode == "native" {
					g.Status = c.want.Status // it stays an event there
				}
				if d := cmp.Diff(c.want, g); d != "" {
					t.Error(d)
				}
				if rep.Rescued != len(c.want.Calls) || strings.Contains(rep.String(), "rescued=") != (rep.Rescued > 0) {
					t.Errorf("%s", rep)
				}
				for i := range rep.Rescued {
					if o := rep.Calls[i]; o.How != turn.Repaired || !slices.Contains(o.Repairs, turn.RepairRescue) {
						t.Errorf("%+v", o)
					}
				}
			})
		}
	}
}

// TestRescueFindsNoName: where several tools take the arguments, or one that
// writes does, nobody knows which was meant.
func TestRescueFindsNoName(t *testing.T) {
	p := profile.Profile{Wrapper: true, Tools: profile.Native, Rules: []profile.ToolRule{{Tools: "remove", Effects: profile.Writes}}}
	for _, c := range []struct {
		name  string
		tools []chat.Tool
		p     profile.Profile
		args  string
		calls int
	}{
		{"one", []chat.Tool{tool("read", `"path":{"type":"string"}`, "path")}, p, `{"path":"a"}`, 1},
		{"two", []chat.Tool{tool("read", `"path":{"type":"string"}`, "path"), tool("list", `"path":{"type":"string"}`, "path")}, p, `{"path":"a"}`, 0},
		{"one that writes", []chat.Tool{tool("remove", `"path":{"type":"string"}`, "path")}, p, `{"path":"a"}`, 0},
		{"one that writes beside another", []chat.Tool{tool("read", `"path":{"type":"string"}`, "path"), tool("remove", `"path":{"type":"string"}`, "path")}, p, `{"path":"a"}`, 0},
		{"one that takes anything", []chat.Tool{{Name: "any", Kind: chat.ToolFunction, Schema: []byte(`{"type":"object"}`)}}, p, `{"path":"a"}`, 0},
		{"a field too many", []chat.Tool{tool("read", `"path":{"type":"string"}`, "path")}, p, `{"path":"a","where":"b"}`, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			q := request("Go on.")
			q.Tools = c.tools
			g, _ := run(t, &turn.Runner{Key: []byte("k")}, c.p, &upstream{t: t, script: []say{{refuse: nameless(c.args)}}}, q)
			if len(g.Calls) != c.calls {
				t.Errorf("%+v", g)
			}
		})
	}
}

// TestRescueComesFirst: what can be rescued isn't asked for again, by an
// upstream that may be asked twice as by one that may not.
func TestRescueComesFirst(t *testing.T) {
	f := rejected(oslo)
	f.Text = "m does not support tools"
	for _, p := range []profile.Profile{{}, {Wrapper: true}} {
		g, rep := run(t, &turn.Runner{Key: []byte("k")}, p, &upstream{t: t, script: []say{{refuse: f}}}, request("?"))
		if len(g.Calls) != 1 || len(rep.Healed) > 0 {
			t.Errorf("%+v %s", g, rep)
		}
	}
	f = &chat.Fault{Status: 400, Wire: &chat.Wire{Body: []byte(`{"error":{"message":"m does not support tools","failed_generation":""}}`)}}
	if g, _ := run(t, &turn.Runner{Key: []byte("k")}, profile.Profile{}, &upstream{t: t, script: []say{{refuse: f}, {text: oslo, finish: chat.FinishStop}}}, request("?")); len(g.Calls) != 1 {
		t.Errorf("a refusal without a call: %+v", g)
	}
}

// TestFieldLogRescue runs the log's errors that carry what the model wrote.
func TestFieldLogRescue(t *testing.T) {
	seen := 0
	for line := range cases.Lines(t, "fieldlog/cases.jsonl") {
		var c struct {
			ID    string
			Input struct {
				Status int
				Body   string
				Tools  []struct {
					Name       string
					Parameters json.RawMessage
				}
			}
			Expect struct {
				Outcome string
				Calls   []struct {
					Name      string
					Arguments json.RawMessage
				}
			}
		}
		if err := json.Unmarshal(line, &c); err != nil || c.Expect.Outcome != "rescued_from_error" {
			continue
		}
		seen++
		for _, p := range []profile.Profile{{}, inWords} {
			q := request("?")
			q.Tools = nil
			for _, tool := range c.Input.Tools {
				q.Tools = append(q.Tools, chat.Tool{Name: tool.Name, Kind: chat.ToolFunction, Schema: tool.Parameters})
			}
			f := &chat.Fault{Status: c.Input.Status, Wire: &chat.Wire{Body: []byte(c.Input.Body)}}
			g, _ := run(t, &turn.Runner{Key: []byte("k")}, p, &upstream{t: t, script: []say{{refuse: f}}}, q)
			if len(g.Calls) != len(c.Expect.Calls) || g.Finish != chat.FinishCalls {
				t.Fatalf("%s: %+v", c.ID, g)
			}
			for i, want := range c.Expect.Calls {
				name, args, _ := strings.Cut(g.Calls[i], " ")
				if name != want.Name || !rawjson.Same([]byte(args), want.Arguments) {
					t.Errorf("%s: call %d is %s", c.ID, i, g.Calls[i])
				}
			}
		}
	}
	if seen < 2 {
		t.Errorf("%d cases", seen)
	}
}
