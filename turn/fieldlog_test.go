package turn_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/internal/cases"
	"github.com/ferrule/ferrule/rawjson"
	"github.com/ferrule/ferrule/turn"
)

// textCase is a reply in words, and what it comes to.
type textCase struct {
	ID    string `json:"id"`
	Kind  int    `json:"kind"`
	Input struct {
		Text   string `json:"text"`
		User   string `json:"user"`
		Finish string `json:"finish_reason"`
		Tools  []struct {
			Name       string          `json:"name"`
			Parameters json.RawMessage `json:"parameters"`
		} `json:"tools"`
	} `json:"input"`
	Expect struct {
		Outcome string `json:"outcome"`
		Calls   []struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"calls"`
		Repairs []string `json:"repairs"`
		Content string   `json:"content"`
	} `json:"expect"`
}

// otherSyntaxes are cases that stay text here: F100, a bare call to a tool that
// isn't there.
var otherSyntaxes = map[string]bool{"F100": true}

// TestFieldLogTexts runs the log's replies in words about arguments, names and
// cuts through a whole turn.
func TestFieldLogTexts(t *testing.T) {
	for line := range cases.Lines(t, "fieldlog/cases.jsonl") {
		var c textCase
		if err := json.Unmarshal(line, &c); err != nil || c.Input.Text == "" || c.Kind != 1 && c.Kind != 5 && c.Kind != 9 {
			continue
		}
		t.Run(c.ID, func(t *testing.T) {
			q := request(c.Input.User + "?")
			q.Tools = nil
			for _, tool := range c.Input.Tools {
				q.Tools = append(q.Tools, chat.Tool{Name: tool.Name, Kind: chat.ToolFunction, Schema: tool.Parameters})
			}
			finish := chat.FinishStop
			if c.Input.Finish != "" {
				finish = chat.Finish(c.Input.Finish)
			}
			u := &upstream{t: t, script: []say{{text: c.Input.Text, finish: finish}}}
			g, rep := run(t, &turn.Runner{Key: []byte("k")}, inWords, u, q)
			if len(c.Expect.Calls) == 0 || otherSyntaxes[c.ID] {
				if len(g.Calls) > 0 || g.Finish != finish {
					t.Errorf("%+v, want no call and finish %s", g, finish)
				}
				return
			}
			if len(g.Calls) != len(c.Expect.Calls) || g.Text != c.Expect.Content {
				t.Fatalf("%+v, want %+v", g, c.Expect)
			}
			for i, want := range c.Expect.Calls {
				name, args, _ := strings.Cut(g.Calls[i], " ")
				if name != want.Name || !rawjson.Same([]byte(args), want.Arguments) {
					t.Errorf("call %d is %s, want %s %s", i, g.Calls[i], want.Name, want.Arguments)
				}
			}
			for _, name := range c.Expect.Repairs {
				if !slices.Contains(rep.Calls[0].Repairs, name) {
					t.Errorf("repairs %v, want %s", rep.Calls[0].Repairs, name)
				}
			}
		})
	}
}
