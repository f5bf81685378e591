package args_test

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/ferrule/ferrule/args"
	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/internal/cases"
	"github.com/ferrule/ferrule/jsonmend"
)

type dataCase struct {
	Suite, Case, Input string
	Schema             json.RawMessage
	Expect             struct {
		Value json.RawMessage
		Error string
	}
}

// disagrees says why a case contradicts the rules, "" if it doesn't.
func (c dataCase) disagrees(t *testing.T) string {
	f, err := os.Open("../testdata/disagree.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for sc := bufio.NewScanner(f); sc.Scan(); {
		col := strings.Split(sc.Text(), "\t")
		if len(col) == 3 && col[0] == c.Suite+" "+c.Case && strings.HasPrefix(c.Input, col[1]) {
			return col[2]
		}
	}
	return ""
}

// TestData runs every case of the outside set: broken JSON through jsonmend, of
// which no end is known, and slips through a tool with the case's schema. No
// value may come out wrong.
func TestData(t *testing.T) {
	counts := map[string]map[string]int{}
	all, exact := 0, 0
	for line := range cases.Lines(t, "data/arguments/cases.jsonl") {
		var c dataCase
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		verdict := c.judge(t)
		switch verdict {
		case "exact":
			exact++
		case "wrong":
			t.Errorf("%s %q: %s gives a wrong value", c.Suite, c.Case, c.Input)
		case "refused":
			if c.disagrees(t) != "" {
				verdict = "disagreed"
			} else {
				t.Logf("%s %q: %s is refused", c.Suite, c.Case, c.Input)
			}
		}
		if counts[c.Suite] == nil {
			counts[c.Suite] = map[string]int{}
		}
		counts[c.Suite][verdict]++
		all++
	}
	t.Log(counts)
	t.Logf("%d of %d exact", exact, all)
	if exact*100 < all*78 {
		t.Errorf("%d of %d exact, 78 %% wanted", exact, all)
	}
}

func (c dataCase) judge(t *testing.T) string {
	var got []byte
	if c.Schema == nil {
		if r, err := jsonmend.Mend([]byte(c.Input), jsonmend.Options{Object: true}); err == nil {
			got = r.Value
		}
	} else {
		got = c.slip(t)
	}
	switch {
	case c.Expect.Error != "" && got == nil, c.Expect.Error == "" && got != nil && sameTyped(got, c.Expect.Value):
		return "exact"
	case got == nil:
		return "refused"
	}
	return "wrong"
}

// slip reads a value where the tool has it: as all arguments, if they are an
// object, else as its field "v".
func (c dataCase) slip(t *testing.T) []byte {
	params, input := c.Schema, c.Input
	whole := strings.Contains(string(params), `"object"`) && !strings.HasPrefix(string(params), `{"type": "array"`)
	if !whole {
		params = json.RawMessage(`{"type":"object","properties":{"v":` + string(params) + `},"required":["v"]}`)
		input = `{"v":` + input + `}`
	}
	set, err := args.Compile([]chat.Tool{{Name: "t", Schema: params}}, args.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := set.Read(chat.Written{Name: "t", JSON: []byte(input), Stopped: true})
	if r.Problems != nil {
		return nil
	}
	if whole {
		return r.Calls[0].Args
	}
	var o struct{ V json.RawMessage }
	if json.Unmarshal(r.Calls[0].Args, &o) != nil {
		return nil
	}
	return o.V
}
