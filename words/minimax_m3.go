package words

// minimaxM3 marks each tag with a token, and each parameter has a tag of its own
// name: MiniMax M3.
type minimaxM3 struct{}

const minimaxToken = "]<]minimax[>["

func (minimaxM3) Name() string { return "minimax-m3" }

func (minimaxM3) Openers() []Opener {
	return []Opener{
		{Text: minimaxToken + "<tool_call>", Where: Anywhere},
		{Text: minimaxToken + "<invoke name=", Where: Anywhere},
	}
}

func (minimaxM3) Body(o Opener) Body {
	return newTaggedText(tagWords{lead: minimaxToken, call: "invoke", inline: true}, o.Text)
}

var _ Form = minimaxM3{}
