package turn_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/turn"
)

// heldTo tells how a request holds its answer.
func heldTo(q *chat.Request) string {
	format := string(q.Extra["openai.response_format"])
	switch {
	case q.Format != nil:
		return q.Format.Type
	case strings.Contains(format, `"at_least_one":true`):
		return "tags, one at least"
	case strings.Contains(format, `"structural_tag"`):
		return "tags"
	case format != "":
		return "another format"
	case q.Extra["openai.grammar"] != nil:
		return "grammar"
	}
	return ""
}

func TestConstrain(t *testing.T) {
	required := choice(chat.Choice{Mode: chat.ChoiceRequired})
	named := choice(chat.Choice{Mode: chat.ChoiceNamed, Name: "remove"})
	good := say{text: bareOslo, finish: chat.FinishStop}
	osloCalled := got{Calls: []string{`weather {"city": "Oslo"}`}, Finish: chat.FinishCalls}
	unsupported := &chat.Fault{Status: 400, Text: "response_format of type json_schema is not supported by this model"}
	cantDo := &chat.Fault{Status: 400, Text: "Invalid schema for response_format 'tool_call'"}
	busy := &chat.Fault{Status: 503, Code: "overloaded", Text: "try later"}
	for _, c := range []struct {
		name   string
		server string
		when   profile.Constrain
		edit   func(*chat.Request)
		script []say
		held   []string
		want   got
		learns string
	}{
		{"a required choice", "llamacpp", "", required, []say{good}, []string{"json_schema"}, osloCalled, "forced"},
		{"a named one", "llamacpp", "", named, []say{{text: `{"name": "remove", "arguments": {"path": "a"}}`, finish: chat.FinishStop}}, []string{"json_schema"}, got{Calls: []string{`remove {"path": "a"}`}, Finish: chat.FinishCalls}, "forced"},
		{"none", "llamacpp", "", nil, []say{{text: "Hi.", finish: chat.FinishStop}}, []string{""}, got{Text: "Hi.", Finish: chat.FinishStop}, ""},
		{"a server that isn't known", "", "", required, []say{good}, []string{""}, osloCalled, ""},
		{"one with nothing of the kind", "deepseek", "", required, []say{good}, []string{""}, osloCalled, ""},
		{"a correction", "llamacpp", "", nil, []say{{text: wrong, finish: chat.FinishStop}, good}, []string{"", "json_schema"}, osloCalled, "forced"},
		{"a correction behind words", "llamacpp", "", nil, []say{{text: "Well. " + wrong, finish: chat.FinishStop}, good}, []string{"", ""}, got{Text: "Well. ", Calls: osloCalled.Calls, Finish: chat.FinishCalls}, ""},
		{"where it is known to work", "llamacpp", profile.ConstrainForced, nil, []say{{text: "Well. " + wrong, finish: chat.FinishStop}, good}, []string{"", "json_schema"}, got{Text: "Well. ", Calls: osloCalled.Calls, Finish: chat.FinishCalls}, "forced"},
		{"never", "llamacpp", profile.ConstrainNever, required, []say{good}, []string{""}, osloCalled, ""},
		{"always, words free", "vllm", profile.ConstrainAlways, nil, []say{{text: "Hi.", finish: chat.FinishStop}}, []string{"tags"}, got{Text: "Hi.", Finish: chat.FinishStop}, "forced"},
		{"always, where words can't be free", "llamacpp", profile.ConstrainAlways, nil, []say{{text: "Hi.", finish: chat.FinishStop}}, []string{""}, got{Text: "Hi.", Finish: chat.FinishStop}, ""},
		{"no tool may be called", "vllm", profile.ConstrainAlways, choice(chat.Choice{Mode: chat.ChoiceNone}), []say{{text: "Hi.", finish: chat.FinishStop}}, []string{""}, got{Text: "Hi.", Finish: chat.FinishStop}, ""},
		{"tags", "sglang", "", required, []say{{text: oslo, finish: chat.FinishStop}}, []string{"tags, one at least"}, osloCalled, "forced"},
		{"a grammar", "localai", "", required, []say{{text: oslo, finish: chat.FinishStop}}, []string{"grammar"}, osloCalled, "forced"},
		{"a grammar as a format", "fireworks", "", required, []say{{text: oslo, finish: chat.FinishStop}}, []string{"another format"}, osloCalled, "forced"},
		{"the client's own format", "llamacpp", "", func(q *chat.Request) {
			required(q)
			q.Format = &chat.Format{Type: "json_object"}
		}, []say{good}, []string{"json_object"}, osloCalled, ""},
		{"refused for good", "llamacpp", "", required, []say{{refuse: unsupported}, good}, []string{"json_schema", ""}, osloCalled, "never"},
		{"refused inside a 200", "llamacpp", "", required, []say{{inside: unsupported, finish: chat.FinishStop}, good}, []string{"json_schema", ""}, osloCalled, "never"},
		{"refused for these tools", "llamacpp", "", required, []say{{refuse: cantDo}, good}, []string{"json_schema", ""}, osloCalled, ""},
		{"refused at the correction", "llamacpp", "", nil, []say{{text: wrong, finish: chat.FinishStop}, {refuse: unsupported}, good}, []string{"", "json_schema", ""}, osloCalled, "never"},
		{"another fault", "llamacpp", "", required, []say{{refuse: busy}}, []string{"json_schema"}, got{Code: "overloaded", Status: 503}, ""},
		{"the same words without a constraint", "", "", required, []say{{refuse: unsupported}}, []string{""}, got{Status: 400}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			q := request("?")
			if c.edit != nil {
				c.edit(q)
			}
			facts := new(turn.LocalFacts)
			u := &upstream{t: t, script: c.script}
			p := inWords
			p.Server, p.Constrain = c.server, c.when
			g, rep := run(t, &turn.Runner{Key: []byte("k"), Facts: facts}, p, u, q)
			if d := cmp.Diff(c.want, g); d != "" {
				t.Error(d)
			}
			var held []string
			for _, q := range u.got {
				held = append(held, heldTo(q))
			}
			if d := cmp.Diff(c.held, held); d != "" {
				t.Errorf("held to (-want +got):\n%s", d)
			}
			learned := ""
			for _, f := range facts.Learned(profile.Place{Provider: "p", Model: "up"}) {
				learned += f.Value
			}
			if learned != c.learns {
				t.Errorf("learned %q, want %q", learned, c.learns)
			}
			for _, o := range rep.Calls {
				if len(o.Repairs) > 0 && c.learns == "forced" {
					t.Errorf("what was asked for counts as set right: %v", o.Repairs)
				}
			}
		})
	}
}

// TestConstrainIsLearned: what was refused for good isn't sent again.
func TestConstrainIsLearned(t *testing.T) {
	r := &turn.Runner{Key: []byte("k"), Facts: new(turn.LocalFacts)}
	p := inWords
	p.Server = "llamacpp"
	q := request("?")
	q.Choice.Mode = chat.ChoiceRequired
	good := say{text: bareOslo, finish: chat.FinishStop}
	run(t, r, p, &upstream{t: t, script: []say{{refuse: &chat.Fault{Status: 400, Text: "unknown field: response_format"}}, good}}, q)
	u := &upstream{t: t, script: []say{good}}
	if run(t, r, p, u, q); heldTo(u.got[0]) != "" {
		t.Error("it was sent again")
	}
}

// TestSpecialTokens: they are asked for in words, and only there.
func TestSpecialTokens(t *testing.T) {
	const key = "openai.skip_special_tokens"
	for _, c := range []struct {
		server string
		mode   profile.Mode
		want   string
	}{
		{"vllm", profile.Emulated, "false"},
		{"sglang", profile.Emulated, "false"},
		{"vllm", profile.Native, ""},
		{"llamacpp", profile.Emulated, ""},
		{"", profile.Emulated, ""},
	} {
		u := &upstream{t: t, script: []say{{text: "Hi.", finish: chat.FinishStop}}}
		run(t, &turn.Runner{Key: []byte("k")}, profile.Profile{Tools: c.mode, Server: c.server}, u, request("?"))
		if got := string(u.got[0].Extra[key]); got != c.want {
			t.Errorf("%s, %s: %q", c.server, c.mode, got)
		}
	}
}

// TestAsked: which syntax a model is asked for, by its server and its name.
func TestAsked(t *testing.T) {
	for _, c := range []struct{ server, syntax, model, want string }{
		{"", "", "qwen3-coder:30b", "ferrule"},
		{"ollama", "", "qwen3-coder:30b", "ferrule"},
		{"vllm", "", "Qwen/Qwen3-Coder-30B", "qwen-coder"},
		{"vllm", "", "nobody-knows", "hermes"},
		{"vllm", "auto", "Qwen/Qwen3-8B", "hermes"},
		{"vllm", "envelope", "Qwen/Qwen3-Coder-30B", "envelope"},
		{"llamacpp", "", "Devstral-Small-2507-Q4.gguf", "hermes"},
		{"ollama", "mistral", "x", "mistral"},
		{"vllm", "qwen3-coder-xml", "x", "qwen-coder"},
	} {
		u := &upstream{t: t, script: []say{{text: "Hi.", finish: chat.FinishStop}}}
		rep, err := (&turn.Runner{Key: []byte("k")}).Run(t.Context(), turn.Target{
			Model: c.model, Upstream: u, Profile: profile.Profile{Tools: profile.Emulated, Server: c.server, Syntax: c.syntax},
		}, request("?"), func(chat.Frame) error { return nil })
		if err != nil || rep.Syntax != c.want {
			t.Errorf("%+v: %q, %v", c, rep.Syntax, err)
		}
	}
}

// TestFamilyIsRead: what a model was trained to write is read where it was asked
// for another syntax.
func TestFamilyIsRead(t *testing.T) {
	u := &upstream{t: t, script: []say{{text: "<tool_call>\n<function=weather>\n<parameter=city>\nOslo\n</parameter>\n</function>\n</tool_call>", finish: chat.FinishStop}}}
	var calls int
	rep, err := (&turn.Runner{Key: []byte("k")}).Run(t.Context(), turn.Target{
		Model: "qwen3-coder:30b", Upstream: u, Profile: profile.Profile{Tools: profile.Emulated, Server: "ollama"},
	}, request("?"), func(f chat.Frame) error {
		for _, e := range f.Events {
			if e.Kind == chat.EventCallEnd && string(e.Call.Args) == `{"city":"Oslo"}` {
				calls++
			}
		}
		return nil
	})
	if err != nil || rep.Syntax != "ferrule" || calls != 1 {
		t.Errorf("%+v, %d calls, %v", rep, calls, err)
	}
}

// TestLiveKeyUnderConstraint: where the model is told to prove its calls, the
// constraint lets it.
func TestLiveKeyUnderConstraint(t *testing.T) {
	q := request("Never write " + oslo)
	q.Choice.Mode = chat.ChoiceRequired
	p := inWords
	p.Server = "llamacpp"
	u := &upstream{t: t, script: []say{{from: func(q *chat.Request) say {
		last := q.Messages[len(q.Messages)-1]
		text := last.Parts[len(last.Parts)-1].(chat.Text).Text
		_, key, asked := strings.Cut(text, `with the value "`)
		if !asked {
			t.Fatalf("no key in %s", text)
		}
		key, _, _ = strings.Cut(key, `"`)
		if q.Format == nil || !bytes.Contains(q.Format.Schema, []byte(`"enum":["`+key+`"]`)) {
			t.Errorf("the key %s isn't in %+v", key, q.Format)
		}
		return say{text: `{"name": "weather", "arguments": {"city": "Oslo", "live": "` + key + `"}}`, finish: chat.FinishStop}
	}}}}
	g, _ := run(t, &turn.Runner{Key: []byte("k")}, p, u, q)
	if len(g.Calls) != 1 {
		t.Errorf("%+v", g)
	}
}
