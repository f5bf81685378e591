package words

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"github.com/ferrule/ferrule/chat"
)

// segment is a part of the held bytes that isn't plain text.
type segment struct {
	kind       segmentKind
	start, end int
	calls      []chat.Written // of a block
	raw        []byte
	strong     bool // it counts wherever it stands
	call       bool // decided: it isn't text
	quoted     bool
	cue        cue  // what the words before the block say
	within     bool // it doesn't begin its line
	thought    bool // thinking follows
}

type segmentKind uint8

const (
	blockOfCalls segmentKind = iota
	fenceBegin               // the line before the block that follows
	fenceEnd                 // the line behind the block before
	invented                 // a result behind the block before
	thinkEnd                 // the tag behind which thinking is over
	tokenHere                // the token of a channel
	looseToken               // one that counts only at the answer's end
)

// keep notes the block that was just read. It becomes calls at once if nothing
// that follows can change that.
func (r *Reader) keep() {
	o := &r.open
	if r.fence.open && r.fence.pure {
		if r.fence.blocks == 0 {
			r.segments = append(r.segments, segment{kind: fenceBegin, start: r.fence.start, end: r.fence.body})
		}
		r.fence.blocks++
	}
	r.giveBackThought()
	raw := bytes.Clone(r.buf[o.start:o.end])
	for i := range o.calls {
		if len(o.calls) == 1 || o.calls[i].Raw == nil {
			o.calls[i].Raw = raw
		}
	}
	s := segment{start: o.start, end: o.end, raw: raw, calls: o.calls, strong: o.strong}
	if !slices.ContainsFunc(o.calls, isLive) {
		s.cue, s.within = r.cueBefore(), o.within && !r.every
	}
	r.segments = append(r.segments, s)
	r.headOfLine, r.headOfAnswer, r.behind, r.step = true, false, true, (*Reader).prose
	over := r.thinkingEnds()
	if len(r.segments) == 1 && o.strong && s.cue == noCue && !s.within {
		r.settle(false)
	}
	if r.open = (block{}); over {
		r.endThinking(r.at, r.at)
	}
}

// settle decides what the held segments are and lets them out up to the last
// of them. atEnd says that they end the answer.
func (r *Reader) settle(atEnd bool) {
	r.decide(atEnd)
	pos := r.from
	for i := range r.segments {
		s := &r.segments[i]
		switch {
		case s.call:
			r.layout(r.buf[pos:s.start])
			for j := range s.calls {
				w := s.calls[j]
				w.Index = r.index
				r.index++
				r.out(Item{Kind: ItemCall, Call: &w})
			}
			pos, r.after, r.spoke, r.tail = s.end, true, true, r.tail[:0]
		case s.kind == thinkEnd:
			if !r.after || len(bytes.TrimSpace(r.buf[pos:s.start])) > 0 {
				r.text(r.buf[pos:s.start], false)
			}
			// Blank space behind it is layout.
			pos, r.musing, r.after, r.spoke = s.end, false, true, false
		case s.kind == tokenHere, s.kind == looseToken && atEnd:
			r.passToken(r.buf[pos:s.start], s.thought)
			pos = s.end
		case s.quoted:
			r.text(r.buf[pos:s.start], false)
			r.text(r.buf[s.start:s.end], true)
			pos, r.after = s.end, false
			r.behind = i < len(r.segments)-1 && r.behind
		default:
			// It stays where it is, as text among text.
			r.after = false
		}
	}
	r.from, r.seen = pos, pos
	r.segments = r.segments[:0]
}

// decide tells calls from text. What belongs to a block goes as the block goes.
func (r *Reader) decide(atEnd bool) {
	// Behind what has gone out as a call, a result is invented.
	last := r.after
	for i := range r.segments {
		s := &r.segments[i]
		switch s.kind {
		case blockOfCalls:
			if s.call = (s.strong || atEnd) && !r.example(s); s.call && r.isQuoted(s) {
				s.call, s.quoted = false, true
			}
			last = s.call
		case fenceEnd, invented:
			s.call = last
		}
	}
	for i := len(r.segments) - 2; i >= 0; i-- {
		if r.segments[i].kind == fenceBegin {
			r.segments[i].call = r.segments[i+1].call
		}
	}
}

func isLive(w chat.Written) bool { return w.Live }

// isQuoted asks about each call as it was written, and about the block as a
// whole, since a call may be too short to tell by itself. A live call is meant,
// whatever it repeats.
func (r *Reader) isQuoted(s *segment) bool {
	if r.quoted == nil {
		return false
	}
	live := false
	for _, w := range s.calls {
		live = live || w.Live
		if !w.Live && r.quoted(w) {
			return true
		}
	}
	return !live && len(s.calls) > 1 && r.quoted(chat.Written{Name: s.calls[0].Name, Syntax: s.calls[0].Syntax, Raw: s.raw})
}

// layout lets out the text before a call. Line breaks before a call belong to
// it, and so does all blank space between two calls.
func (r *Reader) layout(b []byte) {
	words := bytes.TrimRight(b, " \n\r\t")
	switch {
	case len(words) == 0 && (r.after || !r.spoke):
	case bytes.IndexByte(b[len(words):], '\n') >= 0:
		r.text(words, false)
	default:
		r.text(b, false)
	}
}

func (r *Reader) text(b []byte, quoted bool) {
	if len(b) > 0 {
		kind := ItemText
		if r.spoke = true; r.musing {
			kind = ItemReasoning
		} else {
			r.remember(b)
		}
		r.out(Item{Kind: kind, Text: b, Quoted: quoted})
	}
}

// release lets out what can be nothing but text.
func (r *Reader) release(final bool) {
	if len(r.segments) > 0 {
		return
	}
	hold := min(r.at, len(r.buf))
	switch {
	case final:
		hold = len(r.buf)
		if r.after && len(bytes.TrimRight(r.buf[r.from:], " \n\r\t")) == 0 {
			r.from = hold
			return
		}
	case r.open.busy():
		hold = r.open.start
	}
	if !final {
		if r.fence.open && r.fence.pure {
			hold = min(hold, r.fence.start)
		}
		r.seen, hold = hold, r.trim(hold)
		if n := brokenRune(r.buf[r.from:hold]); n > 0 {
			hold -= n
			r.seen = hold
		}
	}
	if hold > r.from {
		r.text(r.buf[r.from:hold], false)
		r.from, r.after = hold, false
	}
}

// trim takes blank space off the end of buf[from:end] without looking again at
// what is known to be blank.
func (r *Reader) trim(end int) int {
	low := max(r.seen, r.from)
	for end > low && blank(r.buf[end-1]) {
		end--
	}
	if end <= low {
		return r.from
	}
	return end
}

// brokenRune is how many bytes at the end of b begin a rune that isn't whole.
func brokenRune(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if c := b[len(b)-n]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(b[len(b)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}

// inResult passes over a result that the model wrote itself.
func (r *Reader) inResult(b resultBlock, final bool) bool {
	s := &r.segments[len(r.segments)-1]
	end := bytes.Index(r.buf[r.at:], []byte(b.closer))
	if b.closer == "" { // nothing ends it but the answer
		r.at, s.end, end = len(r.buf), len(r.buf), -1
	}
	if end >= 0 {
		end += len(b.closer)
		rest := r.buf[r.at+end:]
		i := bytes.Index(rest[:min(len(rest), maxInfo)], []byte(b.until))
		if i >= 0 || len(rest) >= maxInfo {
			s.end = r.at + end + max(0, i+len(b.until))
			r.at, r.step, r.headOfLine = s.end, (*Reader).prose, true
			if len(r.segments) == 1 {
				r.settle(false)
			}
			return true
		}
	}
	if final {
		s.end, r.at = len(r.buf), len(r.buf)
		return true
	}
	if end < 0 && b.closer != "" {
		r.at = max(r.at, len(r.buf)-len(b.closer)+1)
	}
	return false
}

// compact forgets the bytes that went out.
func (r *Reader) compact() {
	switch n := r.from; {
	case n == 0:
		return
	case n == len(r.buf):
		r.buf = r.buf[:0]
	case n < len(r.buf)/2:
		return
	default:
		r.buf = append(r.buf[:0], r.buf[n:]...)
	}
	n := r.from
	r.from = 0
	r.at = max(0, r.at-n)
	r.seen = max(0, r.seen-n)
	r.fence.start -= n
	r.fence.body -= n
	o := &r.open
	o.start, o.fed, o.looked, o.end = o.start-n, o.fed-n, o.looked-n, o.end-n
	for i := range r.segments {
		r.segments[i].start -= n
		r.segments[i].end -= n
	}
}
