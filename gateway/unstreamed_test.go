package gateway_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/ferrule/ferrule/gateway"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/protocol/openai"
	"github.com/ferrule/ferrule/provider"
	"github.com/ferrule/ferrule/rawjson"
	"github.com/ferrule/ferrule/turn"
)

// whole is a server that refuses tools in a stream (F136) and answers without.
type whole struct {
	t     *testing.T
	asked []string // what stream and stream_options said
}

func (s *whole) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Error(err)
	}
	stream, _ := rawjson.Get(body, "stream")
	options, _ := rawjson.Get(body, "stream_options")
	tools, _ := rawjson.Get(body, "tools")
	s.asked = append(s.asked, string(stream)+string(options))
	w.Header().Set("Content-Type", "application/json")
	if string(stream) == "true" && tools != nil {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"message":"This model doesn't support tool use in streaming mode."}`)
		return
	}
	_, _ = io.WriteString(w, `{"id":"c1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"I look.",`+
		`"tool_calls":[{"id":"call_1","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Oslo\"}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":9,"completion_tokens":5,"total_tokens":14}}`)
}

// TestStreamOfAWholeAnswer: where a provider refuses to stream calls, the client
// gets its stream all the same, and the next request asks for no stream at once.
func TestStreamOfAWholeAnswer(t *testing.T) {
	tools := asFunctions(t, json.RawMessage(`[{"name":"weather","parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}]`))
	for _, c := range []struct {
		name   string
		stream profile.Stream
		asked  []int // requests that each of two of the client's takes; 0: it fails
	}{
		{"found out", "", []int{2, 1}},
		{"configured", profile.StreamWithoutTools, []int{1, 1}},
		{"never", profile.StreamNever, []int{1, 1}},
		{"configured otherwise", profile.StreamAsked, []int{0, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &whole{t: t}
			back := httptest.NewServer(s)
			t.Cleanup(back.Close)
			up, err := provider.New(provider.Config{Name: "p", URL: back.URL + "/v1", Protocol: openai.Name, Client: openai.Client{}})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(up.Close)
			g, err := gateway.New(gateway.Options{
				Providers: []gateway.Provider{{Name: "p", Upstream: up, Profile: profile.Profile{Stream: c.stream}}},
				Runner:    &turn.Runner{Key: []byte("a key for tests"), Facts: &turn.LocalFacts{}},
			})
			if err != nil {
				t.Fatal(err)
			}
			front := httptest.NewServer(g)
			t.Cleanup(front.Close)
			for i, want := range c.asked {
				before := len(s.asked)
				h := askWith(t, front.URL, true, tools)
				if want == 0 {
					if h.Status != http.StatusBadRequest || len(h.Calls) > 0 {
						t.Errorf("request %d: %+v", i, h)
					}
					continue
				}
				if h.Text != "I look." || len(h.Calls) != 1 || h.Calls[0].Name != "weather" || h.Calls[0].Args != `{"city":"Oslo"}` || h.Finish != "tool_calls" {
					t.Errorf("request %d: %+v", i, h)
				}
				if got := len(s.asked) - before; got != want {
					t.Errorf("request %d took %d upstream: %q", i, got, s.asked)
				}
			}
		})
	}
}
