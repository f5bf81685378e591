package words

// cohere is a list of JSON calls between two tokens: Command R7B, Command A.
func cohere() Form {
	m := &headMarks{
		section: []string{"<|START_ACTION|>"},
		end:     []string{"<|END_ACTION|>"},
		name:    firstPart,
	}
	form := headResults{headForm{"cohere", anywhere(m.section), m}, "<|START_TOOL_RESULT|>", "<|END_TOOL_RESULT|>"}
	return channelForm{form, []channel{{
		openers: []string{"<|START_RESPONSE|>", "<|START_TEXT|>"},
		closers: []string{"<|END_RESPONSE|>", "<|END_TEXT|>", "<|END_OF_TURN_TOKEN|>"},
	}}}
}
