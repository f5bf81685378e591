package words

import "strings"

// kimi heads a call with its id, which holds the name: functions.add:0. Kimi K2
// needs that id back as it stood.
func kimi() Form {
	bars, between := []string{"|", "｜"}, []string{"_", "▁"}
	m := &headMarks{
		section: append(spellings(bars, between, "tool", "calls", "section", "begin"), "<|tool_call_section_begin|>"),
		call:    spellings(bars, between, "tool", "call", "begin"),
		args:    spellings(bars, between, "tool", "call", "argument", "begin"),
		close:   spellings(bars, between, "tool", "call", "end"),
		end:     append(spellings(bars, between, "tool", "calls", "section", "end"), "<|tool_call_section_end|>"),
		name: func(head []headPart) (name, id string) {
			id = head[0].text
			name = id
			if i := strings.LastIndexByte(id, ':'); i > 0 && isCounter(id[i+1:]) {
				name = id[:i]
			}
			return strings.TrimSpace(name), id
		},
	}
	return headForm{"kimi", anywhere(m.section, m.call), m}
}

func isCounter(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
