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

func (glimmer) Channels() []channel {
	to := func(thought bool, name string) channel {
		header := glimmerTo + name + glimmerMessage
		return channel{
			thought: thought,
			openers: []string{header, glimmerStart + " " + header},
			closers: []string{glimmerEnd, glimmerTurn},
			borders: []string{glimmerStart},
		}
	}
	return []channel{to(true, "self"), to(false, "user")}
}

func (glimmer) Body(o Opener) Body {
	t := &glimmerBody{buf: []byte(o.Text), safe: len(o.Text)}
	t.step = (*glimmerBody).header
	return t
}

// glimmerBody reads a header, then calls, then the end of their message.
type glimmerBody struct {
	buf   []byte
	safe  int // bytes before it hold nothing that could be a call
	pos   int
	end   int
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
	t.step = (*glimmerBody).content
	return goOn
}

// content is behind a header: only calls belong to the block.
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

// behind takes the end of the message.
func (t *glimmerBody) behind() outcome {
	for _, part := range []string{glimmerEnd, glimmerTurn} {
		switch fits(t.buf[t.end:], part, false) {
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

var (
	_ Form       = glimmer{}
	_ Channelled = glimmer{}
)
