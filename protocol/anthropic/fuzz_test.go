package anthropic_test

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/protocol/anthropic"
	"github.com/ferrule/ferrule/rawjson"
)

// Laws: no cut shows; the frames' bytes are the body's, up to what ends it; a
// good end has a finish; every call that ends began, and has an id; a fault says
// something.
func FuzzDecode(f *testing.F) {
	for _, b := range bodies {
		f.Add(b, 10)
	}
	paths, _ := filepath.Glob("testdata/answers/*.txtar")
	for _, p := range paths {
		a, err := txtar.ParseFile(p)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range a.Files[:len(a.Files)-1] {
			f.Add(file.Data, len(file.Data)/2)
		}
	}
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
				if e.Kind == chat.EventCallEnd && (e.Call.ID == "" || rawjson.Valid(e.Call.Extra["anthropic.thinking"], 9) != nil && e.Call.Extra != nil) {
					t.Errorf("a call that can't go back: %+v", e.Call)
				}
				if e.Kind == chat.EventFault && (e.Fault.Text == "" || e.Fault.Code == "" || e.Fault.Status < 400) {
					t.Errorf("a fault that says nothing: %+v", e.Fault)
				}
			}
		}
		fault := anthropic.Client{}.DecodeFault(500, chat.Wire{Body: body})
		if fault.Text == "" || fault.Code == "" || fault.Status != 500 {
			t.Errorf("a fault that says nothing: %+v", fault)
		}
	})
}

// Law: whatever the schema, the arguments and the texts, the request is JSON.
func FuzzEncodeRequest(f *testing.F) {
	f.Add([]byte(`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`), []byte(`{"a":1}`), "claude", "id", "text")
	f.Add([]byte(`{"$defs":{},"anyOf":[true]}`), []byte(`{`), "../x?y#z", "", "\xff")
	f.Add([]byte(`true`), []byte(`"words"`), "", "functions.f:0", " \n")
	f.Fuzz(func(t *testing.T, schema, args []byte, model, id, text string) {
		if rawjson.Valid(schema, rawjson.MaxDepth) != nil {
			return // it comes out of a request that was read
		}
		q := &chat.Request{
			Model:  model,
			System: []chat.Part{chat.Text{Text: text}},
			Tools:  []chat.Tool{{Name: text, Description: text, Schema: schema, Kind: chat.ToolFunction}},
			Messages: []chat.Message{
				{Role: chat.RoleUser, Parts: []chat.Part{chat.Text{Text: text}}},
				{Role: chat.RoleAssistant, Parts: []chat.Part{chat.Call{ID: id, Name: text, Args: args, Extra: chat.Extra{"anthropic.thinking": args}}}},
				{Role: chat.RoleTool, Parts: []chat.Part{chat.Result{ID: id, Parts: []chat.Part{chat.Text{Text: text}}}}},
			},
		}
		_, body, err := anthropic.Client{}.EncodeRequest(q)
		if err != nil {
			t.Fatal(err)
		}
		if err := rawjson.Valid(body, rawjson.MaxDepth+20); err != nil {
			t.Fatalf("%v: %s", err, body)
		}
	})
}
