package chat

// Written is a call as the model wrote it, natively or in words: untyped, unchecked.
type Written struct {
	Index    int
	ID, Name string
	JSON     []byte  // arguments as (almost-)JSON
	Params   []Param // arguments as text by name: args types them
	Raw      []byte  // the block in words, opener to closer; nil for a native call
	Syntax   string  // the syntax that it was read in; "" for a native call
	Why      string  // not empty: it can't be read, and why
	Repairs  []string
	Cut      bool  // the answer ended inside it
	Stopped  bool  // the answer ended by itself: closers that it lacks may be added
	Extra    Extra // of a native call: what its protocol hung on it

	Key     string // the nonce or live key that the block carried
	Toolset string // the toolset digest that the block carried
	Live    bool   // Key is this request's own: the call is meant, quoted or not
}

// Param is one argument given as text.
type Param struct {
	Name, Text string
	Literal    bool // Text is a literal of its syntax, not raw words
}

// Kind says what an Event is.
type Kind uint8

const (
	EventOther     Kind = iota // nothing that Ferrule acts on
	EventStart                 // Meta
	EventText                  // Text
	EventReasoning             // Text
	EventCallStart             // Index, Call.ID, Call.Name
	EventCallArgs              // Index, Text: a fragment of the arguments
	EventCallEnd               // Index, Call: the whole call
	EventUsage                 // Usage
	EventFinish                // Finish
	EventFault                 // Fault
)

// Event is one thing that an answer says.
type Event struct {
	Kind   Kind
	Text   string
	Index  int
	Call   Call
	Usage  Usage
	Finish Finish
	Fault  *Fault
	Meta   *Meta
}

// Meta is what an answer says of itself at its start.
type Meta struct {
	ID      string
	Model   string
	Created int64 // Unix seconds; 0: not said
}

// Finish is why an answer ended. Words that Ferrule doesn't know are kept as they came.
type Finish string

const (
	FinishNone   Finish = "" // it didn't say: the stream was cut
	FinishStop   Finish = "stop"
	FinishCalls  Finish = "calls"
	FinishLength Finish = "length"
	FinishFilter Finish = "filter"
)

// Cut reports whether the answer ended before the model was done.
func (f Finish) Cut() bool { return f == FinishNone || f == FinishLength || f == FinishFilter }

// Usage counts tokens. Total is the provider's own figure where it gave one.
type Usage struct {
	Input, Output, Total int
	Cached, Reasoning    int
	Known                bool
}

// Add sums the usage of several upstream requests made for one answer.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		Input: u.Input + v.Input, Output: u.Output + v.Output, Total: u.Total + v.Total,
		Cached: u.Cached + v.Cached, Reasoning: u.Reasoning + v.Reasoning,
		Known: u.Known || v.Known,
	}
}

// Frame is one piece of an answer as it came. It goes out as Raw if the client
// speaks Protocol and none of its events was changed or dropped.
// Raw and Events are valid until the next call to Stream.Next or Close: Clone what is kept.
type Frame struct {
	Protocol string
	Raw      []byte // nil: only Events count
	Whole    bool   // Raw is a whole unstreamed reply
	// Misread says that a client which keeps to the protocol would understand
	// something else from Raw than what Events say: the upstream was sloppy.
	Misread bool
	// Calls says that Raw holds a piece of a call, whether or not Events tell
	// of it: an empty piece, a call of another choice.
	Calls bool
	// Changed says that Events aren't what Raw says: of a whole reply its calls,
	// finish and usage, of a piece of a stream finish and usage. The codec edits
	// Raw by them where it can, and writes anew where it can't.
	Changed bool
	Events  []Event
}

// Clone returns a frame that stays valid.
func (f Frame) Clone() Frame {
	if f.Raw != nil {
		f.Raw = append(make([]byte, 0, len(f.Raw)), f.Raw...)
	}
	if f.Events != nil {
		f.Events = append(make([]Event, 0, len(f.Events)), f.Events...)
	}
	return f
}

// Stream yields an answer's frames: io.EOF after a Finish, io.ErrUnexpectedEOF
// when it ended without one.
type Stream interface {
	Next() (Frame, error)
	Close() error
}
