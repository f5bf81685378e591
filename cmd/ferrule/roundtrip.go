package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/protocol/openai"
	"github.com/ferrule/ferrule/rawjson"
)

// roundTrip is a plain HTTP client that asks one question and has one tool.
type roundTrip struct {
	base, model string
	seen        *recorder
	tell        func(step)
	messages    []sent
}

// What happens, in order; some steps come twice.
const (
	stepSent   = "client_sent"
	stepSaw    = "model_saw"
	stepWrote  = "model_wrote"
	stepGot    = "client_got"
	stepRan    = "client_ran"
	stepAnswer = "answer"
)

// step is one thing that happened.
type step struct {
	Step     string           `json:"step"`
	Turn     int              `json:"turn"`
	Path     string           `json:"path,omitempty"`
	Body     json.RawMessage  `json:"body,omitempty"`
	Messages []message        `json:"messages,omitempty"` // what is new in the prompt
	Tools    bool             `json:"tools_api,omitempty"`
	Text     string           `json:"text,omitempty"`
	Calls    []toolCall       `json:"tool_calls,omitempty"`
	Finish   string           `json:"finish_reason,omitempty"`
	Headers  *ferruleHeaders  `json:"ferrule_tools,omitempty"`
	Result   *json.RawMessage `json:"result,omitempty"`
}

type message struct {
	Role string `json:"role"`
	Text string `json:"text"`
}

// sent is a message as OpenAI's clients write it.
type sent struct {
	Role    string     `json:"role"`
	Content *string    `json:"content"`
	ID      string     `json:"tool_call_id,omitempty"`
	Calls   []toolCall `json:"tool_calls,omitempty"`
}

type toolCall struct {
	ID       string   `json:"id"`
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type ferruleHeaders struct {
	Header  string `json:"header"`
	Trailer string `json:"trailer"`
}

const (
	question = "What is the weather in Paris?"
	tools    = `[{"type":"function","function":{"name":"get_weather","description":"Current weather of a city.","parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}}]`
)

// getWeather is the client's tool.
func getWeather(args string) (json.RawMessage, error) {
	raw, _ := rawjson.Get([]byte(args), "city")
	city, err := rawjson.String(raw)
	if err != nil {
		return nil, fmt.Errorf("reading the city that the model asked for: %w", err)
	}
	return json.Marshal(map[string]any{"city": city, "sky": "light rain", "celsius": 17})
}

func (t *roundTrip) run(ctx context.Context) error {
	ask := question
	t.messages = append(t.messages, sent{Role: "user", Content: &ask})
	got, err := t.turn(ctx, 1)
	if err != nil {
		return err
	}
	if len(got.Calls) == 0 {
		return fmt.Errorf("the model answered without a call: %q", got.Text)
	}
	t.messages = append(t.messages, sent{Role: "assistant", Calls: got.Calls})
	for _, c := range got.Calls {
		result, err := getWeather(c.Function.Arguments)
		if err != nil {
			return err
		}
		t.tell(step{Step: stepRan, Turn: 1, Calls: []toolCall{c}, Result: &result})
		text := string(result)
		t.messages = append(t.messages, sent{Role: "tool", ID: c.ID, Content: &text})
	}
	got, err = t.turn(ctx, 2)
	if err != nil {
		return err
	}
	if got.Text == "" {
		return errors.New("the model gave no answer")
	}
	t.tell(step{Step: stepAnswer, Turn: 2, Text: got.Text})
	return nil
}

// turn sends the conversation so far and tells what became of it.
func (t *roundTrip) turn(ctx context.Context, n int) (got step, err error) {
	body, err := json.Marshal(struct {
		Model    string          `json:"model"`
		Stream   bool            `json:"stream"`
		Messages []sent          `json:"messages"`
		Tools    json.RawMessage `json:"tools"`
	}{t.model, true, t.messages, json.RawMessage(tools)})
	if err != nil {
		return got, err
	}
	const path = "/v1/chat/completions"
	t.tell(step{Step: stepSent, Turn: n, Path: path, Body: body})
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, t.base+path, bytes.NewReader(body))
	if err != nil {
		return got, err
	}
	q.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(q)
	if err != nil {
		return got, err
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return got, err
	}
	t.upstream(n)
	if resp.StatusCode != http.StatusOK {
		return got, fmt.Errorf("status %d: %s", resp.StatusCode, answer)
	}
	if got, err = read(answer, resp.Header.Get("Content-Type")); err != nil {
		return got, err
	}
	got.Step, got.Turn = stepGot, n
	got.Headers = &ferruleHeaders{resp.Header.Get("Ferrule-Tools"), resp.Trailer.Get("Ferrule-Tools")}
	t.tell(got)
	return got, nil
}

// upstream tells of the requests that the gateway made of the client's.
func (t *roundTrip) upstream(n int) {
	for _, r := range t.seen.take() {
		messages, api := prompt(r.Request)
		t.tell(step{Step: stepSaw, Turn: n, Path: r.Path, Body: r.Request, Messages: messages, Tools: api})
		wrote, err := read(r.Response(), r.ContentType)
		if err != nil {
			wrote.Text = string(r.Response())
		}
		wrote.Step, wrote.Turn = stepWrote, n
		t.tell(wrote)
	}
}

// prompt reads an upstream request: its messages, and whether it has tools.
func prompt(body []byte) (ms []message, api bool) {
	_, api = rawjson.Get(body, "tools")
	list, _ := rawjson.Get(body, "messages")
	_ = rawjson.Elements(list, func(v []byte) bool {
		role, _ := rawjson.Get(v, "role")
		content, _ := rawjson.Get(v, "content")
		r, _ := rawjson.String(role)
		text, err := rawjson.String(content)
		if err != nil {
			text = string(v)
		}
		ms = append(ms, message{r, text})
		return true
	})
	return ms, api
}

// read reads an answer as any client would.
func read(body []byte, contentType string) (s step, err error) {
	stream := openai.Client{}.Decode(bytes.NewReader(body), contentType)
	defer func() { err = errors.Join(err, stream.Close()) }()
	for {
		f, err := stream.Next()
		if err == io.EOF {
			return s, nil
		}
		if err != nil {
			return s, fmt.Errorf("reading the answer: %w", err)
		}
		if reason := finishReason(f.Raw); reason != "" {
			s.Finish = reason
		}
		for _, e := range f.Events {
			switch e.Kind {
			case chat.EventText:
				s.Text += e.Text
			case chat.EventCallEnd:
				s.Calls = append(s.Calls, toolCall{e.Call.ID, "function", function{e.Call.Name, string(e.Call.Args)}})
			case chat.EventFault:
				return s, e.Fault
			}
		}
	}
}

// finishReason reads why a chunk ends the answer, in the protocol's own word.
func finishReason(frame []byte) (reason string) {
	choices, _ := rawjson.Get(bytes.TrimPrefix(frame, []byte("data:")), "choices")
	_ = rawjson.Elements(choices, func(v []byte) bool {
		raw, _ := rawjson.Get(v, "finish_reason")
		reason, _ = rawjson.String(raw)
		return false
	})
	return reason
}
