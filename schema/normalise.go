package schema

import (
	"fmt"
	"math/big"
	"strings"
)

// normaliser puts what tools contain into the form of their draft. It changes
// what no draft allows, and nothing else.
type normaliser struct {
	draft int
	notes []string
	seen  map[*node]bool
	weak  []*node // that lost a check
}

func (z *normaliser) document(root *node) {
	z.seen = map[*node]bool{}
	if s := root.get("$schema"); s != nil && draftNamed(s.str) == 0 {
		root.drop("$schema")
		z.notef("the draft %.80q isn't known: read as 2020-12", s.str)
	}
	z.node(root)
	z.relax(root)
}

// unchecked notes that n lost a check.
func (z *normaliser) unchecked(n *node, format string, args ...any) {
	z.weak = append(z.weak, n)
	z.notef(format, args...)
}

func (z *normaliser) notef(format string, args ...any) {
	if len(z.notes) < 20 {
		z.notes = append(z.notes, fmt.Sprintf(format, args...))
	}
}

func (z *normaliser) node(n *node) {
	if n.kind != '{' {
		if n.kind != 't' && n.kind != 'f' {
			if n.kind != 'n' {
				z.unchecked(n, "%s stands where a schema should: it takes anything", kindName(n.kind))
			}
			*n = node{kind: 't', raw: []byte("true")}
		}
		return
	}
	if z.seen[n] {
		return
	}
	z.seen[n] = true
	z.dropMalformed(n)
	for _, step := range []func(*node){z.types, z.lists, z.counts, z.required, z.bounds, z.dependencies, z.tuples, z.patterns} {
		step(n)
	}
	eachBelow(n, func(_ string, c *node) { z.node(c) })
	z.nullable(n) // last: it may wrap the node
}

// dropMalformed takes out keywords whose value is of no kind that a draft
// allows, null above all.
func (z *normaliser) dropMalformed(n *node) {
	for i := 0; i < len(n.keys); {
		k, v := n.keys[i], n.vals[i]
		want, known := accepts[k]
		if !known || strings.IndexByte(want, v.kind) >= 0 {
			i++
			continue
		}
		if v.kind != 'n' {
			z.unchecked(n, "%q with %s isn't checked", k, kindName(v.kind))
		}
		n.drop(k)
	}
	if s := n.get("$schema"); s != nil && draftNamed(s.str) == 0 {
		n.drop("$schema")
	}
	// How a text looks is a hint to whoever writes it, in every draft; some
	// readers of the older ones check it and would refuse what others take.
	if f := n.get("format"); f != nil {
		n.drop("format")
		n.set(formatHint, f)
	}
}

// formatHint is where a schema's format is kept, unchecked.
const formatHint = "x-format"

// lists sees that options and examples are such that a draft takes them.
func (z *normaliser) lists(n *node) {
	for _, k := range []string{"allOf", "anyOf", "oneOf", "prefixItems"} {
		if l := n.get(k); l != nil && len(l.vals) == 0 {
			n.drop(k)
		}
	}
	if e := n.get("enum"); e != nil && len(e.vals) == 0 && z.draft < 7 { // later ones take it: nothing fits
		n.drop("enum")
		z.unchecked(n, "an empty list of options isn't checked")
	}
	if e := n.get("enum"); e != nil {
		e.vals = distinct(e.vals)
	}
}

// maxCount is above every count that a value can have, and what the library can
// compute with.
const maxCount = "1000000000"

// counts caps what would be beyond the library's integers, and takes out what
// is no count. A fraction is left to the draft, which refuses it.
func (z *normaliser) counts(n *node) {
	for _, k := range []string{"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains"} {
		c := n.get(k)
		if c == nil {
			continue
		}
		switch v, ok := new(big.Rat).SetString(string(c.raw)); {
		case !ok:
		case v.Sign() < 0:
			n.drop(k)
			z.unchecked(n, "%q below zero isn't checked", k)
		case v.IsInt() && v.Cmp(big.NewRat(1_000_000_000, 1)) > 0:
			n.set(k, &node{kind: '0', raw: []byte(maxCount)})
		}
	}
}

// required moves "required": true of a property to its object, and drops what
// stands twice.
func (z *normaliser) required(n *node) {
	if r := n.get("required"); r != nil && r.kind == 't' {
		n.drop("required")
	}
	names := n.get("required")
	if names == nil {
		names = array()
	}
	ps := n.get("properties")
	if ps != nil {
		for i, p := range ps.vals {
			r := p.get("required")
			if isTrue(r) {
				names.vals = append(names.vals, text(ps.keys[i]))
			}
			if isTrue(r) || isFalse(r) {
				p.drop("required")
			}
		}
	}
	kept := names.vals[:0]
	for _, v := range distinct(names.vals) {
		if v.kind == '"' {
			kept = append(kept, v)
		}
	}
	if names.vals = kept; len(kept) == 0 {
		n.drop("required")
		return
	}
	n.set("required", names)
}

// bounds turns the boolean exclusive bounds of draft 4 into numbers.
func (z *normaliser) bounds(n *node) {
	if z.draft == 4 {
		return
	}
	for _, b := range [...]struct{ exclusive, plain string }{{"exclusiveMinimum", "minimum"}, {"exclusiveMaximum", "maximum"}} {
		x := n.get(b.exclusive)
		if x == nil || x.kind == '0' {
			continue
		}
		n.drop(b.exclusive)
		if limit := n.get(b.plain); isTrue(x) && limit != nil {
			n.drop(b.plain)
			n.set(b.exclusive, limit)
		}
	}
}

// dependencies splits the keyword of the older drafts in two.
func (z *normaliser) dependencies(n *node) {
	d := n.get("dependencies")
	if d == nil || z.draft < 2019 {
		return
	}
	n.drop("dependencies")
	names, schemas := &node{kind: '{'}, &node{kind: '{'}
	for i, k := range d.keys {
		switch v := d.vals[i]; v.kind {
		case '[':
			names.set(k, v)
		case '"':
			names.set(k, array(v))
		default:
			schemas.set(k, v)
		}
	}
	for _, s := range [...]struct {
		key string
		val *node
	}{{"dependentRequired", names}, {"dependentSchemas", schemas}} {
		if len(s.val.keys) > 0 && n.get(s.key) == nil {
			n.set(s.key, s.val)
		}
	}
}

// tuples turns a list under "items" into 2020-12's prefixItems.
func (z *normaliser) tuples(n *node) {
	items := n.get("items")
	if z.draft < 2020 || items == nil || items.kind != '[' {
		return
	}
	n.drop("items")
	if len(items.vals) > 0 {
		n.set("prefixItems", items)
	}
	if rest := n.get("additionalItems"); rest != nil {
		n.drop("additionalItems")
		n.set("items", rest)
	}
}

// patterns takes out what RE2 doesn't take.
func (z *normaliser) patterns(n *node) {
	if p := n.get("pattern"); p != nil {
		if _, err := compilePattern(p.str); err != nil {
			n.drop("pattern")
			z.unchecked(n, "the pattern %.80q isn't checked: %v", p.str, err)
		}
	}
	if ps := n.get("patternProperties"); ps != nil {
		for _, k := range append([]string(nil), ps.keys...) {
			if _, err := compilePattern(k); err != nil {
				ps.drop(k)
				if ps.get("") == nil { // any field may be one of them: none is unknown
					ps.set("", &node{kind: 't', raw: []byte("true")})
				}
				z.unchecked(n, "fields whose name matches %.80q aren't checked: %v", k, err)
				n.drop("additionalProperties") // they would fall under it
			}
		}
	}
}

func distinct(vals []*node) []*node {
	seen := map[string]bool{}
	out := vals[:0]
	for _, v := range vals {
		if k := string(v.json(nil)); !seen[k] {
			seen[k] = true
			out = append(out, v)
		}
	}
	return out
}
