package gateway_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/ferrule/ferrule/gateway"
	"github.com/ferrule/ferrule/protocol/openai"
	"github.com/ferrule/ferrule/provider"
	"github.com/ferrule/ferrule/turn"
)

var passing = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// strictNames refuses names with dots (F057), wherever in a request they stand, and
// calls the first tool otherwise.
func strictNames(t *testing.T, asked *[]string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			Stream   bool
			Tools    []struct{ Function struct{ Name string } }
			Messages []struct {
				ToolCalls []struct{ Function struct{ Name string } } `json:"tool_calls"`
			}
		}
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			t.Error(err)
		}
		names := []string{}
		for _, tool := range q.Tools {
			names = append(names, tool.Function.Name)
		}
		*asked = append(*asked, strings.Join(names, " "))
		for _, m := range q.Messages {
			for _, c := range m.ToolCalls {
				names = append(names, c.Function.Name)
			}
		}
		for _, name := range names {
			if !passing.MatchString(name) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusBadRequest)
				_, _ = io.WriteString(w, `{"error":{"message":"Invalid 'tools[0].name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.","type":"invalid_request_error"}}`)
				return
			}
		}
		if q.Stream {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, chunkOf(`{"role":"assistant","tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"`+names[0]+`","arguments":"{\"a\":"}}]}`, "null")+
				chunkOf(`{"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]}`, "null")+chunkOf(`{}`, "tool_calls")+"data: [DONE]\n\n")
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"id":"c1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null,`+
			`"tool_calls":[{"id":"call_1","type":"function","function":{"name":"`+names[0]+`","arguments":"{\"a\":1}"}}]},"finish_reason":"tool_calls"}]}`)
	}
}

// TestRefusedNames: where a provider refuses the name of a tool, it hears one
// that it takes, in the history too, and the client its own.
func TestRefusedNames(t *testing.T) {
	var asked []string
	back := httptest.NewServer(strictNames(t, &asked))
	t.Cleanup(back.Close)
	up, err := provider.New(provider.Config{Name: "p", URL: back.URL + "/v1", Protocol: openai.Name, Client: openai.Client{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(up.Close)
	g, err := gateway.New(gateway.Options{
		Providers: []gateway.Provider{{Name: "p", Upstream: up}},
		Runner:    &turn.Runner{Key: []byte("a key for tests"), Facts: &turn.LocalFacts{}},
	})
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewServer(g)
	t.Cleanup(front.Close)
	const ask = `{"model":"m","stream":STREAM,"messages":[{"role":"user","content":"hi"},` +
		`{"role":"assistant","content":null,"tool_calls":[{"id":"call_0","type":"function","function":{"name":"calendar.addEvent","arguments":"{\"a\":0}"}}]},` +
		`{"role":"tool","tool_call_id":"call_0","content":"done"}],"tools":[` +
		`{"type":"function","function":{"name":"calendar.addEvent","parameters":{"type":"object","properties":{"a":{"type":"integer"}}}}},` +
		`{"type":"function","function":{"name":"calendar_addEvent","parameters":{"type":"object","properties":{"a":{"type":"integer"}}}}}]}`
	for i, stream := range []string{"false", "true", "false"} {
		before := len(asked)
		h := listen(t, front.URL, strings.Replace(ask, "STREAM", stream, 1))
		if len(h.Calls) != 1 || h.Calls[0].Name != "calendar.addEvent" || h.Calls[0].Args != `{"a":1}` || h.Finish != "tool_calls" {
			t.Errorf("stream %s: %+v", stream, h)
		}
		if want := map[bool]int{true: 2, false: 1}[i == 0]; len(asked)-before != want {
			t.Errorf("request %d took %d: %q", i, len(asked)-before, asked)
		}
	}
	if last := asked[len(asked)-1]; !strings.HasSuffix(last, " calendar_addEvent") || strings.Contains(last, ".") {
		t.Errorf("the provider heard %q", last)
	}
}
