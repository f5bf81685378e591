package gateway_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ferrule/ferrule/catalog"
	"github.com/ferrule/ferrule/gateway"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/protocol/openai"
	"github.com/ferrule/ferrule/provider"
	"github.com/ferrule/ferrule/turn"
)

// telling is a server that says what its models can do, and takes tools where
// it says so.
type telling struct {
	mu    sync.Mutex
	says  map[string]string // by path; "": 500
	asked map[string]int    // by path
	able  bool
	tools []bool // of each request to the model: had it tools?
}

func (s *telling) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked[r.URL.Path]++
	w.Header().Set("Content-Type", "application/json")
	if !strings.HasSuffix(r.URL.Path, "/chat/completions") {
		if says := s.says[r.URL.Path]; says != "" {
			_, _ = io.WriteString(w, says)
			return
		}
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	native := member(body, "tools") != ""
	s.tools = append(s.tools, native)
	if native && !s.able {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"error":{"message":"m does not support tools"}}`)
		return
	}
	_, _ = io.WriteString(w, helloJSON)
}

// questions is how often a path was asked for.
func (s *telling) questions(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[path]
}

// requests are those to the model: had they tools?
func (s *telling) requests() []bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.tools)
}

// TestAbilities: what a provider says that its model can do decides how the
// first request goes; what it doesn't say counts as able, a failed look-up too,
// and what the configuration says wins.
func TestAbilities(t *testing.T) {
	const list = `{"data":[{"id":"m"}]}`
	for _, c := range []struct {
		name     string
		p        profile.Profile
		says     map[string]string
		public   bool
		able     bool
		words    []bool // of three requests: did each reach the model without tools at once?
		lookups  map[string]int
		context  int
		listMode profile.Mode
	}{
		{
			name: "Ollama says that it can't", p: profile.Profile{Server: "ollama"},
			says:  map[string]string{"/api/show": `{"capabilities":["completion"],"parameters":"num_ctx 8192"}`, "/v1/models": list},
			words: []bool{true, true, true}, lookups: map[string]int{"/api/show": 1}, context: 8192, listMode: profile.Emulated,
		},
		{
			name: "Ollama says that it can", p: profile.Profile{Server: "ollama"}, able: true,
			says:  map[string]string{"/api/show": `{"capabilities":["completion","tools"]}`, "/v1/models": list},
			words: []bool{false, false, false}, lookups: map[string]int{"/api/show": 1}, listMode: profile.Native,
		},
		{
			name: "the look-up failed", p: profile.Profile{Server: "ollama"}, able: true, says: map[string]string{"/v1/models": list},
			words: []bool{false, false, false}, lookups: map[string]int{"/api/show": 1}, listMode: profile.Native,
		},
		{
			name: "the look-up failed, and it can't", p: profile.Profile{Server: "ollama"}, says: map[string]string{"/v1/models": list},
			words: []bool{false, true, true}, lookups: map[string]int{"/api/show": 1}, listMode: profile.Emulated,
		},
		{
			name: "native by configuration", p: profile.Profile{Server: "ollama", Tools: profile.Native}, able: true,
			says:  map[string]string{"/api/show": `{"capabilities":["completion"]}`, "/v1/models": list},
			words: []bool{false, false, false}, lookups: map[string]int{}, listMode: profile.Native,
		},
		{
			name: "llama.cpp tells of its window", p: profile.Profile{Server: "llamacpp"}, able: true,
			says:  map[string]string{"/props": `{"default_generation_settings":{"n_ctx":4096}}`, "/v1/models": list},
			words: []bool{false, false, false}, lookups: map[string]int{"/props": 1}, context: 4096, listMode: profile.Native,
		},
		{
			name: "a list says that it can't", says: map[string]string{"/v1/models": `{"data":[{"id":"m","supported_parameters":["temperature"],"context_length":16384}]}`},
			words: []bool{true, true, true}, lookups: map[string]int{"/v1/models": 1}, context: 16384, listMode: profile.Emulated,
		},
		{
			name: "a public list tells of the window alone", able: true, public: true, p: profile.Profile{Tools: profile.Emulated},
			says:  map[string]string{"/v1/models": list, "/public": `{"data":[{"id":"org/m","supported_parameters":[],"context_length":32768}]}`},
			words: []bool{true, true, true}, lookups: map[string]int{"/public": 1}, context: 32768, listMode: profile.Emulated,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &telling{says: c.says, asked: map[string]int{}, able: c.able}
			back := httptest.NewServer(s)
			t.Cleanup(back.Close)
			up, err := provider.New(provider.Config{Name: "p", URL: back.URL + "/v1", Protocol: openai.Name, Client: openai.Client{}})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(up.Close)
			place := gateway.Provider{Name: "p", Upstream: up, Lister: up, Profile: c.p, Catalogue: catalog.For(c.p.Server, up)}
			if c.public {
				place.Public = catalog.Public("/public", up)
			}
			g, err := gateway.New(gateway.Options{
				Providers: []gateway.Provider{place},
				Runner:    &turn.Runner{Key: []byte("a key for tests"), Facts: &turn.LocalFacts{}},
			})
			if err != nil {
				t.Fatal(err)
			}
			front := httptest.NewServer(g)
			t.Cleanup(front.Close)
			if c.lookups["/v1/models"] > 0 {
				g.Models(t.Context()) // a list is there once somebody asked for it
			}
			for i, words := range c.words {
				before := len(s.requests())
				h := listen(t, front.URL, `{"model":"p/m","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}]}`)
				if tools := s.requests()[before:]; h.Text != "hello" || tools[0] == words {
					t.Errorf("request %d: tools %v, %+v", i+1, tools, h)
				}
			}
			for path, n := range c.lookups {
				if got := s.questions(path); got != n {
					t.Errorf("%d questions to %s, want %d", got, path, n)
				}
			}
			if len(c.lookups) == 0 && s.questions("/api/show") > 0 {
				t.Error("it was looked up for nothing")
			}
			m := g.Models(t.Context()).Data[0]
			if m.ID != "p/m" || m.Mode != c.listMode || m.Context != c.context {
				t.Errorf("%+v", m)
			}
		})
	}
}
