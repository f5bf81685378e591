package words

// lfm2 is a list of calls, as Python or as JSON, between two control tokens:
// LFM2 and LFM2.5. They tend to repeat the list behind the second token.
type lfm2 struct{}

const (
	lfm2Open  = "<|tool_call_start|>"
	lfm2Close = "<|tool_call_end|>"
)

func (lfm2) Name() string { return "lfm2" }

func (lfm2) Openers() []Opener { return []Opener{{lfm2Open, Anywhere}} }

func (lfm2) Body(Opener) Body {
	return newPython(pythonFrame{opener: lfm2Open, closer: lfm2Close, json: true, echo: true})
}

func (lfm2) ResultBlock() (opener, closer string) {
	return "<|tool_response_start|>", "<|tool_response_end|>"
}

var (
	_ Form    = lfm2{}
	_ Results = lfm2{}
)
