package turn_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ferrule/ferrule/args"
	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/turn"
)

var native = profile.Profile{Tools: profile.Native}

// calls makes native calls of pairs of name and arguments; their ids are a, b, …
func calls(pairs ...string) []chat.Call {
	var cs []chat.Call
	for i := 0; i < len(pairs); i += 2 {
		cs = append(cs, chat.Call{ID: string(rune('a' + i/2)), Name: pairs[i], Args: []byte(pairs[i+1])})
	}
	return cs
}

const (
	osloArgs = `{"city":"Oslo"}`
	romeArgs = `{"city":"Rome"}`
	badArgs  = `{"town":"Oslo"}`
)

func called(pairs ...string) say { return say{calls: calls(pairs...), finish: chat.FinishCalls} }

// tells adds words in front of the calls.
func (s say) tells(text string) say { s.text = text; return s }

func (s say) ends(f chat.Finish) say { s.finish = f; return s }

func (s say) uses(n int) say { s.usage = n; return s }

func onInvalid(o profile.OnInvalid) profile.Profile {
	return profile.Profile{Tools: profile.Native, OnInvalid: o}
}

// TestNativeOutcomes: what becomes of native calls, by what the model wrote, what
// it wrote when it was asked again, and what the profile says.
func TestNativeOutcomes(t *testing.T) {
	goes := func(text string, calls ...string) got { return got{Text: text, Calls: calls, Finish: chat.FinishCalls} }
	oslo, rome, bad := "weather "+osloArgs, "weather "+romeArgs, "weather "+badArgs
	failed := got{Code: turn.CodeToolCallInvalid, Status: 422}
	boom := &chat.Fault{Code: "boom", Status: 502}
	stop, length := chat.FinishStop, chat.FinishLength
	for _, c := range []struct {
		name   string
		p      profile.Profile
		edit   func(*chat.Request)
		script []say
		want   got
		how    string // of each call, in order
	}{
		{"clean", native, nil, []say{called("weather", osloArgs).tells("Hi.")}, goes("Hi.", oslo), "clean"},
		{"a name in another case", native, nil, []say{called("Weather", osloArgs)}, goes("", oslo), "repaired:name_case"},
		{"encoded twice", native, nil, []say{called("weather", `"{\"city\":\"Oslo\"}"`)}, goes("", oslo), "repaired:unwrap_double_encoded"},
		{"a clean sibling stays as it is", native, nil, []say{called("weather", `{"city" : "Rome"}`, "Weather", osloArgs)}, goes("", `weather {"city" : "Rome"}`, oslo), "clean repaired:name_case"},
		{"the finish doesn't say calls", native, nil, []say{called("weather", osloArgs).ends(stop)}, goes("", oslo), "repaired:finish_calls"},
		{"nor does a word of another API", native, nil, []say{called("weather", osloArgs).ends("end_turn")}, goes("", oslo), "repaired:finish_calls"},
		{"words keep their finish", native, nil, []say{{text: "Hi.", finish: "end_turn"}}, got{Text: "Hi.", Finish: "end_turn"}, ""},

		{"bad, then right", native, nil, []say{called("weather", badArgs).tells("Hm."), called("weather", osloArgs).tells("Sorry!")}, goes("Hm.", oslo), "retried"},
		{"an unknown tool, then right", native, nil, []say{called("wether", osloArgs), called("weather", osloArgs)}, goes("", oslo), "retried"},
		{"bad, then mended", native, nil, []say{called("weather", badArgs), called("Weather", osloArgs)}, goes("", oslo), "retried:name_case"},
		{"bad, then right with another finish", native, nil, []say{called("weather", badArgs).ends(stop), called("weather", osloArgs).ends(stop)}, goes("", oslo), "retried"},
		{"one of two: it comes back to its place", native, nil, []say{called("weather", badArgs, "weather", romeArgs), called("weather", osloArgs)}, goes("", oslo, rome), "clean retried"},
		{"one of two, and the retry repeats the good one", native, nil, []say{called("weather", romeArgs, "weather", badArgs), called("weather", romeArgs, "weather", osloArgs)}, goes("", rome, oslo), "clean retried"},
		{"bad twice: the first one, as written", native, nil, []say{called("weather", badArgs).tells("Hm."), called("weather", `{"place":"Oslo"}`)}, goes("Hm.", bad), "passed/schema_mismatch"},
		{"and its sibling with it", native, nil, []say{called("Weather", romeArgs, "weather", badArgs), called("weather", badArgs)}, goes("", "Weather "+romeArgs, bad), "passed passed/schema_mismatch"},
		{"the retry is cut", native, nil, []say{called("weather", badArgs), called("weather", osloArgs).ends(length)}, goes("", bad), "passed/schema_mismatch"},
		{"the retry reaches the limit", native, maxTokens(20), []say{called("weather", badArgs).uses(10), called("weather", osloArgs).uses(20)}, goes("", bad), "passed/schema_mismatch"},
		{"the retry ends in the middle", native, nil, []say{called("weather", badArgs), called("weather", osloArgs).ends("")}, goes("", bad), "passed/schema_mismatch"},
		{"the retry breaks", native, nil, []say{called("weather", badArgs), {err: boom}}, goes("", bad), "passed/schema_mismatch"},
		{"the retry is refused", native, nil, []say{called("weather", badArgs), {refuse: boom}}, goes("", bad), "passed/schema_mismatch"},
		{"an error in the retry", native, nil, []say{called("weather", badArgs), {inside: boom, finish: stop}}, goes("", bad), "passed/schema_mismatch"},
		{"a refusal of tools in the retry doesn't heal", profile.Profile{}, nil, []say{called("weather", badArgs), {refuse: &chat.Fault{Status: 400, Text: "m does not support tools"}}}, goes("", bad), "passed/schema_mismatch"},
		{"the retry is only words: they are sent", native, nil, []say{called("weather", badArgs).tells("Hm. "), {text: "I can't.", finish: stop}}, got{Text: "Hm. I can't.", Finish: stop}, "failed/schema_mismatch"},
		{"only words, and a sibling waits", native, nil, []say{called("weather", romeArgs, "weather", badArgs), {text: "Never mind.", finish: stop}}, goes("", rome, bad), "clean passed/schema_mismatch"},
		{"only words, and a call is due", native, choice(chat.Choice{Mode: chat.ChoiceRequired}), []say{called("weather", badArgs), {text: "No.", finish: stop}}, goes("", bad), "passed/schema_mismatch"},
		{"the retry says nothing", native, nil, []say{called("weather", badArgs), {finish: stop}}, goes("", bad), "passed/schema_mismatch"},

		{"pass", onInvalid(profile.Pass), nil, []say{called("weather", badArgs, "weather", romeArgs)}, goes("", bad, rome), "passed/schema_mismatch clean"},
		{"pass, and it can be mended", onInvalid(profile.Pass), nil, []say{called("Weather", osloArgs)}, goes("", oslo), "repaired:name_case"},
		{"fail", onInvalid(profile.Fail), nil, []say{called("weather", badArgs, "weather", romeArgs)}, failed, "failed/schema_mismatch failed"},
		{"fail, and it can be mended", onInvalid(profile.Fail), nil, []say{called("Weather", osloArgs)}, goes("", oslo), "repaired:name_case"},
		{"an upstream that acts by itself isn't asked again", profile.Profile{Tools: profile.Native, Wrapper: true}, nil, []say{called("weather", badArgs)}, goes("", bad), "passed/schema_mismatch"},

		{"a choice of another tool", native, choice(chat.Choice{Mode: chat.ChoiceNamed, Name: "remove"}), []say{called("weather", osloArgs), called("remove", `{"path":"x"}`)}, goes("", `remove {"path":"x"}`), "retried"},
		{"a choice of none", native, choice(chat.Choice{Mode: chat.ChoiceNone}), []say{called("weather", osloArgs), {text: "Hi.", finish: stop}}, got{Text: "Hi.", Finish: stop}, "failed/unknown_name"},
		{"a choice that permits it", native, choice(chat.Choice{Mode: chat.ChoiceNamed, Name: "weather"}), []say{called("weather", osloArgs)}, goes("", oslo), "clean"},
		{"two calls where one may be made", native, func(q *chat.Request) { q.Parallel = no() }, []say{called("weather", osloArgs, "weather", romeArgs), called("weather", romeArgs)}, goes("", rome), "retried"},
		{"two calls where nothing was said", native, nil, []say{called("weather", osloArgs, "weather", romeArgs)}, goes("", oslo, rome), "clean clean"},
		{"a custom tool's call isn't ours to judge", native, func(q *chat.Request) {
			q.Tools = append(q.Tools, chat.Tool{Name: "patch", Kind: chat.ToolCustom})
		}, []say{called("patch", `"*** Begin"`)}, goes("", `patch "*** Begin"`), "passed"},
		{"several answers are passed", native, func(q *chat.Request) { n := 2; q.Sampling.Choices = &n }, []say{called("weather", badArgs)}, goes("", bad), "passed"},

		{"cut: no call leaves", native, nil, []say{called("weather", osloArgs, "weather", `{"ci`).tells("Hm.").ends(length)}, got{Text: "Hm.", Finish: length}, "failed/truncated failed/truncated"},
		{"filtered: no call leaves", native, nil, []say{called("weather", osloArgs).ends(chat.FinishFilter)}, got{Finish: chat.FinishFilter}, "failed/truncated"},
		{"at the limit, whatever the server says", native, maxTokens(20), []say{called("weather", osloArgs).uses(20)}, got{Finish: length}, "failed/truncated"},
		{"below the limit", native, maxTokens(20), []say{called("weather", osloArgs).uses(19)}, goes("", oslo), "clean"},
		{"cut, and pass: as it came", onInvalid(profile.Pass), nil, []say{called("weather", osloArgs).ends(length)}, got{Calls: []string{oslo}, Finish: length}, "passed/truncated"},
	} {
		t.Run(c.name, func(t *testing.T) {
			q := request("?")
			if c.edit != nil {
				c.edit(q)
			}
			u := &upstream{t: t, script: c.script}
			g, rep := run(t, &turn.Runner{Key: []byte("k")}, c.p, u, q)
			if d := cmp.Diff(c.want, g); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(strings.Fields(c.how), hows(rep)); d != "" && len(rep.Calls)+len(c.how) > 0 {
				t.Errorf("outcomes: %s", d)
			}
			if rep.Retries != len(c.script)-1 || rep.Mode != "native" {
				t.Errorf("report %v", rep)
			}
		})
	}
}

// hows writes outcomes as how/bucket:repairs.
func hows(rep turn.Report) []string {
	var out []string
	for _, o := range rep.Calls {
		s := o.How
		if o.Bucket != "" {
			s += "/" + o.Bucket
		}
		if len(o.Repairs) > 0 {
			s += ":" + strings.Join(o.Repairs, ",")
		}
		out = append(out, s)
	}
	return out
}

// TestNativeCorrection: the second request is the client's, with the calls and a
// result for each; what it doesn't change stays.
func TestNativeCorrection(t *testing.T) {
	first := called("weather", badArgs, "remove", `{"path":"x"}`, "wether", `{"city": Oslo}`).tells("Hm.")
	first.calls[1].ID = "a" // as the one before
	first.calls[2].ID = ""
	first.calls[0].Extra = chat.Extra{"p.signature": []byte(`"s"`)}
	u := &upstream{t: t, script: []say{first, called("weather", osloArgs, "weather", romeArgs)}}
	q := request("?")
	q.Choice = chat.Choice{Mode: chat.ChoiceRequired}
	g, rep := run(t, new(turn.Runner), native, u, q)
	want := got{Text: "Hm.", Calls: []string{"weather " + osloArgs, `remove {"path":"x"}`, "weather " + romeArgs}, Finish: chat.FinishCalls}
	if d := cmp.Diff(want, g); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"clean", "retried", "retried"}, hows(rep)); d != "" {
		t.Error(d)
	}
	second := u.got[1]
	if second.Model != "up" || len(second.Tools) != 2 || second.Choice.Mode != chat.ChoiceRequired {
		t.Errorf("the request has changed: %+v", second)
	}
	if len(q.Messages) != 1 || len(second.Messages) != 3 {
		t.Fatalf("%d messages, and %d of the client's", len(second.Messages), len(q.Messages))
	}
	said, results := second.Messages[1], second.Messages[2]
	if said.Role != chat.RoleAssistant || results.Role != chat.RoleTool || len(said.Parts) != 4 || len(results.Parts) != 3 {
		t.Fatalf("%+v\n%+v", said, results)
	}
	if d := cmp.Diff(chat.Part(chat.Text{Text: "Hm."}), said.Parts[0]); d != "" {
		t.Error(d)
	}
	ids := map[string]bool{}
	for i, wantArgs := range []string{badArgs, `{"path":"x"}`, `{}`} {
		c, r := said.Parts[i+1].(chat.Call), results.Parts[i].(chat.Result)
		if string(c.Args) != wantArgs || c.ID == "" || c.ID != r.ID || ids[c.ID] {
			t.Errorf("call %+v, result %+v", c, r)
		}
		ids[c.ID] = true
		if r.Error != (i != 1) {
			t.Errorf("result %d: error=%v", i, r.Error)
		}
	}
	if c := said.Parts[1].(chat.Call); c.ID != "a" || len(c.Extra) != 1 {
		t.Errorf("the first call lost something: %+v", c)
	}
	text := func(i int) string { return results.Parts[i].(chat.Result).Parts[0].(chat.Text).Text }
	if d := cmp.Diff("Held: this call is fine and will run together with the others. Don't repeat it.", text(1)); d != "" {
		t.Error(d)
	}
	for i, words := range [][]string{0: {args.Invalid, "Nothing was run", "city"}, 2: {args.NotFound, "Nothing was run", "is shown without them"}} {
		for _, w := range words {
			if !strings.Contains(text(i), w) {
				t.Errorf("result %d doesn't say %q:\n%s", i, w, text(i))
			}
		}
	}
}

var update = flag.Bool("update", false, "rewrite what the tests expect")

// TestNativeResultTexts: the words that a model reads as the results of calls
// that weren't run, to the letter.
func TestNativeResultTexts(t *testing.T) {
	var b strings.Builder
	for _, c := range []struct {
		name  string
		edit  func(*chat.Request)
		calls []chat.Call
	}{
		{"one bad, one held", nil, calls("weather", badArgs, "remove", `{"path":"x"}`)},
		{"unreadable", nil, calls("weather", `{"city": Oslo}`)},
		{"an unknown tool, unreadable too", nil, calls("wether", `{"city": Oslo}`)},
		{"not permitted", choice(chat.Choice{Mode: chat.ChoiceNamed, Name: "remove"}), calls("weather", osloArgs)},
		{"two where one may be made", func(q *chat.Request) { q.Parallel = no() }, calls("weather", osloArgs, "weather", romeArgs)},
	} {
		q := request("?")
		if c.edit != nil {
			c.edit(q)
		}
		first := say{calls: c.calls, finish: chat.FinishCalls}
		u := &upstream{t: t, script: []say{first, first}}
		run(t, new(turn.Runner), native, u, q)
		for _, p := range u.got[1].Messages[2].Parts {
			r := p.(chat.Result)
			fmt.Fprintf(&b, "-- %s: %s --\n%s\n", c.name, r.ID, r.Parts[0].(chat.Text).Text)
		}
	}
	const golden = "testdata/native_result.txt"
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), b.String()); d != "" {
		t.Error(d)
	}
}

// TestNativeUsage: after a retry the client hears what both answers cost.
func TestNativeUsage(t *testing.T) {
	u := &upstream{t: t, script: []say{called("weather", badArgs).uses(5), called("weather", osloArgs).uses(7)}}
	var usage chat.Usage
	_, err := new(turn.Runner).Run(t.Context(), turn.Target{Upstream: u, Profile: native}, request("?"), func(f chat.Frame) error {
		for _, e := range f.Events {
			if e.Kind == chat.EventUsage {
				usage = e.Usage
			}
		}
		return nil
	})
	if err != nil || usage.Output != 12 || usage.Input != 20 {
		t.Errorf("usage %+v, error %v", usage, err)
	}
}

// TestSurfaces: a client whose protocol takes arguments only as an object can't
// get unreadable ones; its own protocol takes everything.
func TestSurfaces(t *testing.T) {
	const unreadable = `{"city": "Os`
	for _, c := range []struct {
		name, protocol, args string
		code                 string
	}{
		{"its own, unreadable", "", unreadable, ""},
		{"another, unreadable", "other", unreadable, turn.CodeToolCallInvalid},
		{"another, readable", "other", badArgs, ""},
	} {
		q := request("?")
		q.Wire = &chat.Wire{Protocol: c.protocol, Body: []byte("{}")}
		u := &upstream{t: t, script: []say{called("weather", c.args), called("weather", c.args)}}
		g, rep := run(t, new(turn.Runner), native, u, q)
		if g.Code != c.code || c.code == "" && len(g.Calls) != 1 {
			t.Errorf("%s: %+v", c.name, g)
		}
		if how := rep.Calls[0].How; (how == turn.Failed) != (c.code != "") {
			t.Errorf("%s: %s", c.name, how)
		}
	}
}

// TestRepeated: a model that makes the same bad call again is told on.
func TestRepeated(t *testing.T) {
	text := func(p profile.Profile, q *chat.Request, script ...say) string {
		_, err := (&turn.Runner{Key: []byte("k")}).Run(t.Context(), turn.Target{Upstream: &upstream{t: t, script: script}, Profile: p}, q, func(chat.Frame) error { return nil })
		if err == nil {
			t.Fatal("no fault")
		}
		return err.Error()
	}
	const says = "It repeated the same call."
	again := say{text: call(`{"name": "weather", "arguments": {"town":"Oslo"}}`), finish: chat.FinishStop}
	other := say{text: call(`{"name": "weather", "arguments": {"place": "Oslo"}}`), finish: chat.FinishStop}
	first := say{text: wrong, finish: chat.FinishStop}
	if s := text(inWords, request("?"), first, again); !strings.Contains(s, says) {
		t.Error(s)
	}
	if s := text(inWords, request("?"), first, other); strings.Contains(s, says) {
		t.Error(s)
	}
	q := request("?")
	q.Wire = &chat.Wire{Protocol: "other", Body: []byte("{}")}
	if s := text(native, q, called("weather", `[`), called("weather", `[`)); !strings.Contains(s, says) {
		t.Error(s)
	}
}
