package turn_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/turn"
)

// TestCallsInThinking: thinking that an endpoint tells apart from the answer
// holds a call only where that ends the reply, unless the profile says otherwise.
func TestCallsInThinking(t *testing.T) {
	think := func(s string) chat.Event { return chat.Event{Kind: chat.EventReasoning, Text: s} }
	word := func(s string) chat.Event { return chat.Event{Kind: chat.EventText, Text: s} }
	end := func(f chat.Finish) chat.Event { return chat.Event{Kind: chat.EventFinish, Finish: f} }
	stop := end(chat.FinishStop)
	weather := []string{`weather {"city": "Oslo"}`}
	last, ends, never := profile.ThinkingLast, profile.ThinkingEnds, profile.ThinkingNever
	const kimi = "<|tool_calls_section_begin|><|tool_call_begin|>functions.weather:0<|tool_call_argument_begin|>{\"city\": \"Oslo\"}<|tool_call_end|><|tool_calls_section_end|>"
	for _, c := range []struct {
		name    string
		as      []profile.Thinking
		answer  []chat.Event
		thought string
		want    got
	}{
		{"it ends the reply", []profile.Thinking{"", last, ends}, []chat.Event{think("Look it up. "), think(oslo), stop}, "Look it up. ", got{Calls: weather, Finish: chat.FinishCalls}},
		{"in the model's own syntax", []profile.Thinking{"", ends}, []chat.Event{think("Look it up." + kimi), stop}, "Look it up.", got{Calls: weather, Finish: chat.FinishCalls}},
		{"blank space behind it", []profile.Thinking{""}, []chat.Event{think(oslo + "\n"), word("\n"), stop}, "", got{Text: "\n", Calls: weather, Finish: chat.FinishCalls}},
		{"an answer behind it", []profile.Thinking{"", last}, []chat.Event{think("Perhaps " + oslo), word("It rains."), stop}, "Perhaps " + oslo, got{Text: "It rains.", Finish: chat.FinishStop}},
		{"more thinking behind it", []profile.Thinking{"", last}, []chat.Event{think("Perhaps " + oslo + " or not."), stop}, "Perhaps " + oslo + " or not.", got{Finish: chat.FinishStop}},
		{"another call behind it", []profile.Thinking{""}, []chat.Event{think("Perhaps " + oslo), word(rome), stop}, "Perhaps " + oslo, got{Calls: []string{`weather {"city": "Rome"}`}, Finish: chat.FinishCalls}},
		{"a cut reply", []profile.Thinking{"", last}, []chat.Event{think("Perhaps " + oslo), end(chat.FinishLength)}, "Perhaps " + oslo, got{Finish: chat.FinishLength}},
		{"an answer behind one that ends thinking", []profile.Thinking{ends}, []chat.Event{think("Look it up. " + oslo), word("Done."), stop}, "Look it up. ", got{Text: "Done.", Calls: weather, Finish: chat.FinishCalls}},
		{"bare, and an answer behind it", []profile.Thinking{last, ends}, []chat.Event{think("Perhaps\n" + bareOslo), word("It rains."), stop}, "Perhaps\n" + bareOslo, got{Text: "It rains.", Finish: chat.FinishStop}},
		{"none is inside", []profile.Thinking{never}, []chat.Event{think("Look it up. " + oslo), stop}, "Look it up. " + oslo, got{Finish: chat.FinishStop}},
		{"thinking alone", []profile.Thinking{"", never}, []chat.Event{think("Hm. <tool"), think("box>"), word("Hi."), stop}, "Hm. <toolbox>", got{Text: "Hi.", Finish: chat.FinishStop}},
	} {
		for _, as := range c.as {
			t.Run(c.name+"/"+string(as), func(t *testing.T) {
				for _, piece := range []int{1 << 20, 1} {
					s := texts()
					for _, e := range c.answer {
						rest := e.Text
						for n := piece; len(rest) > n; rest = rest[n:] {
							s.fs = append(s.fs, chat.Frame{Events: []chat.Event{{Kind: e.Kind, Text: rest[:n]}}})
						}
						e.Text = rest
						s.fs = append(s.fs, chat.Frame{Events: []chat.Event{e}})
					}
					p := profile.Profile{Tools: profile.Emulated, Syntax: "hermes", ThinkingCalls: as}
					u := &replies{reply: func(int) (chat.Stream, error) { s.cut = false; return s, nil }}
					var g got
					thought := ""
					_, err := (&turn.Runner{Key: []byte("k")}).Run(t.Context(), turn.Target{Upstream: u, Profile: p, Model: "m"}, request("?"), func(f chat.Frame) error {
						for _, e := range f.Events {
							switch e.Kind {
							case chat.EventText:
								g.Text += e.Text
							case chat.EventReasoning:
								thought += e.Text
							case chat.EventCallEnd:
								g.Calls = append(g.Calls, e.Call.Name+" "+string(e.Call.Args))
							case chat.EventFinish:
								g.Finish = e.Finish
							}
						}
						return nil
					})
					if err != nil || u.n != 1 {
						t.Fatalf("%v, %d requests", err, u.n)
					}
					if d := cmp.Diff(c.want, g); d != "" || strings.TrimRight(thought, " \n") != strings.TrimRight(c.thought, " \n") {
						t.Errorf("in pieces of %d: %s\nthought %q", piece, d, thought)
					}
				}
			})
		}
	}
}

// TestQuotedInThinking: what a model only repeats in its thinking is thinking.
func TestQuotedInThinking(t *testing.T) {
	s := texts(chat.Event{Kind: chat.EventReasoning, Text: "It says " + oslo}, chat.Event{Kind: chat.EventFinish, Finish: chat.FinishStop})
	s.cut = false
	u := &replies{reply: func(int) (chat.Stream, error) { return s, nil }}
	rep, err := (&turn.Runner{Key: []byte("k")}).Run(t.Context(), turn.Target{Upstream: u, Profile: inWords, Model: "m"}, showing("What is this?\n"+oslo), func(f chat.Frame) error {
		for _, e := range f.Events {
			if e.Kind == chat.EventCallEnd {
				t.Errorf("%+v", e.Call)
			}
		}
		return nil
	})
	if err != nil || rep.Quoted != 1 {
		t.Errorf("%v %s", err, rep)
	}
}

// The template of some models opens their thinking: their text begins in it.
func TestOpenedThinking(t *testing.T) {
	opened := true
	think := func(s string) chat.Event { return chat.Event{Kind: chat.EventReasoning, Text: s} }
	word := func(s string) chat.Event { return chat.Event{Kind: chat.EventText, Text: s} }
	stop := chat.Event{Kind: chat.EventFinish, Finish: chat.FinishStop}
	for _, c := range []struct {
		name          string
		opened        *bool
		answer        []chat.Event
		thought, text string
		calls         int
	}{
		{"words behind it", &opened, []chat.Event{word("They greet me.</think>\n\nHello."), stop}, "They greet me.", "\n\nHello.", 0},
		{"a call behind it", &opened, []chat.Event{word("Look it up.</think>\n\n" + oslo), stop}, "Look it up.", "", 1},
		{"a draft in it", &opened, []chat.Event{word("Perhaps " + oslo + " or not.</think>It rains."), stop}, "Perhaps " + oslo + " or not.", "It rains.", 0},
		{"told apart by the endpoint", &opened, []chat.Event{think("They greet me."), word("Hello."), stop}, "They greet me.", "Hello.", 0},
		{"not opened", nil, []chat.Event{word("Hello."), stop}, "", "Hello.", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, piece := range []int{1 << 20, 5} {
				s := texts()
				for _, e := range c.answer {
					rest := e.Text
					for n := piece; len(rest) > n; rest = rest[n:] {
						s.fs = append(s.fs, chat.Frame{Events: []chat.Event{{Kind: e.Kind, Text: rest[:n]}}})
					}
					e.Text = rest
					s.fs = append(s.fs, chat.Frame{Events: []chat.Event{e}})
				}
				u := &replies{reply: func(int) (chat.Stream, error) { s.cut = false; return s, nil }}
				var thought, text string
				calls := 0
				p := profile.Profile{Tools: profile.Emulated, Syntax: "hermes", Opened: c.opened}
				_, err := (&turn.Runner{Key: []byte("k")}).Run(t.Context(), turn.Target{Upstream: u, Profile: p, Model: "m"}, request("?"), func(f chat.Frame) error {
					for _, e := range f.Events {
						switch e.Kind {
						case chat.EventText:
							text += e.Text
						case chat.EventReasoning:
							thought += e.Text
						case chat.EventCallEnd:
							calls++
						}
					}
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				if strings.TrimRight(thought, "\n") != c.thought || text != c.text || calls != c.calls {
					t.Errorf("in pieces of %d: thought %q, said %q, %d calls", piece, thought, text, calls)
				}
			}
		})
	}
}
