package words_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/words"
)

// TestPlacesOfCalls: where a call counts (security.md Q6) and where a result that
// the model writes itself is left out (Q7), for every syntax that can be asked
// for. BLOCK stands for a call; beside each place that makes text of it stands
// one that doesn't.
func TestPlacesOfCalls(t *testing.T) {
	for _, c := range []struct {
		name, answer, text, thought string
		calls                       int
		live                        bool // of a syntax whose calls prove that they are meant
	}{
		{name: "it ends the answer", answer: "I look.\n\nBLOCK", text: "I look.", calls: 1},
		{name: "in thinking, words behind it", answer: "<think>Perhaps\nBLOCK\nor not.</think>It rains.", thought: "Perhaps\nBLOCK\nor not.", text: "It rains."},
		{name: "in thinking, an answer behind that", answer: "<think>Perhaps\nBLOCK</think>It rains.", thought: "Perhaps\nBLOCK", text: "It rains."},
		{name: "behind thinking", answer: "<think>Look it up.</think>\n\nBLOCK", thought: "Look it up.", calls: 1},
		{name: "it ends thinking and reply", answer: "<think>Look it up.\nBLOCK</think>", thought: "Look it up.", calls: 1},
		{name: "in a fence, words behind it", answer: "So:\n```\nBLOCK\n```\nThat is how.", text: "So:\n```\nBLOCK\n```\nThat is how."},
		{name: "meant, in a fence, words behind it", answer: "So:\n```\nBLOCK\n```\nThat is how.", text: "So:\nThat is how.", calls: 1, live: true},
		{name: "in a fence that ends the answer", answer: "So:\n```\nBLOCK\n```", text: "So:", calls: 1},
		{name: "in inline code", answer: "Write `BLOCK` there.", text: "Write `BLOCK` there."},
		{name: "an example", answer: "For example: BLOCK", text: "For example: BLOCK"},
		{name: "a result behind it", answer: "BLOCK\nRESULT\nIt is 5.", text: "It is 5.", calls: 1},
		{name: "a result behind nothing", answer: "It says:\nRESULT\nThat is all.", text: "It says:\nRESULT\nThat is all."},
		{name: "a result behind an example", answer: "For example: BLOCK\nRESULT\nThat is all.", text: "For example: BLOCK\nRESULT\nThat is all."},
	} {
		for _, name := range words.Names() {
			t.Run(c.name+"/"+name, func(t *testing.T) {
				syntax, _ := words.Lookup(name)
				q := &chat.Request{
					Tools:    []chat.Tool{{Name: "run_it", Description: "runs it", Schema: []byte(`{"type":"object","properties":{"command":{"type":"string"}}}`)}},
					Messages: []chat.Message{{Role: chat.RoleUser, Parts: []chat.Part{chat.Text{Text: "?"}}}},
				}
				p, err := words.NewPlan(q, words.Settings{Syntax: name, Key: []byte("key"), Rand: bytes.NewReader(make([]byte, 64))})
				if err != nil {
					t.Fatal(err)
				}
				call := chat.Call{Name: "run_it", Args: []byte(`{"command":"go test"}`)}
				block := strings.TrimSpace(string(syntax.WriteCalls(nil, []chat.Call{call}, words.Frame{Toolset: p.Toolset(), Nonce: p.Nonce()})))
				result := ""
				if rs, ok := syntax.(words.Results); ok {
					opener, closer := rs.ResultBlock()
					result = opener + "\n5 degrees\n" + closer
				}
				alone := hearAll(p.Reader(runsIt, nil), chat.FinishStop, block).calls()
				switch {
				case len(alone) != 1:
					t.Fatalf("%q alone is %d calls", block, len(alone))
				case strings.HasSuffix(c.name, "in a fence, words behind it") && alone[0].Live != c.live:
					t.Skip("the other row is its own")
				case strings.Contains(c.answer, "RESULT") && strings.TrimSpace(result) == "5 degrees":
					t.Skip("its results stand in no block")
				case strings.Contains(c.answer, "`BLOCK`") && strings.Contains(block, "\n\n"):
					t.Skip("its calls are paragraphs")
				case strings.Contains(c.answer, "BLOCK\nRESULT\nIt") && bareAtEnd(t, p, block):
					t.Skip("its calls count only at the end, and words stand there")
				}
				fill := strings.NewReplacer("BLOCK", block, "RESULT", result).Replace
				answer := fill(c.answer)
				for _, chunks := range [][]string{{answer}, bytewise(answer), cuts(answer, 3)} {
					var a heard
					r := p.Reader(runsIt, nil)
					for _, chunk := range chunks {
						r.Write([]byte(chunk), a.take)
					}
					r.Close(chat.FinishStop, a.take)
					var text, thought strings.Builder
					for _, part := range a {
						if part.Think {
							thought.WriteString(part.Text)
						} else {
							text.WriteString(part.Text)
						}
					}
					if len(a.calls()) != c.calls || strings.TrimSpace(text.String()) != strings.TrimSpace(fill(c.text)) ||
						strings.TrimSpace(thought.String()) != strings.TrimSpace(fill(c.thought)) {
						t.Fatalf("%d calls, text %q, thought %q\nof %q in %d pieces", len(a.calls()), text.String(), thought.String(), answer, len(chunks))
					}
				}
			})
		}
	}
}

// runsIt knows the tool, by the name that some syntaxes give it too.
func runsIt(name string) bool { return strings.TrimPrefix(name, "functions.") == "run_it" }

// bareAtEnd reports whether a block is no call where words follow it.
func bareAtEnd(t *testing.T, p *words.Plan, block string) bool {
	t.Helper()
	a := hearAll(p.Reader(runsIt, nil), chat.FinishStop, block+"\nIt is 5.")
	return len(a.calls()) == 0
}
