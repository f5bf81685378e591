package words

// glmPairs is what GLM 4.5 and later write: a name and pairs in <tool_call>.
type glmPairs struct{}

func (glmPairs) Name() string { return "glm" }

func (glmPairs) Openers() []Opener { return []Opener{{Text: "<tool_call>", Where: Anywhere}} }

func (glmPairs) Body(o Opener) Body {
	return newPairs(pairTags{
		callOpen: o.Text, callClose: "</tool_call>",
		keyOpen: "<arg_key>", keyClose: "</arg_key>",
		valueOpen: "<arg_value>", valueClose: "</arg_value>",
	}, o.Text)
}

func (glmPairs) ResultBlock() (opener, closer string) { return "<tool_response>", "</tool_response>" }

var (
	_ Form    = glmPairs{}
	_ Results = glmPairs{}
)
