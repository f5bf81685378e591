package words

import (
	"bytes"

	"github.com/ferrule/ferrule/chat"
)

// react is a line with a tool's name and a line with its input, as ReAct
// prompts ask for them. What the tool returns stands behind a third word; where
// a model goes on to write that itself, all behind it is invented.
type react struct{}

var (
	reactNames  = []string{"Action:", "**Action:**"}
	reactInputs = []string{"Action Input:", "**Action Input:**"}
	reactGiven  = []string{"Observation:", "**Observation:**"}
)

func (react) Name() string { return "react" }

func (react) Openers() (os []Opener) {
	for _, word := range reactNames {
		os = append(os, Opener{Text: word, Where: AnswerEnd})
	}
	return os
}

func (react) Body(o Opener) Body {
	return &reactBody{buf: []byte(o.Text), pos: len(o.Text), safe: len(o.Text), step: (*reactBody).name}
}

type reactBody struct {
	buf   []byte
	safe  int // the opener's bytes
	pos   int
	end   int // where the call ends
	step  func(t *reactBody) outcome
	call  chat.Written
	scan  jsonScan
	from  int    // where the input begins
	quote string // what stands around the input: backticks
	whole bool
	given bool // the model went on with a result of its own
}

func (t *reactBody) Feed(b []byte) (int, State) {
	if t.given {
		return len(b), More
	}
	before := len(t.buf)
	t.buf = append(t.buf, b...)
	for !t.given {
		switch t.step(t) {
		case wait:
			return len(b), More
		case over:
			return t.end - before, Done
		case refuse:
			return t.safe - before, NotACall
		}
	}
	return len(b), More
}

// line is the rest of the line at t.pos, once its end is there.
func (t *reactBody) line() (line []byte, o outcome) {
	rest := t.buf[t.pos:]
	i := bytes.IndexByte(rest[:min(len(rest), maxHead)], '\n')
	switch {
	case i >= 0:
		t.pos += i + 1
		return bytes.TrimSpace(rest[:i]), goOn
	case len(rest) >= maxHead:
		return nil, refuse
	}
	return nil, wait
}

func (t *reactBody) name() outcome {
	line, o := t.line()
	if o != goOn {
		return o
	}
	t.call.Name = string(bytes.Trim(line, "`* "))
	if !wordLike(t.call.Name) {
		return refuse
	}
	t.step = (*reactBody).label
	return goOn
}

// solid is what stands at t.pos, behind blank space.
func (t *reactBody) solid() []byte {
	rest := skipBlank(t.buf[t.pos:])
	t.pos = len(t.buf) - len(rest)
	return rest
}

// word takes one of the words at t.pos, blank space before it aside.
func (t *reactBody) word(words []string) fit {
	rest := t.solid()
	found := not
	if len(rest) == 0 {
		return partly
	}
	for _, w := range words {
		switch fits(rest, w, false) {
		case wholly:
			t.pos += len(w)
			return wholly
		case partly:
			found = partly
		}
	}
	return found
}

func (t *reactBody) label() outcome {
	switch t.word(reactInputs) {
	case partly:
		return wait
	case not:
		return refuse
	}
	t.end, t.whole = t.pos, true // an input may be empty
	t.step = (*reactBody).input
	return goOn
}

// input is in front of the input: JSON, with or without backticks around it, or text.
func (t *reactBody) input() outcome {
	rest := t.solid()
	ticks := 0
	for ticks < len(rest) && rest[ticks] == '`' {
		ticks++
	}
	if ticks == len(rest) {
		return wait
	}
	switch t.word(reactGiven) {
	case wholly:
		t.given = true
		return goOn
	case partly:
		return wait
	}
	t.whole = false
	t.pos += ticks
	t.quote = string(rest[:ticks])
	if t.step = (*reactBody).text; ticks >= 3 {
		t.step = (*reactBody).info
	} else if c := rest[ticks]; c == '{' || c == '[' {
		t.step = (*reactBody).value
	}
	t.from = t.pos
	return goOn
}

// info is in the line that opens a code block around the input.
func (t *reactBody) info() outcome {
	if _, o := t.line(); o != goOn {
		return o
	}
	t.step = (*reactBody).blank
	return goOn
}

// blank is in front of the input in a code block.
func (t *reactBody) blank() outcome {
	rest := t.solid()
	switch {
	case len(rest) == 0:
		return wait
	case rest[0] != '{' && rest[0] != '[':
		return refuse
	}
	t.from, t.step = t.pos, (*reactBody).value
	return goOn
}

func (t *reactBody) value() outcome {
	n, done := t.scan.feed(t.buf[t.pos:], false)
	if t.pos += n; !done {
		return wait
	}
	t.take(t.pos)
	if t.step = (*reactBody).behind; t.quote != "" {
		t.call.Repairs = []string{"fence"}
		t.step = (*reactBody).unquote
	}
	return goOn
}

// text is in an input that isn't JSON: it ends with its line.
func (t *reactBody) text() outcome {
	i := bytes.IndexByte(t.buf[t.pos:], '\n')
	if i < 0 {
		t.pos = len(t.buf)
		return wait
	}
	t.take(t.pos + i)
	t.step = (*reactBody).behind
	return goOn
}

// take takes the input up to the given byte.
func (t *reactBody) take(end int) {
	t.call.JSON = bytes.Clone(bytes.Trim(t.buf[t.from:end], "` \r"))
	t.pos, t.end, t.whole = end, end, true
}

// unquote takes the backticks behind the input.
func (t *reactBody) unquote() outcome {
	switch t.word([]string{t.quote}) {
	case partly:
		return wait
	case wholly:
		t.end = t.pos
	}
	t.step = (*reactBody).behind
	return goOn
}

// behind is behind the call: a result of the model's own may follow.
func (t *reactBody) behind() outcome {
	switch t.word(reactGiven) {
	case partly:
		return wait
	case wholly:
		t.given = true
		return goOn
	}
	return over
}

func (t *reactBody) End(cut bool) []chat.Written {
	if !t.whole && t.from > 0 && t.quote == "" && !cut && len(t.scanned()) > 0 {
		t.take(len(t.buf)) // text to the answer's end
	}
	if !t.whole || cut && !t.given {
		return nil
	}
	return []chat.Written{t.call}
}

// scanned is an input that isn't JSON, as far as it came.
func (t *reactBody) scanned() []byte {
	if rest := bytes.TrimSpace(t.buf[t.from:]); len(rest) > 0 && rest[0] != '{' && rest[0] != '[' {
		return rest
	}
	return nil
}

func (t *reactBody) Where() Where { return AnswerEnd }

var (
	_ Form   = react{}
	_ Placed = (*reactBody)(nil)
)
