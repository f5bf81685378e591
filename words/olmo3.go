package words

// olmo3 is calls the way Python has them, one a line between two tags: Olmo 3.
// The same tags hold calls in tags elsewhere; those are none here.
type olmo3 struct{}

const (
	olmo3Open  = "<function_calls>"
	olmo3Close = "</function_calls>"
)

func (olmo3) Name() string { return "olmo3" }

func (olmo3) Openers() []Opener { return []Opener{{olmo3Open, Anywhere}} }

func (olmo3) Body(Opener) Body {
	return newPython(pythonFrame{opener: olmo3Open, closer: olmo3Close, json: true})
}

var _ Form = olmo3{}
