package words

// qwenCoder is <function=name> with a <parameter=name> for each argument, in a
// <tool_call> frame that is often left out, in part or wholly: Qwen3-Coder,
// Qwen 3.5, Nemotron 3, Step 3.5, MiMo V2 and agents after OpenHands.
type qwenCoder struct{}

func (qwenCoder) Name() string { return "qwen-coder" }

func (qwenCoder) Openers() []Opener {
	return []Opener{
		{Text: "<tool_call>", Where: Anywhere},
		{Text: "</tool_call>", Where: Anywhere}, // where a frame lost its opener, or got two closers
		{Text: "<function=", Where: Anywhere},
	}
}

func (qwenCoder) Body(o Opener) Body {
	return newTaggedText(tagWords{call: "function", params: []string{"parameter", "param"}, object: objectFramed}, o.Text)
}

func (qwenCoder) ResultBlock() (opener, closer string) { return "<tool_response>", "</tool_response>" }

func (f qwenCoder) written() Syntax {
	return written{
		Form: f,
		how:  "write its name and each of its arguments between tags, strings as they are and other values as JSON",
		bare: true,
		calls: textual{
			form: f,
			open: "<tool_call>\n", close: "</tool_call>",
			head: [2]string{"<function=", ">\n"}, end: "</function>\n",
			key: [2]string{"<parameter=", ">"}, value: [2]string{"", "</parameter>\n"}, lines: true,
		}.calls,
	}
}

var (
	_ Form    = qwenCoder{}
	_ Results = qwenCoder{}
)
