package schema

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/ferrule/ferrule/rawjson"
)

// The names of limits, as a client is told.
const (
	LimitNesting    = "schema_nesting"     // nested deeper than MaxNesting
	LimitRef        = "schema_ref_outside" // a reference leaves the document
	LimitComplex    = "schema_too_complex" // expands to too many branches
	LimitProperties = "schema_properties"  // has too many properties
	LimitNumber     = "schema_number"      // holds a number too long to compute with
)

const (
	maxNodes      = 12_000     // subschemas, as if every reference were written out
	maxProperties = 10_000     // in the whole document
	maxOptions    = 20_000     // entries of all enums, and names of all that is required
	maxTargets    = 500        // different places that references name
	maxIDs        = 100        // resources with an id of their own
	maxSteps      = 30_000_000 // nodes of a value × nodes of the schema; guard counts what is taken
)

// LimitError is a schema that is refused before it is compiled.
type LimitError struct {
	Limit string // one of the Limit names
	Text  string
}

func (e *LimitError) Error() string { return e.Limit + ": " + e.Text }

// Measure checks a schema against the limits, in time linear in its size and
// without compiling it. Its error is a *LimitError, or an *Error where the
// source is no schema at all.
func Measure(src []byte) error {
	_, err := measure(src)
	return err
}

// measured is a schema that may be compiled.
type measured struct {
	root    *node
	refs    *index
	cost    int // nodes and options, as if every reference were written out
	options int
	insts   int // of the largest pattern

	recursive, unevaluated bool
}

func measure(src []byte) (*measured, error) {
	src = bytes.TrimSpace(src)
	if len(src) == 0 || string(src) == "null" {
		root := anyObject()
		return &measured{root: root, refs: newIndex(root), cost: 1}, nil
	}
	root, err := parse(src)
	switch {
	case errors.Is(err, rawjson.ErrDepth):
		return nil, &LimitError{LimitNesting, fmt.Sprintf("the schema is nested deeper than %d", MaxNesting)}
	case errors.Is(err, errNumber):
		return nil, &LimitError{LimitNumber, err.Error()}
	case err != nil:
		return nil, &Error{"it isn't JSON: " + err.Error()}
	case root.kind != '{' && root.kind != 't' && root.kind != 'f':
		return nil, &Error{"a schema is an object, not " + kindName(root.kind)}
	}
	w := walker{x: newIndex(root), size: map[*node]int{}}
	if n := len(w.x.ids); n > maxIDs {
		return nil, &LimitError{LimitComplex, fmt.Sprintf("%d ids, more than %d", n, maxIDs)}
	}
	if err := w.count(root); err != nil {
		return nil, err
	}
	if err := w.references(root); err != nil {
		return nil, err
	}
	nodes := w.expand(root)
	if nodes > maxNodes {
		return nil, &LimitError{LimitComplex, fmt.Sprintf("it expands to more than %d branches through its references", maxNodes)}
	}
	return &measured{
		root: root, refs: w.x, cost: nodes + w.options/8, options: w.options, insts: w.insts,
		recursive: w.recursive, unevaluated: w.unevaluated,
	}, nil
}

type walker struct {
	x                   *index
	properties, options int
	targets             map[*node]bool
	size                map[*node]int // 0: open
	insts               int
	recursive           bool
	unevaluated         bool
}

// count bounds what doesn't hang on references.
func (w *walker) count(n *node) error {
	if p := n.get("properties"); p != nil {
		w.properties += len(p.keys)
	}
	w.options += names(n)
	w.patterns(n)
	w.unevaluated = w.unevaluated || n.get("unevaluatedProperties") != nil || n.get("unevaluatedItems") != nil
	if w.properties > maxProperties {
		return &LimitError{LimitProperties, fmt.Sprintf("more than %d properties", maxProperties)}
	}
	if w.options > maxOptions {
		return &LimitError{LimitComplex, fmt.Sprintf("more than %d options and required names", maxOptions)}
	}
	var err error
	eachBelow(n, func(_ string, c *node) {
		if err == nil {
			err = w.count(c)
		}
	})
	return err
}

// names counts what a value is looked up in, or looked for, at one node.
func names(n *node) int {
	sum := 0
	for _, k := range []string{"enum", "required"} {
		if l := n.get(k); l != nil && l.kind == '[' {
			sum += len(l.vals)
		}
	}
	for _, k := range []string{"dependentRequired", "dependencies"} {
		if d := n.get(k); d != nil && d.kind == '{' {
			for _, l := range d.vals {
				sum += len(l.vals)
			}
		}
	}
	return sum
}

func (w *walker) patterns(n *node) {
	note := func(src string) {
		if p, err := compilePattern(src); err == nil {
			w.insts = max(w.insts, p.insts)
		}
	}
	if p := n.get("pattern"); p != nil && p.kind == '"' {
		note(p.str)
	}
	if ps := n.get("patternProperties"); ps != nil {
		for _, k := range ps.keys {
			note(k)
		}
	}
}

// references sees that every reference stays in the document.
func (w *walker) references(n *node) error {
	if w.targets == nil {
		w.targets = map[*node]bool{}
	}
	for _, k := range references {
		ref := n.get(k)
		if ref == nil || ref.kind != '"' {
			continue
		}
		t, outside := w.x.resolve(n, ref.str)
		if outside {
			return &LimitError{LimitRef, fmt.Sprintf("the reference %.80q leaves the document", ref.str)}
		}
		if w.targets[t] = true; len(w.targets) > maxTargets {
			return &LimitError{LimitComplex, fmt.Sprintf("references to more than %d places", maxTargets)}
		}
	}
	var err error
	eachBelow(n, func(_ string, c *node) {
		if err == nil {
			err = w.references(c)
		}
	})
	return err
}

// expand counts the subschemas of n as if every reference were written out,
// and stops counting above the limit. A reference back into what is open is
// counted once. Each node is looked at once.
func (w *walker) expand(n *node) int {
	if n == nil {
		return 1
	}
	if size, ok := w.size[n]; ok {
		if size == 0 {
			w.recursive = true
			return 1
		}
		return size
	}
	w.size[n] = 0
	sum := 1
	eachBelow(n, func(keyword string, c *node) {
		if !definitions[keyword] {
			sum = min(sum+w.expand(c), maxNodes+1)
		}
	})
	for _, k := range references {
		if ref := n.get(k); ref != nil && ref.kind == '"' {
			t, _ := w.x.resolve(n, ref.str)
			sum = min(sum+w.expand(t), maxNodes+1)
		}
	}
	w.size[n] = sum
	return sum
}

func kindName(kind byte) string {
	switch kind {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case '0':
		return "number"
	case 't', 'f':
		return "boolean"
	}
	return "null"
}
