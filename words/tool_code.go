package words

import (
	"bytes"
	"slices"

	"github.com/ferrule/ferrule/chat"
)

// toolCode is Python statements that do nothing but call tools, in a fence that
// says so or behind a word of that name: prompted Gemma. A result may be kept
// in a variable and printed. What a tool returns is only known later, so
// nothing else can stand there.
type toolCode struct{}

const (
	toolCodeWord = "tool_code"
	maxKept      = 64 // variables
)

func (toolCode) Name() string { return "tool-code" }

func (toolCode) Openers() []Opener {
	os := []Opener{{Text: toolCodeWord, Where: AnswerEnd}, {Text: "#", Where: CallFence}}
	for _, o := range nameStarts() {
		os = append(os, Opener{Text: o.Text, Where: CallFence})
	}
	return os
}

func (toolCode) CodeFence() string { return toolCodeWord }

func (toolCode) ResultBlock() (opener, closer string) { return "```tool_output", "\n```" }

func (toolCode) Body(o Opener) Body {
	t := &toolCodeBody{}
	t.Feed([]byte(o.Text))
	t.lead = len(o.Text)
	return t
}

// toolCodeBody reads the statements one by one.
type toolCodeBody struct {
	state toolCodeState
	lead  int // the opener's bytes
	pos   int // bytes had
	end   int // where the last whole statement ends
	word  []byte
	space bool // blank space behind the word
	kept  []string
	print bool // within print(…)
	call  pyCall
	raw   []byte // of the call
	calls []chat.Written
}

type toolCodeState uint8

const (
	codeStart   toolCodeState = iota // a statement may begin
	codeWord                         // in its first word
	codeValue                        // behind = or print(
	codeName                         // in the word there
	codeCall                         // in a call
	codePrinted                      // behind what is printed
	codeEnd                          // behind a statement
	codeComment
)

func (t *toolCodeBody) Feed(b []byte) (int, State) {
	before := t.pos
	for i := range b {
		switch t.step(b[i]) {
		case Done:
			return t.end - before, Done
		case NotACall:
			if t.call.opened { // nothing is looked at over and over
				return t.pos - before, NotACall
			}
			return t.lead - before, NotACall
		}
		t.pos++
		if t.state == codeCall {
			t.raw = append(t.raw, b[i])
		}
		if t.state == codeEnd && b[i] == ')' || t.state == codeComment {
			t.end = t.pos
		}
	}
	return len(b), More
}

func (t *toolCodeBody) step(c byte) State {
	switch t.state {
	case codeStart:
		return t.start(c)
	case codeWord, codeName:
		return t.inWord(c)
	case codeValue:
		switch {
		case c == ' ':
		case pyToolStart(c):
			t.word, t.space, t.state = []byte{c}, false, codeName
		default:
			return NotACall
		}
	case codeCall:
		return t.inCall(c)
	case codePrinted:
		switch {
		case c == ')':
			t.print, t.state = false, codeEnd
		case !blank(c):
			return NotACall
		}
	case codeEnd:
		switch {
		case c == '\n' || c == ';':
			t.state = codeStart
		case c == '#':
			t.state = codeComment
		case !blank(c):
			return t.over()
		}
	case codeComment:
		if c == '\n' {
			t.state = codeStart
		}
	}
	return More
}

// over ends the block behind its last statement, if there is one.
func (t *toolCodeBody) over() State {
	if len(t.calls) == 0 {
		return NotACall
	}
	return Done
}

func (t *toolCodeBody) start(c byte) State {
	switch {
	case blank(c) || c == ';':
	case c == '#':
		t.state = codeComment
	case pyToolStart(c):
		t.word, t.space, t.state = []byte{c}, false, codeWord
	default:
		return t.over()
	}
	return More
}

// inWord takes a byte of a word that is a variable, print, or a tool's name.
func (t *toolCodeBody) inWord(c byte) State {
	first := t.state == codeWord
	switch {
	case c == '(' && string(t.word) == "print" && !t.print && first:
		t.print, t.state = true, codeValue
	case c == '(' && !t.space:
		return t.begin()
	case c == ')' && t.print && slices.Contains(t.kept, string(t.word)):
		t.print, t.state = false, codeEnd
	case c == '=' && first && len(t.kept) < maxKept:
		t.kept, t.state = append(t.kept, string(t.word)), codeValue
	case c == '\n' && first && len(t.calls) == 0 && string(t.word) == toolCodeWord && len(t.kept) == 0:
		t.state = codeStart // it says what follows
	case c == ' ':
		t.space = true
	case t.space || !pyNameByte(c) || len(t.word) == pyMaxName:
		return t.over()
	default:
		t.word = append(t.word, c)
	}
	return More
}

// begin opens the call that the word names.
func (t *toolCodeBody) begin() State {
	t.call = pyCall{strict: true}
	for _, c := range append(t.word, '(') {
		if t.call.feed(c) == pyBad {
			return NotACall
		}
	}
	t.raw, t.state = bytes.Clone(t.word), codeCall
	return More
}

func (t *toolCodeBody) inCall(c byte) State {
	switch t.call.feed(c) {
	case pyBad:
		return NotACall
	case pyDone:
		w := t.call.written()
		w.Raw = append(t.raw, c)
		t.calls = append(t.calls, w)
		if t.state = codeEnd; t.print {
			t.state = codePrinted
		}
	}
	return More
}

// Spare is what stands behind the last whole statement.
func (t *toolCodeBody) Spare() int { return t.pos - t.end }

func (t *toolCodeBody) End(cut bool) []chat.Written {
	if t.state == codeCall || t.state == codePrinted || t.state == codeValue || cut && t.state != codeEnd {
		return nil
	}
	for i := range t.calls {
		t.calls[i].Repairs = append(t.calls[i].Repairs, "bare")
	}
	return t.calls
}

func (t *toolCodeBody) Where() Where { return AnswerEnd }

var (
	_ Form       = toolCode{}
	_ CodeFenced = toolCode{}
	_ Results    = toolCode{}
	_ Placed     = (*toolCodeBody)(nil)
	_ Sparing    = (*toolCodeBody)(nil)
)
