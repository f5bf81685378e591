package words

// solar has an id, a name and JSON: Solar Open.
func solar() Form {
	const nameMark = "<|tool_call:name|>"
	m := &headMarks{
		section: []string{"<|tool_calls|>"},
		call:    []string{"<|tool_call:begin|>"},
		sep:     []string{nameMark},
		args:    []string{"<|tool_call:args|>"},
		close:   []string{"<|tool_call:end|>"},
		end:     []string{"<|calls|>"},
		name: func(head []headPart) (name, id string) {
			for _, p := range head[1:] {
				if p.mark == nameMark {
					return p.text, head[0].text
				}
			}
			return head[0].text, ""
		},
	}
	return headResults{headForm{"solar-open", anywhere(m.section, m.call), m}, "<|tool_response:begin|>", "<|tool_response:end|>"}
}
