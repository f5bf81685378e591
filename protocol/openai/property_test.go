package openai_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/protocol/openai"
)

// What is written anew is read as what was written.
func TestRequestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := drawRequest(t)
		_, body, err := openai.Client{}.EncodeRequest(q)
		if err != nil {
			t.Fatal(err)
		}
		got, fault := openai.Server{}.DecodeRequest("", chat.Wire{Body: body})
		if fault != nil {
			t.Fatalf("%v: %s", fault, body)
		}
		got.Wire = nil
		if d := cmp.Diff(q, got, cmpopts.EquateEmpty()); d != "" {
			t.Fatalf("%s\n%s", d, body)
		}
	})
}

var (
	word   = rapid.StringN(1, 12, -1)
	name   = rapid.StringMatching(`[a-z]{1,5}`)
	object = rapid.Map(rapid.MapOf(word, word), func(m map[string]string) []byte {
		b, err := json.Marshal(m)
		if err != nil {
			panic(err)
		}
		return b
	})
)

func drawRequest(t *rapid.T) *chat.Request {
	q := &chat.Request{Model: name.Draw(t, "model"), Stream: rapid.Bool().Draw(t, "stream")}
	q.Usage = q.Stream && rapid.Bool().Draw(t, "usage")
	if rapid.Bool().Draw(t, "system") {
		q.System = []chat.Part{chat.Text{Text: word.Draw(t, "rule")}}
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "turns") {
		q.Messages = append(q.Messages, chat.Message{Role: chat.RoleUser, Parts: drawParts(t)})
		call := chat.Call{ID: fmt.Sprintf("id%d", i), Name: name.Draw(t, "call"), Args: object.Draw(t, "args")}
		q.Messages = append(q.Messages,
			chat.Message{Role: chat.RoleAssistant, Parts: append([]chat.Part{chat.Reasoning{Text: word.Draw(t, "hm")}, chat.Text{Text: word.Draw(t, "words")}}, call)},
			chat.Message{Role: chat.RoleTool, Parts: []chat.Part{chat.Result{ID: call.ID, Name: call.Name, Parts: drawParts(t)}}})
	}
	for range rapid.IntRange(0, 2).Draw(t, "tools") {
		q.Tools = append(q.Tools, chat.Tool{
			Name: name.Draw(t, "tool"), Description: word.Draw(t, "about"), Schema: object.Draw(t, "schema"),
			Kind: rapid.SampledFrom([]chat.ToolKind{chat.ToolFunction, chat.ToolCustom}).Draw(t, "kind"),
		})
	}
	if len(q.Tools) > 0 {
		q.Choice = rapid.SampledFrom([]chat.Choice{
			{},
			{Mode: chat.ChoiceAuto},
			{Mode: chat.ChoiceNone},
			{Mode: chat.ChoiceRequired},
			{Mode: chat.ChoiceNamed, Name: q.Tools[0].Name},
			{Mode: chat.ChoiceRequired, Allowed: []string{q.Tools[0].Name}},
		}).Draw(t, "choice")
		one := rapid.Bool().Draw(t, "parallel")
		q.Parallel = &one
	}
	if rapid.Bool().Draw(t, "limits") {
		n, f := rapid.IntRange(1, 1e6).Draw(t, "max"), rapid.Float64Range(0, 2).Draw(t, "temperature")
		q.Sampling = chat.Sampling{MaxTokens: &n, Temperature: &f, TopP: &f, Choices: &n, Stop: []string{word.Draw(t, "stop")}}
		q.Format = &chat.Format{Type: "json_schema", Name: name.Draw(t, "format"), Schema: object.Draw(t, "schema")}
	}
	return q
}

func drawParts(t *rapid.T) []chat.Part {
	return rapid.SliceOfN(rapid.OneOf(
		rapid.Map(word, func(s string) chat.Part { return chat.Text{Text: s} }),
		rapid.Map(name, func(s string) chat.Part { return chat.Image{URL: "https://h/" + s} }),
	), 1, 3).Draw(t, "parts")
}

// An answer that is encoded, streamed or not, is read as what was said.
func TestAnswerRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		want := heard{Text: word.Draw(rt, "text"), Reasoning: word.Draw(rt, "hm"), Finish: chat.FinishStop, Meta: chat.Meta{ID: "x", Model: "m", Created: 3}}
		frames := []chat.Event{
			{Kind: chat.EventStart, Meta: &want.Meta},
			{Kind: chat.EventReasoning, Text: want.Reasoning},
			{Kind: chat.EventText, Text: want.Text},
		}
		for i := range rapid.IntRange(0, 3).Draw(rt, "calls") {
			c := chat.Call{ID: fmt.Sprintf("id%d", i), Name: name.Draw(rt, "name"), Args: object.Draw(rt, "args")}
			want.Calls = append(want.Calls, c)
			want.Finish = chat.FinishCalls
			if rapid.Bool().Draw(rt, "in pieces") {
				cut := rapid.IntRange(0, len(c.Args)).Draw(rt, "cut")
				for cut < len(c.Args) && !utf8.RuneStart(c.Args[cut]) {
					cut-- // an event's text is UTF-8
				}
				frames = append(frames, chat.Event{Kind: chat.EventCallStart, Index: i, Call: c},
					chat.Event{Kind: chat.EventCallArgs, Index: i, Text: string(c.Args[:cut])})
			}
			frames = append(frames, chat.Event{Kind: chat.EventCallEnd, Index: i, Call: c})
		}
		want.Usage = chat.Usage{Input: 1, Output: 2, Total: 3, Known: true}
		frames = append(frames, chat.Event{Kind: chat.EventUsage, Usage: want.Usage}, chat.Event{Kind: chat.EventFinish, Finish: chat.FinishStop})
		for contentType, q := range map[string]string{
			"text/event-stream": `{"messages":[],"stream":true,"stream_options":{"include_usage":true}}`,
			"application/json":  `{"messages":[]}`,
		} {
			var out bytes.Buffer
			e := openai.Server{}.Encoder(&out, request(t, q))
			for _, ev := range frames {
				if err := e.Frame(chat.Frame{Events: []chat.Event{ev}}); err != nil {
					rt.Fatal(err)
				}
			}
			if err := e.Close(nil); err != nil {
				rt.Fatal(err)
			}
			got := hear(t, bytes.NewReader(out.Bytes()), contentType)
			if _, ok := got.raw(); !ok {
				rt.Fatalf("a strict client would read something else: %s", out.Bytes())
			}
			if d := cmp.Diff(want, got, ignoreFrames, cmpopts.IgnoreFields(heard{}, "Pieces", "Err")); d != "" {
				rt.Fatalf("%s\n%s", d, out.Bytes())
			}
		}
	})
}
