package words

import (
	"slices"
	"sync"
)

// Form is the part of a Syntax that reads. What models drift into without being
// asked for it has only this part.
type Form interface {
	Name() string
	Openers() []Opener
	Body(o Opener) Body
}

// Peeking is a Form whose openers are ordinary text: it looks at what begins
// with one before a body is made, and returns the tool's name once that is whole.
type Peeking interface {
	Peek(text []byte, final bool) (name []byte, f fit)
}

// Framed is a Form whose blocks carry framing values, so that their absence is
// something to note.
type Framed interface{ Framed() bool }

// Placed is a Body that, once its block is done, may narrow the places where
// the block counts.
type Placed interface{ Where() Where }

// Sparing is a Body that may find, once the answer has ended, that its last
// bytes don't belong to the block: they are text.
type Sparing interface{ Spare() int }

// Results is a Form whose results stand in a block of their own in the prompt.
// A model that writes such a block itself, behind a call, invents a result.
type Results interface {
	ResultBlock() (open, close string)
}

// Knowing is a Form that nothing but the names of the tools tells from text.
type Knowing interface {
	KnowingBody(o Opener, known func(name string) bool) Body
}

func bodyOf(o opening, known func(string) bool) Body {
	if k, ok := o.form.(Knowing); ok {
		return k.KnowingBody(o.opener, known)
	}
	return o.form.Body(o.opener)
}

// Alone is a Form without a mark whose calls, where calls come by other means,
// count if they are the whole answer.
type Alone interface{ Alone() bool }

// CodeFenced is a Form whose calls stand in a code block that says so behind
// its opening backticks.
type CodeFenced interface{ CodeFence() string }

// row is one syntax and what it is the default for.
type row struct {
	syntax   Syntax
	honoured bool // the default where a system prompt is honoured
	dropped  bool // the default where it is dropped
	last     bool // it has no mark: it is read behind the forms that have one
	families []string
}

// table lists every syntax that can be asked for. It is made once, like the
// lists below: nobody changes them.
var table = sync.OnceValue(func() []row {
	return []row{
		{syntax: hermes(), honoured: true, families: []string{"hermes-json"}},
		{syntax: ownMarker()},
		{syntax: envelope{}, dropped: true},
		{syntax: graniteWritten(), families: []string{"granite3"}},
		{syntax: llamaWritten(), families: []string{"llama3-json", "llama-mixed"}},
		{syntax: mistralWritten(), families: []string{"mistral"}},
		{syntax: kimiWritten(), families: []string{"kimi-k2"}},
		{syntax: deepseekWritten(), families: []string{"deepseek-v3", "deepseek-v3.1"}},
		{syntax: harmonyWritten(), families: []string{"harmony"}},
		{syntax: qwenCoder{}.written(), families: []string{"qwen3-coder-xml", "hermes-or-qwen3coder", "openhands-xml", "k-exaone-2"}},
		{syntax: minimax{}.written(), families: []string{"minimax-m2"}},
		{syntax: glmPairs{}.written(), families: []string{"glm-arg-key"}},
		{syntax: gemma4{}.written(), families: []string{"gemma4"}},
		{syntax: pythonic{}.written(), last: true, families: []string{"pythonic"}},
		{syntax: jsonList(), last: true},
	}
})

// readRow is a form that is read and not asked for, and the families of models
// that write it.
type readRow struct {
	form     Form
	families []string
	asked    Form // of a syntax: what reads it where it was asked for
}

// readRows lists the forms that are read beside the syntaxes that can be asked
// for. Of those that begin alike the first that fits is taken.
var readRows = sync.OnceValue(func() []readRow {
	return slices.Concat(jsonRows(), headRows(), tagRows(), pairRows(), pythonRows(), gemmaRows())
})

// Forms returns what reads the answers of a family of models, or of a syntax,
// by its name: that first, and then everything else; "auto" and "" read
// everything alike. ok is false for a name that isn't there.
func Forms(name string) (forms []Form, ok bool) {
	forms, first := formsFirst(name)
	return forms, first > 0 || name == "" || name == "auto"
}

// formsFirst lists every form, those that go by one of the names first: in the
// names' order, so many of them. A name is a syntax's or a family's.
func formsFirst(names ...string) (forms []Form, first int) {
	var rest []Form
	for _, r := range readOrder() {
		if !slices.ContainsFunc(names, r.goesBy) {
			rest = append(rest, r.form)
		}
	}
	for i, name := range names {
		for _, r := range readOrder() {
			switch {
			case !r.goesBy(name) || slices.ContainsFunc(names[:i], r.goesBy):
			case r.asked != nil && r.form.Name() == name:
				forms = append(forms, r.asked)
			default:
				forms = append(forms, prompted(r.form))
			}
		}
	}
	return slices.Concat(forms, rest), len(forms)
}

// goesBy reports whether a form has that name, or is a family's of that name.
func (r readRow) goesBy(name string) bool {
	return r.form.Name() == name || slices.Contains(r.families, name)
}

// readOrder lists every form that is read.
var readOrder = sync.OnceValue(func() []readRow {
	var rows, last []readRow
	for _, r := range table() {
		row := readRow{form: r.syntax, families: r.families}
		if s, ok := r.syntax.(written); ok {
			row.form, row.asked = s.unasked(), s.Form
		}
		if r.last {
			last = append(last, row)
		} else {
			rows = append(rows, row)
		}
	}
	return slices.Concat(rows, readRows(), last)
})

// Info tells of a syntax.
type Info struct {
	Name     string   `json:"name"`
	Written  bool     `json:"written"` // a model can be asked for it
	Families []string `json:"families"`
}

// Syntaxes lists every syntax that is read.
func Syntaxes() []Info {
	var out []Info
	for _, r := range table() {
		out = append(out, Info{r.syntax.Name(), true, append([]string{}, r.families...)})
	}
	for _, r := range readRows() {
		out = append(out, Info{r.form.Name(), false, append([]string{}, r.families...)})
	}
	return out
}

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

// Proving names the syntax whose blocks prove where they are from.
func Proving() string {
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
