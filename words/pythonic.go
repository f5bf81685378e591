package words

import "github.com/ferrule/ferrule/chat"

// pythonic is a list of calls the way Python has them, and nothing else: Llama
// 3.2 and 4 (which may put tags around it), ToolACE, xLAM and prompted Gemma 3.
type pythonic struct{}

const (
	pythonicOpen  = "<|python_start|>"
	pythonicClose = "<|python_end|>"
)

func (pythonic) Name() string { return "pythonic" }

// Openers holds every letter that a name begins with, for an answer that is
// nothing but calls without their brackets.
func (pythonic) Openers() []Opener {
	return append(nameStarts(), Opener{pythonicOpen, Anywhere}, Opener{"[", LineStart})
}

func (pythonic) Body(o Opener) Body {
	if o.Text == pythonicOpen {
		return newPython(pythonFrame{opener: pythonicOpen, closer: pythonicClose, json: true})
	}
	return newBarePython(o.Text)
}

func (pythonic) Wordless() bool { return true }

func (f pythonic) written() Syntax {
	return written{
		Form:    f,
		how:     "end your answer with a Python call in square brackets, with named arguments that are literals",
		several: "write them in the one list, with commas between them",
		bare:    true,
		calls: func(b []byte, cs []chat.Call, _ Frame) []byte {
			b = append(b, '[')
			for i, c := range cs {
				if i > 0 {
					b = append(b, ", "...)
				}
				b = appendPython(b, c)
			}
			return append(b, ']')
		},
	}
}

var (
	_ Form     = pythonic{}
	_ Wordless = pythonic{}
)
