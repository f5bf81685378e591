package words

// lagunaPairs is what Laguna writes where it slips: the pairs of a call, or the
// call as JSON, between the tags of a turn. Those are no mark of calls alone.
type lagunaPairs struct{}

func (lagunaPairs) Name() string { return "laguna" }

func (lagunaPairs) Openers() []Opener {
	return []Opener{
		{Text: "<tool_call>", Where: Anywhere},
		{Text: "<user>", Where: Anywhere},
		{Text: "<assistant>", Where: Anywhere},
	}
}

func (lagunaPairs) Body(o Opener) Body {
	p := newPairs(glmTags(o.Text), o.Text)
	p.json, p.weak = true, o.Text != "<tool_call>"
	return p
}

var _ Form = lagunaPairs{}
