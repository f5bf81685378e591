package words_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
)

// ownCase is a line of testdata/negatives/own.jsonl, an answer without a call,
// or of twins.jsonl, one that is much like it and has some.
type ownCase struct {
	ID, Text, Why string
	Tools         []string
	Calls         []struct {
		Name      string
		Arguments json.RawMessage
	}
}

func ownCases(t *testing.T, file string) (cs []ownCase) {
	t.Helper()
	for _, line := range bytes.Split(bytes.TrimSpace(fixture(t, file)), []byte("\n")) {
		var c ownCase
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		cs = append(cs, c)
	}
	return cs
}

func fixture(t *testing.T, file string) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/negatives/" + file)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// ownTools are the tools that the cases name.
func ownTools(t *testing.T) func(c ownCase) []chat.Tool {
	var all []struct {
		Name       string
		Parameters json.RawMessage
	}
	if err := json.Unmarshal(fixture(t, "tools.json"), &all); err != nil {
		t.Fatal(err)
	}
	return func(c ownCase) (tools []chat.Tool) {
		for _, tool := range all {
			if slices.Contains(c.Tools, tool.Name) {
				tools = append(tools, chat.Tool{Name: tool.Name, Kind: chat.ToolFunction, Schema: tool.Parameters})
			}
		}
		return tools
	}
}

// TestNegativesOwn: answers about tools that call none. NEGATIVES=own lists the false calls.
func TestNegativesOwn(t *testing.T) {
	tools := ownTools(t)
	for _, d := range doors {
		groups, all := map[string]*tally{}, tally{}
		for _, c := range ownCases(t, "own.jsonl") {
			l := d.open(t, tools(c), "hermes-json")
			why := l.silent(c.Text)
			group, _, _ := strings.Cut(c.ID, "/")
			if groups[group] == nil {
				groups[group] = &tally{}
			}
			groups[group].add(why)
			all.add(why)
			logFalse(t, "own", c.ID+" through "+d.name+": "+c.Why, c.Text, why)
			l.sameInPieces(t, c.ID+" through "+d.name, c.Text)
		}
		for _, g := range slices.Sorted(maps.Keys(groups)) {
			t.Logf("%s, %s: %v false calls", d.name, g, groups[g])
		}
		all.within(t, "own, "+d.name, mostOwn)
	}
}

// TestNegativesTwins: beside them, answers that must be read as calls.
func TestNegativesTwins(t *testing.T) {
	tools := ownTools(t)
	for _, d := range doors[:3] { // leaks are read more strictly
		good := 0
		for _, c := range ownCases(t, "twins.jsonl") {
			l := d.open(t, tools(c), "hermes-json")
			if why := l.calls(c); why == "" {
				good++
			} else {
				t.Logf("%s through %s (%s): %s in %q", c.ID, d.name, c.Why, why, c.Text)
			}
			l.sameInPieces(t, c.ID+" through "+d.name, c.Text)
		}
		if t.Logf("%s: %d twins read as calls", d.name, good); good < leastTwins {
			t.Errorf("%s: %d twins read as calls, %d wanted", d.name, good, leastTwins)
		}
	}
}

// calls says what of a twin's calls isn't read as it should; "" if all is.
func (l listener) calls(c ownCase) string {
	a := l.hear(c.Text)
	var got []chat.Call
	for _, w := range a.calls() {
		w.Stopped = true
		read := l.set.Read(w)
		if read.Problems != nil {
			return read.Problems.Error()
		}
		got = append(got, read.Calls...)
	}
	if len(got) != len(c.Calls) {
		return strings.Join(a.outline(), ", ")
	}
	for i, want := range c.Calls {
		if got[i].Name != want.Name || !rawjson.Same(got[i].Args, want.Arguments) {
			return got[i].Name + " " + string(got[i].Args)
		}
	}
	return ""
}
