package words

// invoke is <invoke name="…"> with <parameter name="…">: the old prompts of
// Claude, and many models under agents that use them.
type invoke struct{}

// invokeSpaces are what stands before the names of its tags, if anything does.
var invokeSpaces = []string{"antml:", ""}

func (invoke) Name() string { return "function-calls" }

func (invoke) Openers() []Opener {
	os := []Opener{{Text: "<tool_call>", Where: Anywhere}}
	for _, space := range invokeSpaces {
		for _, tag := range []string{"function_calls>", "tool_calls>", "invoke name="} {
			os = append(os, Opener{Text: "<" + space + tag, Where: Anywhere})
		}
	}
	return os
}

func (invoke) Body(o Opener) Body {
	return newTaggedText(tagWords{spaces: invokeSpaces, call: "invoke", inline: true, params: []string{"parameter"}}, o.Text)
}

func (invoke) ResultBlock() (opener, closer string) {
	return "<function_results>", "</function_results>"
}

var (
	_ Form    = invoke{}
	_ Results = invoke{}
)
