package words

// toolCalls is JSON calls between a pair of tags, as a list or one on each
// line: Jamba, Hunyuan A13B, MiniMax M1, Apriel. Some write a tag around each
// call within. Apriel marks where its thinking ends and its words begin.
func toolCalls() Form {
	form := markedJSON{name: "tool-calls", marks: jsonMarks{
		openers: []string{"<tool_calls>"},
		closers: []string{"</tool_calls>"},
		inside:  []string{"<tool_call>", "</tool_call>"},
		named:   true,
	}}
	return channelForm{form, []channel{{
		openers: []string{"[BEGIN FINAL RESPONSE]"},
		closers: []string{"[END FINAL RESPONSE]"},
		late:    true,
	}}}
}
