package turn_test

import (
	"strings"
	"testing"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/turn"
)

// TestTruncated: a server that fills its window and drops the rest without a
// word is noticed (F188, F189, F197), and one that counts as it should isn't.
func TestTruncated(t *testing.T) {
	words := func(n int) string { return strings.Repeat("word ", n) }
	for _, c := range []struct {
		name          string
		sent          int // words of the prompt
		input, output int
		window        int // to be set; 0: nothing is noticed
	}{
		{"F188: 2051 of 15,750 read", 19100, 2051, 40, 32768},
		{"F189: the window is full with the answer", 9000, 193, 3903, 16384},
		{"F197: a window of 2,048", 4000, 2048, 12, 8192},
		{"all was read", 2040, 2051, 40, 0},
		{"little less than sent", 2700, 2048, 40, 0},
		{"no window is full", 15700, 3000, 40, 0},
		{"a small prompt", 100, 2048, 40, 0},
		{"nothing was counted", 15700, 0, 0, 0},
	} {
		for _, p := range []profile.Profile{{Tools: profile.Native}, {Tools: profile.Emulated, Syntax: "hermes"}} {
			t.Run(c.name+"/"+string(p.Tools), func(t *testing.T) {
				q := request(words(c.sent))
				_, rep := run(t, new(turn.Runner), p, &upstream{t: t, script: []say{{text: "Hi.", finish: chat.FinishStop, usage: c.output, input: c.input}}}, q)
				got := 0
				if rep.Truncated.Counted > 0 {
					got = rep.Truncated.Window()
				}
				if got != c.window {
					t.Errorf("%+v: window %d, want %d", rep.Truncated, got, c.window)
				}
			})
		}
	}
}
