package gateway_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ferrule/ferrule/gateway"
	"github.com/ferrule/ferrule/internal/cases"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/protocol/openai"
	"github.com/ferrule/ferrule/provider"
	"github.com/ferrule/ferrule/turn"
)

// replay is an upstream that answers with the bytes at hand.
type replay struct {
	status int
	header http.Header
	body   []byte
	piece  int // bytes per write; 0: all at once
}

func (u *replay) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	for k, v := range u.header {
		w.Header()[k] = v
	}
	w.WriteHeader(u.status)
	rest := u.body
	for len(rest) > 0 {
		n := len(rest)
		if u.piece > 0 {
			n = min(n, u.piece)
		}
		_, _ = w.Write(rest[:n])
		if u.piece > 0 {
			_ = http.NewResponseController(w).Flush()
		}
		rest = rest[n:]
	}
}

// before puts a native gateway in front of an endpoint.
func before(t *testing.T, url string) string { return beforeWith(t, url, profile.Profile{}) }

func beforeWith(t *testing.T, url string, p profile.Profile) string {
	t.Helper()
	p.Tools = profile.Native
	up, err := provider.New(provider.Config{Name: "p", URL: url + "/v1", Protocol: openai.Name, Client: openai.Client{}})
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

// seen is what a client sees of an answer.
type seen struct {
	Status int
	Header map[string]string
	Body   string
}

// hopOrOurs are headers that belong to one connection, or to the gateway itself.
var hopOrOurs = map[string]bool{
	"Date": true, "Content-Length": true, "Transfer-Encoding": true, "Connection": true,
	"Trailer": true, "Ferrule-Tools": true, "X-Request-Id": true,
}

func see(t *testing.T, url, body string) seen {
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
	s := seen{Status: r.StatusCode, Header: map[string]string{}, Body: string(b)}
	for k := range r.Header {
		if !hopOrOurs[k] {
			s.Header[k] = r.Header.Get(k)
		}
	}
	return s
}

// wireCase is an answer that was seen in the field.
type wireCase struct {
	id    string
	tools json.RawMessage
	sse   bool
	body  []byte
}

// fieldAnswers reads the field log's streams and replies.
func fieldAnswers(t *testing.T) []wireCase {
	t.Helper()
	var list []wireCase
	for line := range cases.Lines(t, "fieldlog/cases.jsonl") {
		var c struct {
			ID    string
			Input struct {
				SSE      []string        `json:"sse"`
				EOF      bool            `json:"eof"`
				Response json.RawMessage `json:"response"`
				Tools    json.RawMessage `json:"tools"`
			}
		}
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		switch {
		case c.Input.SSE != nil:
			var b bytes.Buffer
			for _, p := range c.Input.SSE {
				b.WriteString("data: " + p + "\n\n")
			}
			list = append(list, wireCase{c.ID, c.Input.Tools, true, b.Bytes()})
		case c.Input.Response != nil:
			list = append(list, wireCase{c.ID, c.Input.Tools, false, c.Input.Response})
		}
	}
	return list
}

// ownAnswers are what else goes over the wire: comments, odd spacing, unknown
// members, reasoning, several choices, errors of every shape.
var ownAnswers = []wireCase{
	{id: "comments", sse: true, body: []byte(": OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\n" + helloSSE)},
	{id: "crlf", sse: true, body: []byte(strings.ReplaceAll(helloSSE, "\n", "\r\n"))},
	{id: "no space after the colon", sse: true, body: []byte(strings.ReplaceAll(helloSSE, "data: ", "data:"))},
	{id: "event ids", sse: true, body: []byte("id: 1\n" + helloSSE)},
	{id: "reasoning", sse: true, body: []byte(`data: {"choices":[{"index":0,"delta":{"reasoning_content":"hm","x":{"y":[1]}}}]}` + "\n\n" + helloSSE)},
	{id: "usage", sse: true, body: []byte(strings.Replace(helloSSE, "data: [DONE]", `data: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3},"x":1}`+"\n\ndata: [DONE]", 1))},
	{id: "two choices", sse: true, body: []byte(`data: {"choices":[{"index":1,"delta":{"content":"b"}}]}` + "\n\n" + helloSSE)},
	{id: "whole", body: []byte(helloJSON)},
	{id: "whole, spaced", body: []byte(" \n" + strings.ReplaceAll(helloJSON, ",", " ,\n ") + "\n")},
	{id: "whole, several choices", body: []byte(`{"choices":[{"index":0,"message":{"content":"a"},"finish_reason":"stop"},{"index":1,"message":{"content":"b"},"finish_reason":"stop"}],"system_fingerprint":null}`)},
}

// notAlike are answers that a client doesn't see as they came where the request
// has tools: their calls were cut, so none leaves (TestFieldLogNative has them).
// With on_invalid: pass it sees them all.
var notAlike = map[string]bool{"F175": true, "F176": true, "F178": true, "F080": true}

// TestDifferentialAnswers: in native mode a client sees what it would see
// without the gateway, to the byte, however the upstream cuts its writes.
func TestDifferentialAnswers(t *testing.T) {
	for _, c := range append(fieldAnswers(t), ownAnswers...) {
		t.Run(c.id, func(t *testing.T) {
			u := &replay{status: http.StatusOK, body: c.body, header: http.Header{
				"Content-Type":                   {"application/json"},
				"X-Ratelimit-Remaining-Requests": {"12"},
				"Openai-Processing-Ms":           {"34"},
			}}
			if c.sse {
				u.header.Set("Content-Type", "text/event-stream; charset=utf-8")
			}
			back := httptest.NewServer(u)
			defer back.Close()
			urls := []string{beforeWith(t, back.URL, profile.Profile{OnInvalid: profile.Pass, Leaks: profile.LeaksOff}), before(t, back.URL)}
			q := map[string]any{"model": "m", "stream": c.sse, "messages": []any{map[string]any{"role": "user", "content": "hi"}}}
			for _, tools := range []json.RawMessage{nil, c.tools} {
				through := urls
				if tools != nil {
					q["tools"] = asFunctions(t, tools)
					if notAlike[c.id] {
						through = urls[:1]
					}
				}
				body, err := json.Marshal(q)
				if err != nil {
					t.Fatal(err)
				}
				for _, piece := range []int{0, 1, 7} {
					u.piece = piece
					bare := see(t, back.URL, string(body))
					for i, url := range through {
						if d := cmp.Diff(bare, see(t, url, string(body))); d != "" {
							t.Errorf("gateway %d, tools %v, pieces of %d:\n%s", i, tools != nil, piece, d)
						}
					}
				}
			}
		})
	}
}

// asFunctions puts tools into the protocol's form.
func asFunctions(t *testing.T, tools json.RawMessage) []any {
	t.Helper()
	var list []any
	if err := json.Unmarshal(tools, &list); err != nil {
		t.Fatal(err)
	}
	for i, f := range list {
		list[i] = map[string]any{"type": "function", "function": f}
	}
	return list
}

// TestDifferentialErrors: an upstream's own error keeps status, body and retry headers.
func TestDifferentialErrors(t *testing.T) {
	for _, c := range []struct {
		name   string
		status int
		media  string
		body   string
	}{
		{"rate limit", 429, "application/json", `{"error":{"message":"slow down","type":"rate_limit_error","param":null,"code":"rate_limit_exceeded"},"x":1}`},
		{"flat", 400, "application/json", `{"object":"error","message":"bad","type":"BadRequestError","param":null,"code":400}`},
		{"a string", 404, "application/json", `{"error":"model 'm' not found"}`},
		{"text", 500, "text/plain; charset=utf-8", "Internal Server Error\n"},
		{"a page", 502, "text/html", "<html><body>Bad Gateway</body></html>"},
		{"empty", 503, "application/json", ""},
		{"context", 400, "application/json", `{"error":{"message":"This model's maximum context length is 8192 tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`},
	} {
		for _, stream := range []string{"false", "true"} {
			t.Run(c.name+"/stream="+stream, func(t *testing.T) {
				u := &replay{status: c.status, body: []byte(c.body), header: http.Header{"Content-Type": {c.media}, "Retry-After": {"7"}}}
				back := httptest.NewServer(u)
				defer back.Close()
				body := `{"model":"m","stream":` + stream + `,"messages":[{"role":"user","content":"hi"}]}`
				bare, through := see(t, back.URL, body), see(t, before(t, back.URL), body)
				if c.body == "" {
					// There is nothing to keep: the client is told what happened.
					if through.Status != c.status || through.Body == "" || through.Header["Retry-After"] != "7" {
						t.Errorf("got %+v", through)
					}
					return
				}
				if d := cmp.Diff(bare, through); d != "" {
					t.Error(d)
				}
			})
		}
	}
}

// TestDifferentialRequest: the upstream gets the client's body, to the byte, but
// for the model's name.
func TestDifferentialRequest(t *testing.T) {
	var got []byte
	back := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got, _ = io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, helloJSON)
	}))
	defer back.Close()
	url := before(t, back.URL)
	body := ` { "x_unknown" : {"b":1,"a":[1.50, 1e3]} ,"model":%s, "temperature":0.70,
 "messages":[{"content":"h\u0069","role":"user","x":null}],"tools":[{"type":"function","function":{"parameters":{"type":"object"},"name":"f.g h"}}] , "seed":9007199254740993}`
	for _, model := range []string{`"m"`, `"p/m"`} {
		sent := strings.Replace(body, "%s", model, 1)
		if s := see(t, url, sent); s.Status != http.StatusOK {
			t.Fatalf("%+v", s)
		}
		if want := strings.Replace(body, "%s", `"m"`, 1); string(got) != want {
			t.Errorf("the upstream got\n%s\nwant\n%s", got, want)
		}
	}
}
