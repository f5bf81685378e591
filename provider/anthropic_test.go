package provider_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/protocol/anthropic"
	"github.com/ferrule/ferrule/provider"
)

func speaksAnthropic(c *provider.Config) { c.Protocol, c.Client = anthropic.Name, anthropic.Client{} }

// TestAnthropicModels: the list is read page by page while it says that there are
// more, and the key goes into its own header.
func TestAnthropicModels(t *testing.T) {
	pages := map[string]string{
		"": `{"data":[
			{"type":"model","id":"claude-opus-5","display_name":"Claude Opus 5","created_at":"2026-08-01T00:00:00Z","max_input_tokens":1000000,"max_tokens":128000},
			{"type":"model","id":"claude-haiku-5","display_name":"Claude Haiku 5"}],"has_more":true,"first_id":"claude-opus-5","last_id":"claude-haiku-5"}`,
		"claude-haiku-5": `{"data":[{"type":"model","id":"claude-sonnet-4-5"}],"has_more":false,"first_id":"claude-sonnet-4-5","last_id":"claude-sonnet-4-5"}`,
	}
	asked := 0
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked++
		if r.Header.Get("X-Api-Key") != key || r.Header["Authorization"] != nil || r.Header.Get("Anthropic-Version") != "2023-06-01" {
			t.Errorf("headers %v", r.Header)
		}
		if r.URL.Path != "/v1/models" || r.URL.Query().Get("limit") != "1000" {
			t.Errorf("%s", r.URL)
		}
		_, _ = io.WriteString(w, pages[r.URL.Query().Get("after_id")])
	})
	got, err := open(t, s.URL+"/v1", speaksAnthropic).Models(t.Context())
	want := []provider.Model{{ID: "claude-opus-5"}, {ID: "claude-haiku-5"}, {ID: "claude-sonnet-4-5"}}
	if d := cmp.Diff(want, named(t, got)); d != "" || err != nil || asked != 2 {
		t.Errorf("%d pages, %v (-want +got)\n%s", asked, err, d)
	}

	// A server that has but one page says nothing of others.
	s = serve(t, sends("application/json", `{"data":[{"id":"m"}],"last_id":"m"}`))
	if got, err := open(t, s.URL, speaksAnthropic).Models(t.Context()); err != nil || len(got) != 1 {
		t.Errorf("%v, %v", got, err)
	}
}

// TestAnthropicHeaders: the version is ours unless a client of the same protocol
// sends its own, and betas go along with it.
func TestAnthropicHeaders(t *testing.T) {
	var got http.Header
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got = r.Header
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"type":"message","content":[{"type":"text","text":"Hi"}],"stop_reason":"end_turn"}`)
	})
	for _, c := range []struct{ protocol, version, beta string }{
		{"openai", "2023-06-01", ""},
		{anthropic.Name, "2026-10-21", "a,b"},
	} {
		q := request(false)
		q.Wire = &chat.Wire{Protocol: c.protocol, Body: []byte(`{"model":"m"}`), Header: map[string][]string{
			"Anthropic-Version": {"2026-10-21"}, "Anthropic-Beta": {"a,b"}, "X-Api-Key": {"the client's"}, "Authorization": {"Bearer the client's"},
		}}
		if words, _, err := read(t.Context(), open(t, s.URL, speaksAnthropic), q); err != nil || words != "Hi" {
			t.Errorf("%q, %v", words, err)
		}
		if got.Get("Anthropic-Version") != c.version || got.Get("Anthropic-Beta") != c.beta || got.Get("X-Api-Key") != key || got["Authorization"] != nil {
			t.Errorf("from a client of %s: %v", c.protocol, got)
		}
	}
	// Without a key none is sent.
	if _, _, err := read(t.Context(), open(t, s.URL, speaksAnthropic, func(c *provider.Config) { c.Key = "" }), request(false)); err != nil || got["X-Api-Key"] != nil {
		t.Errorf("%v, %v", err, got)
	}
}

// TestAnthropicIsFound: by its key in the environment, in its own protocol.
func TestAnthropicIsFound(t *testing.T) {
	env := func(k string) (string, bool) { return "k", strings.HasPrefix(k, "ANTHROPIC_") }
	got := provider.Discover(t.Context(), env, provider.Probe{Ports: map[string]int{}})
	want := []provider.Found{{Name: "anthropic", URL: "https://api.anthropic.com/v1", Protocol: anthropic.Name, KeyEnv: "ANTHROPIC_API_KEY"}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}
