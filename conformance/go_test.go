package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"
)

// models are the demo models and what each needs for its tools.
var models = []string{"demo/chat-lite", "demo/wrapper", "demo/native"}

const (
	doOne = `do get_weather {"city": "Paris"}`
	doTwo = `do get_weather {"city": "Paris"} and get_time {"zone": "CET"}`
)

func client() openai.Client {
	return openai.NewClient(option.WithBaseURL(gateway+"/v1"), option.WithAPIKey("unused"))
}

func tools() []openai.ChatCompletionToolUnionParam {
	one := func(name, field string) openai.ChatCompletionToolUnionParam {
		return openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
			Name:        name,
			Description: openai.String("Tells the " + field + "."),
			Parameters: shared.FunctionParameters{
				"type":       "object",
				"properties": map[string]any{field: map[string]any{"type": "string"}},
				"required":   []string{field},
			},
		})
	}
	return []openai.ChatCompletionToolUnionParam{one("get_weather", "city"), one("get_time", "zone")}
}

func request(model, user string) openai.ChatCompletionNewParams {
	return openai.ChatCompletionNewParams{
		Model:    model,
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(user)},
		Tools:    tools(),
	}
}

// ask sends a request streamed or not and returns the answer in one shape.
func ask(ctx context.Context, stream bool, q openai.ChatCompletionNewParams) (openai.ChatCompletion, error) {
	c := client()
	if !stream {
		r, err := c.Chat.Completions.New(ctx, q)
		if err != nil {
			return openai.ChatCompletion{}, err
		}
		return *r, nil
	}
	q.StreamOptions = openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)}
	s := c.Chat.Completions.NewStreaming(ctx, q)
	var acc openai.ChatCompletionAccumulator
	for s.Next() {
		if !acc.AddChunk(s.Current()) {
			return openai.ChatCompletion{}, errors.New("the accumulator refused a chunk")
		}
	}
	return acc.ChatCompletion, s.Err()
}

// each runs f for every model, streamed and not.
func each(t *testing.T, f func(t *testing.T, model string, stream bool)) {
	for _, m := range models {
		for _, s := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/stream=%v", m, s), func(t *testing.T) {
				t.Parallel()
				f(t, m, s)
			})
		}
	}
}

func must(t *testing.T, stream bool, q openai.ChatCompletionNewParams) openai.ChatCompletionChoice {
	t.Helper()
	r, err := ask(t.Context(), stream, q)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Choices) != 1 {
		t.Fatalf("%d choices", len(r.Choices))
	}
	if r.Usage.TotalTokens == 0 {
		t.Error("no usage")
	}
	return r.Choices[0]
}

func wantCalls(t *testing.T, c openai.ChatCompletionChoice, want ...string) {
	t.Helper()
	if len(c.Message.ToolCalls) != len(want) {
		t.Fatalf("%d calls, want %v: %s", len(c.Message.ToolCalls), want, c.RawJSON())
	}
	seen := map[string]bool{}
	for i, call := range c.Message.ToolCalls {
		var args map[string]any
		if err := json.Unmarshal([]byte(call.Function.Arguments), &args); err != nil {
			t.Errorf("arguments %q: %v", call.Function.Arguments, err)
		}
		if call.Function.Name != want[i] || call.ID == "" || seen[call.ID] || call.Type != "function" {
			t.Errorf("call %d is %+v, want %s with an id of its own", i, call, want[i])
		}
		seen[call.ID] = true
	}
	if c.FinishReason != "tool_calls" {
		t.Errorf("finish_reason %q", c.FinishReason)
	}
}

func TestText(t *testing.T) {
	each(t, func(t *testing.T, model string, stream bool) {
		c := must(t, stream, request(model, `say "Good morning."`))
		if c.Message.Content != "Good morning." || len(c.Message.ToolCalls) > 0 || c.FinishReason != "stop" {
			t.Errorf("got %+v", c)
		}
	})
}

func TestCalls(t *testing.T) {
	each(t, func(t *testing.T, model string, stream bool) {
		wantCalls(t, must(t, stream, request(model, doOne)), "get_weather")
		wantCalls(t, must(t, stream, request(model, doTwo)), "get_weather", "get_time")
		q := request(model, doTwo)
		q.ParallelToolCalls = openai.Bool(false)
		wantCalls(t, must(t, stream, q), "get_weather")
	})
}

func TestResultTurn(t *testing.T) {
	each(t, func(t *testing.T, model string, stream bool) {
		q := request(model, doTwo)
		c := must(t, stream, q)
		wantCalls(t, c, "get_weather", "get_time")
		q.Messages = append(q.Messages, c.Message.ToParam())
		for _, call := range c.Message.ToolCalls {
			q.Messages = append(q.Messages, openai.ToolMessage("answer of "+call.Function.Name, call.ID))
		}
		c = must(t, stream, q)
		if len(c.Message.ToolCalls) > 0 || c.Message.Content == "" {
			t.Errorf("got %+v, want an answer in words", c)
		}
	})
}

func TestToolChoice(t *testing.T) {
	mode := func(s string) openai.ChatCompletionToolChoiceOptionUnionParam {
		return openai.ChatCompletionToolChoiceOptionUnionParam{OfAuto: param.NewOpt(s)}
	}
	named := openai.ToolChoiceOptionFunctionToolChoice(openai.ChatCompletionNamedToolChoiceFunctionParam{Name: "get_time"})
	allowed := openai.ToolChoiceOptionAllowedTools(openai.ChatCompletionAllowedToolsParam{
		Mode:  "required",
		Tools: []map[string]any{{"type": "function", "function": map[string]any{"name": "get_time"}}},
	})
	each(t, func(t *testing.T, model string, stream bool) {
		for _, c := range []struct {
			name, user string
			choice     openai.ChatCompletionToolChoiceOptionUnionParam
			want       string // the call; "": none
		}{
			{"auto", doOne, mode("auto"), "get_weather"},
			{"none", doOne, mode("none"), ""},
			{"required", doOne, mode("required"), "get_weather"},
			{"named", `do get_time {"zone": "CET"}`, named, "get_time"},
			{"allowed", `do get_time {"zone": "CET"}`, allowed, "get_time"},
		} {
			q := request(model, c.user)
			q.ToolChoice = c.choice
			got := must(t, stream, q)
			if c.want != "" {
				wantCalls(t, got, c.want)
			} else if len(got.Message.ToolCalls) > 0 {
				t.Errorf("%s: %+v", c.name, got)
			}
		}
	})
}

// TestCorrected: a bad call is asked for again, and the client sees only the good one.
func TestCorrected(t *testing.T) {
	for _, model := range []string{"demo/chat-lite", "demo/wrapper"} {
		for _, stream := range []bool{false, true} {
			for _, fumble := range []string{"truncated-json", "wrong-type", "unknown-tool"} {
				c := must(t, stream, request(model, doOne+"\nfumble: "+fumble))
				wantCalls(t, c, "get_weather")
			}
		}
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		name   string
		q      openai.ChatCompletionNewParams
		status int
		code   string
	}{
		{"a model without tools", request("demo/none", doOne), 400, "tools_not_supported"},
		{"the same, asked without tools", openai.ChatCompletionNewParams{Model: "demo/none", Messages: request("", "Hi.").Messages}, 0, ""},
		{"no such model", request("demo/nope", doOne), 404, "model_not_found"},
		{"a bad call twice", request("demo/chat-lite", doOne+"\nfumble: wrong-type always"), 422, "tool_call_invalid"},
	} {
		for _, stream := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/stream=%v", c.name, stream), func(t *testing.T) {
				r, err := ask(t.Context(), stream, c.q)
				if c.status == 0 {
					if err != nil || len(r.Choices) != 1 || len(r.Choices[0].Message.ToolCalls) > 0 {
						t.Errorf("got %+v, %v, want words", r, err)
					}
					return
				}
				var e *openai.Error
				if !errors.As(err, &e) {
					t.Fatalf("got %+v, %v, want an API error", r, err)
				}
				if e.StatusCode != c.status || e.Code != c.code {
					t.Errorf("status %d, code %q, want %d %q: %s", e.StatusCode, e.Code, c.status, c.code, e.RawJSON())
				}
			})
		}
	}
}
