package words

import "fmt"

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

func (f gemma4) written() Syntax {
	return written{
		Form: f,
		how: `write call:, its name and its arguments in braces, keys as they are, strings between <|"|> and <|"|>, ` +
			"other values as JSON",
		bare:  true,
		calls: gemmaWriter{open: gemma4Open, close: "<tool_call|>", quote: `<|"|>`}.calls,
		result: func(b []byte, r Fenced) []byte {
			return fmt.Appendf(b, "<|tool_response>response:%s{value:<|\"|>\n%s\n<|\"|>}<tool_response|>", label(r.Name), r.Text)
		},
	}
}

var (
	_ Form    = gemma4{}
	_ Results = gemma4{}
)
