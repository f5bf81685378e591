package words

// nexus is a word and calls the way Python has them: Nexus Raven, Gorilla.
// Behind a token of its own the model explains what it wrote to nobody.
type nexus struct{}

const (
	nexusOpen = "Call:"
	nexusEnd  = "<bot_end>"
)

func (nexus) Name() string { return "nexus" }

func (nexus) Openers() []Opener { return []Opener{{Text: nexusOpen, Where: AnswerEnd}} }

func (nexus) Body(Opener) Body {
	return &nexusBody{pythonBody: newPython(pythonFrame{opener: nexusOpen, closer: nexusEnd})}
}

type nexusBody struct {
	*pythonBody
	over bool
}

func (t *nexusBody) Feed(b []byte) (int, State) {
	if t.over {
		return len(b), More
	}
	n, s := t.pythonBody.Feed(b)
	if s == Done && t.closed {
		t.over = true
		return len(b), More
	}
	return n, s
}

func (t *nexusBody) Where() Where { return AnswerEnd }

var (
	_ Form   = nexus{}
	_ Placed = (*nexusBody)(nil)
)
