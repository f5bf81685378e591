package words

// markedJSON is a form of JSON calls behind a mark that is its own.
type markedJSON struct {
	name                    string
	where                   Where
	marks                   jsonMarks
	resultOpen, resultClose string
}

func (f markedJSON) Name() string { return f.name }

func (f markedJSON) Openers() []Opener {
	var os []Opener
	for _, o := range f.marks.openers {
		os = append(os, Opener{Text: o, Where: f.where})
	}
	return os
}

func (f markedJSON) Body(Opener) Body { return newMarkedJSON(f.marks) }

// markedResults is one whose results stand in a block of their own.
type markedResults struct{ markedJSON }

func (f markedResults) ResultBlock() (opener, closer string) { return f.resultOpen, f.resultClose }

var (
	_ Form    = markedJSON{}
	_ Results = markedResults{}
)
