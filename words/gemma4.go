package words

// gemma4 is what Gemma 4 writes. Where an endpoint drops special tokens, what
// is left of a call begins a line.
type gemma4 struct{}

const gemma4Open = "<|tool_call>"

func (gemma4) Name() string { return "gemma" }

func (gemma4) Openers() []Opener {
	return []Opener{{Text: gemma4Open, Where: Anywhere}, {Text: gemmaCall, Where: AnswerEnd}}
}

func (gemma4) Body(o Opener) Body {
	if o.Text != gemma4Open {
		return newGemma(gemmaTags{quotes: []string{`<|"|>`, "<escape>"}})
	}
	return newGemma(gemmaTags{open: gemma4Open, close: "<tool_call|>", quotes: []string{`<|"|>`}})
}

func (gemma4) ResultBlock() (opener, closer string) { return "<|tool_response>", "<tool_response|>" }

var (
	_ Form    = gemma4{}
	_ Results = gemma4{}
)
