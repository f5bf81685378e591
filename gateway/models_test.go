package gateway_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/gateway"
	"github.com/ferrule/ferrule/profile"
)

// asked is a provider whose model's name can be read from its answer's fault.
func asked(name string, models ...string) gateway.Provider {
	return gateway.Provider{
		Name: name, Lister: &lister{names: models},
		Upstream: upstream(func(_ context.Context, q *chat.Request) (reply, error) {
			return reply{}, &chat.Fault{Status: http.StatusTeapot, Code: name + "|" + q.Model, Text: "x"}
		}),
	}
}

func TestResolve(t *testing.T) {
	for _, c := range []struct {
		name, model string
		providers   []gateway.Provider
		aliases     map[string]string
		want        string // provider|model, or the code of the refusal
		words       []string
	}{
		{name: "full name", model: "a/m", want: "a|m"},
		{name: "slashes in the model", model: "a/org/m:free", want: "a|org/m:free"},
		{name: "not listed, with its provider", model: "a/unlisted", want: "a|unlisted"},
		{name: "bare", model: "only-b", want: "b|only-b"},
		{name: "bare with slashes", model: "org/x", want: "b|org/x"},
		{name: "in two", model: "m", want: "model_ambiguous", words: []string{"a/m", "b/m"}},
		{name: "nowhere", model: "onlyb", want: "model_not_found", words: []string{"b/only-b"}},
		{name: "nowhere near", model: "zzzz", want: "model_not_found", words: []string{"a/m"}},
		{name: "none", model: "", want: "model_missing"},
		{name: "only a provider", model: "a/", want: "model_not_found"},
		{name: "alias", model: "fast", aliases: map[string]string{"fast": "b/m"}, want: "b|m"},
		{name: "alias of a bare name", model: "fast", aliases: map[string]string{"fast": "only-b"}, want: "b|only-b"},
		{name: "exact before glob", model: "gpt-5", aliases: map[string]string{"gpt-*": "a/m", "gpt-5": "b/m"}, want: "b|m"},
		{name: "longest glob", model: "gpt-5-mini", aliases: map[string]string{"*": "a/x", "gpt-*": "a/m", "gpt-5-*": "b/m"}, want: "b|m"},
		{name: "glob in the middle", model: "claude-9-haiku-2", aliases: map[string]string{"claude-*-haiku-*": "b/m"}, want: "b|m"},
		{name: "glob misses", model: "claude-9", aliases: map[string]string{"claude-*-haiku-*": "b/m"}, want: "model_not_found"},
		{name: "a provider's name before a glob", model: "a/m", aliases: map[string]string{"*": "b/m"}, want: "a|m"},
		{name: "an alias isn't followed twice", model: "x1", aliases: map[string]string{"x1": "x2", "x2": "a/m"}, want: "model_not_found"},
		{name: "one provider takes every name", model: "anything:7b", providers: []gateway.Provider{asked("solo")}, want: "solo|anything:7b"},
		{
			name: "the longest provider", model: "a/b/m", want: "a/b|m",
			providers: []gateway.Provider{asked("a"), asked("a/b")},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := options()
			o.Providers, o.Aliases = c.providers, c.aliases
			if o.Providers == nil {
				o.Providers = []gateway.Provider{asked("a", "m"), asked("b", "m", "only-b", "org/x")}
			}
			body, _ := json.Marshal(map[string]any{"model": c.model, "messages": []any{map[string]string{"role": "user", "content": "x"}}})
			w := do(server(t, o), post(chatPath, string(body)))
			if !strings.Contains(w.Body.String(), `"code":"`+c.want+`"`) {
				t.Errorf("got %d %s; want %s", w.Code, w.Body, c.want)
			}
			for _, word := range c.words {
				if !strings.Contains(w.Body.String(), word) {
					t.Errorf("%s doesn't name %s", w.Body, word)
				}
			}
		})
	}
}

func TestClosedProvider(t *testing.T) {
	o := options()
	shut := asked("shut", "one")
	shut.Closed = true
	o.Providers = append(o.Providers, shut)
	s := server(t, o)
	refused(t, do(s, post(chatPath, strings.Replace(ask, "p/m", "shut/on", 1))), http.StatusNotFound, "model_not_found", "shut/one")
	w := do(s, post(chatPath, strings.Replace(ask, "p/m", "shut/one", 1)))
	if w.Code != http.StatusTeapot {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
	good(t, do(s, post(chatPath, strings.Replace(ask, "p/m", "whatever", 1)))) // p takes more than it lists
}

func TestModelList(t *testing.T) {
	o := options()
	o.Providers[0].Models = map[string]profile.Profile{
		"emu":  {Tools: profile.Emulated, Context: 8192},
		"none": {Tools: profile.None},
	}
	o.Providers = append(o.Providers, gateway.Provider{Name: "q", Upstream: upstream(hello), Lister: &lister{err: errNoList}, Profile: profile.Profile{Tools: profile.Emulated}, Models: map[string]profile.Profile{"x": {}}})
	o.Aliases = map[string]string{"fast": "p/emu", "gpt-*": "q/x", "gone": "nowhere"}
	s := server(t, o)
	var page struct {
		Object  string
		Data    []map[string]any
		HasMore *bool  `json:"has_more"`
		FirstID string `json:"first_id"`
		LastID  string `json:"last_id"`
	}
	w := do(s, get("/v1/models"))
	if err := json.Unmarshal(w.Body.Bytes(), &page); err != nil {
		t.Fatal(err, w.Body)
	}
	var got []string
	for _, m := range page.Data {
		ctx := ""
		if n, ok := m["context_window"]; ok {
			ctx = string(must(json.Marshal(n)))
		}
		got = append(got, strings.TrimSpace(m["id"].(string)+" "+m["tool_calling_mode"].(string)+" "+m["owned_by"].(string)+" "+ctx))
		if m["object"] != "model" || m["type"] != "model" || m["display_name"] != m["id"] || m["created"] == nil || m["created_at"] == nil {
			t.Errorf("a shape is missing: %v", m)
		}
	}
	want := []string{
		"p/emu emulated p 8192", "p/m native p 4096", "p/none none p",
		"q/x emulated q", "fast emulated p 8192", "gpt-* emulated q",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if page.Object != "list" || page.HasMore == nil || *page.HasMore || page.FirstID != "p/emu" || page.LastID != "gpt-*" {
		t.Errorf("%+v", page)
	}
	for path, id := range map[string]string{"/v1/models/p/m": "p/m", "/v1/models/fast": "fast", "/models/gpt-5": "gpt-5"} {
		w := do(s, get(path))
		good(t, w)
		if !strings.Contains(w.Body.String(), `"id":"`+id+`"`) {
			t.Errorf("%s: %s", path, w.Body)
		}
	}
	refused(t, do(s, get("/v1/models/p/nope")), http.StatusNotFound, "model_not_found")
}

func TestLearnedModeIsListed(t *testing.T) {
	o := options()
	s := server(t, o)
	o.Runner.Facts.Learn(profile.Place{Provider: "p", Model: "m"}, profile.Fact{Field: "tools", Value: "emulated"})
	if list := s.Models(t.Context()); list.Data[0].Mode != profile.Emulated {
		t.Errorf("got %s", list.Data[0].Mode)
	}
}

func TestListsAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := options()
		good, bad := &lister{names: []string{"m"}}, &lister{err: errNoList}
		o.Providers = []gateway.Provider{
			{Name: "good", Upstream: upstream(hello), Lister: good},
			{Name: "bad", Upstream: upstream(hello), Lister: bad},
		}
		s := server(t, o)
		look := func(goodTimes, badTimes int) {
			t.Helper()
			for range 3 {
				s.Models(t.Context())
				synctest.Wait()
			}
			if good.times() != goodTimes || bad.times() != badTimes {
				t.Errorf("asked %d and %d times; want %d and %d", good.times(), bad.times(), goodTimes, badTimes)
			}
		}
		look(1, 1)
		time.Sleep(31 * time.Second)
		look(1, 2)
		time.Sleep(5 * time.Minute)
		look(2, 3)
		good.mu.Lock()
		good.err = errNoList
		good.mu.Unlock()
		time.Sleep(6 * time.Minute)
		look(3, 4)
		if n := len(s.Models(t.Context()).Data); n != 1 {
			t.Errorf("the old list is gone: %d models", n)
		}
	})
}

func TestOneQuestionAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &lister{names: []string{"m"}}
		l.mu.Lock() // the answer takes until it is unlocked
		o := options()
		o.Providers[0].Lister = l
		s := server(t, o)
		for range 5 {
			go s.Models(t.Context())
		}
		ctx, cancel := context.WithCancel(t.Context())
		gone := make(chan struct{})
		go func() {
			s.Models(ctx)
			close(gone)
		}()
		cancel()
		<-gone // who leaves doesn't wait
		l.mu.Unlock()
		synctest.Wait()
		if l.times() != 1 {
			t.Errorf("asked %d times", l.times())
		}
	})
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
