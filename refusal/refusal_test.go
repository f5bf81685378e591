package refusal_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/refusal"
)

func request(edit func(*chat.Request)) *chat.Request {
	q := &chat.Request{
		Model:    "some-model",
		Tools:    []chat.Tool{{Name: "read_file", Description: "Reads a file", Schema: []byte(`{"type":"object","properties":{"path":{"type":"string"}}}`)}},
		Messages: []chat.Message{{Role: chat.RoleUser, Parts: []chat.Part{chat.Text{Text: "hello"}}}},
	}
	if edit != nil {
		edit(q)
	}
	return q
}

func fault(status int, body string) *chat.Fault {
	return &chat.Fault{Status: status, Wire: &chat.Wire{Body: []byte(body)}}
}

const refused = `{"error":"llama3 does not support tools"}`

func TestClassify(t *testing.T) {
	for _, c := range []struct {
		name  string
		f     *chat.Fault
		edit  func(*chat.Request)
		class string
	}{
		{"plain", fault(400, refused), nil, refusal.ToolsUnsupported},
		{"not JSON", fault(500, "upstream says: llama3 does not support tools\n"), nil, refusal.ToolsUnsupported},
		{"cut JSON", fault(400, `{"error":"llama3 does not support tools`), nil, refusal.ToolsUnsupported},
		{"in a 200 body or a stream", &chat.Fault{Status: 502, Code: "upstream_error", Text: "llama3 does not support tools"}, nil, refusal.ToolsUnsupported},
		{"text only", &chat.Fault{Text: "No endpoints found that support tool use."}, nil, refusal.ToolsUnsupported},
		{"a gateway's JSON in JSON", fault(400, `{"error":{"message":"Provider returned error","metadata":{"raw":"{\"error\":\"llama3 does not support tools\"}"}}}`), nil, refusal.ToolsUnsupported},
		{"another case, spaces, apostrophe", fault(400, `{"message":"This  model doesn’t SUPPORT tool use."}`), nil, refusal.ToolsUnsupported},
		{"only while streaming", fault(400, `{"message":"This model doesn't support tool use in streaming mode."}`), nil, refusal.ToolsUnsupportedStreaming},
		{"in a key, not a text", fault(400, `{"does not support tools":false}`), nil, refusal.Other},
		{"over two texts", fault(400, `{"a":"does not","b":"support tools"}`), nil, refusal.Other},
		{"what the model wrote", fault(500, `{"error":"Failed to parse input at pos 0: I does not support tools"}`), nil, refusal.OutputRejected},
		{"no body", fault(400, ""), nil, refusal.Other},
		{"HTML", fault(502, "<html><body>Bad gateway</body></html>"), nil, refusal.UpstreamTransient},
		{"what came in a 200", fault(502, `{"error":"something new"}`), nil, refusal.Other},
		{"busy", fault(503, `{"error":"something new"}`), nil, refusal.UpstreamTransient},
		{"no tools were asked for", fault(400, refused), func(q *chat.Request) { q.Tools = nil }, refusal.Other},
		{"credentials", fault(401, refused), nil, refusal.Auth},
		{"not allowed", fault(403, refused), nil, refusal.Auth},
		{"rate", fault(429, refused), nil, refusal.RateLimited},

		{"the model's name", fault(404, `{"error":"model 'does not support tools' not found"}`), func(q *chat.Request) { q.Model = "does not support tools" }, refusal.ModelNotFound},
		{"the model's name in another case", fault(404, `{"error":"model 'Does Not Support Tools' not found"}`), func(q *chat.Request) { q.Model = "does not support tools" }, refusal.ModelNotFound},
		{"that name, refused", fault(400, `{"error":"x does not support tools does not support tools"}`), func(q *chat.Request) { q.Model = "x does not support tools" }, refusal.ToolsUnsupported},
		{"an option", fault(400, `{"error":"bad enum value: it does not support tools, really"}`), func(q *chat.Request) {
			q.Tools[0].Schema = []byte(`{"properties":{"why":{"enum":["it does not support tools, really"]}}}`)
		}, refusal.Other},
		{"a field's name", fault(400, `{"error":"unknown field: does not support tools"}`), func(q *chat.Request) {
			q.Tools[0].Schema = []byte(`{"properties":{"does not support tools":{}}}`)
		}, refusal.Other},
		{"a description", fault(400, `{"error":"description too long: Tells who does not support tools."}`), func(q *chat.Request) { q.Tools[0].Description = "Tells who does not support tools." }, refusal.Other},
		{"what the user said", fault(400, `{"error":"blocked: why does it say llama3 does not support tools?"}`), func(q *chat.Request) {
			q.Messages[0].Parts[0] = chat.Text{Text: "Why does it say llama3 does not support tools?"}
		}, refusal.Other},
		{"a list of names", fault(400, `{"error":"duplicate names: does not support tools"}`), func(q *chat.Request) {
			q.Tools = []chat.Tool{{Name: "does"}, {Name: "not"}, {Name: "support"}, {Name: "tools"}}
		}, refusal.Other},
		{"a tool named tools, refused", fault(400, refused), func(q *chat.Request) { q.Tools[0].Name = "tools" }, refusal.ToolsUnsupported},
		{"a schema that isn't JSON", fault(400, refused), func(q *chat.Request) { q.Tools[0].Schema = []byte("{") }, refusal.ToolsUnsupported},
		{"a user who asks about it", fault(400, refused), func(q *chat.Request) {
			q.Messages[0].Parts[0] = chat.Text{Text: "What does 'does not support tools' mean?"}
		}, refusal.ToolsUnsupported},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := refusal.Classify(c.f, request(c.edit))
			if v.Class != c.class {
				t.Errorf("got %+v, want %s", v, c.class)
			}
			if (v.Class == refusal.ToolsUnsupported) != (v.Action == refusal.Emulate) {
				t.Errorf("class %s with action %s", v.Class, v.Action)
			}
			if v.Class == refusal.Other && v.Action != refusal.Report {
				t.Errorf("%s is not reported but %s", v.Class, v.Action)
			}
		})
	}
	if v := refusal.Classify(nil, nil); v.Class != refusal.Other || v.Action != refusal.Report {
		t.Errorf("nothing is %+v", v)
	}
	if v := refusal.Classify(fault(400, refused), nil); v.Class != refusal.ToolsUnsupported {
		t.Errorf("with nothing known of the request: %+v", v)
	}
}

// TestLarge: a body or a request of any size is classified on bounded work.
func TestLarge(t *testing.T) {
	q := request(func(q *chat.Request) {
		for i := range 2000 {
			q.Messages = append(q.Messages, chat.Message{Parts: []chat.Part{chat.Text{Text: fmt.Sprintf("message %d does not", i)}}})
		}
		q.Messages = append(q.Messages, chat.Message{Parts: []chat.Part{chat.Text{Text: strings.Repeat("does not support tools ", 1<<16)}}})
	})
	if v := refusal.Classify(fault(400, refused), q); v.Class != refusal.ToolsUnsupported {
		t.Errorf("a long request: %+v", v)
	}
	if v := refusal.Classify(fault(400, strings.Repeat("[", 10<<20)), q); v.Class != refusal.Other {
		t.Errorf("ten million brackets: %+v", v)
	}
	if v := refusal.Classify(fault(400, strings.Repeat("x", 1<<20)+refused), q); v.Class != refusal.Other {
		t.Errorf("behind a megabyte: %+v", v)
	}
}

// FuzzClassify: any body gets a verdict, and what the request says in words of
// its own never makes one.
func FuzzClassify(f *testing.F) {
	f.Add(400, refused, "m")
	f.Add(404, `{"error":{"message":"model x not found"}}`, "does not support tools")
	f.Add(500, "\xff\xfe{", "")
	f.Fuzz(func(t *testing.T, status int, body, model string) {
		v := refusal.Classify(fault(status, body), request(func(q *chat.Request) { q.Model = model }))
		if v.Class == "" || v.Action == "" || v.Scope == "" {
			t.Fatalf("%+v", v)
		}
		echo, _ := json.Marshal(map[string]string{"error": model})
		if strings.Contains(model, " ") {
			v = refusal.Classify(fault(404, string(echo)), request(func(q *chat.Request) { q.Model = model }))
			if v.Class == refusal.ToolsUnsupported {
				t.Fatalf("the model's name %q is a refusal: %+v", model, v)
			}
		}
	})
}
