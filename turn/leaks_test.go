package turn_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/turn"
)

// TestLeakedCalls: a call that a native endpoint left in its text becomes one,
// and whatever may be text stays text.
func TestLeakedCalls(t *testing.T) {
	native := profile.Profile{Tools: profile.Native}
	const args = `weather {"city": "Oslo"}`
	for _, c := range []struct {
		name   string
		p      profile.Profile
		user   string
		answer say
		want   got
		how    string
	}{
		{"alone", native, "?", say{text: oslo, finish: chat.FinishStop}, got{Calls: []string{args}, Finish: chat.FinishCalls}, "repaired"},
		{"behind words", native, "?", say{text: "I look.\n" + oslo, finish: chat.FinishStop}, got{Text: "I look.", Calls: []string{args}, Finish: chat.FinishCalls}, "repaired"},
		{"between words", native, "?", say{text: "a " + oslo + " b", finish: chat.FinishStop}, got{Text: "a  b", Calls: []string{args}, Finish: chat.FinishCalls}, "repaired"},
		{"two", native, "?", say{text: oslo + "\n" + rome, finish: chat.FinishStop}, got{Calls: []string{args, `weather {"city": "Rome"}`}, Finish: chat.FinishCalls}, "repaired"},
		{"beside a native one", native, "?", say{text: oslo, calls: []chat.Call{{ID: "a", Name: "weather", Args: []byte(`{"city":"Rome"}`)}}, finish: chat.FinishCalls}, got{Calls: []string{`weather {"city":"Rome"}`, args}, Finish: chat.FinishCalls}, ""},
		{"the end token behind it", native, "?", say{text: oslo + "<|im_end|>", finish: chat.FinishStop}, got{Calls: []string{args}, Finish: chat.FinishCalls}, "repaired"},

		{"switched off", profile.Profile{Tools: profile.Native, Leaks: profile.LeaksOff}, "?", say{text: oslo, finish: chat.FinishStop}, got{Text: oslo, Finish: chat.FinishStop}, ""},
		{"to no tool", native, "?", say{text: unknown, finish: chat.FinishStop}, got{Text: unknown, Finish: chat.FinishStop}, ""},
		{"in a fence", native, "?", say{text: "So:\n```\n" + oslo + "\n```\n", finish: chat.FinishStop}, got{Text: "So:\n```\n" + oslo + "\n```\n", Finish: chat.FinishStop}, ""},
		{"in inline code", native, "?", say{text: "Write `" + oslo + "`.", finish: chat.FinishStop}, got{Text: "Write `" + oslo + "`.", Finish: chat.FinishStop}, ""},
		{"bare", native, "?", say{text: "\n" + bareOslo + "\n", finish: chat.FinishStop}, got{Calls: []string{args}, Finish: chat.FinishCalls}, "repaired"},
		{"bare, in a list", native, "?", say{text: "[" + bareOslo + "]", finish: chat.FinishStop}, got{Calls: []string{args}, Finish: chat.FinishCalls}, "repaired"},
		{"bare, behind words", native, "?", say{text: "So:\n" + bareOslo, finish: chat.FinishStop}, got{Text: "So:\n" + bareOslo, Finish: chat.FinishStop}, ""},
		{"bare, words behind it", native, "?", say{text: bareOslo + "\nThat is the call.", finish: chat.FinishStop}, got{Text: bareOslo + "\nThat is the call.", Finish: chat.FinishStop}, ""},
		{"bare, to no tool", native, "?", say{text: `{"name": "wether", "arguments": {}}`, finish: chat.FinishStop}, got{Text: `{"name": "wether", "arguments": {}}`, Finish: chat.FinishStop}, ""},
		{"bare, shown before", native, "What is " + bareOslo + "?", say{text: bareOslo, finish: chat.FinishStop}, got{Text: bareOslo, Finish: chat.FinishStop}, "quoted"},
		{"bare, in a fence", native, "?", say{text: "```json\n" + bareOslo + "\n```", finish: chat.FinishStop}, got{Text: "```json\n" + bareOslo + "\n```", Finish: chat.FinishStop}, ""},
		{"bare, cut", native, "?", say{text: bareOslo, finish: chat.FinishLength}, got{Text: bareOslo, Finish: chat.FinishLength}, ""},
		{"other JSON", native, "?", say{text: `{"name": "Oslo", "people": 700000}`, finish: chat.FinishStop}, got{Text: `{"name": "Oslo", "people": 700000}`, Finish: chat.FinishStop}, ""},
		{"broken", native, "?", say{text: "<tool_call>weather in Oslo</tool_call>", finish: chat.FinishStop}, got{Text: "<tool_call>weather in Oslo</tool_call>", Finish: chat.FinishStop}, ""},
		{"cut", native, "?", say{text: oslo[:40], finish: chat.FinishLength}, got{Text: oslo[:40], Finish: chat.FinishLength}, ""},
		{"whole, but the answer was cut", native, "?", say{text: oslo + " and", finish: chat.FinishLength}, got{Text: oslo + " and", Finish: chat.FinishLength}, ""},
		{"shown before", native, "What does this do? " + oslo, say{text: oslo, finish: chat.FinishStop}, got{Text: oslo, Finish: chat.FinishStop}, "quoted"},
		{"only an opener", native, "?", say{text: "The tag <tool_call> opens it.", finish: chat.FinishStop}, got{Text: "The tag <tool_call> opens it.", Finish: chat.FinishStop}, ""},
		{"blank at the end", native, "?", say{text: "Hi. \n\n", finish: chat.FinishStop}, got{Text: "Hi. \n\n", Finish: chat.FinishStop}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, rep := run(t, new(turn.Runner), c.p, &upstream{t: t, script: []say{c.answer}}, request(c.user))
			if diff := cmp.Diff(c.want, g); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if c.how != "" && (len(rep.Calls) == 0 || rep.Calls[0].How != c.how) {
				t.Errorf("%+v, want %s", rep.Calls, c.how)
			}
		})
	}
}

// TestLeakedCallThatDoesNotFit: the model is asked once more; else the client
// gets its words.
func TestLeakedCallThatDoesNotFit(t *testing.T) {
	native := profile.Profile{Tools: profile.Native}
	good := say{calls: []chat.Call{{ID: "b", Name: "weather", Args: []byte(`{"city":"Oslo"}`)}}, finish: chat.FinishCalls}
	g, _ := run(t, new(turn.Runner), native, &upstream{t: t, script: []say{{text: "So: " + wrong, finish: chat.FinishStop}, good}}, request("?"))
	if len(g.Calls) != 1 || g.Text != "So: " || g.Finish != chat.FinishCalls {
		t.Errorf("%+v", g)
	}
	g, _ = run(t, new(turn.Runner), native, &upstream{t: t, script: []say{{text: "So: " + wrong, finish: chat.FinishStop}, {finish: chat.FinishStop}}}, request("?"))
	if len(g.Calls) != 0 || g.Text != "So: "+wrong || g.Finish != chat.FinishStop {
		t.Errorf("%+v", g)
	}
}

// TestWordsThatAreTooLongForACall: they go out as words.
func TestWordsThatAreTooLongForACall(t *testing.T) {
	text := "<tool_call>{" + strings.Repeat("x", 4000)
	g, _ := run(t, &turn.Runner{Limits: turn.Limits{HeldBytes: 1000}}, profile.Profile{Tools: profile.Native},
		&upstream{t: t, script: []say{{text: text, finish: chat.FinishStop}}}, request("?"))
	if g.Text != text || g.Code != "" {
		t.Errorf("%.60q %s", g.Text, g.Code)
	}
}

// TestJSONThatWasAskedFor: who asks for JSON gets it, although it looks like a call.
func TestJSONThatWasAskedFor(t *testing.T) {
	native := profile.Profile{Tools: profile.Native}
	q := request("?")
	q.Format = &chat.Format{}
	g, _ := run(t, new(turn.Runner), native, &upstream{t: t, script: []say{{text: bareOslo, finish: chat.FinishStop}}}, q)
	if len(g.Calls) != 0 || g.Text != bareOslo {
		t.Errorf("%+v", g)
	}
}

// TestCallsLeakedIntoThinking: a call in thinking that a native endpoint tells
// apart is one where it ends the reply; else the thinking goes out as it came.
func TestCallsLeakedIntoThinking(t *testing.T) {
	think := func(s string) chat.Event { return chat.Event{Kind: chat.EventReasoning, Text: s} }
	word := func(s string) chat.Event { return chat.Event{Kind: chat.EventText, Text: s} }
	end := func(f chat.Finish) chat.Event { return chat.Event{Kind: chat.EventFinish, Finish: f} }
	stop := end(chat.FinishStop)
	oslos := []string{`weather {"city": "Oslo"}`}
	called := chat.Event{Kind: chat.EventCallEnd, Call: chat.Call{ID: "a", Name: "weather", Args: []byte(`{"city":"Rome"}`)}}
	for _, c := range []struct {
		name    string
		as      profile.Thinking
		answer  []chat.Event
		thought string
		want    got
	}{
		{"it ends the reply", "", []chat.Event{think("Look it up.\n" + oslo), stop}, "Look it up.", got{Calls: oslos, Finish: chat.FinishCalls}},
		{"blank space behind it", "", []chat.Event{think("Look it up.\n" + oslo + "\n"), word("\n"), stop}, "Look it up.", got{Text: "\n", Calls: oslos, Finish: chat.FinishCalls}},
		{"an answer behind it", "", []chat.Event{think("Perhaps " + oslo), word("It rains."), stop}, "Perhaps " + oslo, got{Text: "It rains.", Finish: chat.FinishStop}},
		{"more thinking behind it", "", []chat.Event{think("Perhaps " + oslo), think(" or not."), stop}, "Perhaps " + oslo + " or not.", got{Finish: chat.FinishStop}},
		{"a native call behind it", "", []chat.Event{think("Perhaps " + oslo), called, end(chat.FinishCalls)}, "Perhaps " + oslo, got{Calls: []string{`weather {"city":"Rome"}`}, Finish: chat.FinishCalls}},
		{"a call in the answer behind it", "", []chat.Event{think("Perhaps " + oslo), word(rome), stop}, "Perhaps " + oslo, got{Calls: []string{`weather {"city": "Rome"}`}, Finish: chat.FinishCalls}},
		{"a cut reply", "", []chat.Event{think("Perhaps " + oslo), end(chat.FinishLength)}, "Perhaps " + oslo, got{Finish: chat.FinishLength}},
		{"none is inside", profile.ThinkingNever, []chat.Event{think("Perhaps " + oslo), stop}, "Perhaps " + oslo, got{Finish: chat.FinishStop}},
		{"bare", "", []chat.Event{think(bareOslo), stop}, bareOslo, got{Finish: chat.FinishStop}},
		{"an opener alone", "", []chat.Event{think("A <tool"), think("_call> opens it."), word("Hi."), stop}, "A <tool_call> opens it.", got{Text: "Hi.", Finish: chat.FinishStop}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, piece := range []int{1 << 20, 3} {
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
				var g got
				thought := ""
				p := profile.Profile{Tools: profile.Native, ThinkingCalls: c.as}
				_, err := new(turn.Runner).Run(t.Context(), turn.Target{Upstream: u, Profile: p, Model: "m"}, request("?"), func(f chat.Frame) error {
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
				if d := cmp.Diff(c.want, g); d != "" || strings.TrimRight(thought, "\n") != c.thought {
					t.Errorf("in pieces of %d: %s\nthought %q", piece, d, thought)
				}
			}
		})
	}
}
