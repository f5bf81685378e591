package turn_test

import (
	"context"
	"testing"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/turn"
)

// TestOwnTestRequest: what one owner's request met counts for everybody once Ferrule's
// own request met the same, and for nobody else where that was answered
// (security.md D2).
func TestOwnTestRequest(t *testing.T) {
	refusal := &chat.Fault{Status: 400, Text: "m does not support tools", Wire: &chat.Wire{}}
	busy := &chat.Fault{Status: 503, Text: "overloaded"}
	inWords := say{text: "Hi.", finish: chat.FinishStop}
	for _, c := range []struct {
		name     string
		owner    string
		aside    bool
		proof    []say // what the test request meets
		everyone bool
	}{
		{"the same", "ann", true, []say{{refuse: refusal}}, true},
		{"the same, inside a stream", "ann", true, []say{{inside: refusal, finish: chat.FinishStop}}, true},
		{"it is answered", "ann", true, []say{inWords}, false},
		{"it is called", "ann", true, []say{{calls: []chat.Call{{ID: "1", Name: "tell_time", Args: []byte("{}")}}, finish: chat.FinishCalls}}, false},
		{"another fault", "ann", true, []say{{refuse: busy}}, false},
		{"no time for it", "ann", false, nil, false},
		{"no client keys: it is everybody's at once", "", true, nil, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			facts := new(turn.LocalFacts)
			r := &turn.Runner{Key: []byte("k"), Facts: facts}
			if c.aside {
				r.Aside = func(work func(context.Context)) { work(t.Context()) }
			}
			ask := func(owner string, script ...say) {
				t.Helper()
				u := &upstream{t: t, script: script}
				if _, err := r.Run(t.Context(), turn.Target{Provider: "p", Model: "m", Owner: owner, Upstream: u}, request("?"), func(chat.Frame) error { return nil }); err != nil {
					t.Fatal(err)
				}
				if len(u.got) != len(script) {
					t.Errorf("%d upstream requests, want %d", len(u.got), len(script))
				}
			}
			ask(c.owner, append([]say{{refuse: refusal}, inWords}, c.proof...)...)
			if got := len(facts.Learned(profile.Place{Owner: c.owner, Provider: "p", Model: "m"})); got == 0 {
				t.Error("it wasn't learned")
			}
			if got := len(facts.Learned(profile.Place{Owner: "bob", Provider: "p", Model: "m"})) > 0; got != c.everyone {
				t.Errorf("for everybody: %v, want %v", got, c.everyone)
			}
			if c.everyone {
				ask("bob", inWords)
				return
			}
			// The next to meet it makes no second test within the hour.
			ask("bob", say{refuse: refusal}, inWords)
		})
	}
}
