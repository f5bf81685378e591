package openai_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/protocol/openai"
)

func ended(index int, id, name, args string) chat.Event {
	return chat.Event{Kind: chat.EventCallEnd, Index: index, Call: chat.Call{ID: id, Name: name, Args: []byte(args)}}
}

func finished(f chat.Finish) chat.Event { return chat.Event{Kind: chat.EventFinish, Finish: f} }

func counted(in, out int) chat.Event {
	return chat.Event{Kind: chat.EventUsage, Usage: chat.Usage{Input: in, Output: out, Total: in + out, Known: true}}
}

// written writes frames to a client of q.
func written(t *testing.T, q *chat.Request, fs ...chat.Frame) string {
	t.Helper()
	var b bytes.Buffer
	e := openai.Server{}.Encoder(&b, q)
	for _, f := range fs {
		if err := e.Frame(f); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Close(nil); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestChangedReply: of a whole reply only what the events say otherwise changes.
func TestChangedReply(t *testing.T) {
	const head = ` {"id":"c1" , "x":[1.50],"choices":[{"index":0,"message":{"content":null`
	const tail = `,"y":{}},"logprobs":null,"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":1, "completion_tokens":2,"total_tokens":3,"cost":0.10}, "z":"\u00e9"}`
	one := `,"tool_calls":[{"id":"a","x":1,"function":{"arguments":"{\"p\":\"\u00e9\"}","name":"f"}}]`
	two := `,"tool_calls":[{"id":"a","x":1,"function":{"arguments":"{}","name":"f"}},{"id":"b","function":{"name":"g","arguments":"{}"}}]`
	calls := finished(chat.FinishCalls)
	for _, c := range []struct {
		name, raw string
		events    []chat.Event
		want      string
	}{
		{"nothing", head + one + tail, []chat.Event{ended(0, "a", "f", `{"p":"é"}`), calls}, head + one + tail},
		{"a name", head + one + tail, []chat.Event{ended(0, "a", "h", `{"p":"é"}`), calls}, head + strings.Replace(one, `"f"`, `"h"`, 1) + tail},
		{"arguments", head + one + tail, []chat.Event{ended(0, "a", "f", `{}`), calls}, head + strings.Replace(one, `"{\"p\":\"\u00e9\"}"`, `"{}"`, 1) + tail},
		{"the second of two", head + two + tail, []chat.Event{ended(0, "a", "f", `{}`), ended(1, "b", "h", `{}`), calls}, head + strings.Replace(two, `"g"`, `"h"`, 1) + tail},
		{"no call", head + one + tail, []chat.Event{finished(chat.FinishLength)}, head + strings.Replace(tail, "tool_calls", "length", 1)},
		{"one more", head + one + tail, []chat.Event{ended(0, "a", "f", `{"p":"é"}`), ended(1, "b", "f", `{}`), calls}, head +
			strings.Replace(one, "}}]", `}},{"id":"b","type":"function","function":{"name":"f","arguments":"{}"}}]`, 1) + tail},
		{"another in its place", head + one + tail, []chat.Event{ended(0, "z", "f", `{}`), calls}, head + `,"tool_calls":[{"id":"z","type":"function","function":{"name":"f","arguments":"{}"}}]` + tail},
		{"the finish", head + one + strings.Replace(tail, "tool_calls", "stop", 1), []chat.Event{ended(0, "a", "f", `{"p":"é"}`), calls}, head + one + tail},
		{"the usage", head + one + tail, []chat.Event{ended(0, "a", "f", `{"p":"é"}`), counted(10, 20), calls}, head + one + strings.Replace(tail, `"prompt_tokens":1, "completion_tokens":2,"total_tokens":3`, `"prompt_tokens":10, "completion_tokens":20,"total_tokens":30`, 1)},
		{"the older form", head + `,"function_call":{"name":"f","arguments":""}` + tail, []chat.Event{ended(0, "a", "f", `{}`), calls}, head + tail[:len(`,"y":{}`)] + `,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]` + tail[len(`,"y":{}`):]},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := written(t, &chat.Request{}, chat.Frame{Protocol: openai.Name, Raw: []byte(c.raw), Whole: true, Calls: true, Changed: true, Events: c.events})
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
	// What can't be edited is written anew.
	raw := head + tail[:len(`,"y":{}},"logprobs":null,"finish_reason":"tool_calls"}`)] + `,{"index":1,"message":{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}]}}]}`
	got := written(t, &chat.Request{Model: "m"}, chat.Frame{Protocol: openai.Name, Raw: []byte(raw), Whole: true, Changed: true, Events: []chat.Event{
		{Kind: chat.EventStart, Meta: &chat.Meta{ID: "c1", Model: "m", Created: 7}}, ended(0, "a", "f", `{}`), calls,
	}})
	const want = `{"id":"c1","object":"chat.completion","created":7,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestChangedChunk: an event of a stream keeps what it says beside finish and usage.
func TestChangedChunk(t *testing.T) {
	q := &chat.Request{Stream: true, Usage: true, Model: "m"}
	start := chat.Event{Kind: chat.EventStart, Meta: &chat.Meta{ID: "c1", Model: "m", Created: 7}}
	call := chat.Frame{Events: []chat.Event{start, ended(0, "a", "f", "{}")}}
	done := chat.Frame{Protocol: openai.Name, Raw: []byte("data: [DONE]\n\n"), Events: []chat.Event{{Kind: chat.EventOther}}}
	changed := func(raw string, es ...chat.Event) chat.Frame {
		return chat.Frame{Protocol: openai.Name, Raw: []byte(raw), Changed: true, Events: es}
	}
	made := written(t, q, call, done)
	made = strings.TrimSuffix(made, "data: [DONE]\n\n")
	for _, c := range []struct {
		name, want string
		frames     []chat.Frame
	}{
		{"finish", "id: 1\ndata: " + `{"x":1,"choices":[{"delta":{},"y":2,"finish_reason":"tool_calls"}]}` + "\n\n", []chat.Frame{
			changed("id: 1\ndata: "+`{"x":1,"choices":[{"delta":{},"y":2,"finish_reason":"stop"}]}`+"\n\n", finished(chat.FinishCalls)),
		}},
		{"usage", "data: " + `{"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":20,"total_tokens":30,"x":1}}` + "\n\n", []chat.Frame{
			changed("data:"+`{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3,"x":1}}`+"\n\n", counted(10, 20)),
		}},
		{"nothing to edit: written anew, before the end", `data: {"id":"c1","object":"chat.completion.chunk","created":7,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}` + "\n\n" +
			`data: {"id":"c1","object":"chat.completion.chunk","created":7,"model":"m","choices":[],"usage":{"prompt_tokens":10,"completion_tokens":20,"total_tokens":30}}` + "\n\n", []chat.Frame{
			changed(": odd\n\n", finished(chat.FinishCalls), counted(10, 20)),
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := written(t, q, append(append([]chat.Frame{call}, c.frames...), done)...)
			if d := cmp.Diff(made+c.want+"data: [DONE]\n\n", got); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestFramesTellOfCalls: a frame says whether its bytes hold a piece of a call.
func TestFramesTellOfCalls(t *testing.T) {
	for _, c := range []struct {
		chunk string
		want  bool
	}{
		{delta(`{"content":"a"}`), false},
		{delta(`{"content":"a","tool_calls":[]}`), false},
		{delta(`{"content":"a","tool_calls":null,"function_call":null}`), false},
		{delta(`{"tool_calls":[{"index":0,"id":"a"}]}`), true},
		{delta(`{"function_call":{"name":"f"}}`), true},
		{`{"choices":[{"index":1,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f"}}]}}]}`, true},
	} {
		h := hearEvents(t, c.chunk, finish("stop"), "[DONE]")
		if h.frames[0].Calls != c.want || h.frames[1].Calls {
			t.Errorf("%s: %v, %v", c.chunk, h.frames[0].Calls, h.frames[1].Calls)
		}
	}
}
