package turn_test

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/turn"
)

// talk is a conversation that a client goes on with: what the model called and
// what came back stands in the next request.
type talk struct {
	t      *testing.T
	runner *turn.Runner
	p      profile.Profile
	owner  string
	ms     []chat.Message

	sent *chat.Request // the last one that went upstream
}

// turn lets the model say something, and answers its calls.
func (c *talk) turn(s say) []chat.Call {
	c.t.Helper()
	q := request("What's the weather?")
	q.Messages = append(q.Messages, c.ms...)
	q.Wire = &chat.Wire{Protocol: "openai", Body: []byte(`{}`)}
	before := printed(q)
	u := &upstream{t: c.t, script: []say{s}}
	said := chat.Message{Role: chat.RoleAssistant}
	results := chat.Message{Role: chat.RoleTool}
	var calls []chat.Call
	_, err := c.runner.Run(c.t.Context(), turn.Target{Provider: "p", Model: "up", Owner: c.owner, Upstream: u, Profile: c.p}, q, func(f chat.Frame) error {
		for _, e := range f.Events {
			if e.Kind == chat.EventCallEnd {
				calls = append(calls, e.Call)
				said.Parts = append(said.Parts, e.Call)
				results.Parts = append(results.Parts, chat.Result{ID: e.Call.ID, Parts: []chat.Part{chat.Text{Text: "rain"}}})
			}
		}
		return nil
	})
	if err != nil {
		c.t.Fatal(err)
	}
	if printed(q) != before {
		c.t.Error("the client's request was changed")
	}
	c.sent = u.got[0]
	if len(calls) > 0 {
		c.ms = append(c.ms, said, results)
	}
	return calls
}

// printed is a request as one text.
func printed(q *chat.Request) string {
	var b strings.Builder
	var part func(p chat.Part)
	part = func(p chat.Part) {
		switch p := p.(type) {
		case chat.Text:
			b.WriteString(p.Text + "\n")
		case chat.Call:
			fmt.Fprintf(&b, "(call %s %s %s)\n", p.ID, p.Name, p.Args)
		case chat.Result:
			fmt.Fprintf(&b, "(result %s)\n", p.ID)
			for _, r := range p.Parts {
				part(r)
			}
		default:
			fmt.Fprintf(&b, "(%T)\n", p)
		}
	}
	for _, p := range q.System {
		part(p)
	}
	for _, m := range q.Messages {
		b.WriteString("== " + string(m.Role) + "\n")
		for _, p := range m.Parts {
			part(p)
		}
	}
	return b.String()
}

// mended is a call whose number came as text, which the model is told.
func mended(days int) string {
	return call(fmt.Sprintf(`{"name": "weather", "arguments": {"city": "Oslo", "days": "%d"}}`, days))
}

const note = "Note: days came as text and was read as a number.\n"

// fences are the marks of results, which hang on all that stands before them.
var fences = regexp.MustCompile(`result [a-z2-7]{16}`)

// TestNotesStay: a note stands in front of its result from the next turn on, in
// the same words each time, so every prompt begins with the one before.
func TestNotesStay(t *testing.T) {
	c := talk{t: t, runner: &turn.Runner{Key: []byte("k"), Memory: &turn.LocalMemory{}}, p: inWords, owner: "a"}
	last := ""
	for i := range 5 {
		text := mended(i)
		if i%2 == 1 {
			text = oslo + mended(i) // a clean call beside it has no note
		}
		c.turn(say{text: text, finish: chat.FinishStop})
		got := printed(c.sent)
		if !strings.HasPrefix(got, last) {
			t.Fatalf("turn %d isn't a continuation: %s", i, cmp.Diff(last, got))
		}
		if n := strings.Count(got, note+"[result "); n != i || strings.Count(got, "Note:") != n {
			t.Errorf("turn %d has %d notes in place:\n%s", i, n, got)
		}
		last = got
	}
}

// TestForgottenNotes: without memory, or with one that forgot before the note
// was first shown, the prompts are those without notes, and grow as they should.
func TestForgottenNotes(t *testing.T) {
	for name, r := range map[string]*turn.Runner{
		"no memory":         {Key: []byte("k")},
		"it forgets":        {Key: []byte("k"), Memory: forgetful{}},
		"it holds nonsense": {Key: []byte("k"), Memory: nonsense{}},
	} {
		c := talk{t: t, runner: r, p: inWords}
		last := ""
		for i := range 5 {
			if calls := c.turn(say{text: mended(i), finish: chat.FinishStop}); len(calls) != 1 {
				t.Fatalf("%s: %d calls", name, len(calls))
			}
			got := printed(c.sent)
			if !strings.HasPrefix(got, last) || strings.Contains(got, "Note:") {
				t.Errorf("%s: turn %d:\n%s", name, i, got)
			}
			last = got
		}
	}
	// Forgotten between two turns it is missing, and all else is as it was.
	r := &turn.Runner{Key: []byte("k"), Memory: &turn.LocalMemory{}}
	c := talk{t: t, runner: r, p: inWords}
	c.turn(say{text: mended(1), finish: chat.FinishStop})
	c.turn(say{text: "It rains.", finish: chat.FinishStop})
	with := printed(c.sent)
	c.runner = &turn.Runner{Key: []byte("k"), Memory: &turn.LocalMemory{}}
	c.turn(say{text: "It rains.", finish: chat.FinishStop})
	strip := strings.NewReplacer(note, "").Replace
	if without := printed(c.sent); fences.ReplaceAllString(strip(with), "") != fences.ReplaceAllString(without, "") || with == without {
		t.Errorf("with the note:\n%s\nwithout:\n%s", with, without)
	}
}

type forgetful struct{}

func (forgetful) Get(string) map[string][]byte  { return nil }
func (forgetful) Put(string, map[string][]byte) {}

type nonsense struct{}

func (nonsense) Get(string) map[string][]byte  { return map[string][]byte{"notes": []byte(`["a`)} }
func (nonsense) Put(string, map[string][]byte) {}

// D1: what one owner's turn kept no other reads; neither does another call that
// a server gave the same id.
func TestNotesAreTheOwners(t *testing.T) {
	memory := &turn.LocalMemory{}
	c := talk{t: t, runner: &turn.Runner{Key: []byte("k"), Memory: memory}, p: inWords, owner: "a"}
	c.turn(say{text: mended(1), finish: chat.FinishStop})
	look := func(owner string, edit func(*chat.Call)) bool {
		d := talk{t: t, runner: c.runner, p: inWords, owner: owner}
		said := c.ms[0].Parts[0].(chat.Call)
		edit(&said)
		d.ms = []chat.Message{{Role: chat.RoleAssistant, Parts: []chat.Part{said}}, c.ms[1]}
		d.turn(say{text: "It rains.", finish: chat.FinishStop})
		return strings.Contains(printed(d.sent), note)
	}
	for _, x := range []struct {
		name, owner string
		edit        func(*chat.Call)
		want        bool
	}{
		{"the owner", "a", func(*chat.Call) {}, true},
		{"written otherwise", "a", func(c *chat.Call) { c.Args = []byte(`{ "days": 1.0, "city": "\u004fslo" }`) }, true},
		{"another owner", "b", func(*chat.Call) {}, false},
		{"no owner", "", func(*chat.Call) {}, false},
		{"another call", "a", func(c *chat.Call) { c.Args = []byte(`{"city":"Rome","days":1}`) }, false},
		{"another tool", "a", func(c *chat.Call) { c.Name = "remove" }, false},
		{"another id", "a", func(c *chat.Call) { c.ID = "x" }, false},
	} {
		if got := look(x.owner, x.edit); got != x.want {
			t.Errorf("%s: note is %v, want %v", x.name, got, x.want)
		}
	}
}

// TestNativeNotes: natively the model is told only if the profile says so; the
// note is then in front of the result's own text.
func TestNativeNotes(t *testing.T) {
	wrong := say{calls: []chat.Call{{ID: "call_1", Name: "weather", Args: []byte(`{"city":"Oslo","days":"2"}`)}}, finish: chat.FinishCalls}
	clean := say{calls: []chat.Call{{ID: "call_2", Name: "weather", Args: []byte(`{"city":"Oslo"}`)}}, finish: chat.FinishCalls}
	for _, told := range []profile.Notes{"", profile.NotesEmulated, profile.NotesAlways} {
		c := talk{t: t, runner: &turn.Runner{Memory: &turn.LocalMemory{}}, p: profile.Profile{Tools: profile.Native, Notes: told}}
		last := ""
		for i, s := range []say{clean, wrong, clean, {text: "Rain.", finish: chat.FinishStop}} {
			c.turn(s)
			got := printed(c.sent)
			want := told == profile.NotesAlways && i >= 2
			if strings.Contains(got, "(result call_1)\n"+note+"rain\n") != want || strings.Count(got, "Note:") > 1 || !strings.HasPrefix(got, last) {
				t.Errorf("notes: %q, turn %d:\n%s", told, i, got)
			}
			if edited := c.sent.Wire.Edited; (edited == chat.FieldMessages) != want || !want && edited != 0 {
				t.Errorf("notes: %q, turn %d: edited %b", told, i, edited)
			}
			last = got
		}
	}
}

// TestNativeNotesKeepParts: a result of one text stays one; pictures stay.
func TestNativeNotesKeepParts(t *testing.T) {
	picture := chat.Image{URL: "data:image/png;base64,AA=="}
	alone := chat.Text{Text: strings.TrimSpace(note)}
	for _, x := range []struct{ parts, want []chat.Part }{
		{[]chat.Part{chat.Text{Text: "rain"}}, []chat.Part{chat.Text{Text: note + "rain"}}},
		{[]chat.Part{chat.Text{Text: "rain"}, picture}, []chat.Part{chat.Text{Text: note + "rain"}, picture}},
		{[]chat.Part{picture}, []chat.Part{alone, picture}},
		{nil, []chat.Part{alone}},
	} {
		c := talk{t: t, runner: &turn.Runner{Memory: &turn.LocalMemory{}}, p: profile.Profile{Tools: profile.Native, Notes: profile.NotesAlways}}
		c.turn(say{calls: []chat.Call{{ID: "1", Name: "weather", Args: []byte(`{"city":"Oslo","days":"2"}`)}}, finish: chat.FinishCalls})
		c.ms[1].Parts[0] = chat.Result{ID: "1", Parts: x.parts}
		c.turn(say{text: "Rain.", finish: chat.FinishStop})
		got := c.sent.Messages[len(c.sent.Messages)-1].Parts[0].(chat.Result).Parts
		if d := cmp.Diff(x.want, got); d != "" {
			t.Error(d)
		}
	}
}

func TestLocalMemory(t *testing.T) {
	var m turn.LocalMemory
	if m.Get("x") != nil {
		t.Error("an empty memory holds something")
	}
	put := func(id, name, value string) { m.Put(id, map[string][]byte{name: []byte(value)}) }
	get := func(id, name string) string { return string(m.Get(id)[name]) }
	put("a", "notes", "1")
	out := m.Get("a")
	put("a", "other", "2")
	put("a", "notes", "3")
	if get("a", "notes") != "3" || get("a", "other") != "2" || string(out["notes"]) != "1" || len(out) != 1 {
		t.Errorf("kept %v, and what was given out is %v", m.Get("a"), out)
	}
	// Ten thousand more: what is asked for stays, what isn't goes.
	put("b", "notes", "x")
	for i := range 9_999 {
		put(fmt.Sprint(i), "notes", "x")
		m.Get("a")
	}
	if get("a", "notes") != "3" || m.Get("b") != nil || m.Get("0") == nil || m.Get("9998") == nil {
		t.Error("the wrong ones are forgotten")
	}
	// 8 MB at most; what is larger isn't kept, and takes nothing else's place.
	put("large", "notes", strings.Repeat("x", 9<<20))
	if m.Get("large") != nil || m.Get("9998") == nil {
		t.Error("what is too large was kept")
	}
	for i := range 9 {
		put(fmt.Sprint("mb", i), "notes", strings.Repeat("x", 1<<20))
	}
	if m.Get("a") != nil || m.Get("mb1") != nil || m.Get("mb2") == nil || m.Get("mb8") == nil {
		t.Error("more than 8 MB are kept, or less")
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for k := range 200 {
				id := fmt.Sprint(k % 50)
				m.Put(id, map[string][]byte{fmt.Sprint(i): bytes.Repeat([]byte("x"), 100)})
				if len(m.Get(id)) == 0 {
					t.Error(errors.New("just put, and gone"))
				}
			}
		})
	}
	wg.Wait()
}
