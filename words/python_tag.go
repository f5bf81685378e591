package words

// pythonTag is the call of a built-in tool behind a control token,
// name.call(key=literal): Llama 3.1 and later. What else may stand behind the
// token is program code or JSON.
type pythonTag struct{}

const (
	pythonTagOpen  = "<|python_tag|>"
	pythonTagClose = "<|eom_id|>"
)

func (pythonTag) Name() string { return "python-tag" }

func (pythonTag) Openers() []Opener { return []Opener{{pythonTagOpen, Anywhere}} }

func (pythonTag) Body(Opener) Body {
	return newPython(pythonFrame{opener: pythonTagOpen, closer: pythonTagClose, suffix: ".call"})
}

var _ Form = pythonTag{}
