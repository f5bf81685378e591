package words

import "strings"

// hunyuanHy3 is what Hunyuan Hy3 writes: names and pairs, each call in
// <tool_call>, all of them in <tool_calls>. Its open release hangs a mark of
// its own on every tag.
type hunyuanHy3 struct{}

const hy3Suffix = ":opensource"

func (hunyuanHy3) Name() string { return "hunyuan-hy3" }

func (hunyuanHy3) Openers() []Opener {
	return []Opener{
		{Text: "<tool_calls>", Where: Anywhere},
		{Text: "<tool_calls" + hy3Suffix + ">", Where: Anywhere},
		{Text: "<tool_call>", Where: Anywhere},
		{Text: "<tool_call" + hy3Suffix + ">", Where: Anywhere},
	}
}

func (hunyuanHy3) Body(o Opener) Body {
	tags := pairTags{
		frameOpen: "<tool_calls>", frameClose: "</tool_calls>",
		callOpen: "<tool_call>", callClose: "</tool_call>", nameClose: "<tool_sep>",
		keyOpen: "<arg_key>", keyClose: "</arg_key>",
		valueOpen: "<arg_value>", valueClose: "</arg_value>",
	}
	if strings.HasSuffix(o.Text, hy3Suffix+">") {
		for i, tag := range tags {
			tags[i] = strings.TrimSuffix(tag, ">") + hy3Suffix + ">"
		}
	}
	return newPairs(tags, o.Text)
}

func (hunyuanHy3) ResultBlock() (opener, closer string) {
	return "<tool_responses>", "</tool_responses>"
}

var (
	_ Form    = hunyuanHy3{}
	_ Results = hunyuanHy3{}
)
