package words

// nemotron is a list of JSON calls in a tag in capitals: Nemotron Nano 2.
func nemotron() Form {
	return markedResults{markedJSON{
		name:       "nemotron",
		marks:      jsonMarks{openers: []string{"<TOOLCALL>"}, closers: []string{"</TOOLCALL>"}, named: true},
		resultOpen: "<TOOL_RESPONSE>", resultClose: "</TOOL_RESPONSE>",
	}}
}
