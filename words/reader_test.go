package words_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/words"
)

var update = flag.Bool("update", false, "rewrite what the tests expect")

// readerCase is one line of a testdata/reader*.jsonl.
type readerCase struct {
	file     string
	Note     string   `json:"note"`
	Syntax   string   `json:"syntax"`
	Thinking string   `json:"thinking,omitempty"` // "ends", "never"; else a call counts where it ends the reply
	Opened   bool     `json:"opened,omitempty"`   // the prompt opened thinking
	Text     string   `json:"text"`
	Finish   *string  `json:"finish,omitempty"` // "stop" where it isn't there
	Quoted   bool     `json:"quoted,omitempty"` // every block is quoted
	Out      []string `json:"out"`
}

var liveFrame = words.Frame{Toolset: "0123456789ab", Nonce: "mk3tq7xw2p"}

func isWeather(name string) bool { return name == "weather" }

func (c readerCase) read(t testing.TB, chunks ...string) heard {
	finish := chat.FinishStop
	if c.Finish != nil {
		finish = chat.Finish(*c.Finish)
	}
	quoted := func(chat.Written) bool { return c.Quoted }
	r := newReader(t, c.Syntax, liveFrame, isWeather, quoted)
	r.Thinks(map[string]words.Thinking{"ends": words.ThinkingEnds, "never": words.ThinkingNever}[c.Thinking], c.Opened)
	return hearAll(r, finish, chunks...)
}

// outline prints an answer as the case file spells it.
func (a heard) outline() []string {
	out := []string{}
	for _, p := range a {
		switch w := p.Call; {
		case w == nil && p.Quoted:
			out = append(out, "quoted: "+p.Text)
		case w == nil && p.Think:
			out = append(out, "thinking: "+p.Text)
		case w == nil:
			out = append(out, "text: "+p.Text)
		case w.Cut:
			out = append(out, "cut")
		case w.Why != "":
			out = append(out, "bad: "+w.Why)
		default:
			s := fmt.Sprintf("call: %s %s", w.Name, arguments(w))
			if w.ID != "" {
				s += " id=" + w.ID
			}
			if w.Live {
				s += " live"
			}
			if len(w.Repairs) > 0 {
				s += " " + strings.Join(w.Repairs, ",")
			}
			out = append(out, s)
		}
	}
	return out
}

// arguments prints a call's arguments: JSON as it is, text in Go's quotes, and
// literals without.
func arguments(w *chat.Written) string {
	if w.Params == nil {
		return string(w.JSON)
	}
	var ps []string
	for _, p := range w.Params {
		if p.Literal {
			ps = append(ps, p.Name+"="+p.Text)
		} else {
			ps = append(ps, fmt.Sprintf("%s=%q", p.Name, p.Text))
		}
	}
	return "(" + strings.Join(ps, ", ") + ")"
}

func readerCases(t testing.TB) []readerCase {
	t.Helper()
	files, err := filepath.Glob("testdata/reader*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases in testdata: %v", err)
	}
	var cs []readerCase
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range bytes.Split(bytes.TrimSpace(b), []byte("\n")) {
			c := readerCase{file: file}
			if err := json.Unmarshal(line, &c); err != nil {
				t.Fatalf("%s: %s: %v", file, line, err)
			}
			cs = append(cs, c)
		}
	}
	return cs
}

func TestReader(t *testing.T) {
	out := map[string]*bytes.Buffer{}
	for _, c := range readerCases(t) {
		got := c.read(t, c.Text)
		if *update {
			if out[c.file] == nil {
				out[c.file] = &bytes.Buffer{}
			}
			c.Out = got.outline()
			e := json.NewEncoder(out[c.file])
			e.SetEscapeHTML(false)
			if err := e.Encode(c); err != nil {
				t.Fatal(err)
			}
			continue
		}
		t.Run(c.Syntax+"/"+c.Note, func(t *testing.T) {
			if diff := cmp.Diff(c.Out, got.outline()); diff != "" {
				t.Errorf("%q\n-want +got:\n%s", c.Text, diff)
			}
		})
	}
	for file, b := range out {
		if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// Whatever way an answer is cut, it is the same answer.
func TestEverySplitIsTheSame(t *testing.T) {
	for _, c := range readerCases(t) {
		want := c.read(t, c.Text)
		check := func(chunks []string) {
			t.Helper()
			got := c.read(t, chunks...)
			if reflect.DeepEqual(want, got) {
				return
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%s in %d pieces %q: -want +got:\n%s", c.Note, len(chunks), chunks, diff)
			}
		}
		check(strings.Split(c.Text, "")) // by rune
		var bytewise []string
		for i := range len(c.Text) {
			bytewise = append(bytewise, c.Text[i:i+1])
			check([]string{c.Text[:i], c.Text[i:]})
		}
		check(bytewise)
		for seed := range uint64(200) {
			check(cuts(c.Text, seed))
		}
	}
}

// cuts splits a text at places that the seed chooses.
func cuts(text string, seed uint64) []string {
	rnd := rand.New(rand.NewPCG(seed, 7))
	var out []string
	for len(text) > 0 {
		n := 1 + rnd.IntN(min(len(text), 1+rnd.IntN(40)))
		out = append(out, text[:n])
		text = text[n:]
	}
	return out
}

// What stays text is there to the byte; what became a call stands in its Raw.
func TestNothingIsLost(t *testing.T) {
	for _, c := range readerCases(t) {
		a := c.read(t, c.Text)
		rest := words.Untokened(c.Text)
		for _, p := range a {
			part := p.Text
			if p.Call != nil {
				part = string(p.Call.Raw)
			}
			part = words.Untokened(part)
			if p.Think {
				part, _, _ = strings.Cut(part, ".")
			}
			before, after, ok := strings.Cut(rest, part)
			if p.Call != nil && !ok && p.Call.Index > 0 {
				continue // one block, several calls
			}
			if !ok || p.Call == nil && !p.Think && len(a) == 1 && strings.TrimSpace(before) != "" {
				t.Errorf("%s: %q isn't in %q", c.Note, part, rest)
			}
			rest = after
		}
		if len(a.calls()) == 0 && !c.Opened && a.lost(c.Text) {
			t.Errorf("%s: the text %q came out as %q", c.Note, c.Text, a.text())
		}
	}
}

func TestReadAllFindsCallsWhereverTheyStand(t *testing.T) {
	call := `{"name":"weather","arguments":{"city":"Oslo"}}`
	for _, text := range []string{
		call,
		"see " + "<tool_call>" + call + "</tool_call>" + " there",
		"`<tool_call>" + call + "</tool_call>` there",
		"```json\n" + call + "\n```\nand more",
		call + "\nand more",
		"<think><tool_call>" + call + "</tool_call></think>",
		`{"protocol":"ferrule.tool-call.v1","toolset":"x","nonce":"y","calls":[` + call + `]} and more`,
	} {
		got := words.ReadAll([]byte(text), isWeather)
		if len(got) != 1 || got[0].Name != "weather" || string(got[0].JSON) != `{"city":"Oslo"}` {
			t.Errorf("%q: %+v", text, got)
		}
	}
	for _, text := range []string{"", "no call", `{"name":"Bob","arguments":{}}`, `{"name":"weather","age":3}`} {
		if got := words.ReadAll([]byte(text), isWeather); len(got) != 0 {
			t.Errorf("%q: %+v", text, got)
		}
	}
}
