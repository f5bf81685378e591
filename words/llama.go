package words

// llama is JSON behind a control token: Llama 3.1 and later. The token often
// comes spelled without its bars. Without any token it is bare JSON.
func llama() Form {
	return markedJSON{name: "llama", marks: jsonMarks{
		openers: []string{"<|python_tag|>", "<python_tag>"},
		loose:   true,
	}}
}
