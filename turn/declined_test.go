package turn_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/turn"
)

// refusals are answers that refuse to play.
var refusals = []string{
	"I can't execute external instructions.",
	"I can’t execute external instructions embedded in a message. What would you like to know?",
	"I'm sorry, but I cannot run tools or functions in this environment.",
	"Sorry, but I don't have access to any external tools, so I can't look up the weather.",
	"Unfortunately, I am unable to call functions here.",
	"As an AI language model, I do not have access to such tools.",
	"**I can't follow the embedded instructions** in your message.",
	"I don't have tools to check that.",
	"No tools are available to me.",
	"I'm not able to make tool calls.",
	"I don't see any of these tools.",
}

// ordinary are answers that only begin like them.
var ordinary = []string{
	"I can't find Oslo on the list.",
	"I can't run this test without a fixture.",
	"I can't call the function you named: it takes two arguments.",
	"I don't have access to your calendar.",
	"I don't have the figures for today.",
	"I cannot follow your argument there.",
	"I can't use toolset files.",
	"No tools were changed by the commit.",
	"Unfortunately, the weather is bad.",
	"I can",
	"The tools are in the shed.",
}

func TestRefusesToPlay(t *testing.T) {
	stop := chat.FinishStop
	dropped := profile.Profile{Tools: profile.Emulated, Syntax: "hermes", System: profile.Dropped}
	for _, text := range refusals {
		u := &upstream{t: t, script: []say{{text: text, finish: stop}, {text: "Well. " + oslo, finish: stop}}}
		g, rep := run(t, &turn.Runner{Key: []byte("k")}, dropped, u, request("What is the weather?"))
		if d := cmp.Diff(got{Calls: []string{`weather {"city": "Oslo"}`}, Finish: chat.FinishCalls}, g); d != "" || rep.Retries != 1 {
			t.Errorf("%q: %s %s", text, d, rep)
		}
	}
	for _, text := range ordinary {
		u := &upstream{t: t, script: []say{{text: text, finish: stop}}}
		if g, _ := run(t, &turn.Runner{Key: []byte("k")}, dropped, u, request("What is the weather?")); g.Text != text || g.Finish != stop {
			t.Errorf("%q: %+v", text, g)
		}
	}
}

func TestRefusesToPlayAndThen(t *testing.T) {
	stop, no := chat.FinishStop, refusals[0]
	dropped := profile.Profile{Tools: profile.Emulated, Syntax: "hermes", System: profile.Dropped}
	wrapper := dropped
	wrapper.Wrapper = true
	forced := choice(chat.Choice{Mode: chat.ChoiceRequired})
	long := no + strings.Repeat(" It isn't possible.", 30)
	for _, c := range []struct {
		name   string
		p      profile.Profile
		edit   func(*chat.Request)
		script []say
		want   got
	}{
		{"words", dropped, nil, []say{{text: no, finish: stop}, {text: "It rains.", finish: stop}}, got{Text: "It rains.", Finish: stop}},
		{"the same again", dropped, nil, []say{{text: no, finish: stop}, {text: no, finish: stop}}, got{Text: no, Finish: stop}},
		{"nothing", dropped, nil, []say{{text: no, finish: stop}, {finish: stop}}, got{Text: no, Finish: stop}},
		{"an error", dropped, nil, []say{{text: no, finish: stop}, {refuse: &chat.Fault{Status: 500}}}, got{Text: no, Finish: stop}},
		{"a cut", dropped, nil, []say{{text: no, finish: stop}, {text: "It"}}, got{Text: no, Finish: stop}},
		{"a bad call", dropped, nil, []say{{text: no, finish: stop}, {text: wrong, finish: stop}}, got{Code: turn.CodeToolCallInvalid, Status: 422}},
		{"a call was due", inWords, forced, []say{{text: no, finish: stop}, {text: oslo, finish: stop}}, got{Calls: []string{`weather {"city": "Oslo"}`}, Finish: chat.FinishCalls}},
		{"a call was due and none comes", inWords, forced, []say{{text: no, finish: stop}, {text: no, finish: stop}}, got{Code: turn.CodeToolCallInvalid, Status: 422}},

		{"a wrapper is asked once", wrapper, nil, []say{{text: no, finish: stop}}, got{Text: no, Finish: stop}},
		{"system prompts are honoured", inWords, nil, []say{{text: no, finish: stop}}, got{Text: no, Finish: stop}},
		{"no call is allowed", dropped, choice(chat.Choice{Mode: chat.ChoiceNone}), []say{{text: no, finish: stop}}, got{Text: no, Finish: stop}},
		{"a long answer", dropped, nil, []say{{text: long, finish: stop}}, got{Text: long, Finish: stop}},
		{"not at the start", dropped, nil, []say{{text: "It rains. " + no, finish: stop}}, got{Text: "It rains. " + no, Finish: stop}},
		{"a cut answer", dropped, nil, []say{{text: no, finish: chat.FinishLength}}, got{Text: no, Finish: chat.FinishLength}},
		{"with a call", dropped, nil, []say{{text: no + "\n" + oslo, finish: stop}}, got{Text: no, Calls: []string{`weather {"city": "Oslo"}`}, Finish: chat.FinishCalls}},
	} {
		t.Run(c.name, func(t *testing.T) {
			q := request("What is the weather?")
			if c.edit != nil {
				c.edit(q)
			}
			g, _ := run(t, &turn.Runner{Key: []byte("k")}, c.p, &upstream{t: t, script: c.script}, q)
			if d := cmp.Diff(c.want, g); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestOrdinaryWordsDontWait: what doesn't begin like a refusal to play goes out
// as it comes, and so does one that turns out not to be.
func TestOrdinaryWordsDontWait(t *testing.T) {
	p := profile.Profile{Tools: profile.Emulated, Syntax: "hermes", System: profile.Dropped}
	for text, first := range map[string]string{
		"The weather is fine today, and so it will be tomorrow.": "The",
		"I can't find a city of that name in the whole list.":    "I can't",
	} {
		u := &upstream{t: t, script: []say{{text: text, finish: chat.FinishStop}}}
		var pieces []string
		_, err := (&turn.Runner{Key: []byte("k")}).Run(t.Context(), turn.Target{Upstream: u, Profile: p, Model: "m"}, request("?"), func(f chat.Frame) error {
			for _, e := range f.Events {
				if e.Kind == chat.EventText {
					pieces = append(pieces, e.Text)
				}
			}
			return nil
		})
		if err != nil || len(pieces) < 3 || !strings.HasPrefix(pieces[0], first) || len(pieces[0]) > len(first)+8 || strings.Join(pieces, "") != text {
			t.Errorf("%q, %v", pieces, err)
		}
	}
}

// TestPlainerText: what is asked the second time, and that it doesn't show the
// refusal again.
func TestPlainerText(t *testing.T) {
	plainer, err := os.ReadFile("plainer.md")
	if err != nil {
		t.Fatal(err)
	}
	p := profile.Profile{Tools: profile.Emulated, System: profile.Dropped}
	u := &upstream{t: t, script: []say{{text: refusals[0], finish: chat.FinishStop}, {text: "Hm.", finish: chat.FinishStop}}}
	run(t, &turn.Runner{Key: []byte("k")}, p, u, request("What is the weather?"))
	text := printed(u.got[1])
	if !strings.Contains(text, strings.TrimSpace(string(plainer))) || strings.Contains(text, refusals[0]) {
		t.Error(text)
	}
	for _, word := range []string{"tool", "function", "call"} {
		if strings.Contains(strings.ToLower(string(plainer)), word) {
			t.Errorf("the text says %q, which is what was refused", word)
		}
	}
}
