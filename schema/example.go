package schema

import (
	"errors"
	"slices"

	"github.com/ferrule/ferrule/rawjson"
)

// maxPreferred is how long a preferred value may be, in bytes.
const maxPreferred = 200

const (
	choicesTried = 6      // of the forms of a union
	maxMakes     = 2000   // nodes that one try may look at
	maxWork      = 10_000 // that all may
)

// Example returns a value that passes the schema, or nil when none was found:
// from its examples, defaults, options, formats and bounds. Texts that are made
// up look it: "<what the field is>". Where prefer names an operation, by a
// constant that one form of a union or one condition asks for, the example is
// of that one, if it can be. Fields of prefer that are right are taken over,
// whole, up to 200 bytes each; nil prefers nothing.
func (s *Schema) Example(prefer []byte) []byte {
	if rawjson.Kind(prefer) != '{' || rawjson.Valid(prefer, MaxNesting) != nil {
		prefer = nil
	}
	wanted := s.operation(prefer)
	var second []byte // passes, and is of another operation
	for made := range s.candidates(prefer) {
		if made == nil {
			continue
		}
		if err := s.verdict(made); errors.Is(err, errSteps) {
			break
		} else if err != nil {
			continue
		}
		if len(wanted) == 0 || slices.Equal(s.operation(made), wanted) {
			return s.overlay(made, prefer)
		}
		if second == nil {
			second = made
		}
	}
	if second == nil {
		return nil
	}
	return s.overlay(second, prefer)
}

var errRefused = errors.New("refused")

// verdict is Check without its report: nil, errSteps or another error.
func (s *Schema) verdict(value []byte) error {
	v, nodes, bad := readValue(value)
	switch {
	case nodes*s.cost > maxSteps:
		return errSteps
	case len(bad) > 0 || s.lib == nil && len(s.plainMistakes(value)) > 0:
		return errRefused
	case s.lib == nil:
		return nil
	}
	return s.validate(v)
}

// candidates makes what an example may be: what the schema shows, then what can
// be built of it.
func (s *Schema) candidates(prefer []byte) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for _, v := range s.given(s.flat(s.root, prefer)) {
			if v.kind == '{' && !yield(v.json(nil)) {
				return
			}
		}
		budget := maxWork
		for n, try := s.tries(), 0; try < n; try++ {
			m := maker{s: s, choice: try / 2 % choicesTried, given: try%2 == 0, optional: 2 - 3*try/n, left: min(maxMakes, budget)}
			before := m.left
			made := m.value(s.root, "value", 0, prefer)
			if budget -= before - m.left; budget <= 0 {
				return
			}
			if m.left < 0 {
				continue // it isn't whole
			}
			if !yield(made) {
				return
			}
		}
	}
}

// tries is how many values are made and checked: few, where a check is dear.
func (s *Schema) tries() int {
	n := min(3*2*choicesTried, 40_000/max(s.cost, 1))
	if s.guard != nil && s.guard.recursive {
		n = min(n, 2*choicesTried)
	}
	return max(n, 4)
}

// overlay sets the fields of made that are right in prefer, all that pass.
func (s *Schema) overlay(made, prefer []byte) []byte {
	if prefer == nil {
		return made
	}
	var wrong []string
	for _, p := range s.Check(prefer) {
		wrong = append(wrong, p.Pointer)
	}
	x := seeker{s: s, left: maxForms}
	changes := x.taken(s.root, made, prefer, "", wrong)
	if len(changes) == 0 {
		return made
	}
	if all, err := rawjson.Edit(made, changes...); err == nil && s.verdict(all) == nil {
		return all
	}
	for _, c := range changes {
		if with, err := rawjson.Edit(made, c); err == nil && s.verdict(with) == nil {
			made = with
		}
	}
	return made
}
