package gateway_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/ferrule/ferrule/gateway"
	"github.com/ferrule/ferrule/internal/cases"
	"github.com/ferrule/ferrule/protocol/openai"
	"github.com/ferrule/ferrule/provider"
	"github.com/ferrule/ferrule/rawjson"
	"github.com/ferrule/ferrule/turn"
)

// refuser refuses what it is told to, and says hello to anything else.
type refuser struct {
	t      *testing.T
	status int
	body   string
	when   func(body []byte) bool
	asked  [][]byte
}

func (s *refuser) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Error(err)
	}
	s.asked = append(s.asked, body)
	if s.when(body) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(s.status)
		_, _ = io.WriteString(w, s.body)
		return
	}
	if v, _ := rawjson.Get(body, "stream"); string(v) == "true" {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, helloSSE)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, helloJSON)
}

func (s *refuser) serve() string { return inFrontOf(s.t, s) }

// inFrontOf starts a gateway that learns, before a provider p, and returns its URL.
func inFrontOf(t *testing.T, h http.Handler) string {
	t.Helper()
	back := httptest.NewServer(h)
	t.Cleanup(back.Close)
	up, err := provider.New(provider.Config{Name: "p", URL: back.URL + "/v1", Protocol: openai.Name, Client: openai.Client{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(up.Close)
	g, err := gateway.New(gateway.Options{
		Providers: []gateway.Provider{{Name: "p", Upstream: up}},
		Runner:    &turn.Runner{Key: []byte("a key for tests"), Facts: &turn.LocalFacts{}, Memory: &turn.LocalMemory{}},
	})
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewServer(g)
	t.Cleanup(front.Close)
	return front.URL
}

func member(b []byte, key string) string {
	v, _ := rawjson.Get(b, key)
	return string(v)
}

func sameJSON(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(x, y)
}

// asError is a provider's words as the body of an error.
func asError(said string) string {
	if strings.HasPrefix(said, "{") {
		return said
	}
	b, _ := json.Marshal(map[string]any{"error": map[string]any{"message": said}})
	return string(b)
}

// otherwiseHealed are the cases in which the provider's words say nothing that a
// refusal is known by, or what they ask for is a protocol's own form.
var otherwiseHealed = map[string]string{
	"F063": "fields' names: TestReservedFields",
	"F115": "opaque fields: TestWhatAModelWantsBack", "F121": "a protocol's own form",
	"F036": "no words", "F060": "too many tools: reported",
}

// TestFieldLogHealed: what the log's providers refused, of schemas, names and
// histories, passes at the second try, streamed and not, and the next request of
// the same kind at the first.
func TestFieldLogHealed(t *testing.T) {
	ran := 0
	for line := range cases.Lines(t, "fieldlog/cases.jsonl") {
		var c struct {
			ID    string
			Kind  int
			Input struct {
				Schema        json.RawMessage
				ToolNames     []string `json:"tool_names"`
				Messages      json.RawMessage
				Tools         *[]any
				ProviderError string `json:"provider_error"`
			}
			Expect struct{ Messages json.RawMessage }
		}
		if json.Unmarshal(line, &c) != nil || c.Kind != 3 && c.Kind != 6 || otherwiseHealed[c.ID] != "" {
			continue
		}
		ran++
		messages, tools := `[{"role":"user","content":"hi"}]`, `[{"type":"function","function":{"name":"get_weather","parameters":{"type":"object"}}}]`
		switch {
		case c.Input.Messages != nil:
			messages = string(c.Input.Messages)
			if c.Input.Tools != nil {
				tools = ""
			}
		case c.Input.Schema != nil:
			tools = fmt.Sprintf(`[{"type":"function","function":{"name":"f","parameters":%s}}]`, c.Input.Schema)
		default:
			var list []string
			for _, n := range c.Input.ToolNames {
				list = append(list, fmt.Sprintf(`{"type":"function","function":{"name":%q,"parameters":{"type":"object"}}}`, n))
			}
			tools = "[" + strings.Join(list, ",") + "]"
		}
		for _, stream := range []string{"false", "true"} {
			t.Run(c.ID+"/stream "+stream, func(t *testing.T) {
				ask := `{"model":"m","stream":` + stream + `,"messages":` + messages
				if tools != "" {
					ask += `,"tools":` + tools
				}
				ask += "}"
				s := &refuser{t: t, status: 400, body: asError(c.Input.ProviderError), when: func(b []byte) bool {
					return sameJSON(member(b, "messages"), messages) && sameJSON(member(b, "tools")+" ", tools+" ") || tools == "" && sameJSON(member(b, "messages"), messages)
				}}
				url := s.serve()
				h := listen(t, url, ask)
				if h.Text != "hello" || len(s.asked) != 2 {
					t.Fatalf("%d requests: %+v\n%s", len(s.asked), h, s.asked)
				}
				if want := string(c.Expect.Messages); want != "" && !sameJSON(member(s.asked[1], "messages"), want) {
					t.Errorf("the second request had %s\nwant %s", member(s.asked[1], "messages"), want)
				}
				if c.Kind == 3 { // the same tools again: known by now
					if h := listen(t, url, ask); h.Text != "hello" || len(s.asked) != 3 {
						t.Errorf("the next one took %d requests: %+v", len(s.asked)-2, h)
					}
				}
			})
		}
	}
	if t.Logf("%d cases, %d otherwise", ran, len(otherwiseHealed)); ran < 29 {
		t.Errorf("only %d cases", ran)
	}
}
