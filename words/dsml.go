package words

// dsml is <invoke name="…"> whose every tag bears a mark; parameters say whether
// they are strings: DeepSeek V3.2 and V4.
type dsml struct{}

// dsmlMarks are the mark, and what it becomes where its bars get lost.
var dsmlMarks = []string{"｜DSML｜", "|DSML|"}

func (dsml) Name() string { return "dsml" }

func (dsml) Openers() []Opener {
	var os []Opener
	for _, mark := range dsmlMarks {
		for _, tag := range []string{"function_calls>", "tool_calls>", "invoke name="} {
			os = append(os, Opener{Text: "<" + mark + tag, Where: Anywhere})
		}
	}
	return os
}

func (dsml) Body(o Opener) Body {
	return newTaggedText(tagWords{spaces: dsmlMarks, call: "invoke", inline: true, params: []string{"parameter"}}, o.Text)
}

var _ Form = dsml{}
