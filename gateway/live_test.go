//go:build live

package gateway_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDifferentialLive compares against a real server, where one is named.
func TestDifferentialLive(t *testing.T) {
	live := os.Getenv("FERRULE_LIVE")
	if live == "" {
		t.Fatal("$FERRULE_LIVE names no server (like http://127.0.0.1:8080)")
	}
	url := before(t, live)
	for _, stream := range []bool{false, true} {
		body := `{"model":"m","seed":1,"temperature":0,"max_tokens":24,"stream":` + map[bool]string{true: "true", false: "false"}[stream] +
			`,"messages":[{"role":"user","content":"Count to five."}]}`
		bare, through := see(t, live, body), see(t, url, body)
		// Ids, times and speeds differ from one answer to the next.
		bare.Body, through.Body = shape(bare.Body), shape(through.Body)
		if d := cmp.Diff(bare, through); d != "" {
			t.Errorf("stream %v:\n%s", stream, d)
		}
	}
}

// shape takes digits and ids out of a body.
func shape(s string) string {
	var b strings.Builder
	for i, part := range strings.Split(s, `"id":"`) {
		if i > 0 {
			_, rest, _ := strings.Cut(part, `"`)
			part = `"id":"…"` + rest
		}
		b.WriteString(part)
	}
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r == '.' || r == '-' {
			return -1
		}
		return r
	}, b.String())
}
