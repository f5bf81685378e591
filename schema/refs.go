package schema

import (
	"net/url"
	"strconv"
	"strings"
)

// home is the URI of a document that names none.
const home = "mem:///schema"

// index finds what references name, within one document.
type index struct {
	root    *node
	draft   int
	ids     map[string]*node // by absolute URI
	anchors map[string]*node // by URI#anchor
	found   map[string]target
}

// target is what a reference names.
type target struct {
	node    *node // nil: nothing
	outside bool
}

func newIndex(root *node) *index {
	x := &index{root: root, draft: draftOf(root), ids: map[string]*node{home: root}, anchors: map[string]*node{}}
	x.add(root, home)
	x.found = map[string]target{}
	x.resolveAll(root)
	return x
}

// resolveAll looks every reference up once: later nothing is written, so that
// an index may be read by many.
func (x *index) resolveAll(n *node) {
	for _, k := range references {
		if ref := n.word(k); ref != "" {
			if _, done := x.found[n.base+" "+ref]; !done {
				x.found[n.base+" "+ref] = x.find(n.base, ref)
			}
		}
	}
	eachBelow(n, func(_ string, c *node) { x.resolveAll(c) })
}

func (x *index) add(n *node, base string) {
	if n.kind != '{' {
		return
	}
	id := n.word("$id")
	if x.draft == 4 {
		id = n.word("id")
	}
	if x.draft < 2019 && n.get("$ref") != nil {
		id = "" // the older drafts ignore what stands beside a reference
	}
	if id != "" {
		u, frag := join(base, id)
		if u != base {
			base = u
			x.ids[base] = n
		}
		if frag != "" {
			x.anchors[base+"#"+frag] = n
		}
	}
	n.base = base
	for _, k := range []string{"$anchor", "$dynamicAnchor"} {
		if a := n.word(k); a != "" {
			x.anchors[base+"#"+a] = n
		}
	}
	eachBelow(n, func(_ string, c *node) { x.add(c, base) })
}

// resolve returns what a reference of n names: nil where there is nothing, and
// outside when it leaves the document.
func (x *index) resolve(n *node, ref string) (t *node, outside bool) {
	f, ok := x.found[n.base+" "+ref]
	if !ok {
		f = x.find(n.base, ref)
	}
	return f.node, f.outside
}

func (x *index) find(base, ref string) target {
	if base == "" {
		base = home
	}
	u, frag := join(base, ref)
	doc := x.ids[u]
	switch {
	case doc == nil:
		return target{outside: true}
	case frag == "":
		return target{node: doc}
	case frag[0] == '/':
		return target{node: lookup(doc, frag)}
	}
	return target{node: x.anchors[u+"#"+frag]}
}

func join(base, ref string) (uri, fragment string) {
	ref, fragment, _ = strings.Cut(ref, "#")
	if f, err := url.PathUnescape(fragment); err == nil {
		fragment = f
	}
	if ref == "" {
		return base, fragment
	}
	b, err := url.Parse(base)
	if err != nil {
		return ref, fragment
	}
	r, err := url.Parse(ref)
	if err != nil {
		return ref, fragment
	}
	u := b.ResolveReference(r)
	if !r.IsAbs() && b.Opaque != "" {
		u.Opaque = b.Opaque
	}
	return u.String(), fragment
}

// lookup follows a JSON pointer.
func lookup(n *node, pointer string) *node {
	if pointer == "" {
		return n
	}
	for _, tok := range strings.Split(pointer, "/")[1:] {
		if strings.Contains(tok, "~") {
			tok = strings.NewReplacer("~1", "/", "~0", "~").Replace(tok)
		}
		switch {
		case n == nil:
			return nil
		case n.kind == '{':
			n = n.get(tok)
		case n.kind == '[':
			i, err := strconv.Atoi(tok)
			if err != nil || i < 0 || i >= len(n.vals) {
				return nil
			}
			n = n.vals[i]
		default:
			return nil
		}
	}
	return n
}

// drafts lists what a $schema may name.
var drafts = map[string]int{
	"json-schema.org/schema":               2020,
	"json-schema.org/draft/2020-12/schema": 2020,
	"json-schema.org/draft/2019-09/schema": 2019,
	"json-schema.org/draft-07/schema":      7,
	"json-schema.org/draft-06/schema":      6,
	"json-schema.org/draft-04/schema":      4,
}

func draftNamed(uri string) int {
	uri = strings.TrimSuffix(uri, "#")
	uri = strings.TrimPrefix(strings.TrimPrefix(uri, "http://"), "https://")
	return drafts[uri]
}

func draftOf(root *node) int {
	if d := draftNamed(root.word("$schema")); d != 0 {
		return d
	}
	return 2020
}
