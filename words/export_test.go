package words

import (
	"slices"
	"strings"
	"sync"

	"github.com/ferrule/ferrule/chat"
)

// PinnedReader reads as a plan's Reader does.
func PinnedReader(syntax string, f Frame, known func(string) bool, quoted func(chat.Written) bool) *Reader {
	if known == nil {
		known = func(string) bool { return false }
	}
	return newReader(reading(asking{syntax: syntax}), f, known, quoted)
}

// made keeps what the readers of each name look for.
var made sync.Map

// NamedReader is NewReader with the forms of a name, for tests that make many.
func NamedReader(name string, f Frame, known func(string) bool, quoted func(chat.Written) bool) (*Reader, bool) {
	forms, ok := Forms(name)
	if !ok {
		return nil, false
	}
	o, ok := made.Load(name)
	if !ok {
		o, _ = made.LoadOrStore(name, newOpeners(forms, len(forms)))
	}
	if known == nil {
		known = func(string) bool { return false }
	}
	return newReader(o.(*openers), f, known, quoted), true
}

// Work is how many bytes the Reader looked at.
func (r *Reader) Work() int { return r.work }

// Untagged is a text without the tags of thinking at its head.
func Untagged(text string) (bare string, thinks bool) {
	for i := 0; i < len(thinkTags); i++ {
		t := thinkTags[i]
		if rest, ok := strings.CutPrefix(strings.TrimLeft(text, " \n\r\t"), t.opener); ok {
			thought, rest, _ := strings.Cut(rest, t.closer)
			text, _ = Untagged(rest)
			return thought + text, true
		}
	}
	return text, false
}

// Unclosed is a text without the closers of thinking. One that a call took for
// a part of itself stays where it is, if that is no call after all.
func Unclosed(text string) string {
	for _, t := range thinkTags {
		text = strings.ReplaceAll(text, t.closer, "")
	}
	return text
}

// dropped lists the tokens of channels, the longest first.
var dropped = sync.OnceValue(func() []string {
	forms, _ := Forms("auto")
	for i := range forms {
		forms[i] = prompted(forms[i])
	}
	var all []string
	for _, tokens := range newOpeners(forms, len(forms)).tokens {
		for _, t := range tokens {
			if t.kind != tokenBorders {
				all = append(all, t.text)
			}
		}
	}
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) })
	return all
})

// Untokened is a text without the tokens of channels.
func Untokened(text string) string {
	for before := ""; before != text; {
		before = text
		for _, token := range dropped() {
			text = strings.ReplaceAll(text, token, "")
		}
	}
	return text
}

// LiveKey is the key that the plan's prompt gives; "" where it gives none.
func (p *Plan) LiveKey() string {
	if p.live == "" {
		return ""
	}
	return p.frame(p.number).liveKey()
}

// ShowNow writes a call as an answer to the last Request has to.
func (p *Plan) ShowNow(c chat.Call) string {
	f := p.frame(p.number)
	if p.live != "" {
		c = withLive(c, p.live, f.liveKey())
	}
	return string(p.syntax.WriteCalls(nil, []chat.Call{c}, f))
}
