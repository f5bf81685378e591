package provider_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/provider"
)

func TestModels(t *testing.T) {
	for _, c := range []struct {
		name, body string
		status     int
		want       []provider.Model
		code       string
	}{
		{"OpenAI", `{"object":"list","data":[{"id":"a","object":"model","created":1,"owned_by":"x"},{"id":"b"}]}`, 200, []provider.Model{{ID: "a"}, {ID: "b"}}, ""},
		{"vLLM", `{"data":[{"id":"a","max_model_len":8192}]}`, 200, []provider.Model{{ID: "a"}}, ""},
		{"OpenRouter", `{"data":[{"id":"x/a","name":"A","context_length":131072}]}`, 200, []provider.Model{{ID: "x/a"}}, ""},
		{"Groq", `{"data":[{"id":"a","context_window":4096}]}`, 200, []provider.Model{{ID: "a"}}, ""},
		{"LM Studio", `{"data":[{"id":"a","max_context_length":32768,"loaded_context_length":4096}]}`, 200, []provider.Model{{ID: "a"}}, ""},
		{"llama.cpp", `{"models":[{"name":"other"}],"object":"list","data":[{"id":"a.gguf","meta":{"n_ctx_train":9}}]}`, 200, []provider.Model{{ID: "a.gguf"}}, ""},
		{"Ollama without models", `{"object":"list","data":null}`, 200, nil, ""},
		{"a bare list", `[{"id":"a","context_length":5}]`, 200, []provider.Model{{ID: "a"}}, ""},
		{"another key", `{"models":[{"name":"a"}]}`, 200, []provider.Model{{ID: "a"}}, ""},
		{"odd entries", `{"data":[1,null,{"id":""},{"id":7},{"id":"a","context_length":"big"},{"id":"a"},{"id":"b","context_length":-1}]}`, 200, []provider.Model{{ID: "a"}, {ID: "b"}}, ""},
		{"none", `{"data":[]}`, 200, nil, ""},
		{"a page", `<html>`, 200, nil, "upstream_not_json"},
		{"no list", `{"status":"ok"}`, 200, nil, "upstream_not_json"},
		{"a string", `"models"`, 200, nil, "upstream_not_json"},
		{"data of another kind", `{"data":"x"}`, 200, nil, "upstream_not_json"},
		{"an error", `{"error":{"message":"no","code":"bad_key"}}`, 401, nil, "bad_key"},
		{"a redirect", ``, 301, nil, "upstream_redirect"},
		{"too long", `{"data":[` + strings.Repeat(" ", 2000) + `]}`, 200, nil, "upstream_too_large"},
	} {
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodGet || r.URL.Path != "/v1/models" || r.Header.Get("Authorization") != "Bearer "+key {
				t.Errorf("%s: %s %s %v", c.name, r.Method, r.URL, r.Header)
			}
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.body)
		})
		p := open(t, s.URL+"/v1", func(c *provider.Config) { c.Bounds.Text = 1000 })
		got, err := p.Models(t.Context())
		var f *chat.Fault
		_ = errors.As(err, &f)
		if d := cmp.Diff(c.want, named(t, got)); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
		switch {
		case c.code == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.code != "" && (f == nil || f.Code != c.code):
			t.Errorf("%s: %v, want %s", c.name, err, c.code)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		p := open(t, "http://upstream/v1", via(upstream(time.Hour)))
		start := time.Now()
		_, err := p.Models(t.Context())
		if err == nil || !strings.Contains(err.Error(), "nothing for 3s") && !strings.Contains(err.Error(), "within 3s") || time.Since(start) != 3*time.Second {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
	})
}

func FuzzModels(f *testing.F) {
	f.Add([]byte(`{"data":[{"id":"a","context_length":5}]}`))
	f.Add([]byte(`[{"name":"a"}]`))
	f.Fuzz(func(t *testing.T, b []byte) {
		p := open(t, "http://upstream/v1", via(func(*http.Request) (*http.Response, error) {
			return answer(200, "application/json", text(string(b))), nil
		}))
		ms, err := p.Models(t.Context())
		if err == nil && !json.Valid(b) {
			t.Fatalf("%q isn't JSON and gave %v", b, ms)
		}
		for _, m := range ms {
			if m.ID == "" || !json.Valid(m.Entry) {
				t.Fatalf("%q gave %+v", b, m)
			}
		}
	})
}

func TestDiscover(t *testing.T) {
	port := func(body string, status int) int {
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/v1/models" || r.Header.Get("Authorization") != "" {
				t.Errorf("asked for %s with %v", r.URL, r.Header)
			}
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		})
		_, p, _ := net.SplitHostPort(strings.TrimPrefix(s.URL, "http://"))
		n, _ := strconv.Atoi(p)
		return n
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := l.Addr().(*net.TCPAddr).Port
	_ = l.Close()
	ollama := port(`{"object":"list","data":[{"id":"qwen3:8b","owned_by":"library"}]}`, 200)
	unsaid := port(`{"data":[{"id":"m","owned_by":"me"}]}`, 200)
	env := map[string]string{"GROQ_API_KEY": "g", "OPENAI_API_KEY": "o", "XAI_API_KEY": "", "HOME": "h"}
	got := provider.Discover(t.Context(), func(k string) (string, bool) { v, ok := env[k]; return v, ok }, provider.Probe{
		Ports:   map[string]int{"ollama": ollama, "llamacpp": port(`<html>Jenkins</html>`, 200), "lmstudio": unsaid, "vllm": port(`{"data":[]}`, 401)},
		Timeout: 5 * time.Second,
	})
	want := []provider.Found{
		{Name: "openai", URL: "https://api.openai.com/v1", KeyEnv: "OPENAI_API_KEY"},
		{Name: "groq", URL: "https://api.groq.com/openai/v1", KeyEnv: "GROQ_API_KEY"},
		{Name: "ollama", URL: "http://127.0.0.1:" + strconv.Itoa(ollama) + "/v1", Models: []provider.Model{{ID: "qwen3:8b"}}, Server: "ollama"},
		{Name: "lmstudio", URL: "http://127.0.0.1:" + strconv.Itoa(unsaid) + "/v1", Models: []provider.Model{{ID: "m"}}},
	}
	for i := range got {
		got[i].Models = named(t, got[i].Models)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	for _, f := range provider.Discover(t.Context(), func(string) (string, bool) { return "k", true }, provider.Probe{Ports: map[string]int{}}) {
		if !strings.HasPrefix(f.URL, "https://") || f.KeyEnv == "" {
			t.Errorf("%+v", f)
		}
	}
	if got := provider.Discover(t.Context(), func(string) (string, bool) { return "", false }, provider.Probe{Ports: map[string]int{"vllm": nobody}}); len(got) > 0 {
		t.Errorf("nobody answered: %v", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := provider.Discover(ctx, func(string) (string, bool) { return "", false }, provider.Probe{Ports: map[string]int{"ollama": ollama}}); len(got) > 0 {
		t.Errorf("after the end: %v", got)
	}
}
