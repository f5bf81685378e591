package words

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
	const letters = "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	os := []Opener{{pythonicOpen, Anywhere}, {"[", LineStart}}
	for i := range len(letters) {
		os = append(os, Opener{letters[i : i+1], AnswerStart})
	}
	return os
}

func (pythonic) Body(o Opener) Body {
	if o.Text == pythonicOpen {
		return newPython(pythonFrame{opener: pythonicOpen, closer: pythonicClose, json: true})
	}
	return newBarePython(o.Text)
}

var _ Form = pythonic{}
