package words

import "slices"

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

// Sparing is a Body that may find, once the answer has ended, that its last
// bytes don't belong to the block: they are text.
type Sparing interface{ Spare() int }

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
	families []string
}

// table lists every syntax that can be asked for.
func table() []row {
	return []row{
		{syntax: hermes(), honoured: true, families: []string{"hermes-json"}},
		{syntax: ownMarker()},
		{syntax: envelope{}, dropped: true},
	}
}

// readRow is a form that is read and not asked for, and the families of models
// that write it.
type readRow struct {
	form     Form
	families []string
}

// readRows lists the forms that are read beside the syntaxes that can be asked
// for. Of those that begin alike the first that fits is taken.
func readRows() []readRow {
	return slices.Concat(jsonRows(), headRows(), tagRows(), pairRows(), pythonRows(), gemmaRows())
}

// drifts lists the forms that are read beside any syntax that was asked for.
func drifts() []Form { return []Form{bareJSON{}} }

// markedForms lists the forms that begin with a marker wherever they stand, and
// that carry no framing of ours.
func markedForms() (out []Form) {
	all := drifts()
	for _, r := range table() {
		all = append(all, r.syntax)
	}
	for _, r := range readRows() {
		all = append(all, r.form)
	}
	for _, f := range all {
		marked := !isFramed(f)
		for _, o := range f.Openers() {
			marked = marked && o.Where == Anywhere
		}
		if marked {
			out = append(out, f)
		}
	}
	return out
}

// Forms returns what reads the answers of a family of models, or of a syntax,
// by its name: that first, and then everything else; "auto" and "" read
// everything alike. ok is false for a name that isn't there.
func Forms(name string) (forms []Form, ok bool) {
	first := func(f Form, families []string) bool {
		return f.Name() == name || slices.Contains(families, name)
	}
	var rest []Form
	add := func(f Form, families []string) {
		if first(f, families) {
			forms, ok = append(forms, f), true
		} else {
			rest = append(rest, f)
		}
	}
	for _, r := range table() {
		add(r.syntax, r.families)
	}
	for _, r := range readRows() {
		add(r.form, r.families)
	}
	ok = ok || name == "" || name == "auto"
	return slices.Concat(forms, rest, drifts()), ok
}

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
	for _, f := range drifts() {
		out = append(out, Info{f.Name(), false, []string{}})
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
