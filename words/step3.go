package words

// step3 is <steptml:invoke name="…"> between tokens: Step 3.
type step3 struct{}

func (step3) Name() string { return "step3" }

func (step3) Openers() []Opener {
	return []Opener{
		{Text: "<｜tool_calls_begin｜>", Where: Anywhere},
		{Text: "<｜tool_call_begin｜>", Where: Anywhere},
		{Text: "<steptml:invoke name=", Where: Anywhere},
	}
}

func (step3) Body(o Opener) Body {
	return newTaggedText(tagWords{
		spaces: []string{"steptml:"}, call: "invoke", inline: true, params: []string{"parameter"},
		opens: []string{"<｜tool_calls_begin｜>"},
		marks: []string{"<｜tool_call_begin｜>", "function<｜tool_sep｜>", "<｜tool_sep｜>", "<｜tool_call_end｜>"},
		shuts: []string{"<｜tool_calls_end｜>"},
	}, o.Text)
}

var _ Form = step3{}
