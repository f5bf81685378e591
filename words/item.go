package words

import "github.com/ferrule/ferrule/chat"

// ItemKind says what an Item is.
type ItemKind uint8

const (
	ItemText      ItemKind = iota // Text
	ItemReasoning                 // Text
	ItemCall                      // Call
)

// Item is one thing that an answer holds, in the order in which it stands there.
type Item struct {
	Kind   ItemKind
	Text   []byte        // valid until the function that got it returns
	Call   *chat.Written // stays valid
	Quoted bool          // Text is a whole block that repeats what the model was shown
}
