package words

// seed is <function=name> with <parameter=name> in a frame of its own: Seed-OSS.
type seed struct{}

func (seed) Name() string { return "seed" }

func (seed) Openers() []Opener { return []Opener{{Text: "<seed:tool_call>", Where: Anywhere}} }

func (seed) Body(o Opener) Body {
	return newTaggedText(tagWords{call: "function", inline: true, params: []string{"parameter"}}, o.Text)
}

var _ Form = seed{}
