package demo_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/protocol/openai"
	"github.com/ferrule/ferrule/provider"
	"github.com/ferrule/ferrule/provider/demo"
	"github.com/ferrule/ferrule/turn"
)

// session is a client with tools, in front of a demo model through a whole turn.
type session struct {
	t        *testing.T
	target   turn.Target
	runner   *turn.Runner
	messages []map[string]any
	more     map[string]any
}

func start(t *testing.T, model string, p profile.Profile, more map[string]any) *session {
	t.Helper()
	base, stop, err := demo.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	up, err := provider.New(provider.Config{Name: "demo", URL: base, Protocol: openai.Name, Client: openai.Client{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(up.Close)
	return &session{
		t: t, more: more,
		target: turn.Target{Provider: "demo", Model: model, Upstream: up, Profile: p},
		runner: &turn.Runner{Key: []byte("0123456789abcdef0123456789abcdef")},
	}
}

// turn sends the conversation and returns the answer's words and calls.
func (s *session) turn() (words string, calls []chat.Call, rep turn.Report, err error) {
	s.t.Helper()
	q := map[string]any{"model": "x", "stream": true, "messages": s.messages, "tools": json.RawMessage(
		`[{"type":"function","function":` + weatherTool + `},{"type":"function","function":` + timeTool + `}]`)}
	for k, v := range s.more {
		q[k] = v
	}
	b, err := json.Marshal(q)
	if err != nil {
		s.t.Fatal(err)
	}
	req, f := openai.Server{}.DecodeRequest("/chat/completions", chat.Wire{Protocol: openai.Name, Body: b})
	if f != nil {
		s.t.Fatal(f)
	}
	rep, err = s.runner.Run(s.t.Context(), s.target, req, func(f chat.Frame) error {
		for _, e := range f.Events {
			switch e.Kind {
			case chat.EventText:
				words += e.Text
			case chat.EventCallEnd:
				c := e.Call
				c.Args = append([]byte(nil), c.Args...)
				calls = append(calls, c)
			}
		}
		return nil
	})
	return words, calls, rep, err
}

func (s *session) user(text string) {
	s.messages = append(s.messages, map[string]any{"role": "user", "content": text})
}

// results answers calls, each with its name and arguments.
func (s *session) results(calls []chat.Call) {
	var list []map[string]any
	for _, c := range calls {
		list = append(list, map[string]any{"id": c.ID, "type": "function", "function": map[string]any{"name": c.Name, "arguments": string(c.Args)}})
	}
	s.messages = append(s.messages, map[string]any{"role": "assistant", "content": nil, "tool_calls": list})
	for _, c := range calls {
		s.messages = append(s.messages, map[string]any{"role": "tool", "tool_call_id": c.ID, "content": "result of " + string(c.Args)})
	}
}

func names(calls []chat.Call) string {
	var s []string
	for _, c := range calls {
		s = append(s, c.Name+string(c.Args))
	}
	return strings.Join(s, " ")
}

var ways = []struct {
	model   string
	profile profile.Profile
}{
	{"chat-lite", profile.Profile{}},
	{"chat-lite", profile.Profile{Tools: profile.Emulated, Syntax: "hermes"}},
	{"chat-lite", profile.Profile{Tools: profile.Emulated, Syntax: "envelope"}},
	{"wrapper", profile.Profile{Tools: profile.Emulated, Syntax: "envelope", System: profile.Dropped}},
	{"wrapper", profile.Profile{Tools: profile.Emulated, Syntax: "hermes", System: profile.Dropped}},
	{"native", profile.Profile{}},
}

// Two steps, an answer, and a second wish: over every way to a tool.
func TestThroughATurn(t *testing.T) {
	for _, way := range ways {
		t.Run(fmt.Sprintf("%s %s", way.model, way.profile.Syntax), func(t *testing.T) {
			s := start(t, way.model, way.profile, nil)
			s.messages = append(s.messages, map[string]any{"role": "system", "content": "You are kind."})
			s.user(doParis + "\n" + `do get_time {"zone": "CET", "clock": "24h"} and get_weather {"city": "Rome"}`)
			for i, want := range []string{`get_weather{"city": "Paris"}`, `get_time{"zone": "CET", "clock": "24h"} get_weather{"city": "Rome"}`} {
				words, calls, rep, err := s.turn()
				if err != nil || words != "" || names(calls) != want {
					t.Fatalf("step %d: %q, %s, %v (%s)\nwant %s", i+1, words, names(calls), err, rep, want)
				}
				s.results(calls)
			}
			words, calls, rep, err := s.turn()
			want := `get_weather says: result of {"city": "Paris"}` + "\n" + `get_time says: result of {"zone": "CET", "clock": "24h"}` + "\n" + `get_weather says: result of {"city": "Rome"}`
			if err != nil || len(calls) > 0 || words != want {
				t.Fatalf("answer: %q, %s, %v (%s)\nwant %q", words, names(calls), err, rep, want)
			}
			s.messages = append(s.messages, map[string]any{"role": "assistant", "content": words})
			s.user("And what is the weather in Oslo?")
			if words, calls, rep, err = s.turn(); err != nil || names(calls) != `get_weather{"city": "Oslo"}` {
				t.Fatalf("second wish: %q, %s, %v (%s)", words, names(calls), err, rep)
			}
		})
	}
}

func TestChoices(t *testing.T) {
	for _, way := range ways {
		for name, c := range map[string]struct {
			more map[string]any
			user string
			want string
		}{
			"none":     {map[string]any{"tool_choice": "none"}, doParis, ""},
			"required": {map[string]any{"tool_choice": "required"}, "Oslo", `get_weather{"city": "Oslo"}`},
			"named":    {map[string]any{"tool_choice": json.RawMessage(`{"type":"function","function":{"name":"get_time"}}`)}, "UTC", `get_time{"zone": "UTC", "clock": "24h"}`},
			"allowed":  {map[string]any{"tool_choice": json.RawMessage(`{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"type":"function","function":{"name":"get_time"}}]}}`)}, "What is the weather in Oslo?", ""},
			"single":   {map[string]any{"parallel_tool_calls": false}, doParis + ` and get_weather {"city": "Rome"}`, `get_weather{"city": "Paris"}`},
			"auto":     {nil, "Hello.", ""},
		} {
			s := start(t, way.model, way.profile, c.more)
			s.user(c.user)
			words, calls, rep, err := s.turn()
			if err != nil || names(calls) != c.want || c.want == "" && words == "" {
				t.Errorf("%s %s, %s: %q, %s, %v (%s)\nwant %q", way.model, way.profile.Syntax, name, words, names(calls), err, rep, c.want)
			}
		}
	}
}

// Each stumble is put right by one correction, and one that goes on is an error.
func TestFumblesThroughATurn(t *testing.T) {
	for _, way := range ways[1:5] {
		for _, kind := range demo.Fumbles() {
			more := map[string]any{}
			if kind == "prose-only" {
				more["tool_choice"] = "required"
			}
			s := start(t, way.model, way.profile, more)
			s.user("fumble: " + kind + "\n" + doParis + ` and get_weather {"city": "Rome"}`)
			_, calls, rep, err := s.turn()
			slices.SortFunc(calls, func(a, b chat.Call) int { return bytes.Compare(a.Args, b.Args) })
			if err != nil || names(calls) != `get_weather{"city": "Paris"} get_weather{"city": "Rome"}` || rep.Requests != 2 {
				t.Errorf("%s %s, %s: %s, %v (%s)", way.model, way.profile.Syntax, kind, names(calls), err, rep)
			}
			s = start(t, way.model, way.profile, more)
			s.user("fumble: " + kind + " always\n" + doParis)
			_, calls, rep, err = s.turn()
			if err == nil || len(calls) > 0 || rep.Requests != 2 {
				t.Errorf("%s %s, %s always: %s, %v (%s)", way.model, way.profile.Syntax, kind, names(calls), err, rep)
			}
		}
	}
}
