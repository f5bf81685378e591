package turn_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/turn"
)

// TestEmptyAnswer: an answer with tokens and nothing in it lost a call to the
// server's own reader. It is asked for once more, then in words.
func TestEmptyAnswer(t *testing.T) {
	none := say{finish: chat.FinishStop, usage: 37}
	hi := say{text: "Hi.", finish: chat.FinishStop, usage: 2}
	spoken, called := got{Text: "Hi.", Finish: chat.FinishStop}, got{Calls: []string{`weather {"city": "Oslo"}`}, Finish: chat.FinishCalls}
	nothing := got{Finish: chat.FinishStop}
	native, auto := profile.Profile{Tools: profile.Native}, profile.Profile{}
	wrapper := profile.Profile{Wrapper: true}
	long := chat.FinishLength
	for _, c := range []struct {
		name   string
		p      profile.Profile
		edit   func(*chat.Request)
		script []say
		want   got
		empty  int
		mode   string
	}{
		{"once more natively", auto, nil, []say{none, hi}, spoken, 1, "native"},
		{"then in words", auto, nil, []say{none, none, {text: oslo, finish: chat.FinishStop}}, called, 2, "emulated"},
		{"and no more", auto, nil, []say{none, none, none}, nothing, 3, "emulated"},
		{"native is native", native, nil, []say{none, none}, nothing, 2, "native"},
		{"in words once more", inWords, nil, []say{none, {text: oslo, finish: chat.FinishStop}}, called, 1, "emulated"},
		{"in words no more", inWords, nil, []say{none, none}, nothing, 2, "emulated"},
		{"a finish of calls", auto, nil, []say{{finish: chat.FinishCalls, usage: 9}, hi}, spoken, 1, "native"},
		{"then a bad call is corrected", auto, nil, []say{none, none, {text: wrong, finish: chat.FinishStop}, {text: oslo, finish: chat.FinishStop}}, called, 2, "emulated"},

		{"a wrapper is asked once", wrapper, nil, []say{none}, nothing, 1, "native"},
		{"one token", auto, nil, []say{{finish: chat.FinishStop, usage: 1}}, nothing, 0, "native"},
		{"no count", auto, nil, []say{{finish: chat.FinishStop}}, nothing, 0, "native"},
		{"cut", auto, nil, []say{{finish: long, usage: 37}}, got{Finish: long}, 0, "native"},
		{"at the limit", auto, maxTokens(37), []say{none}, nothing, 0, "native"},
		{"no tools", auto, func(q *chat.Request) { q.Tools = nil }, []say{none}, nothing, 0, "native"},
		{"words", auto, nil, []say{hi}, spoken, 0, "native"},
	} {
		t.Run(c.name, func(t *testing.T) {
			q := request("?")
			if c.edit != nil {
				c.edit(q)
			}
			g, rep := run(t, &turn.Runner{Key: []byte("k")}, c.p, &upstream{t: t, script: c.script}, q)
			if d := cmp.Diff(c.want, g); d != "" {
				t.Error(d)
			}
			if rep.Empty != c.empty || rep.Mode != c.mode || strings.Contains(rep.String(), "empty=") != (c.empty > 0) {
				t.Errorf("%s", rep)
			}
		})
	}
}

// TestEmptyAnswerTeachesNothing: that one answer was lost says nothing of the next.
func TestEmptyAnswerTeachesNothing(t *testing.T) {
	r := &turn.Runner{Key: []byte("k"), Facts: &turn.LocalFacts{}}
	none := say{finish: chat.FinishStop, usage: 37}
	u := &upstream{t: t, script: []say{none, none, {text: oslo, finish: chat.FinishStop}}}
	run(t, r, profile.Profile{}, u, request("?"))
	if _, rep := run(t, r, profile.Profile{}, &upstream{t: t, script: []say{{text: "Hi.", finish: chat.FinishStop}}}, request("?")); rep.Mode != "native" {
		t.Errorf("%s", rep)
	}
}
