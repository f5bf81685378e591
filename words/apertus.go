package words

// apertus is a list of objects whose only key is the tool's name: Apertus.
func apertus() Form {
	return markedJSON{name: "apertus", marks: jsonMarks{
		openers: []string{"<|tools_prefix|>"},
		closers: []string{"<|tools_suffix|>"},
		loose:   true, keyed: true,
	}}
}
