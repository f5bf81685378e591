package turn_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/internal/cases"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/turn"
)

// logged returns the input and the expected outcome of one case of the field log.
func logged(t *testing.T, id string, input, expect any) {
	t.Helper()
	for line := range cases.Lines(t, "fieldlog/cases.jsonl") {
		var c struct {
			ID            string
			Input, Expect json.RawMessage
		}
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		if c.ID != id {
			continue
		}
		if err := errors.Join(json.Unmarshal(c.Input, input), json.Unmarshal(c.Expect, expect)); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Fatalf("the field log has no %s", id)
}

type loggedCall struct {
	Name      string
	Arguments json.RawMessage
}

// round is an answer with calls, and its results.
func round(result string, calls ...string) []chat.Message {
	said, results := chat.Message{Role: chat.RoleAssistant}, chat.Message{Role: chat.RoleTool}
	for i, c := range calls {
		name, args, _ := strings.Cut(c, " ")
		id := fmt.Sprint("c", i)
		said.Parts = append(said.Parts, chat.Call{ID: id, Name: name, Args: []byte(args)})
		results.Parts = append(results.Parts, chat.Result{ID: id, Parts: []chat.Part{chat.Text{Text: result}}})
	}
	return []chat.Message{said, results}
}

// looped runs a turn on a history and returns what is told of it.
func looped(t *testing.T, ms []chat.Message) turn.Report {
	t.Helper()
	q := request("Go on.")
	q.Messages = append(q.Messages, ms...)
	u := &upstream{t: t, script: []say{{text: "Done.", finish: chat.FinishStop}}}
	g, rep := run(t, new(turn.Runner), profile.Profile{Tools: profile.Native}, u, q)
	if d := cmp.Diff(got{Text: "Done.", Finish: chat.FinishStop}, g); d != "" {
		t.Errorf("a loop changed the answer: %s", d)
	}
	return rep
}

// F182: one call again and again.
func TestFieldLogF182(t *testing.T) {
	var in struct {
		Calls []loggedCall `json:"history_calls"`
	}
	var want struct {
		Outcome         string
		Period, Repeats int
	}
	logged(t, "F182", &in, &want)
	var ms []chat.Message
	for _, c := range in.Calls {
		ms = append(ms, round("", c.Name+" "+string(c.Arguments))...)
	}
	rep := looped(t, ms)
	if want.Outcome != "loop_detected" || rep.Period != want.Period || rep.Loop != want.Repeats || !strings.HasSuffix(rep.Tail(), "; loop=6") {
		t.Errorf("%d times %d, want %+v; %s", rep.Loop, rep.Period, want, rep.Tail())
	}
}

// F181: the same though each result differs: only calls are compared, and it is
// told, not stopped.
func TestFieldLogF181(t *testing.T) {
	var in struct {
		History []struct {
			Call   loggedCall
			Result string
		}
	}
	var want struct{ Outcome, Compare string }
	logged(t, "F181", &in, &want)
	var ms []chat.Message
	for _, h := range in.History {
		ms = append(ms, round(h.Result, h.Call.Name+" "+string(h.Call.Arguments))...)
	}
	if rep := looped(t, ms); want.Compare != "calls_only" || rep.Loop != len(in.History) || rep.Period != 1 {
		t.Errorf("%d times %d, want %+v", rep.Loop, rep.Period, want)
	}
}

func TestLoops(t *testing.T) {
	var (
		a  = `bash {"command":"a","n":1}`
		a2 = `bash { "n": 1.0, "command": "\u0061" }`
		b  = `bash {"command":"b"}`
		c  = `read {"command":"a","n":1}`
	)
	rounds := func(calls ...string) (ms []chat.Message) {
		for i, c := range calls {
			ms = append(ms, round(fmt.Sprint(i), strings.Split(c, " & ")...)...)
		}
		return ms
	}
	user := chat.Message{Role: chat.RoleUser, Parts: []chat.Part{chat.Text{Text: "Again."}}}
	for _, x := range []struct {
		name         string
		ms           []chat.Message
		period, loop int
	}{
		{"nothing", nil, 0, 0},
		{"one", rounds(a), 0, 0},
		{"twice", rounds(a, a), 0, 0},
		{"three times", rounds(b, a, a, a), 1, 3},
		{"otherwise spelled", rounds(a, a2, a), 1, 3},
		{"other arguments", rounds(a, b, a), 0, 0},
		{"another tool", rounds(a, c, a), 0, 0},
		{"broken arguments", rounds(`bash {"a`, `bash {"a`, `bash {"a`), 1, 3},
		{"no arguments", rounds("now", "now {}", "now"), 1, 3},
		{"two in turn", rounds(a, b, a, b, a, b), 2, 3},
		{"two in turn, and a beginning", rounds(c, b, a, b, a, b, a, b), 2, 3},
		{"two in turn, twice", rounds(a, b, a, b), 0, 0},
		{"four in turn", rounds(a, b, c, "d", a, b, c, "d", a, b, c, "d"), 4, 3},
		{"five in turn", rounds(a, b, c, "d", "e", a, b, c, "d", "e", a, b, c, "d", "e"), 0, 0},
		{"two at once", rounds(a+" & "+b, a+" & "+b, a+" & "+b), 1, 3},
		{"the same three times at once", rounds(a + " & " + a + " & " + a), 0, 0},
		{"it has ended", rounds(a, a, a, b), 0, 0},
		{"a user asks again", append(rounds(a, a, a), user), 0, 0},
		{"a user asked for each", append(append(rounds(a), user), append(rounds(a), append([]chat.Message{user}, rounds(a)...)...)...), 0, 0},
		{"a very long one", rounds(strings.Split(strings.Repeat(a+"|", 299)+a, "|")...), 1, 256},
	} {
		if rep := looped(t, x.ms); rep.Period != x.period || rep.Loop != x.loop {
			t.Errorf("%s: %d times %d, want %d times %d", x.name, rep.Loop, rep.Period, x.loop, x.period)
		}
	}
	// What a client puts beside results is no new question.
	ms := rounds(a, a, a)
	ms[3] = chat.Message{Role: chat.RoleUser, Parts: append(ms[3].Parts, chat.Text{Text: "Remember the list."})}
	rep := looped(t, ms)
	if rep.Loop != 3 || strings.Contains(rep.Tail(), "period") {
		t.Errorf("words beside a result: %s", rep.Tail())
	}
	if tail := looped(t, rounds(a, b, a, b, a, b)).Tail(); !strings.HasSuffix(tail, "; loop=3; period=2") {
		t.Error(tail)
	}
	if tail := looped(t, rounds(a, a)).Tail(); strings.Contains(tail, "loop") || strings.Contains(tail, "cuts") {
		t.Error(tail)
	}
}

// F187: the same limit cuts again and again: from the second time on it is told.
func TestFieldLogF187(t *testing.T) {
	var in struct {
		Attempts []struct {
			Finish string `json:"finish_reason"`
		}
		MaxTokens int `json:"max_tokens"`
	}
	var want struct {
		Outcome  string
		Attempts int
	}
	logged(t, "F187", &in, &want)
	var r turn.Runner
	for i, a := range in.Attempts {
		rep := cut(t, &r, cutting{limit: in.MaxTokens, say: say{text: "x", finish: chat.Finish(a.Finish)}})
		if told := rep.Cuts > 0; told != (i+1 >= want.Attempts) || told && rep.Cuts != i+1 {
			t.Errorf("after %d: cuts=%d, want it told from %d on", i+1, rep.Cuts, want.Attempts)
		}
	}
}

type cutting struct {
	owner, model, user string
	limit              int
	mode               profile.Mode
	say                say
}

func cut(t *testing.T, r *turn.Runner, c cutting) turn.Report {
	t.Helper()
	q := request("Tell me a story." + c.user)
	if c.limit > 0 {
		q.Sampling.MaxTokens = &c.limit
	}
	r.Key = []byte("k")
	if c.mode == "" {
		c.mode = profile.Native
	}
	u := &upstream{t: t, script: []say{c.say}}
	rep, err := r.Run(t.Context(), turn.Target{Provider: "p", Model: "up" + c.model, Owner: c.owner, Upstream: u, Profile: profile.Profile{Tools: c.mode}}, q, func(chat.Frame) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

func TestCuts(t *testing.T) {
	long := say{text: "Once upon a time", finish: chat.FinishLength}
	base := cutting{limit: 100, say: long}
	for _, c := range []struct {
		name string
		edit func(*cutting)
		want int
	}{
		{"the same", func(*cutting) {}, 2},
		{"in words", func(c *cutting) { c.mode = profile.Emulated }, 2},
		{"by the usage", func(c *cutting) { c.say = say{text: "x", finish: chat.FinishStop, usage: 100} }, 2},
		{"a whole answer", func(c *cutting) { c.say = say{text: "x", finish: chat.FinishStop, usage: 99} }, 0},
		{"a filter", func(c *cutting) { c.say = say{text: "x", finish: chat.FinishFilter} }, 0},
		{"a higher limit", func(c *cutting) { c.limit = 200 }, 0},
		{"another owner", func(c *cutting) { c.owner = "b" }, 0},
		{"another model", func(c *cutting) { c.model = "2" }, 0},
		{"another conversation", func(c *cutting) { c.user = "!" }, 0},
	} {
		var r turn.Runner
		first, second := base, base
		c.edit(&second)
		cut(t, &r, first)
		rep := cut(t, &r, second)
		if rep.Cuts != c.want || strings.Contains(rep.Tail(), "cuts=2") != (c.want == 2) {
			t.Errorf("%s: %s, want cuts=%d", c.name, rep.Tail(), c.want)
		}
	}
	// A whole answer between begins anew; without a limit the server's own counts.
	var r turn.Runner
	whole := base
	whole.say = say{text: "x", finish: chat.FinishStop}
	for i, c := range []cutting{base, base, whole, base, base} {
		if got, want := cut(t, &r, c).Cuts, []int{0, 2, 0, 0, 2}[i]; got != want {
			t.Errorf("answer %d: cuts=%d, want %d", i, got, want)
		}
	}
	if cut(t, &r, cutting{say: long}); cut(t, &r, cutting{say: long}).Cuts != 2 {
		t.Error("without a limit nothing is counted")
	}
	// What is kept is bounded: the oldest goes first.
	for i := range 10_000 {
		cut(t, &r, cutting{say: long, user: fmt.Sprint(i)})
	}
	if n := cut(t, &r, base).Cuts; n != 0 {
		t.Errorf("the oldest is still known: cuts=%d", n)
	}
	if n := cut(t, &r, cutting{say: long, user: "9999"}).Cuts; n != 2 {
		t.Errorf("the newest is forgotten: cuts=%d", n)
	}
}
