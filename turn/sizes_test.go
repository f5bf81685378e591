package turn_test

import (
	"strings"
	"testing"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/turn"
)

// wordy is a request whose tools take about a thousand tokens, and as names a few dozen.
func wordy() *chat.Request {
	q := request("?")
	q.Tools[0].Description = "Tells the weather. " + strings.Repeat("There is more to say. ", 200)
	return q
}

// toldOf is the text of a request's system prompt.
func toldOf(q *chat.Request) string {
	var b strings.Builder
	for _, p := range q.System {
		b.WriteString(p.(chat.Text).Text)
	}
	return b.String()
}

// TestLevelOfTools: the smaller the window, the less the model is told; past
// that the client hears the figures, before anything is sent.
func TestLevelOfTools(t *testing.T) {
	for _, c := range []struct {
		name    string
		window  int
		level   string
		unsized bool
		told    string // of the first tool
		code    string
	}{
		{"a large window", 32768, "full", false, "There is more to say.", ""},
		{"a small one", 2000, "short", false, `"description":"Tells the weather."`, ""},
		{"a smaller one", 600, "names", false, `"name":"weather","parameters"`, ""},
		{"one without room", 200, "", false, "", turn.CodeContextTools},
		{"one that isn't known", 0, "full", true, "There is more to say.", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			u := &upstream{t: t}
			if c.code == "" {
				u.script = []say{{text: oslo, finish: chat.FinishStop}}
			}
			p := inWords
			p.Context = c.window
			g, rep := run(t, &turn.Runner{Key: []byte("k")}, p, u, wordy())
			if g.Code != c.code || rep.Level != c.level || rep.Unsized != c.unsized {
				t.Fatalf("%+v, %+v", g, rep)
			}
			if c.code != "" {
				if g.Status != 400 {
					t.Errorf("status %d", g.Status)
				}
				return
			}
			if len(g.Calls) != 1 || !strings.Contains(toldOf(u.got[0]), c.told) {
				t.Errorf("calls %v; the model read\n%s", g.Calls, toldOf(u.got[0]))
			}
			if said := strings.Contains(rep.Head(), "level="); said != (c.level != "full") {
				t.Errorf("the header says %s", rep.Head())
			}
		})
	}
}

// TestLevelDoesNotWiden: what the model isn't told of is checked all the same.
func TestLevelDoesNotWiden(t *testing.T) {
	for days, want := range map[string]string{"3": "", "30": turn.CodeToolCallInvalid} {
		q := wordy()
		q.Tools[0].Schema = []byte(`{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer","maximum":7}},"required":["city"]}`)
		s := say{text: call(`{"name": "weather", "arguments": {"city": "Oslo", "days": ` + days + `}}`), finish: chat.FinishStop}
		u := &upstream{t: t, script: []say{s}}
		if want != "" {
			u.script = append(u.script, s)
		}
		p := inWords
		p.Context = 600
		if g, rep := run(t, &turn.Runner{Key: []byte("k")}, p, u, q); g.Code != want || rep.Level != "names" {
			t.Errorf("%s days: %+v, %+v", days, g, rep)
		}
	}
}

// TestEstimateIsCompared: what the server counted is held against the estimate,
// where the two can be compared.
func TestEstimateIsCompared(t *testing.T) {
	ask := func(input int, edit func(*chat.Request)) turn.Prompt {
		q := wordy()
		edit(q)
		u := &upstream{t: t, script: []say{{text: "Hi.", finish: chat.FinishStop, usage: 5, input: input}}}
		_, rep := run(t, &turn.Runner{Key: []byte("k")}, profile.Profile{Tools: profile.Emulated, Syntax: "hermes"}, u, q)
		return rep.Prompt
	}
	same := func(*chat.Request) {}
	size := ask(1000, same).Estimated
	if size < 900 || size > 1600 {
		t.Fatalf("estimated %d", size)
	}
	for _, c := range []struct {
		name          string
		input         int
		edit          func(*chat.Request)
		compared, off bool
	}{
		{"the same", size, same, true, false},
		{"a sixth more", size * 7 / 6, same, true, false},
		{"a third more", size * 4 / 3, same, true, true},
		{"a third less", size * 2 / 3, same, true, true},
		{"a server that leaves out its cache", size / 4, same, false, false},
		{"a small prompt", 400, same, false, false},
		{"a picture", size * 2, func(q *chat.Request) {
			q.Messages[0].Parts = append(q.Messages[0].Parts, chat.Image{URL: "data:image/png;base64,AA=="})
		}, false, false},
	} {
		if p := ask(c.input, c.edit); (p.Counted > 0) != c.compared || p.Off() != c.off {
			t.Errorf("%s: %+v, off %v", c.name, p, p.Off())
		}
	}
}
