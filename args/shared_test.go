package args_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ferrule/ferrule/args"
	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/internal/cases"
)

type logCase struct {
	ID    string `json:"id"`
	Kind  int    `json:"kind"`
	Input struct {
		Arguments *string    `json:"arguments"`
		Tool      toolLine   `json:"tool"`
		Tools     []toolLine `json:"tools"`
		Call      *struct {
			Name      *string         `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"call"`
	} `json:"input"`
	Expect struct {
		Outcome    string          `json:"outcome"`
		Arguments  json.RawMessage `json:"arguments"`
		To         string          `json:"to"`
		Candidates []string        `json:"candidates"`
		Repairs    []string        `json:"repairs"`
	} `json:"expect"`
}

func tools(t *testing.T, lines ...toolLine) *args.Set {
	t.Helper()
	var ts []chat.Tool
	for _, l := range lines {
		ts = append(ts, chat.Tool{Name: l.Name, Schema: l.Parameters})
	}
	set, err := args.Compile(ts, args.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// TestFieldLogArguments: each comes out as the log has it, under the log's names
// of repairs, or is refused.
func TestFieldLogArguments(t *testing.T) {
	for line := range cases.Lines(t, "fieldlog/cases.jsonl") {
		var c logCase
		if err := json.Unmarshal(line, &c); err != nil || c.Kind != 1 || c.Input.Arguments == nil {
			continue
		}
		t.Run(c.ID, func(t *testing.T) {
			r := tools(t, c.Input.Tool).Read(chat.Written{Name: c.Input.Tool.Name, JSON: []byte(*c.Input.Arguments), Stopped: true})
			if c.Expect.Outcome == "refused" {
				if r.Problems == nil || r.Problems.Class != args.Cut {
					t.Errorf("%+v, want a cut call", r)
				}
				return
			}
			if r.Problems != nil {
				t.Fatalf("refused: %v", r.Problems)
			}
			if !sameTyped(r.Calls[0].Args, c.Expect.Arguments) {
				t.Errorf("read as %s, want %s", r.Calls[0].Args, c.Expect.Arguments)
			}
			if !cmp.Equal(r.Repairs, c.Expect.Repairs) {
				t.Errorf("repairs %v, want %v", r.Repairs, c.Expect.Repairs)
			}
		})
	}
}

// sameTyped compares JSON strictly: a text is never a number.
func sameTyped(got, want []byte) bool {
	var g, w any
	for b, v := range map[*[]byte]*any{&got: &g, &want: &w} {
		d := json.NewDecoder(bytes.NewReader(*b))
		d.UseNumber()
		if d.Decode(v) != nil {
			return false
		}
	}
	return cmp.Equal(g, w)
}

func TestFieldLogNames(t *testing.T) {
	ran := 0
	for line := range cases.Lines(t, "fieldlog/cases.jsonl") {
		var c logCase
		if err := json.Unmarshal(line, &c); err != nil || c.Kind != 5 || c.Input.Call == nil {
			continue
		}
		ran++
		t.Run(c.ID, func(t *testing.T) {
			w := chat.Written{JSON: c.Input.Call.Arguments}
			if c.Input.Call.Name != nil {
				w.Name = *c.Input.Call.Name
			}
			r := tools(t, c.Input.Tools...).Read(w)
			switch c.Expect.Outcome {
			case "name_mapped":
				if len(r.Calls) != 1 || r.Calls[0].Name != c.Expect.To || len(r.Repairs) == 0 {
					t.Errorf("got %+v, want %s", r, c.Expect.To)
				}
			case "unknown_tool", "unnamed_call":
				if r.Problems == nil || r.Problems.Class != args.NotFound || r.Problems.Ambiguous {
					t.Errorf("got %+v, want an unknown tool", r)
				}
			case "ambiguous_name":
				if r.Problems == nil || !r.Problems.Ambiguous || !cmp.Equal(r.Problems.Near, c.Expect.Candidates) {
					t.Errorf("got %+v, want %v", r, c.Expect.Candidates)
				}
			default:
				t.Errorf("no check for the outcome %s", c.Expect.Outcome)
			}
		})
	}
	if ran == 0 {
		t.Error("no case of kind 5 ran")
	}
}

// TestBenchmarkTools: the tools that people publish compile whole, and have an
// example that passes.
func TestBenchmarkTools(t *testing.T) {
	n := 0
	for line := range cases.Lines(t, "data/bfcl/smoke.jsonl") {
		var c struct {
			ID    string `json:"id"`
			Tools []struct {
				Function toolLine `json:"function"`
			} `json:"tools"`
		}
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		for _, tool := range c.Tools {
			n++
			set := tools(t, tool.Function)
			s, _ := set.Schema(tool.Function.Name)
			if notes := set.Notes(); notes != nil {
				t.Errorf("%s %s: %v", c.ID, tool.Function.Name, notes)
			}
			if s.Example(nil) == nil {
				t.Errorf("%s %s has no example", c.ID, tool.Function.Name)
			}
		}
	}
	t.Logf("%d tools", n)
}
