package args

import (
	"slices"

	"github.com/ferrule/ferrule/rawjson"
	"github.com/ferrule/ferrule/schema"
)

// fitter sets those parts of a call's arguments right that the tool's schema
// doesn't take, and touches no other. Where a part could be set right in two
// ways that differ it is left as it is.
type fitter struct {
	set   *Set
	tool  *tool
	keys  map[string]string // other names of fields that the operator lists
	steps int
	lost  int  // unknown fields, of all attempts
	keep  bool // unknown fields stay
	done  []made
	stop  *schema.Problem // found a reason for which nothing may be set right
}

// maxSteps bounds the places that are looked at, unions in unions above all.
const maxSteps = 4000

// maxLost bounds the unknown fields that are left out: with more of them
// another tool was meant.
const maxLost = 32

// fit returns v as p takes it, or as near as it came.
func (f *fitter) fit(v []byte, p schema.Spot, path string) (out []byte, ok bool) {
	if f.steps++; f.steps > maxSteps || f.stop != nil {
		return v, false
	}
	if p.Takes(v) {
		return v, true
	}
	return f.right(v, p, path)
}

// right sets v right, which p doesn't take.
func (f *fitter) right(v []byte, p schema.Spot, path string) (out []byte, ok bool) {
	if out, ok := f.forms(v, p, path); ok {
		return out, true
	}
	return f.types(v, p, path)
}

// attempt is one way to set a value right.
type attempt struct {
	value []byte
	done  []made
	ok    bool
}

// try runs one way on its own; what it did counts only if it is chosen.
func (f *fitter) try(p schema.Spot, way func() ([]byte, bool)) attempt {
	before := f.done
	f.done = slices.Clip(before)
	value, ok := way()
	a := attempt{value, f.done[len(before):], ok && p.Takes(value)}
	f.done = before
	return a
}

// only chooses the one way that there is. Ways with the same end are one.
func (f *fitter) only(as []attempt) (attempt, bool) {
	var chosen attempt
	for _, a := range as {
		switch {
		case !a.ok:
		case chosen.ok && !rawjson.Same(chosen.value, a.value):
			return attempt{}, false
		case !chosen.ok:
			chosen = a
		}
	}
	return chosen, chosen.ok
}

func (f *fitter) forms(v []byte, p schema.Spot, path string) ([]byte, bool) {
	var as []attempt
	for _, form := range p.Forms() {
		as = append(as, f.try(p, func() ([]byte, bool) { return f.fit(v, form, path) }))
	}
	a, ok := f.only(as)
	if ok {
		f.done = append(f.done, a.done...)
	}
	return a.value, ok
}

// types turns a value into one of the types that p takes.
func (f *fitter) types(v []byte, p schema.Spot, path string) ([]byte, bool) {
	wanted := p.Types()
	own := kindTypes[rawjson.Kind(v)]
	if wanted == nil {
		wanted = own
	}
	if slices.ContainsFunc(own, func(t string) bool { return slices.Contains(wanted, t) }) {
		wanted = own[:1] // its kind is right: what is wrong is within
	}
	var as []attempt
	for _, t := range wanted {
		as = append(as, f.try(p, func() ([]byte, bool) { return f.convert(t, v, p, path) }))
	}
	a, ok := f.only(as)
	if !ok && len(as) == 1 && as[0].value != nil {
		return as[0].value, false // the nearest, for what is left to say
	}
	if !ok {
		return v, false
	}
	f.done = append(f.done, a.done...)
	return a.value, true
}

// kindTypes are the types of values by their first byte.
var kindTypes = map[byte][]string{
	'{': {"object"}, '[': {"array"}, '"': {"string"}, 't': {"boolean"}, 'f': {"boolean"}, 'n': {"null"},
	'0': {"number", "integer"},
}

func (f *fitter) convert(t string, v []byte, p schema.Spot, path string) ([]byte, bool) {
	switch t {
	case "object":
		return f.object(v, p, path)
	case "array":
		return f.list(v, p, path)
	case "string":
		return f.text(v, p, path)
	case "number", "integer":
		return f.number(v, p, path, t == "integer")
	case "boolean":
		return f.boolean(v, p, path)
	case "null":
		return f.null(v, path)
	}
	return v, false
}

func (f *fitter) did(repair, path string) { f.done = append(f.done, made{repair: repair, path: path}) }
