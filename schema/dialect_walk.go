package schema

import (
	"slices"
	"strings"
)

// maxInlined bounds what references may grow a schema by: nodes of copies.
const maxInlined = 4000

// maxCopies is how many copies of one definition may stand within each other.
const maxCopies = 3

// rewriting is one schema on its way into a dialect.
type rewriting struct {
	d      dialect
	index  *index
	budget int
	notes  []Note
}

// rewrite is one step. where is the path of n, for notes.
type rewrite struct {
	name string
	root bool // it looks at the root alone
	do   func(w *rewriting, where string, n *node)
}

// all makes the dialect's steps, each over the whole schema, in the order of
// the list of steps.
func (w *rewriting) all(root *node) *node {
	for _, s := range steps {
		if !slices.Contains(w.d.rewrites, s.name) {
			continue
		}
		if s.root {
			s.do(w, "", root)
			continue
		}
		w.walk("", root, s.do)
	}
	if w.d.keywords != nil {
		w.walk("", root, (*rewriting).keepKeywords)
	}
	return root
}

// walk visits every subschema, the inner ones first.
func (w *rewriting) walk(where string, n *node, do func(*rewriting, string, *node)) {
	if n.kind != '{' {
		do(w, where, n)
		return
	}
	for i, k := range n.keys {
		v := n.vals[i]
		switch how := below[k]; {
		case how == 0:
		case v.kind == '{' && (how == namedSchemas || how == namedOrLists):
			for j, c := range v.vals {
				if how == namedSchemas || c.kind != '[' {
					w.walk(path(where, k, v.keys[j]), c, do)
				}
			}
		case v.kind == '[' && (how == manySchemas || how == oneOrMany):
			for _, c := range v.vals {
				w.walk(path(where, k), c, do)
			}
		case v.kind != '{' && (k == "additionalProperties" || k == "unevaluatedProperties"):
			// True and false are said of other fields everywhere.
		case how == oneSchema || how == oneOrMany:
			w.walk(path(where, k), v, do)
		}
	}
	do(w, where, n)
}

func path(where string, parts ...string) string {
	if where != "" {
		parts = append([]string{where}, parts...)
	}
	return strings.Join(parts, ".")
}

func (w *rewriting) note(where, what string) {
	n := Note{where, what}
	if len(w.notes) < 200 && !slices.Contains(w.notes, n) {
		w.notes = append(w.notes, n)
	}
}

// become makes n what other is.
func (n *node) become(other *node) { *n = *other }

// clone copies a node with all that is below it, and counts what it copies.
func (n *node) clone(count *int) *node {
	*count--
	c := *n
	c.keys = slices.Clone(n.keys)
	c.vals = make([]*node, len(n.vals))
	for i, v := range n.vals {
		c.vals[i] = v.clone(count)
	}
	return &c
}

// keepKeywords drops what the dialect doesn't know.
func (w *rewriting) keepKeywords(where string, n *node) {
	if n.kind != '{' {
		return
	}
	for _, k := range slices.Clone(n.keys) {
		if slices.Contains(w.d.keywords, k) {
			continue
		}
		if slices.Contains(w.d.words, k) {
			n.tell(k)
		}
		if !proseKeys[k] && !slices.Contains(w.d.words, k) {
			w.note(where, k+" is left out")
		}
		n.drop(k)
	}
}

// told is how a keyword that goes is told of in the description.
var told = map[string]string{
	"default": "Default: ", "const": "Always ", "pattern": "Matches ", "format": "Format: ",
	"minimum": "At least ", "maximum": "At most ", "minLength": "Least length: ", "maxLength": "Greatest length: ",
}

// maxTold is how many bytes of a value the description tells.
const maxTold = 200

// tell puts the value of a keyword into the description.
func (n *node) tell(keyword string) {
	v := n.get(keyword)
	if v == nil || v.kind == '{' || v.kind == '[' || v.kind == 'n' {
		return
	}
	said := string(v.json(nil))
	if v.kind == '"' && keyword != "default" && keyword != "const" {
		said = v.str
	}
	if len(said) > maxTold {
		return
	}
	words := told[keyword] + said + "."
	if d := n.word("description"); d != "" {
		if strings.Contains(d, words) {
			return
		}
		words = strings.TrimRight(d, " ") + " " + words
	}
	n.set("description", text(words))
}
