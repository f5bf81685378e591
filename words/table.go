package words

// Form is the part of a Syntax that reads. What models drift into without being
// asked for it has only this part.
type Form interface {
	Name() string
	Openers() []Opener
	Body(o Opener) Body
}

// Framed is a Form whose blocks carry framing values, so that their absence is
// something to note.
type Framed interface{ Framed() bool }

// Placed is a Body that, once its block is done, may narrow the places where
// the block counts.
type Placed interface{ Where() Where }

// Results is a Form whose results stand in a block of their own in the prompt.
// A model that writes such a block itself, behind a call, invents a result.
type Results interface {
	ResultBlock() (open, close string)
}

// row is one syntax and what it is the default for.
type row struct {
	syntax   Syntax
	honoured bool // the default where a system prompt is honoured
	dropped  bool // the default where it is dropped
}

// table lists every syntax that can be asked for.
func table() []row {
	return []row{
		{syntax: hermes{}, honoured: true},
		{syntax: envelope{}, dropped: true},
	}
}

// drifts lists the forms that are read beside any syntax that was asked for.
func drifts() []Form { return []Form{bareJSON{}} }

// Lookup finds a syntax by its name.
func Lookup(name string) (Syntax, bool) {
	for _, r := range table() {
		if r.syntax.Name() == name {
			return r.syntax, true
		}
	}
	return nil, false
}

// Names lists the syntaxes that Lookup knows.
func Names() []string {
	var names []string
	for _, r := range table() {
		names = append(names, r.syntax.Name())
	}
	return names
}

func isFramed(f Form) bool {
	framed, ok := f.(Framed)
	return ok && framed.Framed()
}

// proving names the syntax whose blocks prove where they are from.
func proving() string {
	for _, r := range table() {
		if isFramed(r.syntax) {
			return r.syntax.Name()
		}
	}
	return ""
}

// Default names the syntax for a model of which nothing is known; dropped says
// that its endpoint drops system prompts.
func Default(dropped bool) string {
	for _, r := range table() {
		if dropped && r.dropped || !dropped && r.honoured {
			return r.syntax.Name()
		}
	}
	return ""
}
