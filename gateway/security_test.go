package gateway_test

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/ferrule/ferrule/gateway"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/protocol/openai"
	"github.com/ferrule/ferrule/provider"
)

// These are the rules of docs/security.md that show only where gateway, turn,
// provider and protocol meet.

const upstreamKey = "sk-upstream-0123456789"

// behind puts the gateway before a real upstream; the log's text comes back.
func behind(t *testing.T, mode profile.Mode, h http.HandlerFunc) (*gateway.Server, func() string) {
	t.Helper()
	up := httptest.NewServer(h)
	t.Cleanup(up.Close)
	p, err := provider.New(provider.Config{
		Name: "p", URL: up.URL + "/v1", Key: upstreamKey, Protocol: openai.Name, Client: openai.Client{},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	o := options()
	log, text := debugLog()
	o.Log = log
	o.Providers = []gateway.Provider{{
		Name: "p", Upstream: p, Lister: p,
		Models: map[string]profile.Profile{"m": {Tools: mode}},
	}}
	return server(t, o), text
}

func debugLog() (*slog.Logger, func() string) {
	var mu sync.Mutex
	var b strings.Builder
	w := writerFunc(func(p []byte) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		return b.Write(p)
	})
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug})), func() string {
		mu.Lock()
		defer mu.Unlock()
		return b.String()
	}
}

func sends(media, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", media)
		_, _ = io.WriteString(w, body)
	}
}

// D4: a picture's address is passed on and never visited.
func TestPicturesAreNotFetched(t *testing.T) {
	pictures := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("%s was fetched", r.URL)
	}))
	defer pictures.Close()
	body := strings.Replace(askTools, `"hi"`, fmt.Sprintf(`[{"type":"text","text":"What is this?"},{"type":"image_url","image_url":{"url":"%s/a.png"}}]`, pictures.URL), 1)
	for _, mode := range []profile.Mode{profile.Native, profile.Emulated} {
		var got string
		s, _ := behind(t, mode, func(w http.ResponseWriter, r *http.Request) {
			b, _ := io.ReadAll(r.Body)
			got = string(b)
			sends("application/json", helloJSON)(w, r)
		})
		good(t, do(s, post(chatPath, body)))
		if !strings.Contains(got, pictures.URL+"/a.png") {
			t.Errorf("%s: the address didn't reach the upstream: %s", mode, got)
		}
	}
}

// D3, D4: headers pass by list, both ways.
func TestHeadersFromEndToEnd(t *testing.T) {
	var up http.Header
	s, _ := behind(t, profile.Native, func(w http.ResponseWriter, r *http.Request) {
		up = r.Header.Clone()
		for _, k := range []string{"Access-Control-Allow-Origin", "Set-Cookie", "Server", "X-Secret"} {
			w.Header().Set(k, "*")
		}
		w.Header().Set("X-Ratelimit-Remaining-Requests", "3")
		sends("application/json", helloJSON)(w, r)
	})
	w := do(s, post(chatPath, ask, "Authorization", "Bearer client", "X-Api-Key", "client", "Cookie", "c=1",
		"Idempotency-Key", "once", "Accept-Encoding", "gzip", "X-Forwarded-For", "1.2.3.4", "X-Title", "App"))
	good(t, w)
	for k, want := range map[string]string{
		"Authorization": "Bearer " + upstreamKey, "Accept-Encoding": "identity", "X-Title": "App",
		"X-Api-Key": "", "Cookie": "", "Idempotency-Key": "", "X-Forwarded-For": "",
	} {
		if got := up.Get(k); got != want {
			t.Errorf("to the upstream %s: %q, want %q", k, got, want)
		}
	}
	for k, want := range map[string]string{
		"X-Ratelimit-Remaining-Requests": "3", "Access-Control-Allow-Origin": "", "Set-Cookie": "", "Server": "", "X-Secret": "",
	} {
		if got := w.Header().Get(k); got != want {
			t.Errorf("to the client %s: %q, want %q", k, got, want)
		}
	}
}

// callEvent is a stream in which function is the object of one call.
func callEvent(function string) string {
	return `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","tool_calls":[{"index":0,"id":"call_1","type":"function","function":` + function + `}]},"finish_reason":null}]}` + "\n\n" +
		`data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}` + "\n\ndata: [DONE]\n\n"
}

// D7: an event that two readers might read differently isn't forwarded as it
// came; one that all read alike is, byte for byte.
func TestDoubledKeysInANativeStream(t *testing.T) {
	stream := strings.Replace(askTools, "{", `{"stream":true,`, 1)
	for _, c := range []struct {
		name, function string
		as             bool // the bytes go out as they came
		gets           string
	}{
		{"plain", `{"name":"f","arguments":"{}"}`, true, `"name":"f"`},
		{"a key that nobody knows", `{"name":"f","arguments":"{}","x":1}`, true, `"x":1`},
		{"doubled", `{"name":"g","arguments":"{}","name":"f"}`, false, `"name":"f"`},
		{"doubled by an escape", `{"name":"g","arguments":"{}","\u006eame":"f"}`, false, `"name":"f"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			body := callEvent(c.function)
			s, _ := behind(t, profile.Native, sends("text/event-stream", body))
			w := do(s, post(chatPath, stream))
			good(t, w)
			got := w.Body.String()
			if (got == body) != c.as || !strings.Contains(got, c.gets) || !strings.Contains(got, `"finish_reason":"tool_calls"`) {
				t.Errorf("as it came: %v, want %v\n%s", got == body, c.as, got)
			}
			if !c.as && (strings.Contains(got, `"g"`) || strings.Contains(got, `\u006e`)) {
				t.Errorf("the other reading went out too:\n%s", got)
			}
		})
	}
}

// D7: keys count in their exact letters, so a call in words is to the tool of
// "name", never to that of "NAME".
func TestKeysAreExact(t *testing.T) {
	say := func(call string) string {
		return strings.Replace(helloJSON, `"hello"`, fmt.Sprintf("%q", "<tool_call>"+call+"</tool_call>"), 1)
	}
	two := strings.Replace(askTools, `"tools":[`, `"tools":[{"type":"function","function":{"name":"g"}},`, 1)
	for _, c := range []struct{ name, call, gets string }{
		{"alone", `{"name":"f","arguments":{}}`, `"name":"f"`},
		{"another case behind it", `{"name":"f","NAME":"g","arguments":{}}`, `"name":"f"`},
		{"another case before it", `{"NAME":"g","name":"f","arguments":{}}`, `"name":"f"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, _ := behind(t, profile.Emulated, sends("application/json", say(c.call)))
			w := do(s, post(chatPath, two))
			good(t, w)
			if got := w.Body.String(); !strings.Contains(got, c.gets) || strings.Contains(got, `"g"`) || strings.Contains(got, "NAME") {
				t.Errorf("got %s", got)
			}
		})
	}
	// Doubled with two values there is no one reading: nothing runs.
	s, _ := behind(t, profile.Emulated, sends("application/json", say(`{"name":"f","name":"g","arguments":{}}`)))
	refused(t, do(s, post(chatPath, two)), http.StatusUnprocessableEntity, "tool_call_invalid", "Nothing was run")
}

// D7: of a request, a member that stands twice with two values is refused.
func TestDoubledKeysInARequest(t *testing.T) {
	s := server(t, options())
	refused(t, do(s, post(chatPath, strings.Replace(ask, "{", `{"model":"p/x",`, 1))), http.StatusBadRequest, "duplicate_key", "model")
	good(t, do(s, post(chatPath, strings.Replace(ask, "{", `{"model":"p/m","MODEL":"p/x",`, 1))))
}

// D8: beyond 500 models a label says "other".
func TestMetricLabelsAreBounded(t *testing.T) {
	o := options()
	o.Providers[0].Models = map[string]profile.Profile{}
	for i := range 502 {
		o.Providers[0].Models[fmt.Sprintf("m%03d", i)] = profile.Profile{}
	}
	s := server(t, o)
	for i := range 502 {
		good(t, do(s, post(chatPath, strings.Replace(ask, "p/m", fmt.Sprintf("p/m%03d", i), 1))))
	}
	got := do(s, get("/metrics")).Body.String()
	for label, want := range map[string]bool{"m000": true, "m499": true, "m500": false, "m501": false, "other": true} {
		if strings.Contains(got, fmt.Sprintf("model=%q", label)) != want {
			t.Errorf("model=%q is a label: %v, want %v", label, !want, want)
		}
	}
}

// No credential shows in an answer, an error or the log, whatever the upstream
// does with it.
func TestCredentialsStayInside(t *testing.T) {
	echo := func(status int, media, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", media)
			w.Header().Set("Location", "http://elsewhere.example/?key="+upstreamKey)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, strings.ReplaceAll(body, "KEY", r.Header.Get("Authorization")))
		}
	}
	for name, h := range map[string]http.HandlerFunc{
		"an error that repeats it": echo(401, "application/json", `{"error":{"message":"Incorrect API key: KEY","code":"invalid_api_key"}}`),
		"a page that repeats it":   echo(500, "text/html", "<html><title>KEY</title>KEY</html>"),
		"an error in a 200":        echo(200, "application/json", `{"error":{"message":"no credit on KEY"}}`),
		"an error in a stream":     echo(200, "text/event-stream", "data: {\"error\":{\"message\":\"no credit on KEY\"}}\n\n"),
		"a redirect":               echo(302, "text/plain", "KEY"),
	} {
		for _, mode := range []profile.Mode{profile.Native, profile.Emulated} {
			for _, body := range []string{askTools, strings.Replace(askTools, "{", `{"stream":true,`, 1)} {
				s, text := behind(t, mode, h)
				w := do(s, post(chatPath, body, "Authorization", "Bearer client-secret-key"))
				all := fmt.Sprint(w.Body.String(), text())
				if told := strings.Contains(w.Body.String(), `"error"`) || name == "a page that repeats it" && strings.Contains(w.Body.String(), "REDACTED"); !told {
					t.Errorf("%s, %s: the error isn't told: %d %s", name, mode, w.Code, w.Body)
				}
				for _, secret := range []string{upstreamKey, "client-secret-key"} {
					if strings.Contains(all, secret) {
						t.Errorf("%s, %s: %s shows: %s", name, mode, secret, all)
					}
				}
			}
		}
	}
}

// D6: a block of a call is held to 2 MB; a large one below that runs.
func TestHeldCallIsBounded(t *testing.T) {
	tools := strings.Replace(askTools, `{"type":"object"}`, `{"type":"object","properties":{"text":{"type":"string"}}}`, 1)
	for size, ok := range map[int]bool{1 << 20: true, 3 << 20: false} {
		call := "<tool_call>\n" + `{"name": "f", "arguments": {"text": "` + strings.Repeat("x", size) + `"}}` + "\n</tool_call>"
		s, _ := behind(t, profile.Emulated, sends("application/json", strings.Replace(helloJSON, `"hello"`, fmt.Sprintf("%q", call), 1)))
		w := do(s, post(chatPath, tools))
		if got := w.Code == http.StatusOK && strings.Contains(w.Body.String(), `"tool_calls":[`); got != ok {
			t.Errorf("a call of %d bytes leaves: %v, want %v (%d, %.300s)", size, got, ok, w.Code, w.Body)
		}
	}
}
