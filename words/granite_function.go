package words

// graniteFunction is a JSON call behind a tag that nothing has to close:
// Granite 20B for function calling.
func graniteFunction() Form {
	return markedJSON{name: "function-call", marks: jsonMarks{
		openers: []string{"<function_call>"},
		inside:  []string{"</function_call>"},
		loose:   true,
	}}
}
