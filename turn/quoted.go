package turn

import (
	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/words"
)

// showing is what the model was shown.
func (x *run) showing() *words.Shown {
	if x.shown == nil {
		x.shown = words.NewShown(x.q)
	}
	return x.shown
}

// quotes reports whether a block only repeats what the model was shown, and
// notes it. It is asked before anything is mended (security.md Q2).
func (x *run) quotes(w chat.Written) bool {
	if !x.showing().Quoted(w) {
		return false
	}
	x.repeats = &w
	x.report.Quoted++
	x.report.Calls = append(x.report.Calls, Outcome{Name: w.Name, How: Quoted})
	return true
}
