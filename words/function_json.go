package words

// functionJSON is <function=name> around a JSON object: Llama 3.1's custom
// tools and Functionary 3.1.
type functionJSON struct{}

func (functionJSON) Name() string { return "function-json" }

func (functionJSON) Openers() []Opener { return []Opener{{Text: "<function=", Where: Anywhere}} }

func (functionJSON) Body(o Opener) Body {
	return newTaggedText(tagWords{call: "function", object: objectOnly}, o.Text)
}

var _ Form = functionJSON{}
