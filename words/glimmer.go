package words

import (
	"bytes"

	"github.com/ferrule/ferrule/chat"
)

// glimmer is <atem:invoke name="…"> in a message whose header names the
// recipient. Messages to itself are its thinking.
type glimmer struct{}

const (
	glimmerStart   = "<|start|>assistant"
	glimmerMessage = "<|message|>"
	glimmerTo      = "to="
	glimmerEnd     = "<|eom|>"
	glimmerTurn    = "<|eot|>"
	glimmerFrame   = "<atem:function_calls>"
)

// What is held of thinking before a call.
const (
	maxTold = 8        // messages
	maxSelf = 64 << 10 // bytes of one
)

func (glimmer) Name() string { return "glimmer" }

func (glimmer) Openers() []Opener {
	return []Opener{
		{Text: glimmerTo, Where: AnswerStart},
		{Text: glimmerMessage, Where: AnswerStart},
		{Text: glimmerStart + " " + glimmerTo, Where: Anywhere},
		{Text: glimmerFrame, Where: Anywhere},
		{Text: "<atem:invoke name=", Where: Anywhere},
	}
}

func (glimmer) Body(o Opener) Body {
	t := &glimmerBody{buf: []byte(o.Text), safe: len(o.Text)}
	t.step = (*glimmerBody).header
	return t
}

// glimmerBody reads headers and thinking, then calls, then the end of their message.
type glimmerBody struct {
	buf   []byte
	safe  int // bytes before it hold nothing that could be a call
	pos   int
	end   int
	self  int // where the message to itself begins
	told  int // such messages
	step  func(t *glimmerBody) outcome
	calls *taggedText
}

func (t *glimmerBody) Feed(b []byte) (int, State) {
	before := len(t.buf)
	t.buf = append(t.buf, b...)
	for {
		switch t.step(t) {
		case wait:
			return len(b), More
		case over:
			return t.end - before, Done
		case refuse:
			return t.safe - before, NotACall
		}
	}
}

// header reads <|start|>assistant to=NAME<|message|>, of which the beginning
// may be missing.
func (t *glimmerBody) header() outcome {
	rest := skipBlank(t.buf[t.pos:])
	if len(rest) == 0 {
		return wait
	}
	t.pos = len(t.buf) - len(rest)
	for _, part := range []string{glimmerFrame, "<atem:invoke"} {
		switch fits(rest, part, false) {
		case wholly:
			t.step = (*glimmerBody).inCalls
			return goOn
		case partly:
			return wait
		}
	}
	i := bytes.Index(rest[:min(len(rest), maxTag)], []byte(glimmerMessage))
	if i < 0 {
		if len(rest) >= maxTag || bytes.IndexByte(rest, '\n') >= 0 {
			return refuse
		}
		return wait
	}
	head := bytes.TrimSpace(bytes.TrimPrefix(rest[:i], []byte(glimmerStart)))
	to, ok := bytes.CutPrefix(head, []byte(glimmerTo))
	if len(head) > 0 && (!ok || bytes.ContainsAny(to, " <")) {
		return refuse
	}
	t.pos += i + len(glimmerMessage)
	if string(to) == "self" && t.told < maxTold {
		t.self = t.pos
		t.told++
		t.step = (*glimmerBody).thinking
		return goOn
	}
	t.step = (*glimmerBody).content
	return goOn
}

// content is behind a header that isn't of thinking: only calls belong to the block.
func (t *glimmerBody) content() outcome {
	rest := skipBlank(t.buf[t.pos:])
	switch fits(rest, "<atem:", false) {
	case wholly:
		t.step = (*glimmerBody).header
		return goOn
	case partly:
		return wait
	}
	return refuse
}

// thinking passes over a message to itself.
func (t *glimmerBody) thinking() outcome {
	i := bytes.Index(t.buf[t.pos:], []byte("<|"))
	at := t.pos + i
	if i < 0 {
		at = max(t.pos, len(t.buf)-1)
	}
	if t.pos = at; at-t.self > maxSelf {
		return refuse
	}
	if i < 0 {
		return wait
	}
	rest := t.buf[t.pos:]
	for _, part := range []string{glimmerEnd, glimmerStart} {
		switch fits(rest, part, false) {
		case partly:
			return wait
		case wholly:
			if part == glimmerEnd {
				t.pos += len(part)
			}
			t.safe = max(t.safe, t.pos)
			t.step = (*glimmerBody).header
			return goOn
		}
	}
	t.pos++
	return goOn
}

func (t *glimmerBody) inCalls() outcome {
	if t.calls == nil {
		t.calls = newTaggedText(tagWords{spaces: []string{"atem:"}, call: "invoke", inline: true, params: []string{"parameter"}}, "")
	}
	b := t.buf[t.pos:]
	n, s := t.calls.Feed(b)
	switch s {
	case More:
		t.pos = len(t.buf)
		return wait
	case NotACall:
		return refuse
	}
	t.pos += n
	t.end = t.pos
	t.step = (*glimmerBody).behind
	return goOn
}

// behind takes the end of the message, and the header of a message to the user
// that follows.
func (t *glimmerBody) behind() outcome {
	rest := t.buf[t.end:]
	for _, part := range []string{glimmerEnd, glimmerTurn, glimmerStart + " to=user" + glimmerMessage, glimmerStart + glimmerMessage} {
		switch fits(rest, part, false) {
		case wholly:
			t.end += len(part)
			return goOn
		case partly:
			return wait
		}
	}
	return over
}

func (t *glimmerBody) End(cut bool) []chat.Written {
	if t.calls == nil {
		return nil
	}
	return t.calls.End(cut)
}

var _ Form = glimmer{}
