package words

// glmPairs is what GLM 4.5 and later write: a name and pairs in <tool_call>.
type glmPairs struct{}

func (glmPairs) Name() string { return "glm" }

func (glmPairs) Openers() []Opener { return []Opener{{Text: "<tool_call>", Where: Anywhere}} }

func (glmPairs) Body(o Opener) Body {
	return newPairs(glmTags(o.Text), o.Text)
}

func (glmPairs) ResultBlock() (opener, closer string) { return "<tool_response>", "</tool_response>" }

func (f glmPairs) written() Syntax {
	return written{
		Form: f,
		how:  "write its name and, in tags, the key and the value of each of its arguments, strings as they are and other values as JSON",
		bare: true,
		calls: textual{
			form: f,
			open: "<tool_call>", close: "</tool_call>",
			head: [2]string{"", "\n"},
			key:  [2]string{"<arg_key>", "</arg_key>\n"}, value: [2]string{"<arg_value>", "</arg_value>\n"},
		}.calls,
	}
}

var (
	_ Form    = glmPairs{}
	_ Results = glmPairs{}
)
