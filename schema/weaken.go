package schema

// What can't be checked is taken out of a schema, so that it passes. Under "not",
// "if", "oneOf" and "maxContains" less to check means more that is refused: what
// stands above a part that was taken out is relaxed too.

// link says that parent's keyword holds a value against a node.
type link struct {
	parent  *node
	keyword string
}

// relax follows the nodes that lost a check upwards, through references too.
func (z *normaliser) relax(root *node) {
	if len(z.weak) == 0 {
		return
	}
	up := links(root)
	queue := z.weak
	seen := map[*node]bool{}
	for len(queue) > 0 {
		n := queue[0]
		if queue = queue[1:]; seen[n] {
			continue
		}
		seen[n] = true
		for _, l := range up[n] {
			z.relaxAt(l)
			queue = append(queue, l.parent)
		}
	}
}

func (z *normaliser) relaxAt(l link) {
	n := l.parent
	if n.get(l.keyword) == nil {
		return
	}
	const note = "%q isn't checked where a part of it can't be"
	switch l.keyword {
	case "not":
		n.drop("not")
		z.notef(note, "not")
	case "if":
		for _, k := range []string{"if", "then", "else", "unevaluatedProperties", "unevaluatedItems"} {
			n.drop(k)
		}
		z.notef(note, "if")
	case "contains":
		if n.get("maxContains") != nil {
			n.drop("maxContains")
			z.notef(note, "maxContains")
		}
	case "oneOf":
		forms := n.get("oneOf")
		n.drop("oneOf")
		if n.get("anyOf") == nil {
			n.set("anyOf", forms)
		} else {
			any := &node{kind: '{', base: n.base}
			any.set("anyOf", forms)
			all := array(any)
			if a := n.get("allOf"); a != nil {
				all.vals = append(all.vals, a.vals...)
			}
			n.set("allOf", all)
		}
		z.notef("that only one form of a %q fits isn't checked where a part of it can't be", "oneOf")
	}
}

// links finds what holds values against each node of a document.
func links(root *node) map[*node][]link {
	x := newIndex(root)
	up := map[*node][]link{}
	seen := map[*node]bool{}
	var visit func(n *node)
	visit = func(n *node) {
		if seen[n] {
			return
		}
		seen[n] = true
		for _, k := range references {
			if ref := n.word(k); ref != "" {
				if t, _ := x.resolve(n, ref); t != nil {
					up[t] = append(up[t], link{n, k})
				}
			}
		}
		eachBelow(n, func(k string, c *node) {
			if !definitions[k] {
				up[c] = append(up[c], link{n, k})
			}
			visit(c)
		})
	}
	visit(root)
	return up
}
