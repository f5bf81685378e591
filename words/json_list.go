package words

import "github.com/ferrule/ferrule/chat"

// jsonList is a list of calls as JSON and nothing else: xLAM, Hammer, and what
// models write that were shown JSON and no tags.
func jsonList() Syntax {
	return written{
		Form:    plain{Form: bareJSON{}, repairs: []string{"bare", "array"}},
		reads:   bareJSON{},
		how:     "end your answer with a JSON list that holds its name and its arguments",
		several: "put them all in the one list",
		calls:   func(b []byte, cs []chat.Call, _ Frame) []byte { return appendCallList(b, cs) },
	}
}
