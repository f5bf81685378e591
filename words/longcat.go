package words

// longcat is what LongCat writes in a tag of its own: a call as JSON, or a name
// and pairs.
type longcat struct{}

func (longcat) Name() string { return "longcat" }

func (longcat) Openers() []Opener { return []Opener{{Text: "<longcat_tool_call>", Where: Anywhere}} }

func (longcat) Body(o Opener) Body {
	p := newPairs(pairTags{
		callOpen: o.Text, callClose: "</longcat_tool_call>",
		keyOpen: "<longcat_arg_key>", keyClose: "</longcat_arg_key>",
		valueOpen: "<longcat_arg_value>", valueClose: "</longcat_arg_value>",
	}, o.Text)
	p.json = true
	return p
}

var _ Form = longcat{}
