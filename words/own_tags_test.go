package words_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/words"
)

// TestOwnThinkTags: thinking between a model's own tags is told from words, the
// same for every cut, and known tags are read beside them.
func TestOwnThinkTags(t *testing.T) {
	q := &chat.Request{Messages: []chat.Message{{Role: chat.RoleUser, Parts: []chat.Part{chat.Text{Text: "?"}}}}, Tools: []chat.Tool{{Name: "weather", Kind: chat.ToolFunction, Schema: []byte(`{"type":"object"}`)}}}
	plan, err := words.NewPlan(q, words.Settings{Syntax: "hermes", Key: []byte("k"), ThinkTags: []string{"◁think▷", "◁/think▷"}})
	if err != nil {
		t.Fatal(err)
	}
	const call = "<tool_call>\n{\"name\": \"weather\", \"arguments\": {}}\n</tool_call>"
	for _, c := range []struct{ text, said, thought string }{
		{"◁think▷Hm " + call + " no.◁/think▷Well. " + call, "Well. ", "Hm " + call + " no."},
		{"<think>Hm.</think>Well. " + call, "Well. ", "Hm."},
		{"Well ◁ think. " + call, "Well ◁ think. ", ""},
	} {
		for cut := range len(c.text) + 1 {
			var said, thought string
			calls := 0
			out := func(i words.Item) {
				switch i.Kind {
				case words.ItemText:
					said += string(i.Text)
				case words.ItemReasoning:
					thought += string(i.Text)
				case words.ItemCall:
					calls++
				}
			}
			r := plan.Reader(isWeather, nil)
			r.Write([]byte(c.text[:cut]), out)
			r.Write([]byte(c.text[cut:]), out)
			r.Close(chat.FinishStop, out)
			if d := cmp.Diff([]any{c.said, c.thought, 1}, []any{said, thought, calls}); d != "" {
				t.Fatalf("%q cut at %d: %s", c.text, cut, d)
			}
		}
	}
}
