package words

// deepseekPlain is a type run into a name and JSON in a code block: what is left of a
// call where a server takes the markers out. The models that write it are those
// that have a frame around all results of a round.
func deepseekPlain() Form {
	m := &headMarks{
		call: []string{"function"}, weak: true,
		name: func(head []headPart) (name, id string) { return head[0].text, "" },
	}
	f := headForm{"deepseek-plain", []Opener{{Text: m.call[0], Where: AnswerEnd}}, m}
	return headResults{f, "<｜tool▁outputs▁begin｜>", "<｜tool▁outputs▁end｜>"}
}
