package words

// functools is a list of JSON calls behind a word: Phi-4-mini, FireFunction 2.
type functools struct{}

func (functools) Name() string { return "functools" }

// The list's bracket is part of the opener, since the word alone is often met.
func (functools) Openers() []Opener {
	return []Opener{{Text: "functools[", Where: LineStart}, {Text: "functools [", Where: LineStart}}
}

func (functools) Body(Opener) Body {
	t := newMarkedJSON(jsonMarks{loose: true})
	t.Feed([]byte("["))
	return t
}

var _ Form = functools{}
