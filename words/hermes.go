package words

// hermes is JSON between <tool_call> and </tool_call>: Hermes 2 and 3, Qwen 2.5
// and 3, Granite 4, SmolLM3 and most community fine-tunes are trained on it.
func hermes() Syntax {
	return tagged{
		name: "hermes",
		open: "<tool_call>", close: "</tool_call>",
		resultOpen: "<tool_response>", resultClose: "</tool_response>",
	}.written()
}
