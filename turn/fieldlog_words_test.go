package turn_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/internal/cases"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/rawjson"
	"github.com/ferrule/ferrule/turn"
)

// elsewhere are the cases about calls as text, spoofing and cuts that aren't a
// reply in text, and what runs them.
var elsewhere = map[string]string{
	"F032": "an error that carries the call: TestFieldLogRescue",
	"F170": "a prompt: TestFieldLogF170",
	"F173": "a prompt: TestFieldLogF173",
	"F175": "a native reply: TestFieldLogNative of the gateway",
	"F176": "a native reply: TestFieldLogNative of the gateway",
	"F178": "a native stream: TestFieldLogNative of the gateway",
	"F181": "a history: TestFieldLogF181",
	"F182": "a history: TestFieldLogF182",
	"F187": "a history: TestFieldLogF187",
}

// unmarked are cases that beside a tools API stay words, since only what nobody
// could take for text counts there.
var unmarked = map[string]string{
	"F184": "it stands in thinking that never ends",
}

// pending are cases that don't come out right yet. The list only shrinks.
var pending = map[string]string{}

// replyCase is a reply in text: what of it is called, what is shown.
type replyCase struct {
	ID    string
	Kind  int
	Input struct {
		Text   string
		Shown  []string `json:"tool_results_seen"`
		Finish string   `json:"finish_reason"`
		Tools  []struct {
			Name       string
			Parameters json.RawMessage
		}
	}
	Expect struct {
		Outcome, Reasoning string
		Calls              []struct {
			Name      string
			Arguments json.RawMessage
		}
		Content *string
	}
}

// told is all that a client got.
type told struct {
	text, reasoning string
	calls           []chat.Call
	finish          chat.Finish
}

func (c replyCase) run(t *testing.T, p profile.Profile) (g told, err error) {
	t.Helper()
	q := request("?")
	q.Tools = nil
	for _, tool := range c.Input.Tools {
		q.Tools = append(q.Tools, chat.Tool{Name: tool.Name, Kind: chat.ToolFunction, Schema: tool.Parameters})
	}
	for _, text := range c.Input.Shown {
		q.Messages = append(q.Messages,
			chat.Message{Role: chat.RoleAssistant, Parts: []chat.Part{chat.Call{ID: "a", Name: "fetch", Args: []byte("{}")}}},
			chat.Message{Role: chat.RoleTool, Parts: []chat.Part{chat.Result{ID: "a", Name: "fetch", Parts: []chat.Part{chat.Text{Text: text}}}}})
	}
	u := &upstream{t: t}
	for range 4 { // whatever is asked again hears the same
		u.script = append(u.script, say{text: c.Input.Text, finish: c.finish()})
	}
	_, err = (&turn.Runner{Key: []byte("k")}).Run(t.Context(), turn.Target{Provider: "p", Model: "up", Upstream: u, Profile: p}, q, func(f chat.Frame) error {
		for _, e := range f.Events {
			switch e.Kind {
			case chat.EventText:
				g.text += e.Text
			case chat.EventReasoning:
				g.reasoning += e.Text
			case chat.EventCallEnd:
				g.calls = append(g.calls, e.Call)
			case chat.EventFinish:
				g.finish = e.Finish
			}
		}
		return nil
	})
	return g, err
}

func (c replyCase) finish() chat.Finish {
	if c.Input.Finish != "" {
		return chat.Finish(c.Input.Finish)
	}
	return chat.FinishStop
}

// TestFieldLogReplies runs the log's replies in text of kinds 2, 8 and 9: with
// the tools in words, and beside a tools API that left its calls in the text.
func TestFieldLogReplies(t *testing.T) {
	ran, other := 0, 0
	for line := range cases.Lines(t, "fieldlog/cases.jsonl") {
		var c replyCase
		if err := json.Unmarshal(line, &c); err != nil || c.Kind != 2 && c.Kind != 8 && c.Kind != 9 {
			continue
		}
		if elsewhere[c.ID] != "" {
			other++
			continue
		}
		ran++
		for _, p := range []profile.Profile{inWords, native} {
			name := c.ID + "/words"
			if p.Tools == native.Tools {
				name = c.ID + "/native"
			}
			t.Run(name, func(t *testing.T) {
				g, err := c.run(t, p)
				wrong := c.wrong(g, p.Tools != native.Tools)
				if err != nil {
					wrong = append(wrong, err.Error())
				}
				switch why := pending[name]; {
				case why != "" && len(wrong) == 0:
					t.Log("right by now: take it from the list")
				case why != "":
					t.Skip(why)
				case len(wrong) > 0:
					t.Error(strings.Join(wrong, "\n"))
				}
			})
		}
	}
	if t.Logf("%d replies, %d cases elsewhere", ran, other); ran < 20 || other != len(elsewhere) {
		t.Errorf("%d cases elsewhere, %d are listed", other, len(elsewhere))
	}
}

// wrong says what of an answer isn't as the case wants it.
func (c replyCase) wrong(g told, inWords bool) (out []string) {
	add := func(format string, a ...any) { out = append(out, fmt.Sprintf(format, a...)) }
	if len(c.Expect.Calls) == 0 || !inWords && unmarked[c.ID] != "" {
		if len(g.calls) > 0 || g.finish != c.finish() {
			add("%+v, want no call and finish %s", g, c.finish())
		}
		// Thinking is told apart where the tools are in words; its words are kept.
		if said := g.reasoning + g.text; said != c.Input.Text && said != strings.TrimPrefix(c.Input.Text, "<think>") {
			add("said %q, want %q", said, c.Input.Text)
		}
		return out
	}
	if len(g.calls) != len(c.Expect.Calls) || g.finish != chat.FinishCalls {
		add("%+v, want %+v", g, c.Expect)
		return out
	}
	ids := map[string]bool{}
	for i, want := range c.Expect.Calls {
		got := g.calls[i]
		if got.Name != want.Name || !rawjson.Same(got.Args, want.Arguments) || got.ID == "" || ids[got.ID] {
			add("call %d is %s %s (id %q), want %s %s", i, got.Name, got.Args, got.ID, want.Name, want.Arguments)
		}
		ids[got.ID] = true
	}
	if text := strings.TrimSpace(g.text); inWords && c.Expect.Content != nil && text != *c.Expect.Content {
		add("text %q, want %q", g.text, *c.Expect.Content)
	}
	if inWords && c.Expect.Reasoning != "" && strings.TrimSpace(g.reasoning) != c.Expect.Reasoning {
		add("reasoning %q, want %q", g.reasoning, c.Expect.Reasoning)
	}
	return out
}

// sent is what goes upstream for a transcript, with the tools in words.
func sent(t *testing.T, ms ...chat.Message) *chat.Request {
	t.Helper()
	q := request("?")
	q.Messages = ms
	u := &upstream{t: t, script: []say{{text: "Fine.", finish: chat.FinishStop}}}
	if _, err := (&turn.Runner{Key: []byte("k")}).Run(t.Context(), turn.Target{Provider: "p", Model: "up", Upstream: u, Profile: inWords}, q, func(chat.Frame) error { return nil }); err != nil {
		t.Fatal(err)
	}
	return u.got[0]
}

// textsOf are the texts of one role.
func textsOf(q *chat.Request, role chat.Role) string {
	var b strings.Builder
	for _, m := range q.Messages {
		for _, p := range m.Parts {
			if t, ok := p.(chat.Text); ok && m.Role == role {
				b.WriteString(t.Text)
			}
		}
	}
	return b.String()
}

// TestFieldLogF170: what looks like a control token reaches the upstream as the
// user wrote it. Breaking such tokens changes content, and nobody asked for it.
func TestFieldLogF170(t *testing.T) {
	var in struct {
		Messages []struct{ Role, Content string }
	}
	var want struct{ Option, Default string }
	logged(t, "F170", &in, &want)
	text := in.Messages[0].Content
	if want.Default != "off" {
		t.Fatalf("%s is to be %s", want.Option, want.Default)
	}
	q := sent(t, chat.Message{Role: chat.RoleUser, Parts: []chat.Part{chat.Text{Text: text}}})
	if got := textsOf(q, chat.RoleUser); !strings.HasPrefix(got, text) {
		t.Errorf("sent %q, want %q first", got, text)
	}
}

// TestFieldLogF173: what a user writes stays the user's, however it looks; a
// result stands in a fence that a user can't write.
func TestFieldLogF173(t *testing.T) {
	var in struct {
		Messages []struct{ Role, Content string }
		Pending  []string `json:"pending_calls"`
	}
	var want struct {
		Role string `json:"role_stays"`
	}
	if logged(t, "F173", &in, &want); len(in.Pending) != 1 || want.Role != string(chat.RoleUser) {
		t.Fatal(errors.New("the case isn't what it was"))
	}
	text := in.Messages[0].Content
	made := chat.Message{Role: chat.RoleAssistant, Parts: []chat.Part{chat.Call{ID: in.Pending[0], Name: "weather", Args: []byte(osloArgs)}}}
	said := chat.Message{Role: chat.RoleUser, Parts: []chat.Part{chat.Text{Text: text}}}
	if got := textsOf(sent(t, made, said), chat.RoleUser); !strings.Contains(got, text) || strings.Contains(got, "[end of result ") {
		t.Errorf("what a user wrote was sent as %q", got)
	}
	result := chat.Message{Role: chat.RoleTool, Parts: []chat.Part{chat.Result{ID: in.Pending[0], Name: "weather", Parts: []chat.Part{chat.Text{Text: text}}}}}
	if got := textsOf(sent(t, made, result), chat.RoleUser); !strings.Contains(got, text+"\n[end of result ") {
		t.Errorf("the result was sent as %q", got)
	}
}
