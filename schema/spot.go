package schema

import (
	"bytes"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Spot is a place in a schema and says what a value there must fit. The zero
// Spot takes anything.
type Spot struct {
	s *Schema
	n *node
}

// Spot is where the whole value stands.
func (s *Schema) Spot() Spot { return Spot{s, s.root} }

func (p Spot) at(n *node) Spot {
	if n == nil {
		return Spot{}
	}
	return Spot{p.s, n}
}

// Types lists the JSON types that may stand here; nil is any.
func (p Spot) Types() []string {
	if p.n == nil {
		return nil
	}
	return p.s.types(p.n)
}

// Options lists the JSON of what may stand here, where that is a list.
func (p Spot) Options() []string {
	if p.n == nil {
		return nil
	}
	return p.s.options(p.n)
}

// Forms are the forms of which a value must have one; nil where there is no
// such choice.
func (p Spot) Forms() []Spot {
	var out []Spot
	if p.n == nil {
		return nil
	}
	p.s.eachPart(p.n, func(part *node) {
		for _, k := range []string{"anyOf", "oneOf"} {
			if u := part.get(k); u != nil && len(out) == 0 {
				for _, f := range u.vals {
					out = append(out, p.at(f))
				}
			}
		}
	})
	return out
}

// Standing says what a schema thinks of a field.
type Standing uint8

const (
	Unnamed Standing = iota // it doesn't speak of it, and takes it
	Named                   // it names it
	Open                    // it takes fields of any name, and says so
	Refused                 // it doesn't take it
)

// Field returns where a field's value stands.
func (p Spot) Field(name string) (Spot, Standing) {
	if p.n == nil {
		return Spot{}, Unnamed
	}
	if n := p.s.property(p.n, name); n != nil {
		return p.at(n), Named
	}
	found, standing := Spot{}, Unnamed
	p.s.eachPart(p.n, func(part *node) {
		if standing == Refused || standing == Named {
			return
		}
		if n := patterned(part, name); n != nil {
			found, standing = p.at(n), Named
			return
		}
		for _, k := range []string{"additionalProperties", "unevaluatedProperties"} {
			switch rest := part.get(k); {
			case rest == nil:
			case isFalse(rest):
				found, standing = Spot{}, Refused
			default:
				found, standing = p.at(rest), Open
			}
		}
	})
	return found, standing
}

// patterned is what patternProperties say of a field.
func patterned(n *node, name string) *node {
	ps := n.get("patternProperties")
	if ps == nil {
		return nil
	}
	for i, k := range ps.keys {
		if re, err := compilePattern(k); err == nil && re.MatchString(name) {
			return ps.vals[i]
		}
	}
	return nil
}

// Fields names the fields of the object here, in the schema's order.
func (p Spot) Fields() []string {
	if p.n == nil {
		return nil
	}
	var out []string
	for _, f := range p.s.fields(p.n) {
		out = append(out, f.name)
	}
	return out
}

// Requires reports whether the object here must have a field.
func (p Spot) Requires(name string) bool {
	return p.n != nil && slices.Contains(p.s.required(p.n), name)
}

// Item returns where the i-th element of the list here stands.
func (p Spot) Item(i int) Spot {
	if p.n == nil {
		return Spot{}
	}
	var found *node
	p.s.eachPart(p.n, func(part *node) {
		if found != nil {
			return
		}
		if first := part.get("prefixItems"); first != nil && i < len(first.vals) {
			found = first.vals[i]
			return
		}
		switch items := part.get("items"); {
		case items == nil:
		case items.kind != '[':
			found = items
		case i < len(items.vals):
			found = items.vals[i]
		default:
			found = part.get("additionalItems")
		}
	})
	return p.at(found)
}

// Reference reports whether the schema marks the text here as a reference to
// something that was shown, by "x-ferrule-ref": true.
func (p Spot) Reference() bool {
	marked := false
	if p.n != nil {
		p.s.eachPart(p.n, func(part *node) { marked = marked || isTrue(part.get("x-ferrule-ref")) })
	}
	return marked
}

// Takes reports whether a JSON value may stand here. It asks only what the
// schema says of this place; Check has the last word on the whole.
func (p Spot) Takes(value []byte) bool {
	if p.n == nil || isTrue(p.n) {
		return true
	}
	if p.n == p.s.root {
		return len(p.s.Check(value)) == 0
	}
	if p.s.lib == nil {
		return true
	}
	v, nodes, bad := readValue(bytes.TrimSpace(value))
	if len(bad) > 0 || nodes*p.s.cost > maxSteps {
		return false
	}
	lib := p.s.places.compiled(p.s, p.n)
	return lib != nil && p.s.validateBy(lib, v) == nil
}

// placed are the schemas of single places, compiled when first asked for.
type placed struct {
	mu       sync.Mutex
	compiler *jsonschema.Compiler
	places   map[*node]string
	made     map[*node]*jsonschema.Schema
}

func (x *placed) compiled(s *Schema, n *node) *jsonschema.Schema {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.places == nil {
		x.places, x.made = map[*node]string{}, map[*node]*jsonschema.Schema{}
		x.place(s.root, "")
		c := newCompiler(s.guard)
		if c.AddResource(home, s.root.plain()) == nil {
			x.compiler = c
		}
	}
	if lib, ok := x.made[n]; ok {
		return lib
	}
	var lib *jsonschema.Schema
	if at, ok := x.places[n]; ok && x.compiler != nil {
		lib, _ = x.compiler.Compile(home + "#" + at)
	}
	x.made[n] = lib
	return lib
}

// place notes where each node stands, as the fragment of a URI.
func (x *placed) place(n *node, at string) {
	if n.kind != '{' && n.kind != '[' && n.kind != 't' && n.kind != 'f' {
		return
	}
	x.places[n] = at
	for i, c := range n.vals {
		token := strconv.Itoa(i)
		if n.kind == '{' {
			token = strings.NewReplacer("~", "~0", "/", "~1").Replace(n.keys[i])
		}
		x.place(c, at+"/"+url.PathEscape(token))
	}
}
