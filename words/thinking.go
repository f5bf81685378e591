package words

// Thinking says what becomes of a call that stands inside a model's thinking.
type Thinking uint8

const (
	// ThinkingLast: it counts where it ends the reply. Any words behind it, and
	// be they thinking, make it a draft.
	ThinkingLast Thinking = iota
	// ThinkingEnds: a call ends the thinking, as Qwen's models have it.
	ThinkingEnds
	// ThinkingNever: no call stands inside thinking, as MiniMax's models have it.
	ThinkingNever
)
