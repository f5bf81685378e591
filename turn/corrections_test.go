package turn_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/ferrule/ferrule/args"
	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/rawjson"
	"github.com/ferrule/ferrule/turn"
	"github.com/ferrule/ferrule/words"
)

// zeros is a source of randomness that has none.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// written writes calls of name and arguments as a model does that was asked for
// a syntax.
func written(t *testing.T, syntax string, q *chat.Request, pairs ...string) string {
	t.Helper()
	p, err := words.NewPlan(q, words.Settings{Syntax: syntax, Key: []byte("k"), Rand: zeros{}})
	if err != nil {
		t.Fatal(err)
	}
	return p.Write(calls(pairs...))
}

// correction is what a model reads after an answer; "" where it isn't asked again.
func correction(t *testing.T, p profile.Profile, q *chat.Request, text string) string {
	t.Helper()
	u := &upstream{t: t, script: []say{{text: text, finish: chat.FinishStop}, {text: "Hm.", finish: chat.FinishStop}}}
	_, _ = (&turn.Runner{Key: []byte("k"), Rand: zeros{}}).Run(t.Context(), turn.Target{Upstream: u, Profile: p, Model: "m"}, q, func(chat.Frame) error { return nil })
	if len(u.got) < 2 {
		return ""
	}
	last := u.got[1].Messages[len(u.got[1].Messages)-1]
	return last.Parts[len(last.Parts)-1].(chat.Text).Text
}

// faulty are answers that are asked for again, by what is wrong with them.
var faulty = []struct {
	name string
	edit func(*chat.Request)
	text func(t *testing.T, syntax string, q *chat.Request) string
}{
	{"a field is missing", nil, func(t *testing.T, s string, q *chat.Request) string {
		return written(t, s, q, "weather", `{"town":"Oslo"}`)
	}},
	{"a value of the wrong type", nil, func(t *testing.T, s string, q *chat.Request) string {
		return written(t, s, q, "weather", `{"city":"Oslo","days":"many"}`)
	}},
	{"the example's own words", nil, func(t *testing.T, s string, q *chat.Request) string {
		return written(t, s, q, "weather", `{"city":"<the city>"}`)
	}},
	{"no such tool", nil, func(t *testing.T, s string, q *chat.Request) string {
		return written(t, s, q, "wether", `{"city":"Oslo"}`)
	}},
	{"a tool that isn't granted", choice(chat.Choice{Allowed: []string{"remove"}}), func(t *testing.T, s string, q *chat.Request) string {
		return written(t, s, q, "weather", `{"city":"Oslo"}`)
	}},
	{"cut off", nil, func(t *testing.T, s string, q *chat.Request) string {
		whole := written(t, s, q, "weather", `{"city":"Oslo"}`)
		return whole[:strings.Index(whole, "slo")]
	}},
	{"can't be read", nil, func(t *testing.T, s string, q *chat.Request) string {
		whole := written(t, s, q, "weather", `{"city":"Oslo"}`)
		return strings.NewReplacer(`:"Oslo"`, ` = [Oslo}{`, "<parameter=city>", "<parameter=>").Replace(whole)
	}},
	{"one of two", nil, func(t *testing.T, s string, q *chat.Request) string {
		return written(t, s, q, "weather", `{"city":"Rome"}`, "weather", `{"days":2}`)
	}},
	{"two where one may be made", func(q *chat.Request) { q.Parallel = no() }, func(t *testing.T, s string, q *chat.Request) string {
		return written(t, s, q, "weather", `{"city":"Rome"}`, "weather", `{"city":"Oslo"}`)
	}},
	{"none where one is due", choice(chat.Choice{Mode: chat.ChoiceRequired}), func(*testing.T, string, *chat.Request) string {
		return "It rains."
	}},
}

var corrections = []profile.Corrections{profile.CorrectFull, profile.CorrectShort, profile.CorrectTerse}

// TestCorrectionTexts holds what a model reads after a bad answer, for each
// thing that can be wrong, at each verbosity, in three syntaxes.
func TestCorrectionTexts(t *testing.T) {
	for _, syntax := range []string{"hermes", "envelope", "qwen-coder"} {
		t.Run(syntax, func(t *testing.T) {
			a := &txtar.Archive{Comment: []byte("What a model reads that was asked for calls in this syntax. TestCorrectionTexts; -update rewrites it.\n")}
			for _, f := range faulty {
				for _, v := range corrections {
					q := request("What is the weather?")
					if f.edit != nil {
						f.edit(q)
					}
					p := profile.Profile{Tools: profile.Emulated, Syntax: syntax, Corrections: v}
					text := correction(t, p, q, f.text(t, syntax, q))
					if text == "" {
						t.Errorf("%s: it isn't asked for again", f.name)
					}
					a.Files = append(a.Files, txtar.File{Name: f.name + ", " + string(v), Data: []byte(text + "\n")})
				}
			}
			file := filepath.Join("testdata", "corrections", syntax+".txtar")
			if *update {
				if err := os.WriteFile(file, txtar.Format(a), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), string(txtar.Format(a))); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestEveryExampleIsTaken: in each syntax that can be asked for, the example of
// a correction is a call once it is filled in, and isn't run as it stands (Q8).
func TestEveryExampleIsTaken(t *testing.T) {
	for _, syntax := range words.Names() {
		for _, v := range corrections[:2] {
			t.Run(syntax+"/"+string(v), func(t *testing.T) {
				p := profile.Profile{Tools: profile.Emulated, Syntax: syntax, Corrections: v}
				answer := func(fill func(string) string) (got, turn.Report) {
					q := request("What is the weather?")
					bad := written(t, syntax, q, "weather", `{"days":2}`)
					u := &upstream{t: t, script: []say{{text: bad, finish: chat.FinishStop}, {finish: chat.FinishStop, from: func(q *chat.Request) say {
						last := q.Messages[len(q.Messages)-1]
						text := last.Parts[len(last.Parts)-1].(chat.Text).Text
						_, example, ok := strings.Cut(text, "(put your own values in):\n")
						if !ok {
							t.Fatalf("no example in\n%s", text)
						}
						example, _, _ = strings.Cut(example, "\nCall again with only")
						return say{text: fill(example), finish: chat.FinishStop}
					}}}}
					return run(t, &turn.Runner{Key: []byte("k")}, p, u, q)
				}
				g, _ := answer(func(s string) string { return s })
				if g.Code != turn.CodeToolCallInvalid {
					t.Errorf("as it stands: %+v", g)
				}
				g, rep := answer(func(s string) string { return strings.ReplaceAll(s, "<the city>", "Oslo") })
				if len(g.Calls) != 1 {
					t.Fatalf("filled in: %+v", g)
				}
				name, values, _ := strings.Cut(g.Calls[0], " ")
				if name != "weather" || !rawjson.Same([]byte(values), []byte(`{"city":"Oslo"}`)) || g.Text != "" {
					t.Errorf("filled in: %+v", g)
				}
				// A namespace is the syntax's own.
				how := rep.Calls[len(rep.Calls)-1]
				how.Repairs = slices.DeleteFunc(how.Repairs, func(r string) bool { return r == args.RepairNamespace })
				if how.How != turn.Retried || len(how.Repairs) > 0 {
					t.Errorf("the example needs mending: %+v", how)
				}
			})
		}
	}
}

// TestVerbosity: how much a model is told, by what the profile says of it.
func TestVerbosity(t *testing.T) {
	q := request("?")
	length := func(p profile.Profile) int {
		p.Tools, p.Syntax = profile.Emulated, "hermes"
		return len(correction(t, p, q, wrong))
	}
	full, short, terse := length(profile.Profile{Corrections: profile.CorrectFull}), length(profile.Profile{Corrections: profile.CorrectShort}), length(profile.Profile{Corrections: profile.CorrectTerse})
	if !slices.IsSorted([]int{terse, short, full}) || terse == full {
		t.Errorf("%d, %d, %d bytes", full, short, terse)
	}
	for _, c := range []struct {
		context int
		said    profile.Corrections
		want    int
	}{
		{0, "", full},
		{131072, "", full},
		{8192, "", short},
		{2048, "", terse},
		{2048, profile.CorrectFull, full},
		{131072, profile.CorrectTerse, terse},
	} {
		if n := length(profile.Profile{Context: c.context, Corrections: c.said}); n != c.want {
			t.Errorf("a window of %d, %q: %d bytes, want %d", c.context, c.said, n, c.want)
		}
	}
}
