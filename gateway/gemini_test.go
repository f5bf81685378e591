package gateway_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ferrule/ferrule/gateway"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/protocol/gemini"
	"github.com/ferrule/ferrule/provider"
	"github.com/ferrule/ferrule/turn"
)

// geminiSays is one answer of the endpoint: the parts of its content and why it
// ended, or an error.
type geminiSays struct {
	parts   []string
	finish  string // "": it ends without one
	message string // finishMessage
	status  int    // of an error; 0: none
	body    string // of an error, or within the stream behind the parts
}

// geminiEndpoint answers its n-th request with the n-th answer, in the form that
// the request's path asks for.
type geminiEndpoint struct {
	t     *testing.T
	mu    sync.Mutex
	says  []geminiSays
	asked []geminiAsked
}

type geminiAsked struct {
	Contents []struct {
		Role  string
		Parts []geminiPart
	}
	Tools             []any
	SystemInstruction any
}

type geminiPart struct {
	Text             string
	FunctionCall     *struct{ ID, Name string }
	FunctionResponse *struct {
		ID, Name string
		Response map[string]string
	}
	ThoughtSignature string
}

const geminiKey = "a-key-for-google"

func (u *geminiEndpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("X-Goog-Api-Key") != geminiKey || r.Header.Get("Authorization") != "" || strings.Contains(r.URL.String(), geminiKey) {
		u.t.Errorf("the key isn't where it belongs: %s %v", r.URL, r.Header)
	}
	b, _ := io.ReadAll(r.Body)
	var asked geminiAsked
	if err := json.Unmarshal(b, &asked); err != nil {
		u.t.Errorf("%v: %s", err, b)
	}
	u.mu.Lock()
	n := len(u.asked)
	u.asked = append(u.asked, asked)
	u.mu.Unlock()
	if n >= len(u.says) {
		http.Error(w, "out of script", http.StatusInternalServerError)
		return
	}
	s := u.says[n]
	if s.status != 0 {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(s.status)
		_, _ = io.WriteString(w, s.body)
		return
	}
	switch r.URL.Path + "?" + r.URL.RawQuery {
	case "/v1beta/models/m:generateContent?":
		w.Header().Set("Content-Type", "application/json")
		if s.body != "" {
			_, _ = io.WriteString(w, s.body)
			return
		}
		_, _ = io.WriteString(w, s.piece(strings.Join(s.parts, ","), true))
	case "/v1beta/models/m:streamGenerateContent?alt=sse":
		w.Header().Set("Content-Type", "text/event-stream")
		for _, p := range s.parts {
			fmt.Fprintf(w, "data: %s\r\n\r\n", s.piece(p, false))
		}
		last := s.body
		if last == "" {
			last = s.piece("", true)
		}
		fmt.Fprintf(w, "data: %s\r\n\r\n", last)
	default:
		u.t.Errorf("it is asked at %s", r.URL)
	}
}

func (s *geminiSays) piece(parts string, last bool) string {
	end := ""
	if last && s.finish != "" {
		end = fmt.Sprintf(`"finishReason":%q,`, s.finish)
	}
	if last && s.message != "" {
		end += fmt.Sprintf(`"finishMessage":%q,`, s.message)
	}
	return `{"candidates":[{"content":{"role":"model","parts":[` + parts + `]},` + end + `"index":0}],"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":4,"totalTokenCount":7},"modelVersion":"m-1","responseId":"r"}`
}

func geminiGateway(t *testing.T, p profile.Profile, says ...geminiSays) (url string, u *geminiEndpoint) {
	t.Helper()
	u = &geminiEndpoint{t: t, says: says}
	back := httptest.NewServer(u)
	t.Cleanup(back.Close)
	up, err := provider.New(provider.Config{
		Name: "p", URL: back.URL + "/v1beta", Key: geminiKey, Protocol: gemini.Name, Client: gemini.Client{},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(up.Close)
	g, err := gateway.New(gateway.Options{
		Providers: []gateway.Provider{{Name: "p", Upstream: up, Profile: p}},
		Runner:    &turn.Runner{Key: []byte("a key for tests"), Facts: &turn.LocalFacts{}, Memory: &turn.LocalMemory{}},
	})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(g)
	t.Cleanup(s.Close)
	return s.URL, u
}

const weatherTool = `"tools":[{"type":"function","function":{"name":"get_weather","parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}}]`

func geminiAsk(stream bool, more, messages string) string {
	if more != "" {
		more += ","
	}
	return fmt.Sprintf(`{"model":"p/m","stream":%v,%s"messages":[%s]}`, stream, more, messages)
}

const hi = `{"role":"user","content":"hi"}`

// weather is a call as the endpoint writes it.
func weather(city, sig string) string {
	p := fmt.Sprintf(`{"functionCall":{"name":"get_weather","args":{"city":%q}}`, city)
	if sig != "" {
		p += fmt.Sprintf(`,"thoughtSignature":%q`, sig)
	}
	return p + "}"
}

// TestGeminiUpstream: an OpenAI client in front of the Gemini API, streamed and not.
func TestGeminiUpstream(t *testing.T) {
	oslo := heardCall{Name: "get_weather", Args: `{"city":"Oslo"}`}
	rome := heardCall{Name: "get_weather", Args: `{"city":"Rome"}`}
	for _, c := range []struct {
		name     string
		tools    string
		profile  profile.Profile
		says     []geminiSays
		status   int // 0: 200
		text     string
		calls    []heardCall
		finish   string
		code     string
		contains string
		requests int
	}{
		{name: "words", says: []geminiSays{{parts: []string{`{"text":"Hel"}`, `{"text":"lo"}`}, finish: "STOP"}}, text: "Hello", finish: "stop", requests: 1},
		{name: "thoughts", says: []geminiSays{{parts: []string{`{"text":"hm","thought":true}`, `{"text":"Hello"}`}, finish: "STOP"}}, text: "Hello", finish: "stop", contains: `"reasoning_content":"hm"`, requests: 1},
		{name: "a call", tools: weatherTool, says: []geminiSays{{parts: []string{weather("Oslo", "c2ln")}, finish: "STOP"}}, calls: []heardCall{oslo}, finish: "tool_calls", contains: `"extra_content":{"google":{"thought_signature":"c2ln"}}`, requests: 1},
		{name: "words and parallel calls", tools: weatherTool, says: []geminiSays{{parts: []string{`{"text":"I look."}`, weather("Oslo", ""), weather("Rome", "")}, finish: "STOP"}}, text: "I look.", calls: []heardCall{oslo, rome}, finish: "tool_calls", requests: 1},
		{name: "cut", tools: weatherTool, says: []geminiSays{{parts: []string{`{"text":"I"}`, weather("Oslo", "")}, finish: "MAX_TOKENS"}}, text: "I", finish: "length", requests: 1},
		{name: "filtered", says: []geminiSays{{parts: []string{`{"text":"I"}`}, finish: "SAFETY"}}, text: "I", finish: "content_filter", requests: 1},
		{name: "an error first", says: []geminiSays{{status: 429, body: `[{"error":{"code":429,"message":"slow down","status":"RESOURCE_EXHAUSTED"}}]`}}, status: 429, code: "RESOURCE_EXHAUSTED", contains: "slow down", requests: 1},
		{name: "blocked", says: []geminiSays{{body: `{"promptFeedback":{"blockReason":"SAFETY"}}`}}, status: 400, code: "prompt_blocked", requests: 1},
		{
			name: "bad arguments, asked for again", tools: weatherTool,
			says: []geminiSays{
				{parts: []string{`{"functionCall":{"id":"x","name":"get_weather","args":{"town":7}}}`}, finish: "STOP"},
				{parts: []string{weather("Oslo", "")}, finish: "STOP"},
			},
			calls: []heardCall{oslo}, finish: "tool_calls", requests: 2,
		},
		{
			name: "a call that the provider couldn't read, and the client can", tools: weatherTool,
			says:  []geminiSays{{finish: "MALFORMED_FUNCTION_CALL", message: "Malformed function call: print(default_api.get_weather(city='Oslo'))"}},
			calls: []heardCall{oslo}, finish: "tool_calls", requests: 1,
		},
		{
			name: "one that was cut", tools: weatherTool, status: 502, code: "malformed_function_call", contains: "city='Os",
			profile: profile.Profile{Tools: profile.Native},
			says: []geminiSays{
				{finish: "MALFORMED_FUNCTION_CALL", message: "Malformed function call: print(default_api.get_weather(city='Os"},
				{finish: "MALFORMED_FUNCTION_CALL", message: "Malformed function call: print(default_api.get_weather(city='Os"},
			}, requests: 2,
		},
		{
			name: "one that was cut, and asked for once more", tools: weatherTool,
			says: []geminiSays{
				{finish: "MALFORMED_FUNCTION_CALL", message: "Malformed function call: print(default_api.get_weather(city='Os"},
				{parts: []string{`{"functionCall":{"name":"get_weather","args":{"city":"Oslo"}}}`}, finish: "STOP"},
			}, calls: []heardCall{oslo}, finish: "tool_calls", requests: 2,
		},
		{
			name: "a call that nobody expected", tools: weatherTool, status: 502, code: "unexpected_tool_call",
			profile: profile.Profile{Tools: profile.Native},
			says:    []geminiSays{{finish: "UNEXPECTED_TOOL_CALL"}, {finish: "UNEXPECTED_TOOL_CALL"}}, requests: 2,
		},
		{
			name: "in words", tools: weatherTool, profile: profile.Profile{Tools: profile.Emulated, Syntax: "hermes"},
			says:  []geminiSays{{parts: []string{`{"text":"I look.\n<tool_call>{\"name\":\"get_weather\","}`, `{"text":"\"arguments\":{\"city\":\"Oslo\"}}</tool_call>"}`}, finish: "STOP"}},
			calls: []heardCall{oslo}, text: "I look.", finish: "tool_calls", requests: 1,
		},
		{
			name: "no tools there, so in words", tools: weatherTool, profile: profile.Profile{Syntax: "hermes"},
			says: []geminiSays{
				{status: 400, body: `{"error":{"code":400,"message":"Function calling is not enabled for models/m","status":"INVALID_ARGUMENT"}}`},
				{parts: []string{`{"text":"<tool_call>{\"name\":\"get_weather\",\"arguments\":{\"city\":\"Oslo\"}}</tool_call>"}`}, finish: "STOP"},
			},
			calls: []heardCall{oslo}, finish: "tool_calls", requests: 2,
		},
	} {
		for _, stream := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, streamed: %v", c.name, stream), func(t *testing.T) {
				url, u := geminiGateway(t, c.profile, c.says...)
				h := listen(t, url, geminiAsk(stream, c.tools, hi))
				if c.status == 0 {
					c.status = http.StatusOK
				}
				if stream && c.says[0].status == 0 && c.code != "" {
					c.status = h.Status // a stream may have begun
				}
				for i := range h.Calls {
					if h.Calls[i].ID == "" {
						t.Error("a call without an id")
					}
					h.Calls[i].ID = ""
				}
				if h.Status != c.status || strings.TrimSpace(h.Text) != c.text || h.Finish != c.finish || h.Code != c.code {
					t.Errorf("%+v", h)
				}
				if d := cmp.Diff(c.calls, h.Calls); d != "" {
					t.Errorf("calls (-want +got)\n%s%s", d, h.body)
				}
				if !strings.Contains(h.body, c.contains) {
					t.Errorf("no %s in %s", c.contains, h.body)
				}
				if len(u.asked) != c.requests {
					t.Errorf("%d requests", len(u.asked))
				}
			})
		}
	}
}

// TestGeminiErrorInside: what came before an error within a stream stays, and no
// call follows.
func TestGeminiErrorInside(t *testing.T) {
	url, _ := geminiGateway(t, profile.Profile{}, geminiSays{
		parts: []string{`{"text":"I look."}`, weather("Oslo", "")},
		body:  `{"error":{"code":503,"message":"overloaded","status":"UNAVAILABLE"}}`,
	})
	h := listen(t, url, geminiAsk(true, weatherTool, hi))
	if h.Status != 200 || h.Text != "I look." || h.Calls != nil || h.Code != "UNAVAILABLE" || h.Done || h.Finish != "" {
		t.Errorf("%+v", h)
	}
}

// TestGeminiSignatures: a thought signature goes back with its call on the next
// turn, whether the client sends it, drops it, or never had it; and to nobody else.
func TestGeminiSignatures(t *testing.T) {
	for _, stream := range []bool{false, true} {
		for name, c := range map[string]struct {
			keep    bool
			forget  bool
			want    string
			another string // what the client calls the tool's place
		}{
			"the client drops it":           {want: "c2ln", another: "Oslo"},
			"the client sends it":           {keep: true, want: "c2ln", another: "Oslo"},
			"nobody has it":                 {forget: true, want: "skip_thought_signature_validator", another: "Oslo"},
			"the client changes the call":   {want: "skip_thought_signature_validator", another: "Rome"},
			"the client has it, we forgot":  {keep: true, forget: true, want: "c2ln", another: "Oslo"},
			"it changes and keeps the call": {keep: true, want: "c2ln", another: "Rome"},
		} {
			t.Run(fmt.Sprintf("%s, streamed: %v", name, stream), func(t *testing.T) {
				first := geminiSays{parts: []string{weather("Oslo", "c2ln"), weather("Bonn", "")}, finish: "STOP"}
				second := geminiSays{parts: []string{`{"text":"Cold."}`}, finish: "STOP"}
				url, u := geminiGateway(t, profile.Profile{}, first, second)
				h := listen(t, url, geminiAsk(stream, weatherTool, hi))
				if len(h.Calls) != 2 {
					t.Fatalf("%+v", h)
				}
				if c.forget {
					var again *geminiEndpoint
					url, again = geminiGateway(t, profile.Profile{}, second)
					u = again
				}
				extra := ""
				if c.keep {
					extra = `,"extra_content":{"google":{"thought_signature":"c2ln"}}`
				}
				messages := fmt.Sprintf(`%s,{"role":"assistant","content":null,"tool_calls":[{"id":%q,"type":"function","function":{"name":"get_weather","arguments":"{\"city\":%s}"}%s},{"id":%q,"type":"function","function":{"name":"get_weather","arguments":"{\"city\":\"Bonn\"}"}}]},{"role":"tool","tool_call_id":%[2]q,"content":"-3"},{"role":"tool","tool_call_id":%[5]q,"content":"4"}`,
					hi, h.Calls[0].ID, `\"`+c.another+`\"`, extra, h.Calls[1].ID)
				if h2 := listen(t, url, geminiAsk(stream, weatherTool, messages)); h2.Text != "Cold." {
					t.Fatalf("%+v", h2)
				}
				sent := u.asked[len(u.asked)-1].Contents
				if len(sent) != 3 || len(sent[1].Parts) != 2 || len(sent[2].Parts) != 2 {
					t.Fatalf("%+v", sent)
				}
				calls, results := sent[1].Parts, sent[2].Parts
				if calls[0].ThoughtSignature != c.want || calls[1].ThoughtSignature != "" {
					t.Errorf("signatures %q and %q", calls[0].ThoughtSignature, calls[1].ThoughtSignature)
				}
				for i, r := range results {
					if r.FunctionResponse.ID != h.Calls[i].ID || r.FunctionResponse.Name != "get_weather" || calls[i].FunctionCall.ID != h.Calls[i].ID {
						t.Errorf("result %d: %+v", i, r.FunctionResponse)
					}
				}
			})
		}
	}
}
