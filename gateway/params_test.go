package gateway_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ferrule/ferrule/gateway"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/protocol/openai"
	"github.com/ferrule/ferrule/provider"
	"github.com/ferrule/ferrule/rawjson"
	"github.com/ferrule/ferrule/turn"
)

// TestUnknownParam: a member that a provider refuses to know (F158) is left out,
// natively and in words; one that says what is asked for never is.
func TestUnknownParam(t *testing.T) {
	for _, c := range []struct {
		name, refused string
		mode          profile.Mode
		asked         int
	}{
		{"natively", "tool_stream", profile.Native, 2},
		{"in words", "tool_stream", profile.Emulated, 2},
		{"an essential one", "max_tokens", profile.Native, 1},
		{"one that isn't there", "logit_bias", profile.Native, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			asked := 0
			back := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked++
				body, err := io.ReadAll(r.Body)
				if err != nil {
					t.Error(err)
				}
				w.Header().Set("Content-Type", "application/json")
				if _, has := rawjson.Get(body, c.refused); has || c.asked == 1 {
					w.WriteHeader(http.StatusBadRequest)
					_, _ = io.WriteString(w, "Validation: Unsupported parameter(s): `"+c.refused+"`")
					return
				}
				if v, _ := rawjson.Get(body, "max_tokens"); string(v) != "50" {
					t.Errorf("max_tokens is %q", v)
				}
				_, _ = io.WriteString(w, helloJSON)
			}))
			t.Cleanup(back.Close)
			up, err := provider.New(provider.Config{Name: "p", URL: back.URL + "/v1", Protocol: openai.Name, Client: openai.Client{}})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(up.Close)
			g, err := gateway.New(gateway.Options{
				Providers: []gateway.Provider{{Name: "p", Upstream: up, Profile: profile.Profile{Tools: c.mode}}},
				Runner:    &turn.Runner{Key: []byte("a key for tests")},
			})
			if err != nil {
				t.Fatal(err)
			}
			front := httptest.NewServer(g)
			t.Cleanup(front.Close)
			r, err := http.Post(front.URL+"/v1/chat/completions", "application/json", strings.NewReader(
				`{"model":"m","tool_stream":true,"max_tokens":50,"messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}]}`))
			if err != nil {
				t.Fatal(err)
			}
			defer r.Body.Close()
			if asked != c.asked || (r.StatusCode == http.StatusOK) != (c.asked == 2) {
				t.Errorf("status %d after %d requests", r.StatusCode, asked)
			}
			if said := r.Header.Get("Ferrule-Tools"); c.asked == 2 && !strings.Contains(said, "dropped=tool_stream") {
				t.Errorf("Ferrule-Tools: %s", said)
			}
		})
	}
}
