package gateway_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ferrule/ferrule/internal/cases"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/turn"
)

// nativeCase is a case of the field log that can come as a native call.
type nativeCase struct {
	ID    string
	Kind  int
	Input struct {
		SSE       []string
		Response  json.RawMessage
		Arguments json.RawMessage
		Call      *struct {
			Name      string
			Arguments json.RawMessage
		}
		Tool  json.RawMessage
		Tools json.RawMessage
	}
	Expect struct {
		Outcome   string
		Arguments json.RawMessage
		To        string
		Calls     []struct {
			Name      string
			ID        string
			Arguments any
		}
		Content *string
		Finish  string `json:"finish_reason"`
		Reason  string
	}
}

func nativeCases(t *testing.T) []nativeCase {
	t.Helper()
	var list []nativeCase
	for line := range cases.Lines(t, "fieldlog/cases.jsonl") {
		var c nativeCase
		if err := json.Unmarshal(line, &c); err == nil {
			list = append(list, c)
		}
	}
	return list
}

// openTools makes tools that take anything, for what a case calls.
func openTools(c nativeCase) json.RawMessage {
	var list []string
	seen := map[string]bool{}
	for _, call := range c.Expect.Calls {
		if !seen[call.Name] {
			seen[call.Name] = true
			list = append(list, fmt.Sprintf(`{"name":%q,"parameters":{"type":"object"}}`, call.Name))
		}
	}
	return json.RawMessage("[" + strings.Join(list, ",") + "]")
}

// TestFieldLogNative: the log's replies and streams through a native gateway, to
// a client that keeps to the protocol. Calls in text aren't read here (F079, F080).
func TestFieldLogNative(t *testing.T) {
	ran := map[string]bool{}
	for _, c := range nativeCases(t) {
		if c.ID == "F079" || c.ID == "F080" {
			continue
		}
		body, stream := string(c.Input.Response), false
		if c.Input.SSE != nil {
			stream, body = true, ""
			for _, p := range c.Input.SSE {
				body += "data: " + p + "\n\n"
			}
		}
		tools := c.Input.Tools
		if tools == nil {
			tools = openTools(c)
		}
		if body == "" || c.Expect.Outcome != "calls" && c.Expect.Outcome != "incomplete" {
			continue
		}
		ran[c.ID] = true
		for _, piece := range []int{0, 1} {
			t.Run(fmt.Sprintf("%s/%d", c.ID, piece), func(t *testing.T) {
				url, _ := nativeGateway(t, profile.Profile{}, piece, body)
				h := askWith(t, url, stream, asFunctions(t, tools))
				want := "tool_calls"
				if c.Expect.Outcome == "incomplete" {
					want = c.Expect.Reason
				}
				if h.Status != 200 || h.Finish != want || len(h.Calls) != len(c.Expect.Calls) || stream && !h.Done {
					t.Fatalf("%+v\n%s", h, h.body)
				}
				ids := map[string]bool{}
				for i, call := range c.Expect.Calls {
					g := h.Calls[i]
					var args any
					if err := json.Unmarshal([]byte(g.Args), &args); err != nil {
						t.Errorf("%v in %q", err, g.Args)
					}
					if d := cmp.Diff(call.Arguments, args); d != "" || g.Name != call.Name || call.ID != "" && g.ID != call.ID || ids[g.ID] {
						t.Errorf("%+v\n%s", g, d)
					}
					ids[g.ID] = true
				}
				if c.Expect.Content != nil && strings.TrimSpace(h.Text) != *c.Expect.Content {
					t.Errorf("content %q", h.Text)
				}
				if !strings.Contains(h.report, "retries=0") {
					t.Error(h.report)
				}
			})
		}
	}
	for _, id := range []string{"F067", "F068", "F070", "F073", "F074", "F076", "F077", "F083", "F085", "F088", "F089", "F175", "F176", "F178"} {
		if !ran[id] {
			t.Errorf("%s didn't run", id)
		}
	}
}

func askWith(t *testing.T, url string, stream bool, tools []any) heard {
	t.Helper()
	return listen(t, url, requestWith(t, stream, tools))
}

func requestWith(t *testing.T, stream bool, tools []any) string {
	t.Helper()
	b, err := json.Marshal(map[string]any{
		"model": "m", "stream": stream, "tools": tools,
		"messages": []any{map[string]any{"role": "user", "content": "hi"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestFieldLogNativeCalls: the log's arguments and names as native calls,
// streamed and not: what can be mended reaches the client mended, and of what
// can't it gets what the model wrote, or with on_invalid: fail an error.
func TestFieldLogNativeCalls(t *testing.T) {
	ran := 0
	for _, c := range nativeCases(t) {
		name, args, tools := "", c.Input.Arguments, c.Input.Tools
		switch {
		case c.Kind == 1 && c.Input.Tool != nil:
			var tool struct{ Name string }
			if err := json.Unmarshal(c.Input.Tool, &tool); err != nil {
				t.Fatal(err)
			}
			name, tools = tool.Name, json.RawMessage("["+string(c.Input.Tool)+"]")
		case c.Kind == 5 && c.Input.Call != nil:
			name, args = c.Input.Call.Name, c.Input.Call.Arguments
		default:
			continue
		}
		ran++
		written := string(args)
		if s := ""; json.Unmarshal(args, &s) == nil {
			written = s
		}
		for _, stream := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/stream=%v", c.ID, stream), func(t *testing.T) {
				raw := nativeAnswer(stream, "", "tool_calls", 5, name, written)
				url, _ := nativeGateway(t, profile.Profile{OnInvalid: profile.Fail}, 0, raw)
				h := askWith(t, url, stream, asFunctions(t, tools))
				switch c.Expect.Outcome {
				case "repaired", "unchanged", "name_mapped":
					if h.Status != 200 || len(h.Calls) != 1 || h.Finish != "tool_calls" {
						t.Fatalf("%+v\n%s", h, h.body)
					}
					if c.Expect.To != "" && h.Calls[0].Name != c.Expect.To {
						t.Errorf("named %q, want %q", h.Calls[0].Name, c.Expect.To)
					}
					if c.Expect.Arguments != nil {
						var want, got any
						_ = json.Unmarshal(c.Expect.Arguments, &want)
						if err := json.Unmarshal([]byte(h.Calls[0].Args), &got); err != nil {
							t.Fatal(err)
						}
						if d := cmp.Diff(want, got); d != "" {
							t.Error(d)
						}
					}
				default:
					if h.Status != 422 || h.Code != turn.CodeToolCallInvalid {
						t.Fatalf("%+v\n%s", h, h.body)
					}
					url, u := nativeGateway(t, profile.Profile{}, 0, raw, raw)
					if body := see(t, url, requestWith(t, stream, asFunctions(t, tools))).Body; body != raw || len(u.asked) != 2 {
						t.Errorf("%d requests\n%s", len(u.asked), body)
					}
				}
			})
		}
	}
	if ran < 12 {
		t.Errorf("only %d cases ran", ran)
	}
}
