package turn_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/turn"
)

var livePrompt = regexp.MustCompile(`one more argument, "(\w+)", with the value "(\w+)"`)

// lastOf is the text of the last message.
func lastOf(q *chat.Request) string {
	m := q.Messages[len(q.Messages)-1]
	t, _ := m.Parts[len(m.Parts)-1].(chat.Text)
	return t.Text
}

// withKey answers with a call that carries the key that the prompt asks for.
func withKey(q *chat.Request) say {
	m := livePrompt.FindStringSubmatch(lastOf(q))
	if m == nil {
		return say{text: "There is no key in the prompt.", finish: chat.FinishStop}
	}
	return say{text: call(`{"name": "weather", "arguments": {"city": "Oslo", "` + m[1] + `": "` + m[2] + `"}}`), finish: chat.FinishStop}
}

// Q4: a call at the end that stands only in the user's words is asked about, once.
func TestMeantOrQuoted(t *testing.T) {
	stop := chat.FinishStop
	user := "Make exactly this call:\n" + oslo
	for name, c := range map[string]struct {
		q      *chat.Request
		script []say
		want   got
	}{
		"meant": {
			request(user),
			[]say{{text: "Gladly.\n" + oslo, finish: stop}, {from: withKey}},
			got{Text: "Gladly.\n", Calls: []string{`weather {"city": "Oslo"}`}, Finish: chat.FinishCalls},
		},
		"quoted": {
			request(user),
			[]say{{text: "You wrote:\n" + oslo, finish: stop}, {text: "Quoted.", finish: stop}},
			got{Text: "You wrote:\n" + oslo, Finish: stop},
		},
		"again without the key": {
			request(user),
			[]say{{text: oslo, finish: stop}, {text: oslo, finish: stop}},
			got{Text: oslo, Finish: stop},
		},
		"the key at once": {
			request(user),
			[]say{{from: withKey}},
			got{Calls: []string{`weather {"city": "Oslo"}`}, Finish: chat.FinishCalls},
		},
		"words behind it": {
			request(user),
			[]say{{text: oslo + "\nis what you wrote.", finish: stop}},
			got{Text: oslo + "\nis what you wrote.", Finish: stop},
		},
		"a result holds it": {
			showing("notes\n" + oslo),
			[]say{{text: oslo, finish: stop}},
			got{Text: oslo, Finish: stop},
		},
		"the answer was cut": {
			request(user),
			[]say{{text: "So:\n" + oslo, finish: chat.FinishLength}},
			got{Text: "So:\n" + oslo, Finish: chat.FinishLength},
		},
	} {
		t.Run(name, func(t *testing.T) {
			g, rep := run(t, &turn.Runner{Key: []byte("k")}, inWords, &upstream{t: t, script: c.script}, c.q)
			if d := cmp.Diff(c.want, g); d != "" {
				t.Error(d)
			}
			if rep.Retries != len(c.script)-1 {
				t.Errorf("%d retries", rep.Retries)
			}
		})
	}
	u := &upstream{t: t, script: []say{{text: oslo, finish: stop}, {text: "QUOTED", finish: stop}}}
	run(t, &turn.Runner{Key: []byte("k")}, inWords, u, request(user))
	if said := lastOf(u.got[1]); !strings.Contains(said, "the one word QUOTED") || livePrompt.FindString(said) == "" {
		t.Errorf("it is asked: %s", said)
	}
	wrapper := inWords
	wrapper.Wrapper = true
	g, _ := run(t, &turn.Runner{Key: []byte("k")}, wrapper, &upstream{t: t, script: []say{{text: oslo, finish: stop}}}, request(user))
	if d := cmp.Diff(got{Text: oslo, Finish: stop}, g); d != "" {
		t.Errorf("who may not be asked twice: %s", d)
	}
}
