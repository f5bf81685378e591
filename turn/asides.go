package turn

import (
	"strings"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/words"
)

// An answer may end with a call that only repeats what the model was shown. If
// that stands nowhere but in what the user or the operator wrote, or in a
// tool's description, the call may well be meant: the model is asked once, and
// says so with the live key (security.md Q4).

// quotedWord is what the model answers if it only meant to show the call.
const quotedWord = "QUOTED"

// setAside takes an item of the answer if it is a quoted block that may be
// asked about, or blank space behind one. All else lets out what was set aside.
func (w *inWords) setAside(i words.Item, out func(string)) bool {
	text := string(i.Text)
	switch {
	case w.retries > 0:
		return false // it waits for what the model says of it
	case i.Kind == words.ItemText && i.Quoted && w.mayAsk():
	case i.Kind == words.ItemText && w.aside != "" && strings.TrimSpace(text) == "":
	default:
		if w.aside != "" {
			out(w.aside)
			w.aside = ""
		}
		return false
	}
	w.aside += text
	return true
}

// mayAsk reports whether the block that was found to be quoted is worth asking about.
func (w *inWords) mayAsk() bool {
	return !w.x.t.Profile.Wrapper && w.x.repeats != nil && !w.x.showing().Brought().Quoted(*w.x.repeats)
}

// onlyQuoted reports whether the model says that the call was only shown, or
// only shows it again.
func (w *inWords) onlyQuoted(es []chat.Event) bool {
	text := textOf(es)
	return strings.EqualFold(strings.Trim(text, " \t\r\n.!\"'`*"), quotedWord) || strings.TrimSpace(text) == strings.TrimSpace(w.aside)
}
