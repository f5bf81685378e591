// Package schema is a tool's JSON Schema: measured before it is compiled,
// compiled once, and then asked whether a value passes, what was wrong with it,
// how its signature reads and what an example looks like.
//
// The default draft is 2020-12; a $schema that names draft 4, 6, 7 or 2019-09
// is honoured. Nothing outside the document is ever loaded. What tools contain
// that no draft knows ("type": "any", "properties": null, "nullable": true …)
// is put into the draft's form first; Notes tells what was left unchecked.
// "format" says how a text looks and isn't checked, as the drafts have it.
package schema

import (
	"bytes"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Schema is a compiled schema. It is safe for concurrent use.
type Schema struct {
	root      *node // normalised
	refs      *index
	lib       *jsonschema.Schema // nil: loose
	guard     *guard             // nil: loose
	cost      int                // nodes as if every reference were written out
	notes     []string
	signature string
	made      map[string]bool // the texts that Example makes up
	places    placed          // compiled when first asked for
}

// Error says why a schema can't be compiled. A schema that is beyond a limit
// gives a *LimitError instead.
type Error struct{ Text string }

func (e *Error) Error() string { return "schema: " + e.Text }

// Compile measures, normalises and compiles a schema. An empty source or null
// takes any object. Errors are *LimitError or *Error.
func Compile(src []byte) (*Schema, error) {
	m, err := measure(src)
	if err != nil {
		return nil, err
	}
	s := newSchema(m)
	s.guard = &guard{recursive: m.recursive, unevaluated: m.unevaluated, options: m.options, insts: m.insts, cost: m.cost}
	s.lib, err = compile(s.root.plain(), s.guard)
	if err != nil {
		return nil, &Error{Text: err.Error()}
	}
	return s, nil
}

// Loose returns a schema that checks only for plain mistakes: that the value is
// an object and that the required fields are there. It is for sources that
// Compile refuses and a caller can't.
func Loose(src []byte) *Schema {
	root, err := parse(src)
	if err != nil || root.kind != '{' {
		root = anyObject()
	}
	x := newIndex(root)
	s := newSchema(&measured{root: root, refs: x, cost: 1})
	s.notes = append(s.notes, "only plain mistakes are checked")
	return s
}

func newSchema(m *measured) *Schema {
	n := &normaliser{draft: m.refs.draft}
	n.document(m.root)
	s := &Schema{root: m.root, refs: newIndex(m.root), cost: m.cost, notes: n.notes}
	s.signature = s.sign(s.root, maxSignature)
	s.made = s.madeUp()
	return s
}

// Check returns what is wrong with a value given as JSON, in a fixed order: by
// pointer, then keyword. Nil means that it passes. An object may have a key
// twice only with equal values.
func (s *Schema) Check(value []byte) []Problem {
	v, nodes, bad := readValue(value)
	if len(bad) > 0 {
		return sorted(bad)
	}
	if s.lib == nil {
		return s.plainMistakes(value)
	}
	if nodes*s.cost > maxSteps {
		return []Problem{tooComplex(value)}
	}
	err := s.validate(v)
	if err == nil {
		return nil
	}
	r := reporter{s: s, value: value}
	r.collect(err)
	return sorted(r.out)
}

// Notes tells what of the schema is not checked, and why.
func (s *Schema) Notes() []string { return s.notes }

// Signature is the schema in one line of at most 400 characters, such as
// {query: string, limit?: integer (1–100), order?: "newest"|"oldest"}.
func (s *Schema) Signature() string { return s.signature }

// Size is the number of the schema's parts, as if every reference were written out.
func (s *Schema) Size() int { return s.cost }

// Object reports whether the schema takes an object and nothing else.
func (s *Schema) Object() bool {
	ts := s.types(s.root)
	return len(ts) == 1 && ts[0] == "object"
}

func (s *Schema) plainMistakes(value []byte) []Problem {
	value = bytes.TrimSpace(value)
	if value[0] != '{' {
		return []Problem{{Keyword: "type", Want: "object", Got: show(value)}}
	}
	var out []Problem
	for _, name := range s.Required() {
		if at(value, []string{name}) == nil {
			out = append(out, missing(nil, name, s.wanted(s.property(s.root, name))))
		}
	}
	return sorted(out)
}

func tooComplex(value []byte) Problem {
	return Problem{Keyword: "too_complex", Want: "a smaller value", Got: fmt.Sprintf("%d bytes that take too many steps to check", len(value))}
}
