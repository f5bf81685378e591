package words_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ferrule/ferrule/args"
	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/words"
)

// negativeKey is a fence key for tests.
var negativeKey = bytes.Repeat([]byte("k"), 32)

// door is one way in which answers are read.
type door struct {
	name   string
	raw    bool // thinking is text as it stands
	reader func(t testing.TB, q *chat.Request, family string) func(known func(string) bool) *words.Reader
}

// doors are the ways: as ferrule read does, in auto and with the family named;
// as a plan does that asked for a syntax; and for what a native endpoint leaks.
var doors = []door{
	{"auto", false, func(t testing.TB, _ *chat.Request, _ string) func(func(string) bool) *words.Reader {
		return thinking(t, "auto")
	}},
	{"family", false, func(t testing.TB, _ *chat.Request, family string) func(func(string) bool) *words.Reader {
		return thinking(t, family)
	}},
	{"pinned", false, func(t testing.TB, q *chat.Request, family string) func(func(string) bool) *words.Reader {
		s := words.Settings{Syntax: writtenBy(family), Family: family, Key: negativeKey, Rand: bytes.NewReader(negativeKey)}
		p, err := words.NewPlan(q, s)
		if err != nil {
			t.Fatal(err)
		}
		return func(known func(string) bool) *words.Reader { return p.Reader(known, nil) }
	}},
	{"leak", true, func(testing.TB, *chat.Request, string) func(func(string) bool) *words.Reader {
		return func(known func(string) bool) *words.Reader { return words.NewLeakReader(known, nil, true) }
	}},
}

func thinking(t testing.TB, name string) func(func(string) bool) *words.Reader {
	return func(known func(string) bool) *words.Reader {
		r, ok := words.NamedReader(name, words.Frame{}, known, nil)
		if !ok {
			r, _ = words.NamedReader("auto", words.Frame{}, known, nil)
		}
		r.MayThink()
		return r
	}
}

// writtenBy is the syntax that a model of the family is asked for; "" is the default.
func writtenBy(family string) string {
	for _, i := range words.Syntaxes() {
		if i.Written && slices.Contains(i.Families, family) {
			return i.Name
		}
	}
	return ""
}

// listener reads answers through one door.
type listener struct {
	reader func(known func(string) bool) *words.Reader
	set    *args.Set
	raw    bool // thinking is text as it stands
}

func (d door) open(t testing.TB, tools []chat.Tool, family string) listener {
	t.Helper()
	set, err := args.Compile(tools, args.Options{Loose: true, Parallel: true})
	if err != nil {
		t.Fatal(err)
	}
	q := &chat.Request{Tools: tools, Messages: []chat.Message{{Role: chat.RoleUser, Parts: []chat.Part{chat.Text{Text: "?"}}}}}
	return listener{d.reader(t, q, family), set, d.raw}
}

func (l listener) hear(chunks ...string) (a heard) {
	r := l.reader(func(name string) bool { found, _, _ := l.set.Find(name); return found != nil })
	for _, c := range chunks {
		r.Write([]byte(c), a.take)
	}
	r.Close(chat.FinishStop, a.take)
	return a
}

// silent says why an answer that holds no call isn't read so; "" if it is.
func (l listener) silent(text string) string {
	a := l.hear(text)
	switch {
	case len(a.calls()) > 0:
		return fmt.Sprintf("a call to %q: %v", a.calls()[0].Name, a.outline())
	case l.raw && a.text() != text, !l.raw && a.lost(text):
		return fmt.Sprintf("the text came out as %q", a.text())
	}
	return ""
}

// sameInPieces fails where an answer reads otherwise in pieces than as a whole.
func (l listener) sameInPieces(t testing.TB, id, text string) {
	t.Helper()
	want := l.hear(text)
	for i, chunks := range [][]string{bytewise(text), cuts(text, 1), cuts(text, 2)} {
		if got := l.hear(chunks...); !reflect.DeepEqual(want, got) {
			t.Errorf("%s, split %d of %q:\n%v\nas a whole\n%v", id, i, text, got.outline(), want.outline())
		}
	}
}

// tally counts answers without a call, and those that were read for one.
type tally struct{ all, wrong int }

func (n *tally) add(why string) {
	n.all++
	if why != "" {
		n.wrong++
	}
}

// String gives the rate of false calls with its 95 % interval, after Wilson.
func (n tally) String() string {
	if n.all == 0 {
		return "none"
	}
	const z = 1.96
	m, p := float64(n.all), float64(n.wrong)/float64(n.all)
	mid, half := p+z*z/(2*m), z*math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	low, high := (mid-half)/(1+z*z/m), (mid+half)/(1+z*z/m)
	return fmt.Sprintf("%d of %d, %.2f %% (%.2f to %.2f)", n.wrong, n.all, 100*p, 100*max(0, low), 100*high)
}

// within holds a tally to a share of false calls, in per cent.
func (n *tally) within(t *testing.T, group string, most float64) {
	t.Helper()
	t.Logf("%s: %v false calls", group, n)
	if share := 100 * float64(n.wrong) / float64(max(1, n.all)); share > most && !testing.Short() {
		t.Errorf("%s: %.2f %% false calls, %v %% at most", group, share, most)
	}
}

// logFalse logs a false call where $NEGATIVES names its group.
func logFalse(t *testing.T, group, id, text, why string) {
	if why != "" && slices.Contains(strings.Split(os.Getenv("NEGATIVES"), ","), group) {
		t.Logf("%s\n  %q\n  %s", id, text, why)
	}
}

// retold is a way to show a call without making it.
type retold struct {
	name string
	tell func(call string) string
	most float64 // per cent of false calls through any one door
}

// fenced puts a text between two lines that its own can't be taken for.
func fenced(char, info, text string) string {
	line := strings.Repeat(char, max(3, longestRun(text, char)+1))
	return line + info + "\n" + text + "\n" + line
}

// coded makes inline code of a text.
func coded(text string) string {
	n := longestRun(text, "`")
	if n == 0 {
		return "`" + text + "`"
	}
	ticks := strings.Repeat("`", n+1)
	return ticks + " " + text + " " + ticks
}

func longestRun(text, char string) (n int) {
	for strings.Contains(text, strings.Repeat(char, n+1)) {
		n++
	}
	return n
}

func inSentence(call string) string {
	return "Write " + coded(call) + " to call it, as the manual says."
}

func atSentenceEnd(call string) string {
	return "What I would write is " + coded(call) + ".\nBut nobody asked me to."
}

func fencedThenWords(call string) string {
	return "The format:\n\n" + fenced("`", "", call) + "\n\nThat is all there is to it."
}

func tildesThenWords(call string) string {
	return "The format:\n" + fenced("~", "xml", call) + "\nSo much for the format."
}

// retellings are three ways to show a call: in inline code, in a fence with
// words behind, as an example with words behind.
var retellings = []retold{
	{"inline code in a sentence", inSentence, mostInCode},
	{"inline code at its end", atSentenceEnd, mostInCode},
	{"fence", fencedThenWords, mostInFence},
	{"fence of tildes", tildesThenWords, mostInFence},
	{"example in a sentence", func(c string) string {
		return "For example, a call looks like this: " + c + " and the result comes back."
	}, mostExamples},
	{"example on its own line", func(c string) string {
		return "For example:\n" + c + "\nThe result comes back after it."
	}, mostExamples},
	{"example in its own paragraph", func(c string) string {
		return "For example, a call looks like this:\n\n" + c + "\n\nThe result comes back after it."
	}, mostExamples},
	{"example between commas", func(c string) string {
		return "You could write, for example, " + c + ", and wait for the result."
	}, mostEmbedded},
	{"example as a subject", func(c string) string {
		return "For example " + c + " is how a call is written."
	}, mostSubjects},
}

// TestNegativesRetold: every answer of the engines' cases that is a call, shown
// and not made, in each way through one of the doors. $NEGATIVES names the ways,
// by commas, of which the false calls are listed; then it's through all doors.
func TestNegativesRetold(t *testing.T) {
	cs := slices.DeleteFunc(engineCases(t), func(c engineCase) bool { return len(c.Calls) == 0 })
	counts := map[string]*tally{}
	for i, c := range cs {
		if testing.Short() && i%11 != 0 {
			continue
		}
		text, tools := strings.TrimSpace(c.Text), c.tools()
		for k, d := range doors {
			l := d.open(t, tools, c.Family)
			for j, w := range retellings {
				if (i+j+k)%len(doors) > 0 && os.Getenv("NEGATIVES") == "" {
					continue // each way through one door
				}
				key := w.name + ", " + d.name
				if counts[key] == nil {
					counts[key] = &tally{}
				}
				told := w.tell(text)
				why := l.silent(told)
				counts[key].add(why)
				logFalse(t, w.name, c.Suite+" "+c.Case+" through "+d.name, told, why)
				if (i/len(doors)+j)%8 == 0 && len(told) < 4<<10 {
					l.sameInPieces(t, c.Suite+" "+c.Case+", "+w.name+" through "+d.name, told)
				}
			}
		}
	}
	for _, w := range retellings {
		for _, d := range doors {
			counts[w.name+", "+d.name].within(t, w.name+", "+d.name, w.most)
		}
	}
}

func (c engineCase) tools() (tools []chat.Tool) {
	for _, tool := range c.Tools {
		tools = append(tools, chat.Tool{Name: tool.Function.Name, Kind: chat.ToolFunction, Schema: tool.Function.Parameters})
	}
	return tools
}
