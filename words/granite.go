package words

// granite is a list of JSON calls behind a control token that nothing has to
// close: Granite 3, Phi-4-mini.
func granite() Form {
	return markedJSON{name: "granite", marks: jsonMarks{
		openers: []string{"<|tool_call|>"},
		inside:  []string{"<|/tool_call|>"},
		loose:   true,
	}}
}
