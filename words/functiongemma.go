package words

// functionGemma is what FunctionGemma writes.
type functionGemma struct{}

const functionGemmaOpen = "<start_function_call>"

func (functionGemma) Name() string { return "functiongemma" }

func (functionGemma) Openers() []Opener {
	return []Opener{{Text: functionGemmaOpen, Where: Anywhere}}
}

func (functionGemma) Body(Opener) Body {
	return newGemma(gemmaTags{open: functionGemmaOpen, close: "<end_function_call>", quotes: []string{"<escape>"}})
}

func (functionGemma) ResultBlock() (opener, closer string) {
	return "<start_function_response>", "<end_function_response>"
}

var (
	_ Form    = functionGemma{}
	_ Results = functionGemma{}
)
