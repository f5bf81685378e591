package words

import "github.com/ferrule/ferrule/chat"

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
	return headResults{headForm{"deepseek", anywhere(m.section, m.call), m}, "<｜tool▁output▁begin｜>", "<｜tool▁output▁end｜>"}
}

// deepseekWritten asks for the newer of its two forms.
func deepseekWritten() Syntax {
	return written{
		Form:    deepseek(),
		how:     "write its name and its arguments as JSON between these marks",
		several: "write them one behind the other between the outer marks",
		calls: func(b []byte, cs []chat.Call, _ Frame) []byte {
			b = append(b, "<｜tool▁calls▁begin｜>"...)
			for _, c := range cs {
				b = append(append(b, "<｜tool▁call▁begin｜>"...), c.Name...)
				b = append(append(b, "<｜tool▁sep｜>"...), argsOf(c)...)
				b = append(b, "<｜tool▁call▁end｜>"...)
			}
			return append(b, "<｜tool▁calls▁end｜>"...)
		},
	}
}
