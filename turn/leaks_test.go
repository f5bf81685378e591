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
		{"bare", native, "?", say{text: `{"name": "weather", "arguments": {"city": "Oslo"}}`, finish: chat.FinishStop}, got{Text: `{"name": "weather", "arguments": {"city": "Oslo"}}`, Finish: chat.FinishStop}, ""},
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
