package words

import "github.com/ferrule/ferrule/chat"

// mistral is a list of JSON calls behind [TOOL_CALLS], or the name and its
// arguments behind one each: Mistral, Codestral, Devstral, Magistral, Ministral.
func mistral() Form {
	m := &headMarks{
		call:  []string{"[TOOL_CALLS]"},
		sep:   []string{"[CALL_ID]"},
		args:  []string{"[ARGS]"},
		trail: []string{"</s>"}, object: true,
		name: func(head []headPart) (name, id string) {
			for _, p := range head[1:] {
				id = p.text
			}
			return head[0].text, id
		},
	}
	return headResults{headForm{"mistral", anywhere(m.call), m}, "[TOOL_RESULTS]", "[/TOOL_RESULTS]"}
}

// mistralWritten asks for the newer of its two forms.
func mistralWritten() Syntax {
	return written{
		Form:    mistral(),
		how:     "write [TOOL_CALLS], its name, [ARGS] and its arguments as JSON",
		several: "write them one behind the other",
		calls: func(b []byte, cs []chat.Call, _ Frame) []byte {
			for _, c := range cs {
				b = append(append(b, "[TOOL_CALLS]"...), c.Name...)
				b = append(append(b, "[ARGS]"...), argsOf(c)...)
			}
			return b
		},
	}
}
