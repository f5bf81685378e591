package words

import (
	"bytes"

	"github.com/ferrule/ferrule/chat"
)

// thinkTag is how a family of models sets its thinking apart.
type thinkTag struct{ opener, closer string }

var thinkTags = []thinkTag{
	{"<think>", "</think>"},
	{"<seed:think>", "</seed:think>"},
	{"<mm:think>", "</mm:think>"},
	{"[THINK]", "[/THINK]"},
	{"<|START_THINKING|>", "<|END_THINKING|>"},
	{"<|channel>thought", "<channel|>"},
}

// think begins thinking at the head of the answer.
func (r *Reader) think(t thinkTag) {
	r.headOfLine, r.spoke = false, true
	if !r.leak {
		// What stood before it is blank.
		r.at += len(t.opener)
		r.from, r.seen = r.at, r.at
	}
	r.step = func(r *Reader, final bool) bool { return r.thinking(t, final) }
}

// thinking passes over thinking; nothing opens in it.
func (r *Reader) thinking(t thinkTag, final bool) bool {
	i := bytes.Index(r.buf[r.at:], []byte(t.closer))
	end := r.at + i
	switch {
	case i >= 0:
	case final:
		end = len(r.buf)
	default:
		end = len(r.buf) - overlap(r.buf[r.at:], t.closer)
	}
	r.at = end
	if !r.leak {
		r.reason(end, i >= 0 || final)
	}
	if i < 0 {
		return false
	}
	r.at += len(t.closer)
	if !r.leak {
		r.from, r.seen = r.at, r.at
		r.after, r.spoke = true, false // blank space behind it is layout
	}
	r.headOfLine, r.step = true, (*Reader).prose
	return true
}

// reason lets thinking out up to end, or to the last whole rune before it.
func (r *Reader) reason(end int, whole bool) {
	if !whole {
		end -= brokenRune(r.buf[r.from:end])
	}
	if end > r.from {
		r.out(Item{Kind: ItemReasoning, Text: r.buf[r.from:end]})
		r.from, r.seen, r.after = end, end, false
	}
}

// MayThink withholds the answer until it is known whether it began with
// thinking whose opener stood in the prompt: until a closer comes in front of
// any call, or the answer ends. It is for answers that are read whole.
func (r *Reader) MayThink() { r.maybe = true }

// unopened looks for the end of thinking that the prompt opened. It returns
// what the Reader is to read, once that is known.
func (r *Reader) unopened(b []byte, final bool) (rest []byte, known bool) {
	r.pre = append(r.pre, b...)
	head := bytes.TrimLeft(r.pre, " \n\r\t")
	for _, t := range thinkTags {
		if bytes.HasPrefix(head, []byte(t.opener)) {
			return r.pre, true
		}
	}
	if !final {
		return nil, false
	}
	end, behind := len(r.pre), 0
	for _, t := range thinkTags {
		if i := bytes.Index(r.pre, []byte(t.closer)); i >= 0 && i < end {
			end, behind = i, i+len(t.closer)
		}
	}
	if behind == 0 || r.calls(r.pre[:end]) {
		return r.pre, true
	}
	if end > 0 {
		r.out(Item{Kind: ItemReasoning, Text: r.pre[:end]})
	}
	return bytes.TrimLeft(r.pre[behind:], " \n\r\t"), true
}

// calls reports whether a text holds a call.
func (r *Reader) calls(text []byte) (found bool) {
	second := *r
	second.maybe, second.pre, second.buf = false, nil, nil
	take := func(i Item) { found = found || i.Kind == ItemCall }
	second.quoted = nil
	second.Write(text, take)
	second.Close(chat.FinishStop, take)
	return found
}
