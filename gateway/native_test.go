package gateway_test

import (
	"bytes"
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
	"github.com/ferrule/ferrule/protocol/openai"
	"github.com/ferrule/ferrule/provider"
	"github.com/ferrule/ferrule/turn"
)

// scripted is an endpoint with a tools API: it answers its n-th request with the
// n-th body, in writes of piece bytes.
type scripted struct {
	mu     sync.Mutex
	bodies []string
	piece  int
	asked  []string // what it was sent
}

func (u *scripted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b, _ := io.ReadAll(r.Body)
	u.mu.Lock()
	n := len(u.asked)
	u.asked = append(u.asked, string(b))
	u.mu.Unlock()
	if n >= len(u.bodies) {
		http.Error(w, "out of script", http.StatusInternalServerError)
		return
	}
	media := "application/json"
	if strings.HasPrefix(u.bodies[n], "data:") {
		media = "text/event-stream"
	}
	(&replay{status: http.StatusOK, header: http.Header{"Content-Type": {media}}, body: []byte(u.bodies[n]), piece: u.piece}).ServeHTTP(w, r)
}

// nativeGateway puts a gateway in front of a script.
func nativeGateway(t *testing.T, p profile.Profile, piece int, bodies ...string) (url string, u *scripted) {
	t.Helper()
	u = &scripted{bodies: bodies, piece: piece}
	back := httptest.NewServer(u)
	t.Cleanup(back.Close)
	up, err := provider.New(provider.Config{Name: "p", URL: back.URL + "/v1", Protocol: openai.Name, Client: openai.Client{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(up.Close)
	p.Tools = profile.Native
	g, err := gateway.New(gateway.Options{
		Providers: []gateway.Provider{{Name: "p", Upstream: up, Profile: p}},
		Runner:    &turn.Runner{Key: []byte("a key for tests")},
	})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(g)
	t.Cleanup(s.Close)
	return s.URL, u
}

// heard is what a client that keeps to the protocol makes of an answer: deltas
// are joined by their index, and nothing is guessed.
type heard struct {
	Status int
	Text   string
	Calls  []heardCall
	Finish string
	Usage  int // completion tokens
	Code   string
	Done   bool
	body   string
	report string
}

type heardCall struct{ ID, Name, Args string }

type wireMessage struct {
	Content   *string
	ToolCalls []struct {
		Index    *int
		ID       string
		Function struct {
			Name      string
			Arguments string
		}
	} `json:"tool_calls"`
}

type wireAnswer struct {
	Choices []struct {
		Index   int
		Message wireMessage
		Delta   wireMessage
		Finish  *string `json:"finish_reason"`
	}
	Usage *struct {
		Completion int `json:"completion_tokens"`
	}
	Error *struct{ Code string }
}

func listen(t *testing.T, url, body string) heard {
	t.Helper()
	r, err := http.Post(url+"/v1/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	h := heard{Status: r.StatusCode, body: string(b), report: r.Header.Get("Ferrule-Tools") + "; " + r.Trailer.Get("Ferrule-Tools")}
	if !strings.Contains(r.Header.Get("Content-Type"), "event-stream") {
		h.take(t, b, false)
		return h
	}
	for event := range strings.SplitSeq(string(b), "\n\n") {
		payload, ok := strings.CutPrefix(event, "data: ")
		switch {
		case payload == "[DONE]":
			h.Done = true
		case ok:
			h.take(t, []byte(payload), true)
		}
	}
	return h
}

func (h *heard) take(t *testing.T, b []byte, streamed bool) {
	t.Helper()
	var a wireAnswer
	if err := json.Unmarshal(b, &a); err != nil {
		t.Fatalf("%v in %s", err, b)
	}
	if a.Error != nil {
		h.Code = a.Error.Code
	}
	if a.Usage != nil {
		h.Usage = a.Usage.Completion
	}
	for _, c := range a.Choices {
		if c.Index != 0 {
			continue
		}
		m := c.Message
		if streamed {
			m = c.Delta
		}
		if m.Content != nil {
			h.Text += *m.Content
		}
		for i, tc := range m.ToolCalls {
			if streamed {
				if tc.Index == nil {
					t.Fatalf("a piece without an index: %s", b)
				}
				i = *tc.Index
			}
			if i > len(h.Calls) || h.Finish != "" {
				t.Fatalf("a piece of call %d, of %d, finish %q", i, len(h.Calls), h.Finish)
			}
			if i == len(h.Calls) {
				if tc.ID == "" || tc.Function.Name == "" {
					t.Fatalf("a call begins without id or name: %s", b)
				}
				h.Calls = append(h.Calls, heardCall{ID: tc.ID, Name: tc.Function.Name})
			}
			h.Calls[i].Args += tc.Function.Arguments
		}
		if c.Finish != nil {
			h.Finish = *c.Finish
		}
	}
}

// The answers of the tests, streamed and not. A chunk holds members that nobody knows.
func chunkOf(delta string, finish string) string {
	if finish != "null" {
		finish = `"` + finish + `"`
	}
	return `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","x_odd":[1, 2],"choices":[{"index":0,"delta":` + delta + `,"logprobs":null,"finish_reason":` + finish + `}]}` + "\n\n"
}

// nativeAnswer writes text and calls of name and arguments, ids a, b, …
func nativeAnswer(stream bool, text, finish string, usage int, pairs ...string) string {
	var b strings.Builder
	use := fmt.Sprintf(`"usage":{"prompt_tokens":10,"completion_tokens":%d,"total_tokens":%d,"x_cost":0.10}`, usage, 10+usage)
	if !stream {
		var calls []string
		for i := 0; i < len(pairs); i += 2 {
			calls = append(calls, fmt.Sprintf(`{"id":"%c", "type":"function","function":{"name":%q , "arguments":%s},"x_sign":"s"}`, 'a'+i/2, pairs[i], quoteArgs(pairs[i+1])))
		}
		list := ""
		if len(calls) > 0 {
			list = `,"tool_calls":[` + strings.Join(calls, ",") + `]`
		}
		fmt.Fprintf(&b, `{"id":"c1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":%q%s,"x_more":{}},"finish_reason":%q}],%s,"x_odd":[1, 2]}`, text, list, finish, use)
		return b.String()
	}
	b.WriteString(chunkOf(`{"role":"assistant","content":""}`, "null"))
	if text != "" {
		b.WriteString(chunkOf(fmt.Sprintf(`{"content":%q}`, text), "null"))
	}
	for i := 0; i < len(pairs); i += 2 {
		args := pairs[i+1]
		b.WriteString(chunkOf(fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":"%c","type":"function","function":{"name":%q,"arguments":""}}]}`, i/2, 'a'+i/2, pairs[i]), "null"))
		for _, piece := range []string{args[:len(args)/2], args[len(args)/2:]} {
			b.WriteString(chunkOf(fmt.Sprintf(`{"tool_calls":[{"index":%d,"function":{"arguments":%s}}]}`, i/2, quoteArgs(piece)), "null"))
		}
	}
	b.WriteString(chunkOf(`{}`, finish))
	b.WriteString(`data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[],` + use + "}\n\n")
	b.WriteString("data: [DONE]\n\n")
	return b.String()
}

func quoteArgs(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

const nativeTools = `"tools":[{"type":"function","function":{"name":"weather","parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}},{"type":"function","function":{"name":"now","parameters":{"type":"object","properties":{}}}}]`

func nativeAsk(stream bool, more string) string {
	return fmt.Sprintf(`{"model":"m", "x_odd": {"b":1}, "stream":%v,"stream_options":{"include_usage":true},"temperature":0.70,"messages":[{"role":"user","content":"hi"}],%s%s}`, stream, nativeTools, more)
}

const (
	osloCall = `{"city": "Oslo"}`
	romeCall = `{"city":"Rome"}`
	townCall = `{"town":"Oslo"}`
)

// TestNativeOverHTTP: what a strict client hears of native calls, streamed and
// not, however the upstream cuts its writes.
func TestNativeOverHTTP(t *testing.T) {
	type answer struct {
		text, finish string
		usage        int
		pairs        []string
	}
	says := func(finish string, pairs ...string) answer { return answer{"Hi.", finish, 5, pairs} }
	hears := func(usage int, calls ...heardCall) heard {
		return heard{Status: 200, Text: "Hi.", Calls: calls, Finish: "tool_calls", Usage: usage}
	}
	for _, c := range []struct {
		name    string
		p       profile.Profile
		more    string // in the request
		answers []answer
		want    heard
		bytes   bool // the first answer goes out as it came
		report  string
	}{
		{"clean", profile.Profile{}, "", []answer{says("tool_calls", "weather", osloCall, "now", "{}")}, hears(5, heardCall{"a", "weather", osloCall}, heardCall{"b", "now", "{}"}), true, "repairs=0; retries=0; requests=1"},
		{"no call", profile.Profile{}, "", []answer{says("stop")}, heard{Status: 200, Text: "Hi.", Finish: "stop", Usage: 5}, true, "repairs=0"},
		{"one is mended, its neighbour isn't touched", profile.Profile{}, "", []answer{says("tool_calls", "weather", osloCall, "Weather", romeCall)}, hears(5, heardCall{"a", "weather", osloCall}, heardCall{"b", "weather", romeCall}), false, "repairs=1"},
		{"encoded twice", profile.Profile{}, "", []answer{says("tool_calls", "weather", `"{\"city\":\"Rome\"}"`)}, hears(5, heardCall{"a", "weather", romeCall}), false, "repairs=1"},
		{"no arguments", profile.Profile{}, "", []answer{says("tool_calls", "now", "")}, hears(5, heardCall{"a", "now", "{}"}), false, "repairs=1"},
		{"the finish says stop", profile.Profile{}, "", []answer{says("stop", "weather", osloCall)}, hears(5, heardCall{"a", "weather", osloCall}), false, "repairs=1"},
		{"bad, then right", profile.Profile{}, "", []answer{says("tool_calls", "weather", townCall), says("tool_calls", "weather", osloCall)}, hears(10, heardCall{"a", "weather", osloCall}), false, "repairs=0; retries=1; requests=2"},
		{"one of two is bad", profile.Profile{}, "", []answer{says("tool_calls", "weather", townCall, "now", "{}"), says("tool_calls", "weather", osloCall)}, hears(10, heardCall{"a", "weather", osloCall}, heardCall{"b", "now", "{}"}), false, "retries=1"},
		{"bad twice", profile.Profile{}, "", []answer{says("tool_calls", "weather", townCall, "now", "{}"), says("stop", "weather", townCall)}, hears(5, heardCall{"a", "weather", townCall}, heardCall{"b", "now", "{}"}), true, "repairs=0; retries=1; requests=2"},
		{"unreadable twice", profile.Profile{}, "", []answer{says("tool_calls", "weather", `{"city": Oslo}`), says("tool_calls", "weather", `{"city": Oslo}`)}, hears(5, heardCall{"a", "weather", `{"city": Oslo}`}), true, "retries=1"},
		{"bad, and the retry isn't answered", profile.Profile{}, "", []answer{says("tool_calls", "weather", townCall)}, hears(5, heardCall{"a", "weather", townCall}), true, "retries=1; requests=2"},
		{"bad, then words", profile.Profile{}, "", []answer{says("tool_calls", "weather", townCall), {" No.", "stop", 7, nil}}, heard{Status: 200, Text: "Hi. No.", Finish: "stop", Usage: 12}, false, "retries=1"},
		{"pass", profile.Profile{OnInvalid: profile.Pass}, "", []answer{says("tool_calls", "weather", townCall)}, hears(5, heardCall{"a", "weather", townCall}), true, "retries=0; requests=1"},
		{"fail", profile.Profile{OnInvalid: profile.Fail}, "", []answer{{"", "tool_calls", 5, []string{"weather", townCall}}}, heard{Status: 422, Code: turn.CodeToolCallInvalid}, false, "retries=0; requests=1"},
		{"another tool than the choice's", profile.Profile{}, `,"tool_choice":{"type":"function","function":{"name":"now"}}`, []answer{says("tool_calls", "weather", osloCall), says("tool_calls", "now", "{}")}, hears(10, heardCall{"a", "now", "{}"}), false, "retries=1"},
		{"two calls where one may be made", profile.Profile{}, `,"parallel_tool_calls":false`, []answer{says("tool_calls", "weather", osloCall, "now", "{}"), says("tool_calls", "weather", romeCall)}, hears(10, heardCall{"a", "weather", romeCall}), false, "retries=1"},
		{"cut", profile.Profile{}, "", []answer{says("length", "weather", osloCall, "weather", `{"city":"O`)}, heard{Status: 200, Text: "Hi.", Finish: "length", Usage: 5}, false, "repairs=0; retries=0"},
		{"cut, and pass", profile.Profile{OnInvalid: profile.Pass}, "", []answer{says("length", "weather", osloCall)}, heard{Status: 200, Text: "Hi.", Calls: []heardCall{{"a", "weather", osloCall}}, Finish: "length", Usage: 5}, true, ""},
		{"at the limit", profile.Profile{}, `,"max_tokens":5`, []answer{says("tool_calls", "weather", osloCall)}, heard{Status: 200, Text: "Hi.", Finish: "length", Usage: 5}, false, ""},
	} {
		for _, stream := range []bool{false, true} {
			var bodies []string
			for _, a := range c.answers {
				bodies = append(bodies, nativeAnswer(stream, a.text, a.finish, a.usage, a.pairs...))
			}
			whole := ""
			for _, piece := range []int{0, 1, 7} {
				t.Run(fmt.Sprintf("%s/stream=%v/%d", c.name, stream, piece), func(t *testing.T) {
					url, u := nativeGateway(t, c.p, piece, bodies...)
					h := listen(t, url, nativeAsk(stream, c.more))
					want := c.want
					want.Done = stream && want.Status == 200
					if d := cmp.Diff(want, h, cmp.AllowUnexported(heardCall{}), cmp.FilterPath(func(p cmp.Path) bool {
						f := p.Last().String()
						return f == ".body" || f == ".report"
					}, cmp.Ignore())); d != "" {
						t.Errorf("%s\n%s", d, h.body)
					}
					if whole == "" {
						whole = h.body
					} else if d := cmp.Diff(whole, h.body); d != "" {
						t.Errorf("cut otherwise, it goes out otherwise:\n%s", d)
					}
					if same := h.body == bodies[0]; same != c.bytes {
						t.Errorf("as it came: %v, want %v\n%s\n%s", same, c.bytes, bodies[0], h.body)
					}
					if !strings.Contains(h.report, c.report) || !strings.Contains(h.report, "native") {
						t.Errorf("report %q", h.report)
					}
					if len(u.asked) > 2 {
						t.Errorf("asked %d times", len(u.asked))
					}
				})
			}
		}
	}
}

// TestNativeKeepsTheRest: of an answer whose calls are mended every other byte stays.
func TestNativeKeepsTheRest(t *testing.T) {
	raw := nativeAnswer(false, "Hé.", "tool_calls", 5, "weather", osloCall, "Weather", romeCall)
	url, _ := nativeGateway(t, profile.Profile{}, 0, raw)
	h := listen(t, url, nativeAsk(false, ""))
	if d := cmp.Diff(strings.Replace(raw, `"Weather"`, `"weather"`, 1), h.body); d != "" {
		t.Error(d)
	}
	raw = nativeAnswer(false, "", "stop", 5, "weather", osloCall)
	url, _ = nativeGateway(t, profile.Profile{}, 0, raw)
	h = listen(t, url, nativeAsk(false, ""))
	if d := cmp.Diff(strings.Replace(raw, `"stop"`, `"tool_calls"`, 1), h.body); d != "" {
		t.Error(d)
	}
	raw = nativeAnswer(true, "Hé.", "stop", 5, "weather", osloCall)
	url, _ = nativeGateway(t, profile.Profile{}, 0, raw)
	h = listen(t, url, nativeAsk(true, ""))
	if d := cmp.Diff(strings.Replace(raw, `"stop"`, `"tool_calls"`, 1), h.body); d != "" {
		t.Error(d)
	}
	// Streamed, a mended call is written anew; what stands around it isn't.
	raw = nativeAnswer(true, "Hé.", "tool_calls", 5, "Weather", osloCall)
	url, _ = nativeGateway(t, profile.Profile{}, 0, raw)
	h = listen(t, url, nativeAsk(true, ""))
	for event := range strings.SplitAfterSeq(raw, "\n\n") {
		if strings.Contains(event, "tool_calls\":[") == strings.Contains(h.body, event) && event != "" {
			t.Errorf("%s in\n%s", event, h.body)
		}
	}
}

// TestNativeSecondRequest: the correction changes the messages, and nothing else.
func TestNativeSecondRequest(t *testing.T) {
	for _, stream := range []bool{false, true} {
		url, u := nativeGateway(t, profile.Profile{}, 0,
			nativeAnswer(stream, "Hi.", "tool_calls", 5, "weather", `{"city": Oslo}`, "now", "{}"), nativeAnswer(stream, "", "tool_calls", 5, "weather", osloCall))
		ask := nativeAsk(stream, `,"tool_choice":"required","seed":9007199254740993`)
		listen(t, url, ask)
		if len(u.asked) != 2 || u.asked[0] != ask {
			t.Fatalf("asked %q", u.asked)
		}
		const was = `"messages":[{"role":"user","content":"hi"}`
		before, behind, _ := strings.Cut(ask, was)
		added, ok := strings.CutPrefix(u.asked[1], before+was)
		added, ok2 := strings.CutSuffix(added, behind)
		if !ok || !ok2 {
			t.Fatalf("the second request isn't the first with more messages:\n%s", u.asked[1])
		}
		var ms []map[string]any
		if err := json.Unmarshal([]byte("["+strings.TrimPrefix(added, ",")+"]"), &ms); err != nil {
			t.Fatalf("%v: %s", err, added)
		}
		if len(ms) != 3 || ms[0]["role"] != "assistant" || ms[0]["content"] != "Hi." || ms[1]["role"] != "tool" || ms[2]["role"] != "tool" {
			t.Fatalf("%s", added)
		}
		calls := ms[0]["tool_calls"].([]any)
		for i, want := range []string{"{}", "{}"} {
			c := calls[i].(map[string]any)
			if c["id"] != ms[i+1]["tool_call_id"] || c["function"].(map[string]any)["arguments"] != want {
				t.Errorf("call %v, result %v", c, ms[i+1])
			}
		}
		if s := ms[2]["content"].(string); !strings.HasPrefix(s, "Held:") {
			t.Errorf("the good call's result: %s", s)
		}
		if s := ms[1]["content"].(string); !strings.Contains(s, "Nothing was run") {
			t.Errorf("the bad call's result: %s", s)
		}
	}
}

// TestNativeMisread: pieces that a strict client would take for other calls are
// written anew; without tools in the request nothing is touched.
func TestNativeMisread(t *testing.T) {
	sloppy := chunkOf(`{"tool_calls":[{"id":"x","function":{"name":"weather","arguments":{"city":"Oslo"}}}]}`, "null") +
		chunkOf(`{"tool_calls":[{"id":"x","function":{"name":"now"}}]}`, "null") + chunkOf(`{}`, "stop") + "data: [DONE]\n\n"
	url, u := nativeGateway(t, profile.Profile{}, 0, sloppy, sloppy)
	h := listen(t, url, nativeAsk(true, ""))
	if len(h.Calls) != 2 || h.Calls[0] != (heardCall{"x", "weather", `{"city":"Oslo"}`}) || h.Calls[1].Name != "now" ||
		h.Calls[1].Args != "{}" || h.Calls[1].ID == "x" || h.Finish != "tool_calls" || !h.Done {
		t.Errorf("%+v\n%s", h, h.body)
	}
	if !strings.Contains(h.report, "repairs=2") {
		t.Error(h.report)
	}
	bare := `{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]}`
	r, err := http.Post(url+"/v1/chat/completions", "application/json", strings.NewReader(bare))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if b, _ := io.ReadAll(r.Body); !bytes.Equal(b, []byte(sloppy)) || len(u.asked) != 2 {
		t.Errorf("without tools: %s", b)
	}
}
