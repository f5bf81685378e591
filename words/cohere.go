package words

// cohere is a list of JSON calls between two tokens: Command R7B, Command A.
func cohere() Form {
	m := &headMarks{
		section: []string{"<|START_ACTION|>"},
		end:     []string{"<|END_ACTION|>"},
		name:    firstPart,
	}
	return headResults{headForm{"cohere", anywhere(m.section), m}, "<|START_TOOL_RESULT|>", "<|END_TOOL_RESULT|>"}
}
