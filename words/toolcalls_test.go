package words_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ferrule/ferrule/args"
	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/internal/cases"
	"github.com/ferrule/ferrule/rawjson"
	"github.com/ferrule/ferrule/words"
)

// engineCase is what an engine's own test expects of its parser.
type engineCase struct {
	Suite, Case, Family, Text string
	Tools                     []struct {
		Function struct {
			Name       string
			Parameters json.RawMessage
		}
	}
	Content *string `json:"expect_content"`
	Calls   []struct {
		Name      string
		Arguments json.RawMessage
	} `json:"expect_calls"`
	Chunks []string
}

func engineCases(t testing.TB) (cs []engineCase) {
	for line := range cases.Lines(t, "data/toolcalls/cases.jsonl") {
		var c engineCase
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		cs = append(cs, c)
	}
	return cs
}

// answer is what came out of one reading.
type answer struct {
	text, reasoning string
	calls           []chat.Call
	failed          []string
}

func (c engineCase) read(t testing.TB, syntax string, chunks ...string) answer {
	t.Helper()
	var tools []chat.Tool
	for _, tool := range c.Tools {
		tools = append(tools, chat.Tool{Name: tool.Function.Name, Schema: tool.Function.Parameters})
	}
	set, err := args.Compile(tools, args.Options{Loose: true, Parallel: true})
	if err != nil {
		t.Fatal(err)
	}
	known := func(name string) bool { found, _, _ := set.Find(name); return found != nil }
	r, ok := words.NamedReader(syntax, words.Frame{}, known, nil)
	if !ok {
		r, _ = words.NamedReader("auto", words.Frame{}, known, nil)
	}
	r.MayThink()
	var a answer
	take := func(i words.Item) {
		switch i.Kind {
		case words.ItemText:
			a.text += string(i.Text)
		case words.ItemReasoning:
			a.reasoning += string(i.Text)
		case words.ItemCall:
			i.Call.Stopped = true
			if got := set.Read(*i.Call); got.Problems != nil {
				a.failed = append(a.failed, got.Problems.Error())
			} else {
				a.calls = append(a.calls, got.Calls...)
			}
		}
	}
	for _, chunk := range chunks {
		r.Write([]byte(chunk), take)
	}
	r.Close(chat.FinishStop, take)
	return a
}

var thoughts = regexp.MustCompile(`(?s)^.*?</think>|<think>.*`)

// plainText is an answer's text as the engines' tests can be compared: with or
// without thinking, which some of them leave in and some take out.
func plainText(s string) string { return strings.TrimSpace(thoughts.ReplaceAllString(s, "")) }

// wrong says what is not as the engine has it; "" if all is.
func (c engineCase) wrong(a answer) string {
	content := ""
	if c.Content != nil {
		content = *c.Content
	}
	if plainText(a.text) != plainText(content) {
		return fmt.Sprintf("text %q, want %q", a.text, content)
	}
	if len(a.calls) != len(c.Calls) {
		return fmt.Sprintf("%d calls, want %d; failed %q", len(a.calls), len(c.Calls), a.failed)
	}
	for i, want := range c.Calls {
		if got := a.calls[i]; got.Name != want.Name || !rawjson.Same(got.Args, want.Arguments) {
			return fmt.Sprintf("call %s %s, want %s %s", got.Name, got.Args, want.Name, want.Arguments)
		}
	}
	return ""
}

func bytewise(s string) (out []string) {
	for i := range len(s) {
		out = append(out, s[i:i+1])
	}
	return out
}

// engineAnswers are cases where ours is the better answer, by suite and case: the reason.
func engineAnswers(t testing.TB) map[string]string {
	b, err := os.ReadFile("testdata/engines.txt")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, line := range strings.Split(string(b), "\n") {
		if name, why, ok := strings.Cut(line, "\t"); ok && !strings.HasPrefix(line, "#") {
			out[name] = why
		}
	}
	return out
}

// Of a hundred engine cases so many are to be read as the engines have them, as
// anything and as their family's.
const (
	floorAuto   = 99
	floorPinned = 99
)

// TestEngineCases runs the engines' cases, read as anything and as their family's.
// FAMILY=name[,name] shows what differs there.
func TestEngineCases(t *testing.T) {
	better := engineAnswers(t)
	show := strings.Split(os.Getenv("FAMILY"), ",")
	for _, pinned := range []bool{false, true} {
		good, bad, all := map[string]int{}, map[string]int{}, 0
		for _, c := range engineCases(t) {
			syntax := "auto"
			if pinned {
				syntax = c.Family
			}
			all++
			a := c.read(t, syntax, c.Text)
			for _, chunks := range [][]string{c.Chunks, strings.Split(c.Text, ""), bytewise(c.Text)} {
				if strings.Join(chunks, "") == c.Text {
					if again := c.read(t, syntax, chunks...); !reflect.DeepEqual(a, again) {
						t.Errorf("%s %s: in pieces %+v, whole %+v", c.Suite, c.Case, again, a)
					}
				}
			}
			why := c.wrong(a)
			if why == "" || better[c.Suite+" "+c.Case] != "" {
				good[c.Family]++
				continue
			}
			bad[c.Family]++
			if slices.Contains(show, c.Family) {
				t.Logf("%s %s\n  %q\n  %s", c.Suite, c.Case, c.Text, why)
			}
		}
		n := 0
		var left bytes.Buffer
		for _, f := range slices.Sorted(maps.Keys(bad)) {
			fmt.Fprintf(&left, " %s %d/%d", f, bad[f], bad[f]+good[f])
		}
		for _, g := range good {
			n += g
		}
		floor := all * floorAuto / 100
		if pinned {
			floor = all * floorPinned / 100
		}
		if n < floor {
			t.Errorf("pinned=%v: %d of %d as the engines have it, %d wanted", pinned, n, all, floor)
		}
		t.Logf("pinned=%v: %d of %d; differ:%s", pinned, n, all, left.String())
	}
}
