package words

import (
	"bytes"
	"slices"
)

const maxInfo = 64 // bytes of a fence's line

// turnEnds are the tokens with which chat templates end a turn. Behind a call
// they say nothing; elsewhere they are text.
var turnEnds = []string{
	"<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|end|>", "<|endoftext|>", "<|end_of_text|>", "</s>", "<end_of_turn>",
	"<｜end▁of▁sentence｜>", "<|end▁of▁sentence|>", "[e~[", "<|return|>", "<|eot|>", "<|observation|>", "<|user|>",
	"<|assistant_end|>", "<|close|>message<|sep|>", "<|end_of_msg|>", "<|END_OF_TURN_TOKEN|>", "[END FINAL RESPONSE]",
}

// executed is how the prompts of OpenHands begin a result. It has no closer.
const executed = "EXECUTION RESULT of ["

// codeFence is the code block of Markdown that the answer is in.
type codeFence struct {
	open, pure  bool // pure: nothing but calls stands in it so far
	calls       bool // its line says that it holds calls
	char        byte
	length      int
	start, body int // its line, and what stands behind that; while pure
	blocks      int
}

// resultBlock is a result as the prompt shows it. It ends with the first until
// behind its closer; without a closer it has no end.
type resultBlock struct{ opener, closer, until string }

// prose looks for what may open something. It returns false if it needs more
// bytes to know.
func (r *Reader) prose(final bool) bool {
	start := r.at
	for r.at < len(r.buf) {
		mask := heatLine
		if r.headOfLine {
			mask = heatHead
		} else {
			if r.at += cold(r.buf[r.at:], &r.hot); r.at == len(r.buf) {
				break
			}
		}
		c := r.buf[r.at]
		if r.heatHere(c)&mask == 0 {
			r.solid()
			continue
		}
		if goOn, wait := r.look(c, final); wait {
			r.work += r.at - start + 1
			return false
		} else if !goOn {
			break
		}
	}
	r.work += r.at - start
	return true
}

// heatHere says where the byte at r.at needs a look, by what follows it.
func (r *Reader) heatHere(c byte) heat {
	pairs := r.pairs[c]
	if pairs == nil || r.at+1 == len(r.buf) {
		return r.hot[c]
	}
	return pairs[r.buf[r.at+1]]
}

// cold is how many bytes at the start of b need no look within a line.
func cold(b []byte, hot *[256]heat) int {
	i := 0
	for ; i+4 <= len(b); i += 4 {
		if (hot[b[i]]|hot[b[i+1]]|hot[b[i+2]]|hot[b[i+3]])&heatLine != 0 {
			break
		}
	}
	for i < len(b) && hot[b[i]]&heatLine == 0 {
		i++
	}
	return i
}

// look handles a byte that needs it. goOn is false if another step takes over.
func (r *Reader) look(c byte, final bool) (goOn, wait bool) {
	switch {
	case c == '\n':
		if r.headOfLine {
			r.ticks = 0 // inline code ends with its paragraph
		}
		r.headOfLine = true
		r.at++
		return true, false
	case blank(c):
		r.at++
		return true, false
	case c == '`' || c == '~':
		if r.behind && r.headOfLine {
			if taken, more := r.lookHead(final); taken || more {
				return false, more
			}
		}
		return true, !r.fenceOrTicks(c, final)
	}
	if r.tag != nil {
		if taken, wait := r.lookThought(final); taken || wait {
			return false, wait
		}
	}
	if taken, wait := r.lookToken(c, final); taken || wait {
		return false, wait
	}
	if r.headOfLine {
		taken, more := r.lookHead(final)
		if taken || more {
			return false, more
		}
	}
	candidates, more := r.match(final)
	if r.tag != nil && r.thinking == ThinkingNever {
		candidates, more = nil, false
	}
	switch {
	case more:
		return false, true
	case len(candidates) > 0:
		r.begin(candidates)
		return false, false
	}
	r.solid()
	return true, false
}

// lookHead looks for thinking at the answer's head and for an invented result
// behind a call.
func (r *Reader) lookHead(final bool) (taken, more bool) {
	rest := r.buf[r.at:]
	if r.headOfAnswer && !r.every && (r.tag == nil || r.tag == &unsaid) {
		for i := range r.tags {
			switch t := &r.tags[i]; fits(rest, t.opener, final) {
			case wholly:
				r.think(t)
				return true, false
			case partly:
				more = true
			}
		}
	}
	if !r.every && r.behind {
		for _, b := range r.results {
			switch fits(rest, b.opener, final) {
			case wholly:
				r.segments = append(r.segments, segment{kind: invented, start: r.at})
				r.step = func(r *Reader, final bool) bool { return r.inResult(b, final) }
				return true, false
			case partly:
				more = true
			}
		}
	}
	return false, more
}

// match finds the openers that stand at r.at and count there. more is true
// while one of them may still come.
func (r *Reader) match(final bool) (found []opening, more bool) {
	rest := r.buf[r.at:]
	for _, o := range r.byFirst[rest[0]] {
		switch o.opener.Where {
		case LineStart, AnswerEnd:
			if !r.headOfLine {
				continue
			}
		case AnswerStart:
			if !r.headOfAnswer {
				continue
			}
		case CallFence:
			if !r.headOfLine || !r.fence.open || !r.fence.pure || !r.fence.calls {
				continue
			}
		}
		fit := fits(rest, o.opener.Text, final)
		if p, ok := o.form.(Peeking); ok && fit == wholly {
			var name []byte
			if name, fit = p.Peek(rest, final); name != nil && !r.known(string(name)) {
				fit = not
			}
		}
		switch fit {
		case wholly:
			found = append(found, o)
		case partly:
			more = true
		}
	}
	return found, more
}

type fit uint8

const (
	not fit = iota
	partly
	wholly
)

// fits tells whether b begins with the words. Short of more bytes it may be partly so.
func fits(b []byte, words string, final bool) fit {
	switch {
	case len(b) >= len(words):
		if string(b[:len(words)]) == words {
			return wholly
		}
	case !final && string(b) == words[:len(b)]:
		return partly
	}
	return not
}

// solid takes one byte of ordinary text. Text behind blocks that count only at
// an answer's end makes text of them too.
func (r *Reader) solid() {
	if len(r.segments) > 0 {
		r.settle(false)
	}
	r.headOfLine, r.headOfAnswer, r.behind = false, false, false
	r.fence.pure = false
	r.at++
}

// walk passes over text in which nothing can open.
func (r *Reader) walk(end int) {
	for ; r.at < end; r.at++ {
		switch c := r.buf[r.at]; {
		case c == '\n':
			if r.headOfLine {
				r.ticks = 0
			}
			r.headOfLine = true
		case !blank(c):
			r.headOfLine = false
		}
	}
}

// fenceOrTicks takes a run of backticks or tildes: the line of a fence, or one
// end of inline code. It returns false if it needs more bytes.
func (r *Reader) fenceOrTicks(c byte, final bool) bool {
	rest := r.buf[r.at:]
	n := 0
	for n < len(rest) && rest[n] == c {
		n++
	}
	if n == len(rest) && !final && n < maxInfo {
		return false
	}
	if r.headOfLine && n >= 3 && !r.every {
		line, whole := cutLine(rest)
		if !whole && !final && len(line) < maxInfo {
			return false
		}
		if (whole || final) && r.fenceLine(c, n, line) {
			return true
		}
	}
	r.solid()
	r.at += n - 1
	switch {
	case c != '`':
	case r.ticks == 0:
		r.ticks = n
	case r.ticks == n:
		r.ticks = 0
	}
	return true
}

// cutLine returns the first line with its end, and whether it has one.
func cutLine(b []byte) (line []byte, whole bool) {
	if i := bytes.IndexByte(b, '\n'); i >= 0 {
		return b[:i+1], true
	}
	return b, false
}

// fenceLine opens or closes a code block. n is the length of the run that the
// line begins with.
func (r *Reader) fenceLine(c byte, n int, line []byte) bool {
	f := &r.fence
	info := bytes.TrimSpace(line[n:])
	switch {
	case !f.open:
		if bytes.IndexByte(info, c) >= 0 {
			return false
		}
		*f = codeFence{open: true, pure: true, char: c, length: n, start: r.at, body: r.at + len(line)}
		f.calls = slices.Contains(r.infos, string(info))
	case c == f.char && n >= f.length && len(info) == 0:
		f.open = false
		switch {
		case f.pure && f.blocks > 0:
			r.segments = append(r.segments, segment{kind: fenceEnd, start: r.at, end: r.at + len(bytes.TrimRight(line, "\r\n"))})
		case f.pure || len(r.segments) == 0:
			r.solid()
			r.at--
		}
		f.pure = false
	default:
		return false
	}
	r.at += len(line)
	r.headOfLine, r.headOfAnswer, r.ticks = true, false, 0
	return true
}
