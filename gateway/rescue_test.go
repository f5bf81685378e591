package gateway_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ferrule/ferrule/gateway"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/protocol/openai"
	"github.com/ferrule/ferrule/provider"
	"github.com/ferrule/ferrule/turn"
)

// rejecting is a server that answers with an error, streamed or not.
func rejecting(t *testing.T, p profile.Profile, status int, stream string, body string) string {
	t.Helper()
	back := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if stream != "" {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, stream)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(back.Close)
	up, err := provider.New(provider.Config{Name: "p", URL: back.URL + "/v1", Protocol: openai.Name, Client: openai.Client{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(up.Close)
	g, err := gateway.New(gateway.Options{
		Providers: []gateway.Provider{{Name: "p", Upstream: up, Profile: p}},
		Runner:    &turn.Runner{Key: []byte("a key for tests")},
	})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(g)
	t.Cleanup(s.Close)
	return s.URL
}

// TestRescuedAnswer: a client gets a call that stood in an error as any other.
func TestRescuedAnswer(t *testing.T) {
	tools := asFunctions(t, json.RawMessage(`[{"name":"weather","parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}]`))
	const (
		groq  = `{"error":{"message":"Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.","type":"invalid_request_error","code":"tool_use_failed","failed_generation":"<function=weather{\"city\": \"Oslo\"}</function>"}}`
		llama = `{"error":{"code":500,"message":"Failed to parse input at pos 5: <tool_call>\n{\"name\": \"weather\", \"arguments\": {\"city\": \"Oslo\"}}\n</tool_call>","type":"server_error"}}`
		plain = `{"error":{"code":"500","message":"Failed to parse input at pos 5: well","type":"server_error"}}`
	)
	behind := chunkOf(`{"role":"assistant","content":"Look."}`, "null")
	for _, c := range []struct {
		name, body, before string
		status             int
		rescued            bool
	}{
		{"a 400", groq, "", 400, true},
		{"a 500", llama, "", 500, true},
		{"behind words", llama, behind, 500, true},
		{"without a call", plain, "", 500, false},
		{"without a call, behind words", plain, behind, 500, false},
	} {
		for _, stream := range []bool{false, true} {
			for _, p := range []profile.Profile{{Tools: profile.Native}, {Tools: profile.Emulated, Syntax: "hermes"}} {
				t.Run(strings.Join([]string{c.name, string(p.Tools), map[bool]string{true: "streamed", false: "whole"}[stream]}, "/"), func(t *testing.T) {
					events := ""
					switch {
					case stream:
						events = c.before + "data: " + c.body + "\n\n"
					case c.before != "":
						t.Skip("words come before an error only in a stream")
					}
					h := askWith(t, rejecting(t, p, c.status, events, c.body), stream, tools)
					if !c.rescued {
						if len(h.Calls) > 0 || h.Finish != "" || !strings.Contains(h.body, "at pos 5: well") || c.before == "" && h.Status != c.status && !stream {
							t.Errorf("%+v", h)
						}
						return
					}
					if h.Status != 200 || h.Finish != "tool_calls" || len(h.Calls) != 1 || stream && !h.Done || strings.Contains(h.body, "error") {
						t.Fatalf("%+v", h)
					}
					if h.Calls[0].Name != "weather" || strings.ReplaceAll(h.Calls[0].Args, " ", "") != `{"city":"Oslo"}` {
						t.Errorf("%+v", h.Calls)
					}
					if c.before != "" && h.Text != "Look." {
						t.Errorf("text %q", h.Text)
					}
					if !strings.Contains(h.report, "rescued=1") || !strings.Contains(h.report, "requests=1") {
						t.Errorf("report %q", h.report)
					}
				})
			}
		}
	}
}
