package turn

import (
	_ "embed"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/profile"
)

// Some endpoints put a prompt of their own in front of ours, and their model
// then refuses to play: it takes the contract for somebody else's instructions.
// Such an answer is asked for once more, in plainer words. It is known by how it
// begins, and only where it is short, holds no call, and either the endpoint
// drops system prompts or a call was due.

// maxDecline is how long an answer may be that refuses to play, in characters.
// As many wait, and only while they begin like one.
const maxDecline = 400

//go:embed plainer.md
var plainerText string

// likeness says how a text fits a beginning.
type likeness uint8

const (
	unlike likeness = iota
	partly          // as far as it goes
	wholly
)

// declines tells how an answer's text fits the beginnings of one that refuses
// to play. final says that no more of it will come.
func declines(text string, final bool) likeness {
	text = strings.NewReplacer("’", "'", "‘", "'").Replace(strings.ToLower(text))
	ended := final || strings.TrimRightFunc(text, unicode.IsSpace) != text
	text = strings.TrimLeft(strings.Join(strings.Fields(text), " "), "*_>#\"“ ")
	if ended {
		text += " "
	}
	best := unlike
	for _, b := range beginnings {
		best = max(best, b.fit(text))
	}
	return best
}

// place is one in a beginning, and the words that may stand there.
type place struct {
	words []string
	least int // how often one must stand there
	most  int
}

type beginning []place

// fit compares a text with a beginning, word for word.
func (b beginning) fit(text string) likeness {
	if len(b) == 0 {
		if c, _ := utf8.DecodeRuneInString(text); unicode.IsLetter(c) {
			return unlike
		}
		if text == "" {
			return partly // the word may go on
		}
		return wholly
	}
	best, s := unlike, b[0]
	if s.least == 0 {
		best = b[1:].fit(text)
	}
	if s.most == 0 {
		return best
	}
	again := append(beginning{{s.words, max(s.least-1, 0), s.most - 1}}, b[1:]...)
	for _, w := range s.words {
		if rest, ok := strings.CutPrefix(text, w); ok {
			best = max(best, again.fit(rest))
		} else if strings.HasPrefix(w, text) {
			best = max(best, partly)
		}
	}
	return best
}

// watches reports whether an answer's beginning is worth a look.
func (w *inWords) watches() bool {
	p := w.x.t.Profile
	return w.retries == 0 && !p.Wrapper && len(w.plan.Tools()) > 0 &&
		(w.p.System == profile.Dropped || w.x.q.Choice.Forced())
}

// watch holds words while they begin like a refusal to play.
func (w *inWords) watch(es []chat.Event) error {
	for _, e := range es {
		if e.Kind == chat.EventText || len(w.kept) > 0 {
			w.kept = append(w.kept, e)
		} else if err := w.say([]chat.Event{e}); err != nil {
			return err
		}
	}
	text := textOf(w.kept)
	if w.watching = utf8.RuneCountInString(text) <= maxDecline && declines(text, false) != unlike; w.watching {
		return nil
	}
	return w.release()
}

// declined reports whether the whole answer refuses to play.
func (w *inWords) declined() bool {
	return w.watching && len(w.written) == 0 && !w.quoted && declines(textOf(w.kept), true) == wholly
}

// plainer asks once more. The refusal isn't shown again: models imitate.
func (w *inWords) plainer() {
	w.declining = w.kept
	w.retries++
	w.x.report.Retries++
	w.begin(w.plan.Correct(nil, strings.TrimSpace(plainerText)))
}

// asDeclined ends the turn with the answer that refused to play, where nothing
// came of asking again.
func (w *inWords) asDeclined() error {
	if err := w.say(w.declining); err != nil {
		return err
	}
	return w.close(nil, chat.FinishStop)
}
