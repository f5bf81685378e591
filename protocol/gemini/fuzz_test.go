package gemini_test

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/protocol/gemini"
	"github.com/ferrule/ferrule/rawjson"
)

// Laws: no cut shows; the frames' bytes are the body's, up to what ends it; a
// good end has a finish; a fault says something.
func FuzzDecode(f *testing.F) {
	for _, b := range bodies {
		f.Add(b, 10)
	}
	f.Add([]byte(`{"promptFeedback":{"blockReason":"SAFETY"}}`), 3)
	f.Add([]byte(`{"candidates":[{"finishReason":"MALFORMED_FUNCTION_CALL","finishMessage":"Malformed function call: f("}]}`), 3)
	f.Fuzz(func(t *testing.T, body []byte, cut int) {
		const contentType = "text/event-stream"
		want := hear(t, bytes.NewReader(body), contentType)
		cut = max(0, min(cut, len(body)))
		if got := hear(t, &pieces{body[:cut], body[cut:]}, contentType); !reflect.DeepEqual(want, got) {
			t.Fatal(cmp.Diff(want.String(), got.String()), cmp.Diff(want.frames, got.frames))
		}
		if raw, ok := want.raw(); ok && !bytes.HasPrefix(body, raw) {
			t.Errorf("the frames' bytes aren't the body's: %q", raw)
		}
		if errors.Is(want.err, io.EOF) && want.finish == chat.FinishNone {
			t.Error("a good end without a finish")
		}
		for _, fr := range want.frames {
			for _, e := range fr.Events {
				if e.Kind == chat.EventCallEnd && e.Call.ID == "" {
					t.Error("a call without an id")
				}
				if e.Kind == chat.EventFault && (e.Fault.Text == "" || e.Fault.Code == "" || e.Fault.Status < 400) {
					t.Errorf("a fault that says nothing: %+v", e.Fault)
				}
			}
		}
		fault := gemini.Client{}.DecodeFault(500, chat.Wire{Body: body})
		if fault.Text == "" || fault.Code == "" || fault.Status != 500 {
			t.Errorf("a fault that says nothing: %+v", fault)
		}
	})
}

// Law: whatever the schema, the arguments and the texts, the request is JSON in
// which nothing stands twice but what stood twice in them.
func FuzzEncodeRequest(f *testing.F) {
	f.Add([]byte(`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`), []byte(`{"a":1}`), "gemini-3-pro", "id", "text")
	f.Add([]byte(`{"$defs":{},"anyOf":[true]}`), []byte(`{`), "../x?y#z", "", "\xff")
	f.Add([]byte(`true`), []byte(`"words"`), "tunedModels/a", "a", "")
	f.Fuzz(func(t *testing.T, schema, args []byte, model, id, text string) {
		if rawjson.Valid(schema, rawjson.MaxDepth) != nil {
			return // it comes out of a request that was read
		}
		q := &chat.Request{
			Model: model,
			Tools: []chat.Tool{{Name: text, Description: text, Schema: schema, Kind: chat.ToolFunction}},
			Messages: []chat.Message{
				{Role: chat.RoleUser, Parts: []chat.Part{chat.Text{Text: text}}},
				{Role: chat.RoleAssistant, Parts: []chat.Part{chat.Call{ID: id, Name: text, Args: args}}},
				{Role: chat.RoleTool, Parts: []chat.Part{chat.Result{ID: id, Parts: []chat.Part{chat.Text{Text: text}}}}},
			},
		}
		_, body, err := gemini.Client{}.EncodeRequest(q)
		if err != nil {
			t.Fatal(err)
		}
		if err := rawjson.Valid(body, rawjson.MaxDepth+20); err != nil {
			t.Fatalf("%v: %s", err, body)
		}
	})
}
