package words_test

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/words"
)

// hear reads an answer with a form first and prints what came out, a line a part.
func hear(t testing.TB, form string, f chat.Finish, chunks ...string) []string {
	t.Helper()
	known := func(name string) bool { return name == "weather" || name == "now" }
	r, ok := words.NamedReader(form, words.Frame{}, known, nil)
	if !ok {
		t.Fatalf("no form %q", form)
	}
	var out []string
	for _, p := range hearAll(r, f, chunks...) {
		switch w := p.Call; {
		case w == nil:
			out = append(out, "text: "+p.Text)
		case w.Cut:
			out = append(out, "cut: "+w.Name)
		case w.Why != "":
			out = append(out, "bad: "+w.Name+": "+w.Why)
		default:
			s := "call: " + w.Name + string(w.JSON)
			for _, p := range w.Params {
				s += fmt.Sprintf(" %s=%q", p.Name, p.Text)
			}
			if len(w.Repairs) > 0 {
				s += " | " + strings.Join(w.Repairs, ",")
			}
			out = append(out, s)
		}
	}
	return out
}

type formCase struct {
	form, text string
	finish     chat.Finish
	want       []string
}

// formCases reads testdata/reader_pairs.txt: "form finish", the text (%n is a
// line break), what is to come out, each on its lines; a blank line between.
func formCases(t testing.TB) (cs []formCase) {
	t.Helper()
	b, err := os.ReadFile("testdata/reader_pairs.txt")
	if err != nil {
		t.Fatal(err)
	}
	breaks := strings.NewReplacer("%n", "\n")
	for block := range strings.SplitSeq(strings.TrimSpace(string(b)), "\n\n") {
		lines := strings.Split(block, "\n")
		form, finish, _ := strings.Cut(lines[0], " ")
		c := formCase{form: form, text: breaks.Replace(lines[1]), finish: chat.Finish(finish)}
		for _, l := range lines[2:] {
			c.want = append(c.want, breaks.Replace(l))
		}
		cs = append(cs, c)
	}
	return cs
}

func TestPairsAndGemma(t *testing.T) {
	cs := formCases(t)
	if *update {
		var b strings.Builder
		spell := strings.NewReplacer("\n", "%n")
		for i, c := range cs {
			if i > 0 {
				b.WriteByte('\n')
			}
			lines := append([]string{c.form + " " + string(c.finish), c.text}, hear(t, c.form, c.finish, c.text)...)
			for _, l := range lines {
				b.WriteString(spell.Replace(l) + "\n")
			}
		}
		if err := os.WriteFile("testdata/reader_pairs.txt", []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	for i, c := range cs {
		t.Run(fmt.Sprintf("%d/%s", i, c.form), func(t *testing.T) {
			got := hear(t, c.form, c.finish, c.text)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%q\n-want +got:\n%s", c.text, diff)
			}
			sameInPieces(t, c.form, c.finish, c.text, got)
		})
	}
}

func sameInPieces(t testing.TB, form string, f chat.Finish, text string, want []string) {
	t.Helper()
	pieces := [][]string{bytewise(text)}
	for i := range len(text) {
		pieces = append(pieces, []string{text[:i], text[i:]})
	}
	for seed := range uint64(50) {
		pieces = append(pieces, cuts(text, seed))
	}
	for _, p := range pieces {
		if got := hear(t, form, f, p...); !reflect.DeepEqual(want, got) {
			t.Fatalf("%q: in pieces %q, whole %q", p, got, want)
		}
	}
}

// What opens and never closes costs no more than its length.
func TestPairsAndGemmaAreLinear(t *testing.T) {
	for _, open := range []string{
		"<tool_call>", "<tool_call>a<arg_key>", "<tool_call>a<arg_key>k</arg_key><arg_value></tool_call>",
		"<tool_call>a<arg_key>k</arg_key><arg_value>v</arg_value>", "<tool_calls><tool_call>a<tool_sep>", "<user>a ",
		"<|tool_call>call:a{", `<|tool_call>call:a{k:<|"|>`, `<|tool_call>call:a{k:<|"|><tool_call|>`, "call:a{[\n", "a<|tool_call>call:a{k: =",
		`<|tool_call>call:a{k:"}<tool_call|>`, "<tool_call>a    ", "<|tool_call>call:a{k          ",
	} {
		work := func(n int) int {
			r := newReader(t, "auto", words.Frame{}, nil, nil)
			drop := func(words.Item) {}
			r.Write([]byte(strings.Repeat(open, n)), drop)
			r.Close(chat.FinishStop, drop)
			return r.Work()
		}
		if one, four := work(500), work(2000); four > 6*one {
			t.Errorf("%q: %d bytes looked at, four times as long %d", open, one, four)
		}
	}
}

func FuzzPairsAndGemma(f *testing.F) {
	for i, c := range formCases(f) {
		f.Add(c.form, c.text, uint64(i), c.finish == chat.FinishStop)
	}
	f.Fuzz(func(t *testing.T, form, text string, seed uint64, stop bool) {
		finish := chat.FinishLength
		if stop {
			finish = chat.FinishStop
		}
		if _, ok := words.Forms(form); !ok || len(text) > 4000 {
			return // not a case: no such form, or too long to be quick
		}
		whole := hear(t, form, finish, text)
		for _, p := range [][]string{bytewise(text), cuts(text, seed)} {
			if got := hear(t, form, finish, p...); !reflect.DeepEqual(whole, got) {
				t.Fatalf("%q: in pieces %q, whole %q", p, got, whole)
			}
		}
		if len(whole) != 1 {
			return
		}
		if said, ok := strings.CutPrefix(whole[0], "text: "); ok && (heard{{Text: said}}).lost(text) {
			t.Fatalf("%q came out as %q", text, said)
		}
	})
}
