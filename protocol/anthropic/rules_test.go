package anthropic_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/protocol/anthropic"
)

// wireBlock is a content block as the API reads it.
type wireBlock struct {
	Type      string
	Text      string
	Thinking  string
	Signature string
	ID, Name  string
	Input     json.RawMessage
	ToolUseID string `json:"tool_use_id"`
	Content   json.RawMessage
	IsError   bool `json:"is_error"`
}

type wireMessage struct {
	Role    string
	Content []wireBlock
}

var wireID = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// obeys holds a request to what the API checks whatever the conversation:
// roles that alternate, no empty text or turn, inputs that are objects, ids in
// its form, results before all else of a turn.
func obeys(body []byte) error {
	var q struct {
		Model     string
		MaxTokens int `json:"max_tokens"`
		Messages  []wireMessage
	}
	if err := json.Unmarshal(body, &q); err != nil {
		return err
	}
	if q.MaxTokens < 1 {
		return fmt.Errorf("max_tokens is %d", q.MaxTokens)
	}
	for i, m := range q.Messages {
		if i > 0 && q.Messages[i-1].Role == m.Role {
			return fmt.Errorf("messages.%d: %s twice", i, m.Role)
		}
		if len(m.Content) == 0 {
			return fmt.Errorf("messages.%d: empty", i)
		}
		others := false
		for k, b := range m.Content {
			at := fmt.Sprintf("messages.%d.content.%d", i, k)
			switch {
			case b.Type == "text" && strings.TrimSpace(b.Text) == "":
				return fmt.Errorf("%s: text is empty", at)
			case b.Type == "tool_use" && (m.Role != "assistant" || b.Input[0] != '{' || !wireID.MatchString(b.ID)):
				return fmt.Errorf("%s: tool_use %+v of the %s", at, b, m.Role)
			case b.Type == "tool_result" && (m.Role != "user" || others || !wireID.MatchString(b.ToolUseID)):
				return fmt.Errorf("%s: tool_result %+v of the %s, behind others: %v", at, b, m.Role, others)
			case b.Type == "thinking" && b.Signature == "":
				return fmt.Errorf("%s: thinking without a signature", at)
			}
			others = others || b.Type != "tool_result"
		}
	}
	return nil
}

// answersItsCalls holds a request to the rule that each call is answered in the
// next turn, and each result answers one of the turn before.
func answersItsCalls(body []byte) error {
	var q struct{ Messages []wireMessage }
	if err := json.Unmarshal(body, &q); err != nil {
		return err
	}
	var open []string
	for i, m := range q.Messages {
		for _, b := range m.Content {
			if b.Type != "tool_result" {
				continue
			}
			n := slices.Index(open, b.ToolUseID)
			if n < 0 {
				return fmt.Errorf("messages.%d: unexpected tool_use_id %s", i, b.ToolUseID)
			}
			open = slices.Delete(open, n, n+1)
		}
		if len(open) > 0 {
			return fmt.Errorf("messages.%d: no tool_result for %v", i, open)
		}
		for _, b := range m.Content {
			if b.Type == "tool_use" {
				open = append(open, b.ID)
			}
		}
	}
	return nil
}

// conversation draws one in which every call is answered before the model speaks
// again; how its messages are cut, and what stands between, is anybody's.
func conversation(t *rapid.T) []chat.Message {
	var ms []chat.Message
	n := 0
	words := func() chat.Part {
		return chat.Text{Text: rapid.SampledFrom([]string{"", " ", "\n", "words", "more words"}).Draw(t, "words")}
	}
	say := func(role chat.Role, ps ...chat.Part) { ms = append(ms, chat.Message{Role: role, Parts: ps}) }
	between := func() {
		for range rapid.IntRange(0, 2).Draw(t, "asides") {
			say(rapid.SampledFrom([]chat.Role{chat.RoleUser, chat.RoleSystem}).Draw(t, "role"), words())
		}
	}
	for range rapid.IntRange(1, 5).Draw(t, "rounds") {
		say(chat.RoleUser, words())
		between()
		var ids []string
		said := []chat.Part{chat.Reasoning{Text: "hm"}, words()}
		for range rapid.IntRange(0, 4).Draw(t, "calls") {
			id := rapid.SampledFrom([]string{"toolu_", "call_", "functions.f:", "ünï|", strings.Repeat("x", 70)}).Draw(t, "id") + fmt.Sprint(n)
			n++
			ids = append(ids, id)
			said = append(said, chat.Call{ID: id, Name: "f", Args: []byte(rapid.SampledFrom([]string{`{"x":1}`, "", "{", `"s"`}).Draw(t, "args"))})
			if rapid.Bool().Draw(t, "a message of its own") {
				say(chat.RoleAssistant, said...)
				said = nil
			}
		}
		say(chat.RoleAssistant, said...)
		if len(ids) > 0 {
			between()
		}
		for _, id := range rapid.Permutation(ids).Draw(t, "order") {
			r := chat.Result{ID: id, Parts: []chat.Part{words()}, Error: rapid.Bool().Draw(t, "error")}
			if rapid.Bool().Draw(t, "a picture") {
				r.Parts = append(r.Parts, chat.Image{URL: "https://x/a.png"})
			}
			say(chat.RoleTool, r)
			between()
		}
	}
	return ms
}

// TestMessagesObey: whatever form a sound conversation comes in, it goes out as
// the API wants it, and the same conversation, longer, begins with the same bytes.
func TestMessagesObey(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ms := conversation(t)
		_, body, err := anthropic.Client{}.EncodeRequest(&chat.Request{Model: "m", Messages: ms})
		if err != nil {
			t.Fatal(err)
		}
		if err := obeys(body); err != nil {
			t.Fatalf("%v\n%s", err, body)
		}
		if err := answersItsCalls(body); err != nil {
			t.Fatalf("%v\n%s", err, body)
		}
		longer := append(slices.Clone(ms), chat.Message{Role: chat.RoleAssistant, Parts: []chat.Part{chat.Text{Text: "well"}}}, chat.Message{Role: chat.RoleUser, Parts: []chat.Part{chat.Text{Text: "go on"}}})
		_, next, err := anthropic.Client{}.EncodeRequest(&chat.Request{Model: "m", Messages: longer})
		if err != nil {
			t.Fatal(err)
		}
		// The last turn may go on: up to what closes it the bytes are the same.
		if prefix := strings.TrimSuffix(strings.TrimSuffix(string(body), "]}"), "]}"); !strings.HasPrefix(string(next), prefix) {
			t.Errorf("%s\ndoesn't begin with\n%s", next, prefix)
		}
	})
}

// TestRoundTrip: a call that an answer makes goes back on the next turn as it
// came, with the thinking that was signed before it, streamed or not.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var blocks, payloads []string
		payloads = append(payloads, start)
		add := func(block, empty string, deltas ...string) {
			i := len(blocks)
			blocks = append(blocks, block)
			payloads = append(payloads, open(i, empty))
			for _, d := range deltas {
				payloads = append(payloads, delta(i, d))
			}
			payloads = append(payloads, shut(i))
		}
		quote := func(s string) string { b, _ := json.Marshal(s); return string(b) }
		n := rapid.IntRange(1, 4).Draw(t, "calls")
		for i := range n {
			if rapid.Bool().Draw(t, "thinking") {
				text, sig := quote(rapid.String().Draw(t, "thought")), quote(rapid.StringMatching(`[A-Za-z0-9+/=]{4,20}`).Draw(t, "signature"))
				add(`{"type":"thinking","thinking":`+text+`,"signature":`+sig+`}`, `{"type":"thinking","thinking":"","signature":""}`,
					`{"type":"thinking_delta","thinking":`+text+`}`, `{"type":"signature_delta","signature":`+sig+`}`)
			}
			args, _ := json.Marshal(rapid.MapOf(rapid.String(), rapid.String()).Draw(t, "args"))
			runes := []rune(string(args))
			cut := rapid.IntRange(0, len(runes)).Draw(t, "cut")
			head := fmt.Sprintf(`{"type":"tool_use","id":"toolu_%d","name":"f","input":`, i)
			add(head+string(args)+"}", head+"{}}",
				`{"type":"input_json_delta","partial_json":`+quote(string(runes[:cut]))+`}`, `{"type":"input_json_delta","partial_json":`+quote(string(runes[cut:]))+`}`)
		}
		came := "[" + strings.Join(blocks, ",") + "]"
		for _, body := range []string{
			`{"id":"msg_1","type":"message","content":` + came + `,"stop_reason":"tool_use"}`,
			string(events(append(payloads, ended("tool_use"), over)...)),
		} {
			said, results := replay(t, body)
			_, sent, err := anthropic.Client{}.EncodeRequest(&chat.Request{Model: "m", Messages: []chat.Message{said, results}})
			if err != nil {
				t.Fatal(err)
			}
			if err := answersItsCalls(sent); err != nil {
				t.Fatalf("%v\n%s", err, sent)
			}
			var q struct {
				Messages []struct{ Content json.RawMessage }
			}
			if err := json.Unmarshal(sent, &q); err != nil {
				t.Fatal(err)
			}
			var want, got any
			if json.Unmarshal([]byte(came), &want) != nil || json.Unmarshal(q.Messages[0].Content, &got) != nil || fmt.Sprint(want) != fmt.Sprint(got) {
				t.Errorf("came %s\nsent %s", came, q.Messages[0].Content)
			}
		}
	})
}

// replay reads an answer as a client would that keeps calls and what hangs on them.
func replay(t *rapid.T, body string) (said, results chat.Message) {
	said, results = chat.Message{Role: chat.RoleAssistant}, chat.Message{Role: chat.RoleTool}
	s := anthropic.Client{}.Decode(strings.NewReader(body), "")
	for {
		f, err := s.Next()
		if err != nil {
			return said, results
		}
		if f.Misread || f.Raw == nil {
			t.Errorf("%s isn't taken as it came", f.Raw)
		}
		for _, e := range f.Events {
			if e.Kind == chat.EventCallEnd {
				said.Parts = append(said.Parts, e.Call)
				results.Parts = append(results.Parts, chat.Result{ID: e.Call.ID, Parts: []chat.Part{chat.Text{Text: "ok"}}})
			}
		}
	}
}
