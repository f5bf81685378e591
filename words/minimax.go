package words

// minimax is <invoke name="…"> in a frame of its own: MiniMax M2.
type minimax struct{}

func (minimax) Name() string { return "minimax" }

func (minimax) Openers() []Opener { return []Opener{{Text: "<minimax:tool_call>", Where: Anywhere}} }

func (minimax) Body(o Opener) Body {
	return newTaggedText(tagWords{call: "invoke", inline: true, params: []string{"parameter"}}, o.Text)
}

var _ Form = minimax{}
