package words

// minimax is <invoke name="…"> in a frame of its own: MiniMax M2.
type minimax struct{}

func (minimax) Name() string { return "minimax" }

func (minimax) Openers() []Opener { return []Opener{{Text: "<minimax:tool_call>", Where: Anywhere}} }

func (minimax) Body(o Opener) Body {
	return newTaggedText(tagWords{call: "invoke", inline: true, params: []string{"parameter"}}, o.Text)
}

func (minimax) ResultBlock() (opener, closer string) { return "<response>", "</response>" }

func (f minimax) written() Syntax {
	return written{
		Form:    f,
		how:     "write its name and each of its arguments between tags, strings as they are and other values as JSON",
		several: "write one <invoke> for each, all in the same block",
		bare:    true,
		calls: textual{
			form: f,
			open: "<minimax:tool_call>\n", close: "</minimax:tool_call>", round: true,
			head: [2]string{`<invoke name="`, "\">\n"}, end: "</invoke>\n",
			key: [2]string{`<parameter name="`, `">`}, value: [2]string{"", "</parameter>\n"},
		}.calls,
	}
}

var (
	_ Form    = minimax{}
	_ Results = minimax{}
)
