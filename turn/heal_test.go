package turn_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/turn"
)

// odd is a request with a schema that some providers refuse.
func odd() *chat.Request {
	q := request("?")
	q.Tools[0].Schema = []byte(`{"type":"object","properties":{"city":{"type":["string","null"],"pattern":"^\\w+$"}},"required":["city"],"$defs":{}}`)
	return q
}

// otherwise is a request with other tools.
func otherwise() *chat.Request {
	q := odd()
	q.Tools = q.Tools[:1]
	q.Tools[0].Name = "climate"
	return q
}

func refusing(text string) *chat.Fault { return &chat.Fault{Status: 400, Text: text} }

// TestSchemaRefused: a refused schema goes again in a dialect, then in words;
// what was found out holds for these tools, until other ones met the same.
func TestSchemaRefused(t *testing.T) {
	const refused = `Invalid schema for function 'weather': In context=('properties', 'city'), array schema missing items.`
	native := say{calls: []chat.Call{{ID: "a", Name: "weather", Args: []byte(`{"city":"Oslo"}`)}}, finish: chat.FinishCalls}
	called := got{Calls: []string{`weather {"city":"Oslo"}`}, Finish: chat.FinishCalls}
	inWords := got{Calls: []string{`weather {"city": "Oslo"}`}, Finish: chat.FinishCalls}
	for _, c := range []struct {
		name   string
		p      profile.Profile
		script []say
		want   got
		sent   string // what the second request's schema must have
		then   int    // requests that the next one takes
	}{
		{"the plainest passes", profile.Profile{}, []say{{refuse: refusing(refused)}, native}, called, `{"type":"object","properties":{"city":{"type":"string","description":"Matches ^\\w+$."}},"required":["city"]}`, 1},
		{"the server's own passes", profile.Profile{Server: "llamacpp"}, []say{{refuse: refusing("Failed to initialize samplers: failed to parse grammar")}, native}, called, `"type":["string","null"]`, 1},
		{"inside a stream", profile.Profile{}, []say{{inside: refusing(refused), finish: chat.FinishStop}, native}, called, `"type":"string"`, 1},
		{"then words", profile.Profile{Syntax: "hermes"}, []say{{refuse: refusing(refused)}, {refuse: refusing(refused)}, {text: oslo, finish: chat.FinishStop}}, inWords, `"type":"string"`, 1},
		{"configured", profile.Profile{Dialect: "minimal"}, []say{native}, called, "", 1},
		{"no words allowed", profile.Profile{Tools: profile.Native}, []say{{refuse: refusing(refused)}, {refuse: refusing(refused)}}, got{Status: 400}, `"type":"string"`, 2},
		{"a wrapper", profile.Profile{Wrapper: true}, []say{{refuse: refusing(refused)}}, got{Status: 400}, "", 1},
		{"the request's own words", profile.Profile{}, []say{{refuse: refusing("no model named: invalid schema for function x")}}, got{Status: 400}, "", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			facts := new(turn.LocalFacts)
			r := &turn.Runner{Key: []byte("k"), Facts: facts}
			q := odd()
			if c.name == "the request's own words" {
				q.Model = "invalid schema for function x"
			}
			u := &upstream{t: t, script: c.script}
			g, rep := run(t, r, c.p, u, q)
			if d := cmp.Diff(c.want, g); d != "" {
				t.Error(d)
			}
			if c.sent != "" && !strings.Contains(string(u.got[1].Tools[0].Schema), c.sent) {
				t.Errorf("the second request had %s", u.got[1].Tools[0].Schema)
			}
			if c.sent != "" && string(u.got[0].Tools[0].Schema) != string(q.Tools[0].Schema) {
				t.Errorf("the first request had %s", u.got[0].Tools[0].Schema)
			}
			if len(c.script) > 1 && c.want.Status == 0 && len(rep.Healed) != len(c.script)-1 {
				t.Errorf("healed %v", rep.Healed)
			}
			if c.want.Status != 0 {
				if got := facts.Learned(profile.Place{Provider: "p", Model: "up"}); len(got) > 0 {
					t.Errorf("learned %v from what failed", got)
				}
				return
			}
			// The same tools again: it is known by now.
			again := &upstream{t: t, script: c.script[len(c.script)-1:]}
			if g, _ := run(t, r, c.p, again, odd()); !cmp.Equal(g, c.want) {
				t.Errorf("the second request: %s", cmp.Diff(c.want, g))
			}
		})
	}
}

// TestOneClientsSchemaIsNoOthers: what was learned of odd schemas changes no
// request with other tools, until two lists of tools met the same.
func TestOneClientsSchemaIsNoOthers(t *testing.T) {
	const refused = `Invalid schema for function 'weather': it is odd.`
	facts := new(turn.LocalFacts)
	r := &turn.Runner{Key: []byte("k"), Facts: facts}
	native := func(name string) say {
		return say{calls: []chat.Call{{ID: "a", Name: name, Args: []byte(`{"city":"Oslo"}`)}}, finish: chat.FinishCalls}
	}
	run(t, r, profile.Profile{}, &upstream{t: t, script: []say{{refuse: refusing(refused)}, native("weather")}}, odd())
	third := func() *chat.Request {
		q := otherwise()
		q.Tools[0].Name = "forecast"
		return q
	}
	u := &upstream{t: t, script: []say{native("forecast")}}
	run(t, r, profile.Profile{}, u, third())
	if got := string(u.got[0].Tools[0].Schema); got != string(third().Tools[0].Schema) {
		t.Errorf("other tools went as %s", got)
	}
	run(t, r, profile.Profile{}, &upstream{t: t, script: []say{{refuse: refusing(strings.Replace(refused, "weather", "climate", 1))}, native("climate")}}, otherwise())
	u = &upstream{t: t, script: []say{native("forecast")}}
	run(t, r, profile.Profile{}, u, third())
	if got := string(u.got[0].Tools[0].Schema); got == string(third().Tools[0].Schema) {
		t.Errorf("after two lists of tools a third went as %s", got)
	}
}

// TestRejectedOutput: where a provider rejects what the model wrote, and nothing
// of it can be rescued, the model is asked once more, then in words; nothing is
// learned of it.
func TestRejectedOutput(t *testing.T) {
	rejected := &chat.Fault{Status: 500, Text: `Failed to parse input at pos 184: "Oslo"}}</tool_call>`}
	native := say{calls: []chat.Call{{ID: "a", Name: "weather", Args: []byte(`{"city":"Oslo"}`)}}, finish: chat.FinishCalls}
	for _, c := range []struct {
		name   string
		p      profile.Profile
		script []say
		want   got
	}{
		{"once more", profile.Profile{}, []say{{refuse: rejected}, native}, got{Calls: []string{`weather {"city":"Oslo"}`}, Finish: chat.FinishCalls}},
		{"then words", profile.Profile{Syntax: "hermes"}, []say{{refuse: rejected}, {refuse: rejected}, {text: oslo, finish: chat.FinishStop}}, got{Calls: []string{`weather {"city": "Oslo"}`}, Finish: chat.FinishCalls}},
		{"no words allowed", profile.Profile{Tools: profile.Native}, []say{{refuse: rejected}, {refuse: rejected}}, got{Status: 500}},
		{"a wrapper", profile.Profile{Wrapper: true}, []say{{refuse: rejected}}, got{Status: 500}},
	} {
		t.Run(c.name, func(t *testing.T) {
			facts := new(turn.LocalFacts)
			g, _ := run(t, &turn.Runner{Key: []byte("k"), Facts: facts}, c.p, &upstream{t: t, script: c.script}, request("?"))
			if d := cmp.Diff(c.want, g); d != "" {
				t.Error(d)
			}
			if got := facts.Learned(profile.Place{Provider: "p", Model: "up"}); len(got) > 0 {
				t.Errorf("learned %v", got)
			}
		})
	}
}

// TestChoiceRefused: a choice that the provider refuses is left to the model,
// and what comes is held to it; where it isn't what was asked for, words are.
func TestChoiceRefused(t *testing.T) {
	refused := &chat.Fault{Status: 404, Text: "No endpoints found that support the provided 'tool_choice' value."}
	native := say{text: "I look. ", calls: []chat.Call{{ID: "a", Name: "weather", Args: []byte(`{"city":"Oslo"}`)}}, finish: chat.FinishCalls}
	talk := say{text: "It is cold there.", finish: chat.FinishStop}
	for _, c := range []struct {
		name   string
		choice chat.Choice
		p      profile.Profile
		script []say
		want   got
	}{
		{"the model calls", chat.Choice{Mode: chat.ChoiceRequired}, profile.Profile{}, []say{{refuse: refused}, native}, got{Text: "I look. ", Calls: []string{`weather {"city":"Oslo"}`}, Finish: chat.FinishCalls}},
		{"the model calls the tool", chat.Choice{Mode: chat.ChoiceNamed, Name: "weather"}, profile.Profile{}, []say{{refuse: refused}, native}, got{Text: "I look. ", Calls: []string{`weather {"city":"Oslo"}`}, Finish: chat.FinishCalls}},
		{"the model talks", chat.Choice{Mode: chat.ChoiceRequired}, profile.Profile{Syntax: "hermes"}, []say{{refuse: refused}, talk, {text: oslo, finish: chat.FinishStop}}, got{Calls: []string{`weather {"city": "Oslo"}`}, Finish: chat.FinishCalls}},
		{"the model calls another tool", chat.Choice{Mode: chat.ChoiceNamed, Name: "weather"}, profile.Profile{Syntax: "hermes"}, []say{{refuse: refused}, {calls: []chat.Call{{ID: "a", Name: "remove", Args: []byte(`{"path":"/"}`)}}, finish: chat.FinishCalls}, {text: oslo, finish: chat.FinishStop}}, got{Calls: []string{`weather {"city": "Oslo"}`}, Finish: chat.FinishCalls}},
		{"the model talks, and no words are allowed", chat.Choice{Mode: chat.ChoiceRequired}, profile.Profile{Tools: profile.Native}, []say{{refuse: refused}, talk}, got{Text: "It is cold there.", Finish: chat.FinishStop}},
		{"none was made", chat.Choice{}, profile.Profile{}, []say{{refuse: refused}}, got{Status: 404}},
	} {
		t.Run(c.name, func(t *testing.T) {
			q := request("?")
			q.Choice = c.choice
			u := &upstream{t: t, script: c.script}
			facts := new(turn.LocalFacts)
			g, rep := run(t, &turn.Runner{Key: []byte("k"), Facts: facts}, c.p, u, q)
			if d := cmp.Diff(c.want, g); d != "" {
				t.Error(d)
			}
			if len(u.got) > 1 && u.got[1].Choice.Forced() {
				t.Errorf("the second request chose %+v", u.got[1].Choice)
			}
			if len(u.got) > 1 && len(rep.Healed) != len(u.got)-1 {
				t.Errorf("healed %v", rep.Healed)
			}
			if got := facts.Learned(profile.Place{Provider: "p", Model: "up"}); len(got) > 0 {
				t.Errorf("learned %v", got)
			}
		})
	}
}

// TestOneOwnersRefusalIsNoOthers: what the provider refused to one client key
// changes nothing for another; without keys it holds for all.
func TestOneOwnersRefusalIsNoOthers(t *testing.T) {
	facts := new(turn.LocalFacts)
	ann, bob := profile.Place{Owner: "ann", Provider: "p", Model: "m"}, profile.Place{Owner: "bob", Provider: "p", Model: "m"}
	fact := profile.Fact{Field: "tools", Value: "emulated"}
	facts.Learn(ann, fact)
	if len(facts.Learned(ann)) != 1 || len(facts.Learned(bob)) != 0 {
		t.Errorf("ann %v, bob %v", facts.Learned(ann), facts.Learned(bob))
	}
	facts.Learn(profile.Place{Provider: "p", Model: "m"}, profile.Fact{Field: "stream", Value: "never"})
	if len(facts.Learned(ann)) != 2 || len(facts.Learned(bob)) != 1 {
		t.Errorf("ann %v, bob %v", facts.Learned(ann), facts.Learned(bob))
	}
	facts.Unlearn(ann, "tools")
	if got := facts.Learned(ann); len(got) != 1 || got[0].Field != "stream" {
		t.Errorf("after a native success: %v", got)
	}
}
