package words

// deepseek has a type, a name and JSON in a code block: DeepSeek V3, R1,
// Cogito; or only a name and JSON: DeepSeek V3.1 and Terminus.
func deepseek() Form {
	mark := func(words ...string) []string {
		return spellings([]string{"｜", "|"}, []string{"▁", "_", " ", `\_`}, words...)
	}
	m := &headMarks{
		section: append(mark("tool", "calls", "begin"), mark("tool", "calls")...),
		call:    mark("tool", "call", "begin"),
		sep:     mark("tool", "sep"),
		close:   mark("tool", "call", "end"),
		end:     mark("tool", "calls", "end"),
		name: func(head []headPart) (name, id string) {
			switch {
			case len(head) == 1 || len(head) == 2 && head[1].text == "":
				return head[0].text, ""
			case len(head) == 2 && head[0].text == "function":
				return head[1].text, ""
			}
			return "", ""
		},
	}
	return headResults{headForm{"deepseek", anywhere(m.section, m.call), m}, "<｜tool▁outputs▁begin｜>", "<｜tool▁outputs▁end｜>"}
}
