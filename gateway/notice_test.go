package gateway_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/profile"
)

// TestNotices: a window that isn't known and an estimate that is off are told of
// once for each model, and not at all where all is well.
func TestNotices(t *testing.T) {
	const (
		unsized = "context window isn't known"
		off     = "estimate of a prompt's tokens is off"
	)
	prose := strings.Repeat("There is more to say of it. ", 200) // about 1400 tokens
	body := func(model string) string {
		return fmt.Sprintf(`{"model":"p/%s","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"f","description":%q,"parameters":{"type":"object"}}}]}`, model, prose)
	}
	for _, c := range []struct {
		name             string
		window, counted  int
		unsized, offSaid int
	}{
		{"all is known", 32768, 1550, 0, 0},
		{"no window", 0, 1550, 1, 0},
		{"another tokenizer", 32768, 3100, 0, 1},
		{"both", 0, 3100, 1, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := options()
			log, said := logs()
			o.Log = log
			o.Providers[0].Lister = nil
			o.Providers[0].Profile = profile.Profile{Tools: profile.Emulated, Context: c.window}
			o.Providers[0].Upstream = upstream(func(context.Context, *chat.Request) (reply, error) {
				return reply{strings.NewReader(fmt.Sprintf(`{"id":"c1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":%d,"completion_tokens":2,"total_tokens":%d}}`, c.counted, c.counted+2)), "application/json", nil}, nil
			})
			s := server(t, o)
			for range 3 {
				good(t, do(s, post("/v1/chat/completions", body("m"))))
			}
			if n := strings.Count(said(), unsized); n != c.unsized {
				t.Errorf("%d warnings of the window:\n%s", n, said())
			}
			if n := strings.Count(said(), off); n != c.offSaid {
				t.Errorf("%d warnings of the estimate:\n%s", n, said())
			}
			good(t, do(s, post("/v1/chat/completions", body("other"))))
			if n := strings.Count(said(), unsized); n != 2*c.unsized {
				t.Errorf("%d warnings for two models:\n%s", n, said())
			}
		})
	}
}

// TestWindowOfTheList: the first request already knows the window that only the
// provider's list tells of, so that the second is told the same of the tools.
func TestWindowOfTheList(t *testing.T) {
	o := options()
	o.Providers[0].Profile = profile.Profile{Tools: profile.Emulated}
	s := server(t, o)
	body := fmt.Sprintf(`{"model":"p/m","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"f","description":%q,"parameters":{"type":"object"}}}]}`,
		"Does it. "+strings.Repeat("There is more to say of it. ", 200))
	for range 2 {
		w := do(s, post("/v1/chat/completions", body))
		good(t, w)
		if h := w.Header().Get("Ferrule-Tools"); !strings.Contains(h, "level=short") {
			t.Errorf("the header says %s", h)
		}
	}
}
