package gateway_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ferrule/ferrule/gateway"
	"github.com/ferrule/ferrule/protocol/openai"
	"github.com/ferrule/ferrule/provider"
	"github.com/ferrule/ferrule/turn"
)

// poisoned is an upstream that one client brings to say something, and that
// serves all others natively.
type poisoned struct {
	mean   func(body []byte) (status int, says string) // "": it serves
	native []bool                                      // of each request: had it tools?
}

func (p *poisoned) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	p.native = append(p.native, member(body, "tools") != "")
	w.Header().Set("Content-Type", "application/json")
	if status, says := p.mean(body); says != "" {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, says)
		return
	}
	_, _ = io.WriteString(w, helloJSON)
}

// TestPoisoning: whatever one client's request makes a provider say, the next
// client's is native (security.md D2). The twin: where the provider takes no
// tools, the client's own next request knows.
func TestPoisoning(t *testing.T) {
	const plain = `{"type":"object","properties":{"city":{"type":"string"}}}`
	has := func(words string) func([]byte) bool {
		return func(b []byte) bool { return strings.Contains(string(b), words) }
	}
	flaky := 0
	for _, c := range []struct {
		name   string
		model  string
		schema string
		mean   func(body []byte) (int, string)
		knows  bool // the client's own next request goes in words at once
	}{
		{"a model named so", "x does not support tools", plain, func(b []byte) (int, string) {
			if has("x does not")(b) {
				return 404, `{"error":{"message":"model 'x does not support tools' not found","code":"model_not_found"}}`
			}
			return 0, ""
		}, false},
		{"a value named so", "m", `{"type":"object","properties":{"city":{"enum":["m does not support tools"]}}}`, func(b []byte) (int, string) {
			if has(`"enum"`)(b) {
				return 400, `{"error":{"message":"bad enum value: m does not support tools"}}`
			}
			return 0, ""
		}, false},
		{"an odd schema", "m", `{"type":"object","properties":{"city":{"type":"string","format":"odd"}}}`, func(b []byte) (int, string) {
			if has(`"format":"odd"`)(b) && member(b, "tools") != "" {
				return 400, `{"error":{"message":"Invalid schema for function 'f': 'odd' is not a valid format."}}`
			}
			return 0, ""
		}, false},
		{"one flaky 500", "m", plain, func([]byte) (int, string) {
			if flaky++; flaky == 1 {
				return 500, `{"error":{"message":"internal error: tools backend unavailable"}}`
			}
			return 0, ""
		}, false},
		{"a model with a newline", "m\ndoes not support tools", plain, func(b []byte) (int, string) {
			if has(`m\ndoes`)(b) {
				return 400, `{"error":{"message":"no such model: m\ndoes not support tools"}}`
			}
			return 0, ""
		}, false},
		{"the twin: tools are refused", "m", plain, func(b []byte) (int, string) {
			if member(b, "tools") != "" {
				return 400, `{"error":{"message":"m does not support tools"}}`
			}
			return 0, ""
		}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			u := &poisoned{mean: c.mean}
			back := httptest.NewServer(u)
			t.Cleanup(back.Close)
			up, err := provider.New(provider.Config{Name: "p", URL: back.URL + "/v1", Protocol: openai.Name, Client: openai.Client{}})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(up.Close)
			g, err := gateway.New(gateway.Options{
				Providers: []gateway.Provider{{Name: "p", Upstream: up}},
				Keys:      []gateway.Key{{Name: "ann", Hash: sha256.Sum256([]byte("ann's"))}, {Name: "bob", Hash: sha256.Sum256([]byte("bob's"))}},
				Runner:    &turn.Runner{Key: []byte("a key for tests"), Facts: &turn.LocalFacts{}},
			})
			if err != nil {
				t.Fatal(err)
			}
			ask := func(key, model, schema string) int {
				t.Helper()
				name, _ := json.Marshal(model)
				body := fmt.Sprintf(`{"model":%s,"messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"f","parameters":%s}}]}`, name, schema)
				r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1/v1/chat/completions", strings.NewReader(body))
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("Authorization", "Bearer "+key)
				w := httptest.NewRecorder()
				g.ServeHTTP(w, r)
				return w.Code
			}
			for range 3 {
				ask("ann's", c.model, c.schema)
			}
			u.native = nil
			ask("ann's", "m", plain)
			if knew := len(u.native) == 1 && !u.native[0]; knew != c.knows {
				t.Errorf("ann's next went native: %v", u.native)
			}
			u.native = nil
			ask("bob's", "m", plain)
			if len(u.native) == 0 || !u.native[0] {
				t.Errorf("bob's went native: %v", u.native)
			}
		})
	}
}
