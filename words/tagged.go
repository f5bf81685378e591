package words

import "github.com/ferrule/ferrule/chat"

// tagged is a form that has a call as one JSON object, name and arguments,
// between two tags.
type tagged struct {
	name                    string
	open, close             string // of a call
	resultOpen, resultClose string
}

func (s tagged) Name() string { return s.name }

func (s tagged) Openers() []Opener { return []Opener{{Text: s.open, Where: Anywhere}} }

func (s tagged) Body(Opener) Body {
	return newMarkedJSON(jsonMarks{openers: []string{s.open}, closers: []string{s.close}, named: true})
}

func (s tagged) ResultBlock() (opener, closer string) { return s.resultOpen, s.resultClose }

// written makes a syntax of it.
func (s tagged) written() Syntax {
	return written{
		Form:  s,
		how:   "write its name and its arguments as JSON between " + s.open + " and " + s.close,
		calls: s.calls,
	}
}

func (s tagged) calls(b []byte, cs []chat.Call, _ Frame) []byte {
	for i, c := range cs {
		if i > 0 {
			b = append(b, '\n')
		}
		b = append(append(b, s.open...), '\n')
		b = append(appendCall(b, c, argKeys[0]), '\n')
		b = append(b, s.close...)
	}
	return b
}

var (
	_ Form    = tagged{}
	_ Results = tagged{}
)
