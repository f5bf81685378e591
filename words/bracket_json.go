package words

import (
	"bytes"
	"slices"

	"github.com/ferrule/ferrule/chat"
)

// bracketJSON is [name({…})]: calls in brackets whose arguments are JSON, as
// Qwen models write them with no other mark. It counts only where it ends the
// answer.
type bracketJSON struct{}

func (bracketJSON) Name() string { return "bracket" }

func (bracketJSON) Openers() []Opener { return []Opener{{Text: "[", Where: AnswerEnd}} }

func (bracketJSON) Body(Opener) Body { return &bracketBody{} }

// maxBracketName bounds the name of a call in brackets, in bytes.
const maxBracketName = 128

type bracketBody struct {
	state bracketState
	name  []byte
	value []byte
	scan  jsonScan
	calls []chat.Written
	done  bool
}

type bracketState uint8

const (
	bracketName   bracketState = iota // before or in a name
	bracketOpen                       // behind the round bracket
	bracketValue                      // in the arguments
	bracketClose                      // behind them
	bracketBehind                     // behind a call
)

func (t *bracketBody) Feed(b []byte) (int, State) {
	for i := 0; i < len(b); {
		if t.state != bracketValue {
			i++
			if s := t.step(b[i-1]); s != More {
				return i, s
			}
			continue
		}
		n, done := t.scan.feed(b[i:], false)
		t.value = append(t.value, b[i:i+n]...)
		if i += n; done {
			t.state = bracketClose
		}
	}
	return len(b), More
}

func (t *bracketBody) step(c byte) State {
	switch {
	case blank(c):
		if t.state == bracketName && len(t.name) > 0 {
			return NotACall
		}
	case t.state == bracketName && nameByte(c) && len(t.name) < maxBracketName:
		t.name = append(t.name, c)
	case t.state == bracketName && c == '(' && len(t.name) > 0:
		t.state = bracketOpen
	case t.state == bracketOpen && c == '{':
		t.value, t.scan, t.state = []byte{c}, scanBehind("{"), bracketValue
	case t.state == bracketClose && c == ')':
		t.calls = append(t.calls, chat.Written{
			Name: string(t.name), JSON: bytes.Clone(t.value), Raw: slices.Concat(t.name, []byte("("), t.value, []byte(")")),
		})
		t.name, t.state = nil, bracketBehind
	case t.state == bracketBehind && c == ',':
		t.state = bracketName
	case t.state == bracketBehind && c == ']':
		t.done = true
		return Done
	default:
		return NotACall
	}
	return More
}

func (t *bracketBody) End(bool) []chat.Written {
	if !t.done {
		return nil
	}
	for i := range t.calls {
		t.calls[i].Repairs = []string{"bare"}
	}
	return t.calls
}

var _ Form = bracketJSON{}
