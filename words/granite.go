package words

import "github.com/ferrule/ferrule/chat"

// granite is a list of JSON calls behind a control token that nothing has to
// close: Granite 3, Phi-4-mini.
func granite() Form {
	return markedJSON{name: "granite", marks: jsonMarks{
		openers: []string{"<|tool_call|>"},
		inside:  []string{"<|/tool_call|>"},
		loose:   true,
	}}
}

func graniteWritten() Syntax {
	return written{
		Form:    plain{Form: granite(), repairs: []string{"array"}},
		reads:   granite(),
		how:     "write <|tool_call|> and a JSON list that holds its name and its arguments",
		several: "put them all in the one list",
		calls: func(b []byte, cs []chat.Call, _ Frame) []byte {
			return appendCallList(append(b, "<|tool_call|>"...), cs)
		},
	}
}
