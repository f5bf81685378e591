package words

import "bytes"

// channel is a stretch of an answer that a family of models sets apart with
// control tokens: words, or thinking. The tokens themselves are said to nobody.
type channel struct {
	openers []string // they count at the head of a message
	closers []string
	borders []string // they end it too, and belong to what follows
	thought bool
	late    bool // its openers also end thinking
}

// Channelled is a Form of models that set parts of their answers apart.
type Channelled interface{ Channels() []channel }

// channelForm is one of them.
type channelForm struct {
	Form
	list []channel
}

func (f channelForm) Channels() []channel { return f.list }

func (f channelForm) ResultBlock() (opener, closer string) {
	if rs, ok := f.Form.(Results); ok {
		return rs.ResultBlock()
	}
	return "", ""
}

func (s written) Channels() []channel {
	if c, ok := s.Form.(Channelled); ok {
		return c.Channels()
	}
	return nil
}

// token is one of a channel's, whose thinking goes by the tag.
type token struct {
	text string
	kind tokenKind
	of   *thinkTag
	late bool
	// alone says that it closes what the prompt may have opened: where it ends
	// the answer of a model of its family it is none of the words.
	alone bool
}

type tokenKind uint8

const (
	tokenOpens tokenKind = iota
	tokenMuses           // it opens thinking
	tokenShuts
	tokenBorders
)

// channelsOf notes what a form's channels begin and end with.
func (x *openers) channelsOf(f Form, asked bool) {
	c, ok := f.(Channelled)
	if !ok {
		return
	}
	for _, c := range c.Channels() {
		of, kind := &thinkTag{}, tokenOpens
		if c.thought {
			kind = tokenMuses
		}
		x.token(token{kind: kind, of: of, late: c.late}, c.openers)
		x.token(token{kind: tokenShuts, of: of, alone: asked}, c.closers)
		x.token(token{kind: tokenBorders, of: of}, c.borders)
	}
}

func (x *openers) token(t token, texts []string) {
	for _, text := range texts {
		t.text = text
		x.tokens[text[0]] = append(x.tokens[text[0]], t)
		if t.kind >= tokenShuts || t.late {
			x.warm(text, heatHead|heatLine)
		} else {
			x.warm(text, heatHead)
		}
	}
}

// lookToken looks for a token of a channel.
func (r *Reader) lookToken(c byte, final bool) (taken, more bool) {
	if r.tokens[c] == nil || r.leak || r.every {
		return false, false
	}
	rest := r.buf[r.at:]
	tokens := r.tokens[c]
	for i := range tokens {
		t := &tokens[i]
		if len(rest) > 1 && len(t.text) > 1 && rest[1] != t.text[1] || !r.minds(t) {
			continue // most end here
		}
		switch fits(rest, t.text, final) {
		case wholly:
			r.pass(t)
			return true, false
		case partly:
			more = true
		}
	}
	return false, more
}

// minds reports whether a token counts at r.at.
func (r *Reader) minds(t *token) bool {
	switch {
	case r.channel != nil && (r.tag == nil || r.tag == r.channel):
		return t.of == r.channel && t.kind >= tokenShuts
	case t.kind == tokenBorders:
		return false
	case t.kind == tokenShuts:
		return (t.alone || t.of == r.left) && r.tag == nil && r.ticks == 0 && !r.fence.open && !r.behind
	}
	return r.tag == nil && r.headOfLine && (r.headOfAnswer || r.behind) || t.late && r.tag != nil
}

// pass takes a token of a channel.
func (r *Reader) pass(t *token) {
	end := r.at + len(t.text)
	switch {
	case t.kind < tokenShuts:
		if r.tag != nil {
			r.endThinking(r.at, r.at)
		}
		if r.channel = t.of; t.kind == tokenMuses {
			r.tag = t.of
		}
		r.setApart(segment{kind: tokenHere, start: r.at, end: end, thought: t.kind == tokenMuses})
		r.behind = false
	case r.channel == nil:
		r.segments = append(r.segments, segment{kind: looseToken, start: r.at, end: end})
		r.at, r.headOfLine = end, true
	default:
		if t.kind == tokenBorders {
			end = r.at
		}
		thought := r.tag == r.channel
		if r.left, r.channel = r.channel, nil; thought {
			r.endThinking(r.at, end)
			return
		}
		r.setApart(segment{kind: tokenHere, start: r.at, end: end})
	}
}

// setApart notes a token behind which another part of the answer begins. What
// is in front of it goes out at once, unless a block there waits for what follows.
func (r *Reader) setApart(s segment) {
	r.fence, r.ticks = codeFence{}, 0
	r.segments = append(r.segments, s)
	r.at = s.end
	r.headOfLine, r.headOfAnswer = true, true
	if len(r.segments) == 1 {
		r.settle(false)
	}
}

// lateOpeners are those that end thinking.
func (x *openers) lateOpeners() (texts []string) {
	for _, tokens := range x.tokens {
		for _, t := range tokens {
			if t.late {
				texts = append(texts, t.text)
			}
		}
	}
	return texts
}

// passToken lets out what stands before a token; blank space behind another one
// is layout.
func (r *Reader) passToken(before []byte, thought bool) {
	if len(bytes.TrimSpace(before)) == 0 && (r.after || !r.spoke) {
		before = nil
	}
	r.text(before, false)
	r.musing, r.after, r.spoke = thought, true, false
}
