package words

// gigachat is one JSON call behind a token, or behind the head of a message.
func gigachat() Form {
	m := &headMarks{
		call: []string{
			"<|function_call|>", "<|message_sep|>\n\nfunction call<|role_sep|>", "<|message_sep|>function call<|role_sep|>",
		},
		trail: []string{"<|message_sep|>", "</s>"},
		right: 3,
		name:  firstPart,
	}
	return headForm{"gigachat", anywhere(m.call), m}
}
