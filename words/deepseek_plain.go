package words

// deepseekPlain is a type run into a name and JSON in a code block: what is left of a
// call where a server takes the markers out.
func deepseekPlain() Form {
	m := &headMarks{
		call: []string{"function"}, weak: true,
		name: func(head []headPart) (name, id string) { return head[0].text, "" },
	}
	return headForm{"deepseek-plain", []Opener{{Text: m.call[0], Where: AnswerEnd}}, m}
}
