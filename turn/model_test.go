package turn_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/turn"
)

// described is a request with a tool that is described at length.
func described() *chat.Request {
	q := request("?")
	q.Tools[0].Description = "Tells the weather. Of any place. With the wind."
	q.Tools[0].Schema = []byte(`{"type":"object","properties":{"city":{"type":"string","description":"Where. Of any size.","minLength":2}},"required":["city"]}`)
	return q
}

// TestDescriptions: the model is told as much of the tools as the profile has
// it, and called on all that the client said.
func TestDescriptions(t *testing.T) {
	native := func(args string) say {
		return say{calls: []chat.Call{{ID: "a", Name: "weather", Args: []byte(args)}}, finish: chat.FinishCalls}
	}
	for _, c := range []struct {
		as        profile.Descriptions
		level     string
		said, not string
	}{
		{"", "", "With the wind.", ""},
		{profile.DescribeFull, "", "With the wind.", ""},
		{profile.DescribeShort, "short", "Tells the weather.", "Of any"},
		{profile.DescribeTerse, "names", `"city"`, "Tells"},
	} {
		for _, mode := range []profile.Mode{profile.Native, profile.Emulated} {
			t.Run(string(c.as)+"/"+string(mode), func(t *testing.T) {
				u := &upstream{t: t, script: []say{{text: oslo, finish: chat.FinishStop}}}
				if mode == profile.Native {
					u.script = []say{native(`{"city":"Oslo"}`)}
				}
				q := described()
				g, rep := run(t, &turn.Runner{Key: []byte("k")}, profile.Profile{Tools: mode, Syntax: "hermes", Descriptions: c.as}, u, q)
				if len(g.Calls) != 1 {
					t.Fatalf("%+v", g)
				}
				told := toldOf(u.got[0])
				if mode == profile.Native {
					told = u.got[0].Tools[0].Description + string(u.got[0].Tools[0].Schema)
				}
				if !strings.Contains(told, c.said) || c.not != "" && strings.Contains(told, c.not) {
					t.Errorf("it was told %s", told)
				}
				if level := rep.Level; level != c.level && !(level == "full" && c.level == "") {
					t.Errorf("level %q, want %q", level, c.level)
				}
				if d := cmp.Diff(described().Tools, q.Tools); d != "" {
					t.Error("the client's tools were changed: ", d)
				}
			})
		}
	}
	// What the model wasn't told of is checked all the same.
	u := &upstream{t: t, script: []say{native(`{"city":"O"}`), native(`{"city":"Oslo"}`)}}
	g, _ := run(t, new(turn.Runner), profile.Profile{Tools: profile.Native, Descriptions: profile.DescribeTerse}, u, described())
	if d := cmp.Diff([]string{`weather {"city":"Oslo"}`}, g.Calls); d != "" || len(u.got) != 2 {
		t.Errorf("%d requests, %s", len(u.got), d)
	}
}

// TestStreamedArguments: calls leave as they come where the profile has it so,
// good or bad; else once all are known to be good.
func TestStreamedArguments(t *testing.T) {
	bad := say{text: "Look.", calls: []chat.Call{{ID: "a", Name: "weather", Args: []byte(`{"city":1`)}}, finish: chat.FinishCalls}
	for _, as := range []profile.Arguments{"", profile.ArgumentsHeld, profile.ArgumentsStreamed} {
		u := &upstream{t: t, script: []say{bad, {calls: []chat.Call{{ID: "b", Name: "weather", Args: []byte(`{"city":"Oslo"}`)}}, finish: chat.FinishCalls}}}
		var order []chat.Kind
		_, err := new(turn.Runner).Run(t.Context(), turn.Target{Provider: "p", Model: "up", Upstream: u, Profile: profile.Profile{Tools: profile.Native, Arguments: as}}, request("?"), func(f chat.Frame) error {
			for _, e := range f.Events {
				if e.Kind == chat.EventCallStart && as == profile.ArgumentsStreamed && len(u.got) != 1 {
					t.Error("the call left after a second request")
				}
				order = append(order, e.Kind)
				if e.Kind == chat.EventCallEnd && as == profile.ArgumentsStreamed && string(e.Call.Args) != `{"city":1` {
					t.Errorf("%s was changed", e.Call.Args)
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		want := 2
		if as == profile.ArgumentsStreamed {
			want = 1
		}
		if len(u.got) != want || len(order) < 3 {
			t.Errorf("%s: %d requests, %v", as, len(u.got), order)
		}
	}
}

// TestRepairsOff: what is switched off isn't made, in any mode.
func TestRepairsOff(t *testing.T) {
	for _, off := range []bool{false, true} {
		p := profile.Profile{Tools: profile.Native}
		if off {
			p.Repairs = map[string]bool{"unwrap_list": false, "wrap_in_list": true}
		}
		number := say{calls: []chat.Call{{ID: "a", Name: "weather", Args: []byte(`{"city":["Oslo"]}`)}}, finish: chat.FinishCalls}
		u := &upstream{t: t, script: []say{number}}
		if off {
			u.script = append(u.script, say{calls: []chat.Call{{ID: "b", Name: "weather", Args: []byte(`{"city":"Rome"}`)}}, finish: chat.FinishCalls})
		}
		g, _ := run(t, new(turn.Runner), p, u, request("?"))
		want := `weather {"city":"Oslo"}`
		if off {
			want = `weather {"city":"Rome"}`
		}
		if len(g.Calls) != 1 || g.Calls[0] != want {
			t.Errorf("off %v: %+v", off, g)
		}
	}
}

// TestOwnReasoningTags: what stands between a model's own tags is thinking, and
// a call in it a draft; without them they are words.
func TestOwnReasoningTags(t *testing.T) {
	answer := "<thought>\nI could call.\n" + oslo + "\nNo, Rome.\n</thought>\n" + rome
	for _, tags := range [][]string{nil, {"<thought>", "</thought>"}} {
		var text, thought strings.Builder
		var calls []string
		u := &upstream{t: t, script: []say{{text: answer, finish: chat.FinishStop}}}
		_, err := (&turn.Runner{Key: []byte("k")}).Run(t.Context(), turn.Target{Provider: "p", Model: "up", Upstream: u, Profile: profile.Profile{Tools: profile.Emulated, Syntax: "hermes", Tags: tags}}, request("?"), func(f chat.Frame) error {
			for _, e := range f.Events {
				switch e.Kind {
				case chat.EventText:
					text.WriteString(e.Text)
				case chat.EventReasoning:
					thought.WriteString(e.Text)
				case chat.EventCallEnd:
					calls = append(calls, string(e.Call.Args))
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if own := tags != nil; own != strings.Contains(thought.String(), "I could call.") || own == strings.Contains(text.String(), "I could call.") {
			t.Errorf("%q: text %q, thinking %q", tags, &text, &thought)
		}
		if tags != nil && len(calls) != 1 {
			t.Errorf("%q: %q", tags, calls)
		}
	}
}

// TestWorkedExample: the contract shows a call to a tool of the request where
// that was asked for, and a model that only repeats it hasn't called.
func TestWorkedExample(t *testing.T) {
	yes := true
	p := inWords
	p.Syntax, p.Examples = "hermes", &yes
	u := &upstream{t: t, script: []say{{text: oslo, finish: chat.FinishStop}}}
	if _, rep := run(t, &turn.Runner{Key: []byte("k")}, p, u, described()); rep.Requests != 1 {
		t.Fatalf("%+v", rep)
	}
	told := toldOf(u.got[0])
	_, worked, found := strings.Cut(told, "A call of weather, with your own values")
	_, worked, _ = strings.Cut(worked, "\n")
	worked, _, _ = strings.Cut(worked, "\nSeveral calls")
	if !found || !strings.Contains(worked, `"name": "weather"`) {
		t.Fatalf("the contract is %s", told)
	}
	u = &upstream{t: t, script: []say{{text: worked, finish: chat.FinishStop}, {text: oslo, finish: chat.FinishStop}}}
	g, rep := run(t, &turn.Runner{Key: []byte("k")}, p, u, described())
	if d := cmp.Diff([]string{`weather {"city": "Oslo"}`}, g.Calls); d != "" || rep.Requests != 2 {
		t.Errorf("%d requests: %s", rep.Requests, d)
	}
	p.Examples = nil
	u = &upstream{t: t, script: []say{{text: oslo, finish: chat.FinishStop}}}
	run(t, &turn.Runner{Key: []byte("k")}, p, u, described())
	if strings.Contains(toldOf(u.got[0]), "A call of weather") {
		t.Error("an example nobody asked for")
	}
}
