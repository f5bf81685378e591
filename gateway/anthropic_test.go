package gateway_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/ferrule/ferrule/gateway"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/protocol/anthropic"
	"github.com/ferrule/ferrule/provider"
	"github.com/ferrule/ferrule/turn"
)

// anthropicSays is one answer of the endpoint: a case of testdata/anthropic, or
// an error with its status.
type anthropicSays struct {
	answer string
	status int
	body   string
	header map[string]string
}

func anthropicError(status int, kind, message string) anthropicSays {
	return anthropicSays{status: status, body: fmt.Sprintf(`{"type":"error","error":{"type":%q,"message":%q},"request_id":"req_011CSHoEeqs5C35K2UUqR7Fy"}`, kind, message)}
}

// anthropicEndpoint answers its n-th request with the n-th answer, if the request
// is one that the API would take.
type anthropicEndpoint struct {
	t     *testing.T
	mu    sync.Mutex
	says  []anthropicSays
	asked []anthropicAsked
}

type anthropicAsked struct {
	Model     string
	MaxTokens int `json:"max_tokens"`
	Stream    bool
	System    []anthropicBlock
	Tools     []struct {
		Name        string
		InputSchema struct{ Type string } `json:"input_schema"`
	}
	Messages []struct {
		Role    string
		Content []anthropicBlock
	}
}

type anthropicBlock struct {
	Type, Text, ID, Name, Thinking, Signature, Data string

	Input     json.RawMessage
	ToolUseID string `json:"tool_use_id"`
	Content   any
}

const anthropicKey = "sk-ant-a-key-for-tests"

func (u *anthropicEndpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("X-Api-Key") != anthropicKey || r.Header.Get("Authorization") != "" || r.Header.Get("Anthropic-Version") != "2023-06-01" {
		u.t.Errorf("headers %v", r.Header)
	}
	if r.Method != http.MethodPost || r.URL.String() != "/v1/messages" {
		u.t.Errorf("it is asked at %s %s", r.Method, r.URL)
	}
	b, _ := io.ReadAll(r.Body)
	var asked anthropicAsked
	if err := json.Unmarshal(b, &asked); err != nil {
		u.t.Errorf("%v: %s", err, b)
	}
	u.mu.Lock()
	n := len(u.asked)
	u.asked = append(u.asked, asked)
	u.mu.Unlock()
	s := anthropicError(http.StatusInternalServerError, "api_error", "out of script")
	if n < len(u.says) {
		s = u.says[n]
	}
	if wrong := asked.wrong(); wrong != "" {
		u.t.Errorf("the API wouldn't take this: %s\n%s", wrong, b)
		s = anthropicError(http.StatusBadRequest, "invalid_request_error", wrong)
	}
	w.Header().Set("Request-Id", "req_011CSHoEeqs5C35K2UUqR7Fy")
	for k, v := range s.header {
		w.Header().Set(k, v)
	}
	if s.status != 0 {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(s.status)
		_, _ = io.WriteString(w, s.body)
		return
	}
	a, err := txtar.ParseFile("testdata/anthropic/" + s.answer + ".txtar")
	if err != nil {
		u.t.Error(err)
		return
	}
	form, media := "whole", "application/json"
	if asked.Stream {
		form, media = "stream", "text/event-stream; charset=utf-8"
	}
	w.Header().Set("Content-Type", media)
	for _, f := range a.Files {
		if f.Name == form {
			_, _ = w.Write(f.Data)
		}
	}
}

// wrong is what the API would say of a request; "" where it would take it.
func (q *anthropicAsked) wrong() string {
	if q.MaxTokens < 1 {
		return "max_tokens: Field required"
	}
	for i, t := range q.Tools {
		if t.InputSchema.Type != "object" {
			return fmt.Sprintf("tools.%d.custom.input_schema.type: Input should be 'object'", i)
		}
	}
	var open []string
	role := "assistant"
	for i, m := range q.Messages {
		if m.Role == role || len(m.Content) == 0 {
			return fmt.Sprintf("messages.%d: %s follows %s, %d blocks", i, m.Role, role, len(m.Content))
		}
		role = m.Role
		for k, b := range m.Content {
			switch {
			case b.Type == "tool_result":
				n := slices.Index(open, b.ToolUseID)
				if n < 0 || k > 0 && m.Content[k-1].Type != "tool_result" {
					return fmt.Sprintf("messages.%d.content.%d: unexpected `tool_use_id` found in `tool_result` blocks: %s", i, k, b.ToolUseID)
				}
				open = slices.Delete(open, n, n+1)
			case b.Type == "text" && strings.TrimSpace(b.Text) == "":
				return "messages: text content blocks must contain non-whitespace text"
			case b.Type == "thinking" && (m.Role != "assistant" || k > 0 && m.Content[k-1].Type != "thinking" && m.Content[k-1].Type != "tool_use" || b.Signature == ""):
				return fmt.Sprintf("messages.%d.content.%d: Invalid `signature` in `thinking` block", i, k)
			}
		}
		if len(open) > 0 {
			return fmt.Sprintf("messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after: %v", i-1, open)
		}
		for _, b := range m.Content {
			if b.Type == "tool_use" {
				open = append(open, b.ID)
			}
		}
	}
	return ""
}

func anthropicGateway(t *testing.T, p profile.Profile, says ...anthropicSays) (url string, u *anthropicEndpoint) {
	t.Helper()
	u = &anthropicEndpoint{t: t, says: says}
	back := httptest.NewServer(u)
	t.Cleanup(back.Close)
	up, err := provider.New(provider.Config{
		Name: "p", URL: back.URL + "/v1", Key: anthropicKey, Protocol: anthropic.Name, Client: anthropic.Client{},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(up.Close)
	g, err := gateway.New(gateway.Options{
		Providers: []gateway.Provider{{Name: "p", Upstream: up, Profile: p}},
		Runner:    &turn.Runner{Key: []byte("a key for tests"), Facts: &turn.LocalFacts{}, Memory: &turn.LocalMemory{}},
	})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(g)
	t.Cleanup(s.Close)
	return s.URL, u
}

const (
	osloID = "toolu_01T1x1fJ34qAmk2tNTrN7Up6"
	romeID = "toolu_01RzLd8K4Fk7aQm2tNTrN9Zq"
)

// TestAnthropicUpstream: an OpenAI client in front of the Messages API, streamed
// and not.
func TestAnthropicUpstream(t *testing.T) {
	oslo := heardCall{ID: osloID, Name: "get_weather", Args: `{"city":"Oslo"}`}
	rome := heardCall{ID: romeID, Name: "get_weather", Args: `{"city":"Rome"}`}
	answers := func(names ...string) (says []anthropicSays) {
		for _, n := range names {
			says = append(says, anthropicSays{answer: n})
		}
		return says
	}
	for _, c := range []struct {
		name     string
		tools    string
		profile  profile.Profile
		says     []anthropicSays
		status   int // 0: 200
		text     string
		calls    []heardCall
		finish   string
		code     string
		contains string
		requests int
	}{
		{name: "words", says: answers("words"), text: "Hello! How can I help — today?", finish: "stop", requests: 1},
		{name: "thinking", says: answers("thinking"), text: "Hello!", finish: "stop", requests: 1},
		{name: "a call", tools: weatherTool, says: answers("call"), text: "I look.", calls: []heardCall{oslo}, finish: "tool_calls", requests: 1},
		{name: "a call that comes whole", tools: weatherTool, says: answers("late"), calls: []heardCall{oslo}, finish: "tool_calls", requests: 1},
		{name: "parallel calls", tools: weatherTool, says: answers("parallel"), text: "I look.", calls: []heardCall{oslo, rome}, finish: "tool_calls", requests: 1},
		{name: "cut", tools: weatherTool, says: answers("cut"), text: "I look at", finish: "length", requests: 1},
		{name: "filtered", says: answers("refusal"), text: "I can't", finish: "content_filter", requests: 1},
		{name: "bad arguments, asked for again", tools: weatherTool, says: answers("bad", "call"), calls: []heardCall{oslo}, finish: "tool_calls", requests: 2},

		{name: "an error first", says: []anthropicSays{anthropicError(529, "overloaded_error", "Overloaded")}, status: 529, code: "overloaded_error", contains: "Overloaded", requests: 1},
		{name: "the rate", says: []anthropicSays{anthropicError(429, "rate_limit_error", "slow down")}, status: 429, code: "rate_limit_error", requests: 1},
		{name: "the key", says: []anthropicSays{anthropicError(401, "authentication_error", "invalid x-api-key "+anthropicKey)}, status: 401, code: "authentication_error", contains: "[REDACTED", requests: 1},
		{name: "a page", says: []anthropicSays{{status: 503, body: "<html><title>Down</title>"}}, status: 503, code: "upstream_error", contains: `titled \"Down\"`, requests: 1},
		{name: "the prompt is too long", tools: weatherTool, says: []anthropicSays{anthropicError(400, "invalid_request_error", "prompt is too long: 215000 tokens > 200000 maximum")}, status: 400, code: "context_length_exceeded", contains: "prompt is too long: 215000 tokens > 200000 maximum", requests: 1},

		{name: "in words", tools: weatherTool, profile: profile.Profile{Tools: profile.Emulated, Syntax: "hermes"}, says: answers("in_words"), text: "I look.", calls: []heardCall{{Name: oslo.Name, Args: oslo.Args}}, finish: "tool_calls", requests: 1},
		{
			name: "no tools there, so in words", tools: weatherTool, profile: profile.Profile{Syntax: "hermes"},
			says: append([]anthropicSays{anthropicError(400, "invalid_request_error", "m does not support tools")}, answers("in_words")...),
			text: "I look.", calls: []heardCall{{Name: oslo.Name, Args: oslo.Args}}, finish: "tool_calls", requests: 2,
		},
	} {
		for _, stream := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, streamed: %v", c.name, stream), func(t *testing.T) {
				url, u := anthropicGateway(t, c.profile, c.says...)
				h := listen(t, url, geminiAsk(stream, c.tools, hi))
				want := c.status
				if want == 0 {
					want = http.StatusOK
				}
				for i := range h.Calls {
					if i < len(c.calls) && c.calls[i].ID == "" && h.Calls[i].ID != "" {
						h.Calls[i].ID = ""
					}
					// What it means counts here; the bytes are the model's own.
					var v any
					if err := json.Unmarshal([]byte(h.Calls[i].Args), &v); err != nil {
						t.Error(err)
					}
					b, _ := json.Marshal(v)
					h.Calls[i].Args = string(b)
				}
				if h.Status != want || strings.TrimSpace(h.Text) != c.text || h.Finish != c.finish || h.Code != c.code {
					t.Errorf("%+v", h)
				}
				if d := cmp.Diff(c.calls, h.Calls); d != "" {
					t.Errorf("calls (-want +got)\n%s%s", d, h.body)
				}
				if !strings.Contains(h.body, c.contains) || strings.Contains(h.body, anthropicKey) {
					t.Errorf("no %s in %s", c.contains, h.body)
				}
				if len(u.asked) != c.requests {
					t.Errorf("%d requests", len(u.asked))
				}
				if emulated := c.profile.Tools == profile.Emulated; emulated == (len(u.asked[0].Tools) > 0) && c.tools != "" || emulated && len(u.asked[0].System) == 0 {
					t.Errorf("it was asked with %d tools and %d blocks of system prompt", len(u.asked[0].Tools), len(u.asked[0].System))
				}
			})
		}
	}
}

// TestAnthropicThinkingShown: thinking comes out as reasoning, and what it counts
// as tokens with the rest.
func TestAnthropicThinkingShown(t *testing.T) {
	for _, stream := range []bool{false, true} {
		url, _ := anthropicGateway(t, profile.Profile{}, anthropicSays{answer: "thinking"})
		h := listen(t, url, geminiAsk(stream, `"stream_options":{"include_usage":true}`, hi))
		var said string
		for event := range strings.SplitSeq(h.body, "\n\n") {
			event = strings.TrimPrefix(event, "data: ")
			var a struct {
				Choices []struct {
					Message, Delta struct {
						Reasoning string `json:"reasoning_content"`
					}
				}
			}
			if json.Unmarshal([]byte(event), &a) == nil && len(a.Choices) > 0 {
				said += a.Choices[0].Message.Reasoning + a.Choices[0].Delta.Reasoning
			}
		}
		if said != "They greet me.\nI greet back." || h.Text != "Hello!" || h.Usage != 20 {
			t.Errorf("streamed: %v: thought %q, %+v", stream, said, h)
		}
	}
}

// TestAnthropicErrorInside: what came before an error within a stream stays, and
// no call follows.
func TestAnthropicErrorInside(t *testing.T) {
	url, _ := anthropicGateway(t, profile.Profile{}, anthropicSays{answer: "error_inside"})
	h := listen(t, url, geminiAsk(true, weatherTool, hi))
	if h.Status != 200 || h.Text != "I look." || h.Calls != nil || h.Code != "overloaded_error" || h.Done || h.Finish != "" {
		t.Errorf("%+v", h)
	}
}

// TestAnthropicRetryAfter: how long to wait reaches the client.
func TestAnthropicRetryAfter(t *testing.T) {
	busy := anthropicError(529, "overloaded_error", "Overloaded")
	busy.header = map[string]string{"Retry-After": "7", "Anthropic-Ratelimit-Requests-Remaining": "0", "Set-Cookie": "a=b"}
	url, _ := anthropicGateway(t, profile.Profile{}, busy)
	r, err := http.Post(url+"/v1/chat/completions", "application/json", strings.NewReader(geminiAsk(false, "", hi)))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if r.StatusCode != 529 || r.Header.Get("Retry-After") != "7" || r.Header.Get("Anthropic-Ratelimit-Requests-Remaining") != "0" || r.Header.Get("Set-Cookie") != "" || r.Header.Get("Request-Id") == "" {
		t.Errorf("%d %v", r.StatusCode, r.Header)
	}
}

// TestAnthropicSignedThinking: signed thinking goes back with the calls behind
// it, as it came, though the client has no place for it; and with no other call.
func TestAnthropicSignedThinking(t *testing.T) {
	const sig = "EqQBCgIYAhIkNDhmYjE2MjEtYzU2Ny00YTkzLTk4ZmYtZjBlMzM2MjM2ZmVl"
	thinking := anthropicBlock{Type: "thinking", Thinking: "Oslo, then.", Signature: sig}
	for _, c := range []struct {
		name, answer, city string
		forget             bool
		want               []anthropicBlock
	}{
		{name: "thinking", answer: "call", city: "Oslo", want: []anthropicBlock{thinking}},
		{name: "thinking that nobody sees", answer: "call_omitted", city: "Oslo", want: []anthropicBlock{{Type: "thinking", Signature: sig}, {Type: "redacted_thinking", Data: "EmwKAhgBEgy3va3pzix"}}},
		{name: "the client changes the call", answer: "call", city: "Rome"},
		{name: "it was forgotten", answer: "call", city: "Oslo", forget: true},
		{name: "there was none", answer: "late", city: "Oslo"},
	} {
		for _, stream := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, streamed: %v", c.name, stream), func(t *testing.T) {
				url, u := anthropicGateway(t, profile.Profile{}, anthropicSays{answer: c.answer}, anthropicSays{answer: "words"})
				h := listen(t, url, geminiAsk(stream, weatherTool, hi))
				if len(h.Calls) != 1 || strings.Contains(h.body, sig) {
					t.Fatalf("%+v", h)
				}
				if c.forget {
					url, u = anthropicGateway(t, profile.Profile{}, anthropicSays{answer: "words"})
				}
				messages := fmt.Sprintf(`%s,{"role":"assistant","content":"I look.","reasoning_content":"I made this up.","tool_calls":[{"id":%q,"type":"function","function":{"name":"get_weather","arguments":"{\"city\":\"%s\"}"}}]},{"role":"user","content":"and?"},{"role":"tool","tool_call_id":%[2]q,"content":"-3"}`,
					hi, h.Calls[0].ID, c.city)
				if h2 := listen(t, url, geminiAsk(stream, weatherTool, messages)); !strings.HasPrefix(h2.Text, "Hello!") {
					t.Fatalf("%+v", h2)
				}
				sent := u.asked[len(u.asked)-1].Messages
				if len(sent) != 3 {
					t.Fatalf("%+v", sent)
				}
				got := sent[1].Content
				if d := cmp.Diff(c.want, slices.Clone(got[:len(got)-2])); d != "" && len(got) > 2 || len(c.want) != len(got)-2 {
					t.Errorf("before words and call (-want +got)\n%s", d)
				}
				if got[len(got)-1].ID != osloID || sent[2].Content[0].ToolUseID != osloID || sent[2].Content[1].Text != "and?" {
					t.Errorf("%+v", sent)
				}
			})
		}
	}
}

// TestAnthropicCorrection: a call that is asked for again goes back with what was
// thought before it.
func TestAnthropicCorrection(t *testing.T) {
	url, u := anthropicGateway(t, profile.Profile{}, anthropicSays{answer: "bad"}, anthropicSays{answer: "call"})
	h := listen(t, url, geminiAsk(true, weatherTool, hi))
	if len(h.Calls) != 1 || len(u.asked) != 2 {
		t.Fatalf("%+v after %d requests", h, len(u.asked))
	}
	m := u.asked[1].Messages
	if len(m) != 3 || m[1].Content[0].Type != "thinking" || m[1].Content[1].ID != romeID || m[2].Content[0].ToolUseID != romeID {
		t.Errorf("%+v", m)
	}
}
