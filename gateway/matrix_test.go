package gateway_test

import (
	"fmt"
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

// field is a provider as the field has them: what it takes, and how it says no.
type field struct {
	t     *testing.T
	no    func(body []byte) string // the body of its refusal; "": it takes the request
	in200 bool                     // it refuses with a 200, in the stream where there is one
	list  string                   // what GET /models answers; "": 500
	asked []string                 // what each request was, for a person
}

func (f *field) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		if f.list == "" {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		_, _ = io.WriteString(w, f.list)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		f.t.Error(err)
	}
	stream := member(body, "stream") == "true"
	native := member(body, "tools") != ""
	f.asked = append(f.asked, fmt.Sprintf("native %v, stream %v", native, stream))
	if no := f.no(body); no != "" {
		switch {
		case f.in200 && stream:
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "data: "+no+"\n\n")
		case f.in200:
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, no)
		default:
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, no)
		}
		return
	}
	f.answer(w, native, stream)
}

// answer calls the tool, by the API or in words.
func (f *field) answer(w http.ResponseWriter, native, stream bool) {
	const called = `"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Oslo\"}"}}]`
	said := `"role":"assistant","content":null,` + called
	finish := "tool_calls"
	if !native {
		said = `"role":"assistant","content":"<tool_call>\n{\"name\": \"weather\", \"arguments\": {\"city\":\"Oslo\"}}\n</tool_call>"`
		finish = "stop"
	}
	if stream {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, chunkOf("{"+said+"}", "null")+chunkOf("{}", finish)+"data: [DONE]\n\n")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{`+said+`},"finish_reason":"`+finish+`"}]}`)
}

// hasTools, and hasWord among the tools.
func hasTools(body []byte) bool { return member(body, "tools") != "" }

func hasWord(body []byte, word string) bool { return strings.Contains(member(body, "tools"), word) }

func listOf(n int) string {
	var ids []string
	for i := range n {
		ids = append(ids, fmt.Sprintf(`{"id":"m%d"}`, i))
	}
	return `{"object":"list","data":[` + strings.Join(ids, ",") + `]}`
}

// TestFieldMatrix: any client's tools work on the first request of a model that
// nobody configured; the next request knows what the first one found out.
func TestFieldMatrix(t *testing.T) {
	when := func(refuses func([]byte) bool, no string) func([]byte) string {
		return func(b []byte) string {
			if refuses(b) {
				return no
			}
			return ""
		}
	}
	gemini := `{"error":{"code":400,"message":"Invalid JSON payload received. Unknown name \"additionalProperties\" at 'tools[0].function_declarations[0].parameters': Cannot find field.","status":"INVALID_ARGUMENT"}}`
	for _, c := range []struct {
		name          string
		no            func([]byte) string
		in200         bool
		list, model   string
		p             profile.Profile
		first, second int // upstream requests
		mode          string
	}{
		{name: "it takes tools", no: func([]byte) string { return "" }, first: 1, second: 1, mode: "native"},
		{name: "a model beyond the first 60 of a list", no: func([]byte) string { return "" }, list: listOf(90), model: "m77", first: 1, second: 1, mode: "native"},
		{name: "a list that failed", no: when(hasTools, `{"error":"m does not support tools"}`), list: "", model: "m", first: 2, second: 1, mode: "emulated"},
		{name: "OpenRouter's 404", no: when(hasTools, `{"error":{"message":"No endpoints found that support tool use. To learn more, visit: https://example.org","code":404}}`), first: 2, second: 1, mode: "emulated"},
		{name: "a schema refused, and its dialect taken", no: when(func(b []byte) bool { return hasWord(b, "additionalProperties") }, gemini), p: profile.Profile{Server: "gemini"}, first: 2, second: 1, mode: "native; dialect=gemini"},
		{name: "a schema refused, and the plainest taken", no: when(func(b []byte) bool { return hasWord(b, "additionalProperties") }, gemini), first: 2, second: 1, mode: "native; dialect=minimal"},
		{name: "the plainest refused too", no: when(hasTools, gemini), first: 3, second: 1, mode: "emulated"},
		{name: "a refusal inside a 200", no: when(hasTools, `{"error":{"message":"m does not support tools","code":400}}`), in200: true, first: 2, second: 1, mode: "emulated"},
		{name: "words from the start", no: when(hasTools, `{"error":"m does not support tools"}`), p: profile.Profile{Tools: profile.Emulated}, first: 1, second: 1, mode: "emulated"},
		{name: "a server without its flag", no: when(hasTools, `{"error":{"code":500,"message":"tools param requires --jinja flag","type":"server_error"}}`), first: 2, second: 1, mode: "emulated"},
	} {
		for _, stream := range []string{"false", "true"} {
			t.Run(c.name+"/stream "+stream, func(t *testing.T) {
				f := &field{t: t, no: c.no, in200: c.in200, list: c.list}
				back := httptest.NewServer(f)
				t.Cleanup(back.Close)
				up, err := provider.New(provider.Config{Name: "p", URL: back.URL + "/v1", Protocol: openai.Name, Client: openai.Client{}})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(up.Close)
				p := c.p
				p.Syntax = "hermes"
				g, err := gateway.New(gateway.Options{
					Providers: []gateway.Provider{{Name: "p", Upstream: up, Lister: up, Profile: p}},
					Runner:    &turn.Runner{Key: []byte("a key for tests"), Facts: &turn.LocalFacts{}},
				})
				if err != nil {
					t.Fatal(err)
				}
				front := httptest.NewServer(g)
				t.Cleanup(front.Close)
				model := "p/m"
				if c.model != "" {
					model = "p/" + c.model
				}
				ask := `{"model":"` + model + `","stream":` + stream + `,"messages":[{"role":"user","content":"What is the weather in Oslo?"}],"tools":[{"type":"function","function":` +
					`{"name":"weather","description":"Tells it.","parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}}}]}`
				for i, want := range []int{c.first, c.second} {
					before := len(f.asked)
					h := listen(t, front.URL, ask)
					if len(h.Calls) != 1 || h.Calls[0].Name != "weather" || rawjson.Kind([]byte(h.Calls[0].Args)) != '{' || h.Finish != "tool_calls" || h.Text != "" {
						t.Errorf("request %d: %+v", i+1, h)
					}
					if got := len(f.asked) - before; got != want {
						t.Errorf("request %d took %d upstream, want %d: %v", i+1, got, want, f.asked[before:])
					}
					if !strings.HasPrefix(h.report, c.mode) {
						t.Errorf("request %d: %s, want %s", i+1, h.report, c.mode)
					}
				}
			})
		}
	}
}
