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
	{"<longcat_think>", "</longcat_think>"},
	{"[THINK]", "[/THINK]"},
	{"<|START_THINKING|>", "<|END_THINKING|>"},
	{"<|channel>thought", "<channel|>"},
	{"<|open|>think<|sep|>", "<|close|>think<|sep|>"},
}

// unsaid is thinking that the prompt's template opened: any tag's closer ends it.
var unsaid thinkTag

// Thinks says how the model thinks, before anything is read; opened: the answer
// begins in it.
func (r *Reader) Thinks(t Thinking, opened bool) {
	if r.thinking, r.tag, r.musing = t, nil, opened; opened {
		r.tag = &unsaid
	}
}

// think begins thinking at the head of the answer. Where calls came by other
// means, all of it is text.
func (r *Reader) think(t *thinkTag) {
	r.tag = t
	if r.leak {
		r.headOfLine = false
		r.solid()
		r.walk(r.at + len(t.opener) - 1)
		return
	}
	r.setApart(segment{kind: tokenHere, start: r.at, end: r.at + len(t.opener), thought: true})
}

// lookThought looks for the end of the thinking. Until then a block counts as
// the family has it.
func (r *Reader) lookThought(final bool) (taken, more bool) {
	rest := r.buf[r.at:]
	for i := range r.tags {
		t := &r.tags[i]
		if r.tag != &unsaid && r.tag != t {
			continue
		}
		switch fits(rest, t.closer, final) {
		case wholly:
			if r.leak {
				r.tag = nil
				return false, false
			}
			r.endThinking(r.at, r.at+len(t.closer))
			return true, false
		case partly:
			more = true
		}
	}
	return false, more
}

// maxOutOf is in how many blocks the end of thinking is looked for: what stands
// behind it there is read once more.
const maxOutOf = 8

// thoughtEnd finds the end of thinking in a block that was none: a string that
// nothing closed may have swallowed it. Without one it is end.
func (r *Reader) thoughtEnd(start, end int) int {
	if r.tag == nil || r.leak || r.outOf == maxOutOf || start >= end {
		return end
	}
	swallowed, found := r.buf[start:end], end
	look := func(closer string) {
		if i := bytes.Index(swallowed, []byte(closer)); i >= 0 {
			found = min(found, start+i)
		}
	}
	for i := range r.tags {
		if t := &r.tags[i]; r.tag == &unsaid || r.tag == t {
			look(t.closer)
		}
	}
	for _, tokens := range r.tokens {
		for _, t := range tokens {
			if r.tag == r.channel && t.of == r.channel && t.kind == tokenShuts {
				look(t.text)
			}
		}
	}
	if found < end {
		r.outOf++
	}
	return found
}

// endThinking notes where thinking ended. It is let out at once, unless a block
// in it still waits for what follows.
func (r *Reader) endThinking(start, end int) {
	if r.channel == r.tag {
		r.channel = nil
	}
	r.tag, r.fence, r.ticks = nil, codeFence{}, 0
	r.segments = append(r.segments, segment{kind: thinkEnd, start: start, end: end})
	r.at = end
	r.headOfLine, r.headOfAnswer = true, true
	if len(r.segments) == 1 {
		r.settle(false)
	}
}

// thinkingEnds reports whether a block that was just read ends the thinking
// that it stands in: because its family has it so, or because the closer of the
// thinking was taken for the block's own.
func (r *Reader) thinkingEnds() bool {
	if r.tag == nil {
		return false
	}
	o := &r.open
	if o.strong && r.thinking == ThinkingEnds {
		return true
	}
	for i := range r.tags {
		t := &r.tags[i]
		if (r.tag == &unsaid || r.tag == t) && bytes.Contains(r.buf[o.start:o.end], []byte(t.closer)) {
			return true
		}
	}
	return false
}

// giveBackThought takes the closer of the thinking off the end of a block that
// took it for its own.
func (r *Reader) giveBackThought() {
	o := &r.open
	for i := range r.tags {
		t := &r.tags[i]
		if r.tag == nil || r.tag != &unsaid && r.tag != t {
			continue
		}
		if rest, ok := bytes.CutSuffix(r.buf[o.start:o.end], []byte(t.closer)); ok && len(rest) > 0 {
			o.end = o.start + len(rest)
			r.at = o.end
			return
		}
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
	for _, t := range r.tags {
		if bytes.HasPrefix(head, []byte(t.opener)) {
			return r.pre, true
		}
	}
	if !final {
		return nil, false
	}
	end, behind := len(r.pre), 0
	for _, t := range r.tags {
		if i := bytes.Index(r.pre, []byte(t.closer)); i >= 0 && i < end && !bytes.Contains(r.pre[:i], []byte(t.opener)) && !inCode(r.pre[:i]) {
			end, behind = i, i+len(t.closer)
		}
	}
	for _, opener := range r.lateOpeners() {
		if i := bytes.Index(r.pre, []byte(opener)); i >= 0 && i < end {
			end, behind = i, i
		}
	}
	if end == len(r.pre) || r.calls(r.pre[:end]) {
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
