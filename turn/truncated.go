package turn

import (
	"slices"

	"github.com/ferrule/ferrule/chat"
)

// What a prompt that a server cut looks like in its count.
const (
	cutFrom  = 3 << 9 // tokens that a prompt has at least that can have been cut: the least window in use is 2,048
	nearFull = 16     // tokens by which a full window may be missed
)

// windows are the context windows that servers take where nobody set one.
var windows = []int{2048, 4096, 8192, 16384, 32768}

// noteTruncated notes that the server read far less of the prompt than was
// sent, and filled one of the windows that are taken where nobody set one: it
// cut the prompt from the front without a word, the tools first.
func (x *run) noteTruncated(q *chat.Request, a answer) {
	u := a.usage
	if !u.Known || u.Input <= 0 || x.report.Truncated.Counted > 0 {
		return
	}
	full := func(w int) bool { return near(u.Input, w) || near(u.Input+u.Output, w) }
	if !slices.ContainsFunc(windows, full) {
		return // the size is asked for seldom
	}
	size := BudgetOf(q, x.t.Profile, x.t.Model).Whole()
	if size >= cutFrom && size*2 >= u.Input*3 { // half as much again is no error of an estimate
		x.report.Truncated = Prompt{Estimated: size, Counted: u.Input}
	}
}

func near(n, window int) bool { return n <= window+nearFull && n >= window-nearFull }

// Window is the least context window that a prompt and an answer of 2,048 tokens
// have room in: a power of two.
func (p Prompt) Window() int {
	w := 4096
	for w < p.Estimated+2048 {
		w *= 2
	}
	return w
}
