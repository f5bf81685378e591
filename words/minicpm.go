package words

// minicpm is <function name="…"> with <param name="…">: MiniCPM 5, whose
// tokenizer leaves out the space now and then, or shows what it stands for.
type minicpm struct{}

func (minicpm) Name() string { return "minicpm" }

func (minicpm) Openers() []Opener {
	var os []Opener
	for _, space := range append([]string{" ", ""}, spacers...) {
		os = append(os, Opener{Text: "<function" + space + "name=", Where: Anywhere})
	}
	return os
}

func (minicpm) Body(o Opener) Body {
	return newTaggedText(tagWords{call: "function", inline: true, params: []string{"parameter", "param"}}, o.Text)
}

var _ Form = minicpm{}
