package words

// internlm is a JSON call between two pairs of control tokens: InternLM 2.5,
// Intern S1.
func internlm() Form {
	return markedJSON{name: "internlm", marks: jsonMarks{
		openers: []string{
			"<|action_start|><|plugin|>", "<|action_start|> <|plugin|>", "<|action_start|>\n<|plugin|>",
		},
		closers: []string{"<|action_end|>"},
		loose:   true,
	}}
}
