package words

import "github.com/ferrule/ferrule/chat"

// llama is JSON behind a control token: Llama 3.1 and later. The token often
// comes spelled without its bars. Without any token it is bare JSON.
func llama() Form {
	return markedJSON{name: "llama", marks: jsonMarks{
		openers: []string{"<|python_tag|>", "<python_tag>"},
		loose:   true,
	}}
}

// llamaWritten asks for it as the models are trained on it, without the token.
func llamaWritten() Syntax {
	return written{
		Form:    plain{Form: llama(), openers: []string{"{"}, repairs: []string{"bare", "arguments_key"}},
		reads:   llama(),
		how:     "end your answer with its name and its arguments as one JSON object on a line of its own",
		several: "write one such line for each",
		calls: func(b []byte, cs []chat.Call, _ Frame) []byte {
			for i, c := range cs {
				if i > 0 {
					b = append(b, '\n')
				}
				b = appendCall(b, c, "parameters")
			}
			return b
		},
	}
}
