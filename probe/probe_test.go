package probe_test

import (
	"context"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/probe"
	"github.com/ferrule/ferrule/profile"
)

// upstream answers each request as a test has it.
type upstream func(q *chat.Request) ([]chat.Event, *chat.Fault)

func (u upstream) Send(_ context.Context, q *chat.Request) (chat.Stream, error) {
	es, f := u(q)
	if f != nil {
		return nil, f
	}
	return &stream{es: append(es, chat.Event{Kind: chat.EventFinish, Finish: chat.FinishStop})}, nil
}

type stream struct{ es []chat.Event }

func (s *stream) Next() (chat.Frame, error) {
	if len(s.es) == 0 {
		return chat.Frame{}, io.EOF
	}
	f := chat.Frame{Events: s.es[:1]}
	s.es = s.es[1:]
	return f, nil
}

func (s *stream) Close() error { return nil }

func says(text string) []chat.Event { return []chat.Event{{Kind: chat.EventText, Text: text}} }

func calls(cities ...string) (es []chat.Event) {
	for i, c := range cities {
		es = append(es, chat.Event{Kind: chat.EventCallEnd, Index: i, Call: chat.Call{ID: "a", Name: "get_weather", Args: []byte(`{"city":"` + c + `"}`)}})
	}
	return es
}

func refuses(text string) *chat.Fault { return &chat.Fault{Status: 400, Text: text} }

// able is an endpoint that can do all.
func able(q *chat.Request) ([]chat.Event, *chat.Fault) {
	switch {
	case len(q.Messages) > 1:
		return says("It rains, at 7 degrees."), nil
	case q.Format != nil:
		return says(`{"city":"Paris","country":"France"}`), nil
	case len(q.Tools) > 0 && q.Messages[0].Parts[0].(chat.Text).Text != "What is the weather in Paris?" && !q.Choice.Forced():
		return calls("Oslo", "Paris"), nil
	case len(q.Tools) > 0:
		return calls("Paris"), nil
	}
	return says("Hello. <tool_call>{\"name\":\"get_weather\",\"arguments\":{\"city\":\"Paris\"}}</tool_call>"), nil
}

// TestSettings: what endpoints do comes to what a configuration would say.
func TestSettings(t *testing.T) {
	for _, c := range []struct {
		name string
		u    upstream
		want profile.Profile
	}{
		{"all", able, profile.Profile{Tools: profile.Native}},
		{"no calls in a stream", func(q *chat.Request) ([]chat.Event, *chat.Fault) {
			if q.Stream && len(q.Tools) > 0 {
				return nil, refuses("This model doesn't support tool use in streaming mode.")
			}
			return able(q)
		}, profile.Profile{Tools: profile.Native, Stream: profile.StreamWithoutTools}},
		{"no streams", func(q *chat.Request) ([]chat.Event, *chat.Fault) {
			if q.Stream {
				return nil, refuses("Unsupported value: 'stream' does not support true with this model.")
			}
			return able(q)
		}, profile.Profile{Tools: profile.Native, Stream: profile.StreamNever}},
		{"a narrow dialect", func(q *chat.Request) ([]chat.Event, *chat.Fault) {
			if len(q.Tools) > 0 && q.Tools[0].Name != "get_weather" {
				return nil, refuses("Invalid 'tools[0].name': string does not match pattern.")
			}
			return able(q)
		}, profile.Profile{Tools: profile.Native, Dialect: "minimal"}},
		{"no tools", func(q *chat.Request) ([]chat.Event, *chat.Fault) {
			if len(q.Tools) > 0 {
				return nil, refuses("m does not support tools")
			}
			return able(q)
		}, profile.Profile{Tools: profile.Emulated}},
		{"a model that only talks", func(q *chat.Request) ([]chat.Event, *chat.Fault) { return says("Hello."), nil }, profile.Profile{}},
		{"one that only talks, and no tools", func(q *chat.Request) ([]chat.Event, *chat.Fault) {
			if len(q.Tools) > 0 {
				return nil, refuses("m does not support tools")
			}
			return says("Hello."), nil
		}, profile.Profile{Tools: profile.None}},
	} {
		t.Run(c.name, func(t *testing.T) {
			most, _ := probe.Most()
			asked := 0
			p := &probe.Probe{Model: "m", Profile: profile.Profile{Syntax: "hermes"}, Key: []byte("a key for tests"), Upstream: upstream(func(q *chat.Request) ([]chat.Event, *chat.Fault) {
				asked++
				if n := q.Sampling.MaxTokens; n == nil || *n > probe.MaxTokens {
					t.Error("a request without its limit")
				}
				return c.u(q)
			})}
			told := 0
			found, err := p.Run(t.Context(), func(probe.Finding) { told++ })
			if err != nil || told != len(found) {
				t.Fatalf("%v, %d of %d told", err, told, len(found))
			}
			if d := cmp.Diff(c.want, probe.Settings(found)); d != "" {
				t.Errorf("%s\n%+v", d, found)
			}
			if asked > most {
				t.Errorf("%d requests, %d were told of", asked, most)
			}
		})
	}
}

// TestUnreachable: where the model doesn't answer, nothing more is asked.
func TestUnreachable(t *testing.T) {
	asked := 0
	p := &probe.Probe{Model: "m", Upstream: upstream(func(*chat.Request) ([]chat.Event, *chat.Fault) {
		asked++
		return nil, &chat.Fault{Status: 401, Text: "no such key"}
	})}
	if found, err := p.Run(t.Context(), func(probe.Finding) {}); err == nil || asked != 1 || len(found) != 1 {
		t.Errorf("%v, %d requests, %v", err, asked, found)
	}
}
