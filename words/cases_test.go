package words_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/internal/cases"
	"github.com/ferrule/ferrule/words"
)

// engineCase is a case out of an engine's own parser tests.
type engineCase struct {
	Suite, Case, Family, Text string
	Tools                     []json.RawMessage
	Chunks                    []string
	ExpectContent             *string `json:"expect_content"`
	ExpectCalls               []struct {
		Name      string
		Arguments json.RawMessage
	} `json:"expect_calls"`
}

func (c engineCase) known(name string) bool {
	for _, raw := range c.Tools {
		var t struct {
			Name     string
			Function struct{ Name string }
		}
		_ = json.Unmarshal(raw, &t)
		if t.Name == name || t.Function.Name == name {
			return true
		}
	}
	return false
}

// The cases of this family that ask for mending of JSON, for another syntax or
// for thinking to be told apart are counted, not demanded.
func TestEngineCases(t *testing.T) {
	const floor = 55 // of 78: raise it with each slip that is read
	passed, all := 0, 0
	for line := range cases.Lines(t, "data/toolcalls/cases.jsonl") {
		var c engineCase
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		if c.Family != "hermes-json" {
			continue
		}
		all++
		got := read(t, "hermes", words.Frame{}, c.known, nil, chat.FinishStop, c.Text)
		for _, chunks := range [][]string{c.Chunks, strings.Split(c.Text, "")} {
			if strings.Join(chunks, "") != c.Text {
				continue
			}
			if again := read(t, "hermes", words.Frame{}, c.known, nil, chat.FinishStop, chunks...); !reflect.DeepEqual(got, again) {
				t.Errorf("%s %s: in pieces %q, whole %q", c.Suite, c.Case, again.outline(), got.outline())
			}
		}
		if c.agrees(got) {
			passed++
		} else {
			t.Logf("%s %s: %.300q\n got %q", c.Suite, c.Case, c.Text, got.outline())
		}
	}
	t.Logf("%d of %d", passed, all)
	if passed < floor {
		t.Errorf("%d cases pass, %d did", passed, floor)
	}
}

func (c engineCase) agrees(got heard) bool {
	want := ""
	if c.ExpectContent != nil {
		want = *c.ExpectContent
	}
	if strings.TrimSpace(got.text()) != strings.TrimSpace(want) || len(got.calls()) != len(c.ExpectCalls) {
		return false
	}
	for i, w := range got.calls() {
		if w.Why != "" || w.Cut || w.Name != c.ExpectCalls[i].Name || !sameArgs(w.JSON, c.ExpectCalls[i].Arguments) {
			return false
		}
	}
	return true
}
