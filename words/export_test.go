package words

import (
	"slices"
	"strings"

	"github.com/ferrule/ferrule/chat"
)

// PinnedReader reads as a plan's Reader does.
func PinnedReader(syntax string, f Frame, known func(string) bool, quoted func(chat.Written) bool) *Reader {
	if known == nil {
		known = func(string) bool { return false }
	}
	return newReader(reading(asking{syntax: syntax}), f, known, quoted)
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

// Untokened is a text without the tokens of channels.
func Untokened(text string) string {
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
	for before := ""; before != text; {
		before = text
		for _, token := range all {
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
