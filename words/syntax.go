package words

import "github.com/ferrule/ferrule/chat"

// Syntax is one way in which models write tool calls in text. An
// implementation is one file, has no state, and knows no other syntax.
type Syntax interface {
	Name() string
	// Openers are the texts that may begin a call. None is a prefix of another.
	Openers() []Opener
	// Body reads what stands behind the opener.
	Body(o Opener) Body
	// WriteContract appends the text that tells a model which tools there are
	// and how to call one.
	WriteContract(b []byte, d Docs) []byte
	// WriteTail appends what must stand at the very end of the prompt: the
	// policy, and the framing values or the wanted shape where there are some.
	WriteTail(b []byte, t Tail) []byte
	// WriteCalls appends earlier calls the way that the model is asked to write them.
	WriteCalls(b []byte, cs []chat.Call, f Frame) []byte
	// WriteResults appends the results of one round, all that were asked for together.
	WriteResults(b []byte, rs []Fenced) []byte
}

// Opener is a text that may begin a call, and where it counts.
type Opener struct {
	Text  string
	Where Where
}

// Where says at which places of an answer an opener counts.
type Where uint8

const (
	Anywhere Where = iota
	LineStart
	AnswerStart
	AnswerEnd // only if the block is the last thing in the answer
	CallFence // at the head of a line of a code block that says it holds calls
)

// Body reads one open block. It is fed the bytes from behind its opener, in
// pieces of any size, and answers the same for every split of them.
type Body interface {
	// Feed takes bytes and returns how many belong to the block. n is below zero
	// where the block ended before b. With NotACall, n bytes are certain to hold
	// nothing that could open another block.
	Feed(b []byte) (n int, s State)
	// End returns the calls of the block; none means that it was never a call.
	// cut says that the answer ended inside it before the model was done.
	End(cut bool) []chat.Written
}

// State is what a Body knows after a Feed.
type State uint8

const (
	More     State = iota // the block goes on
	Done                  // the block ended with the n-th byte
	NotACall              // it was never a call: opener and bytes are text
)

// Docs is what a contract tells of.
type Docs struct {
	Tools    []chat.Tool // all of the request's: what its choice permits stands in the tail
	Toolset  string      // their digest, 12 hex digits
	Parallel bool        // several calls in one answer are allowed
	Example  *chat.Call  // a worked call to one of the tools; nil: none is shown
}

// Frame is what stands around calls: the values of a syntax with proof of
// origin, and the place of the calls in the conversation.
type Frame struct {
	Toolset string
	Nonce   string
	First   int // how many calls were made before these
}

// Tail is what the end of a prompt tells of.
type Tail struct {
	Frame
	Tools    []chat.Tool // those that the client's choice permits
	Choice   chat.Choice
	Parallel bool
	Dropped  bool // the endpoint drops system prompts: the wanted output shape stands here
}

// Fenced is one result as it goes into the prompt: Text holds the whole fenced
// block, marks and all, behind the notes on its call.
type Fenced struct {
	ID, Name string
	Index    int // of the call that it answers, among all of the conversation's; below zero: not known
	Text     string
	Error    bool
}
