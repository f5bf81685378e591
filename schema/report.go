package schema

import (
	"bytes"
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/ferrule/ferrule/rawjson"
)

// reporter turns the library's tree of errors into problems that name what was
// wanted in the schema's own spelling.
type reporter struct {
	s     *Schema
	value []byte
	out   []Problem
}

func (r *reporter) collect(err error) {
	var e *jsonschema.ValidationError
	if !errors.As(err, &e) {
		r.out = append(r.out, tooComplex(r.value))
		return
	}
	r.walk(e)
}

// walk tells of the leaves of e, in the order of their places: the library's
// own order is that of its maps, and a report that is cut must be cut alike.
func (r *reporter) walk(e *jsonschema.ValidationError) {
	type leaf struct {
		place string
		err   *jsonschema.ValidationError
	}
	var leaves []leaf
	var gather func(e *jsonschema.ValidationError)
	gather = func(e *jsonschema.ValidationError) {
		switch e.ErrorKind.(type) {
		case *kind.Schema, *kind.Group, *kind.Reference, *kind.AllOf:
			for _, c := range e.Causes {
				gather(c)
			}
		default:
			leaves = append(leaves, leaf{pointerOf(e.InstanceLocation), e})
		}
	}
	gather(e)
	slices.SortStableFunc(leaves, func(a, b leaf) int { return strings.Compare(a.place, b.place) })
	for _, l := range leaves[:min(len(leaves), 2*maxProblems)] {
		r.tell(l.err)
	}
}

func (r *reporter) tell(e *jsonschema.ValidationError) {
	switch k := e.ErrorKind.(type) {
	case *kind.AnyOf:
		r.union(e, "anyOf")
	case *kind.OneOf:
		if k.Subschemas != nil {
			r.add(e, "oneOf", "a value that fits exactly one of its forms")
			return
		}
		r.union(e, "oneOf")
	case *kind.Required:
		r.missing(e, k.Missing)
	case *kind.Dependency:
		r.missing(e, k.Missing)
	case *kind.DependentRequired:
		r.missing(e, k.Missing)
	case *kind.AdditionalProperties:
		var known []string
		if ps := r.node(e).get("properties"); ps != nil {
			known = ps.keys
		}
		names := slices.Sorted(slices.Values(k.Properties))
		for _, name := range names[:min(len(names), maxProblems)] {
			r.unknown(e.InstanceLocation, name, known)
		}
	case *kind.PropertyNames:
		r.misnamed(len(e.InstanceLocation), k.Property)
	case *kind.FalseSchema:
		r.unwanted(e)
	default:
		r.leaf(e)
	}
}

func (r *reporter) add(e *jsonschema.ValidationError, keyword, want string, allowed ...string) {
	p := problemAt(e.InstanceLocation, keyword, want, show(at(r.value, e.InstanceLocation)))
	p.Allowed = allowed
	r.out = append(r.out, p)
}

// node finds the subschema that an error speaks of.
func (r *reporter) node(e *jsonschema.ValidationError) *node {
	return lookup(r.s.root, fragment(e.SchemaURL))
}

func fragment(uri string) string {
	_, frag, _ := strings.Cut(uri, "#")
	if p, err := url.PathUnescape(frag); err == nil {
		return p
	}
	return frag
}

func (r *reporter) missing(e *jsonschema.ValidationError, names []string) {
	for _, name := range names[:min(len(names), maxProblems)] {
		r.out = append(r.out, missing(e.InstanceLocation, name, r.s.wanted(r.s.property(r.node(e), name))))
	}
}

func missing(place []string, name, want string) Problem {
	return problemAt(append(slices.Clone(place), name), "required", want, "")
}

func (r *reporter) unknown(place []string, name string, known []string) {
	here := append(slices.Clone(place), name)
	p := problemAt(here, "additionalProperties", "no field of this name", show(at(r.value, here)))
	p.Allowed = slices.Clone(known)
	r.out = append(r.out, p)
}

// unwanted is a value where the schema says false.
func (r *reporter) unwanted(e *jsonschema.ValidationError) {
	last := len(e.InstanceLocation) - 1
	if owner, ok := strings.CutSuffix(e.SchemaURL, "/unevaluatedProperties"); ok && last >= 0 {
		var known []string
		for _, f := range r.s.fields(lookup(r.s.root, fragment(owner))) {
			known = append(known, f.name)
		}
		r.unknown(e.InstanceLocation[:last], e.InstanceLocation[last], known)
		return
	}
	r.add(e, "false", "nothing: it isn't taken here")
}

// misnamed is a field whose name isn't taken. The library's place for it can't
// be used but for its depth: it shares memory with places visited later.
func (r *reporter) misnamed(depth int, name string) {
	var places [][]string
	objects(bytes.TrimSpace(r.value), nil, func(place []string, object []byte) {
		if _, ok := rawjson.Get(object, name); ok && len(place) == depth {
			places = append(places, append(slices.Clone(place), name))
		}
	})
	const want = "another name for the field"
	if len(places) == 1 {
		r.out = append(r.out, problemAt(places[0], "propertyNames", want, show(at(r.value, places[0]))))
		return
	}
	r.out = append(r.out, problemAt(nil, "propertyNames", want, show(text(name).raw)))
}

// bounds phrases what a keyword with one value wants.
var bounds = map[string]string{
	"minimum": "at least %", "maximum": "at most %", "exclusiveMinimum": "more than %", "exclusiveMaximum": "less than %",
	"multipleOf": "a multiple of %", "minLength": "at least % characters", "maxLength": "at most % characters",
	"minItems": "at least % items", "maxItems": "at most % items", "minProperties": "at least % fields",
	"maxProperties": "at most % fields", "pattern": "text that matches %", "uniqueItems": "items that all differ",
	"contains": "an item of the wanted form", "minContains": "at least % items of the wanted form",
	"maxContains": "at most % items of the wanted form", "additionalItems": "no more items",
	"not": "a value that the schema doesn't rule out",
}

func (r *reporter) leaf(e *jsonschema.ValidationError) {
	n := r.node(e)
	keyword := "schema"
	if path := e.ErrorKind.KeywordPath(); len(path) > 0 {
		keyword = path[0]
	}
	if _, ok := e.ErrorKind.(*kind.Not); ok {
		keyword = "not"
	}
	switch keyword {
	case "type", "enum", "const":
		if l := n.get("enum"); keyword == "enum" && l != nil && len(l.vals) == 0 {
			r.add(e, keyword, "nothing: there are no options")
			return
		}
		r.add(e, keyword, r.s.wanted(n), r.s.options(n)...)
		return
	case "schema":
		r.add(e, keyword, "a schema that ends: this one only refers to itself")
		return
	}
	phrase, known := bounds[keyword]
	if !known {
		phrase = keyword + " %"
	}
	limit := ""
	v := n.get(keyword)
	if isTrue(v) {
		v = n.get(map[string]string{"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}[keyword]) // draft 4
	}
	if v != nil {
		limit = show(v.json(nil))
		if v.kind == '"' {
			limit = show([]byte(v.str))
		}
	}
	want := strings.Replace(phrase, "%", limit, 1)
	if limit == "1" {
		want = strings.NewReplacer(" characters", " character", " items", " item", " fields", " field").Replace(want)
	}
	r.add(e, keyword, want)
}

// union tells of a value that fits none of several forms. Where one form alone
// can be meant, it tells what that form lacks.
func (r *reporter) union(e *jsonschema.ValidationError, keyword string) {
	here := pointerOf(e.InstanceLocation)
	var ofKind, ofField [][]Problem // forms of the right kind; of those, with the right constant
	var marks []Problem             // the constants that rule the others out
	for _, c := range e.Causes {
		sub := reporter{s: r.s, value: r.value}
		sub.walk(c)
		if slices.ContainsFunc(sub.out, func(p Problem) bool { return p.Pointer == here && judgesKind(p) }) {
			continue
		}
		ofKind = append(ofKind, sub.out)
		mark := slices.IndexFunc(sub.out, func(p Problem) bool {
			return len(p.Allowed) > 0 && judgesKind(p) && parent(p.Pointer) == here
		})
		if mark < 0 {
			ofField = append(ofField, sub.out)
			continue
		}
		marks = append(marks, sub.out[mark])
	}
	switch {
	case len(ofKind) == 1:
		r.out = append(r.out, ofKind[0]...)
	case len(ofField) == 1:
		r.out = append(r.out, ofField[0]...)
	case len(ofField) == 0 && sameField(marks):
		all := marks[0]
		all.Keyword, all.Allowed = "enum", nil
		for _, m := range marks {
			all.Allowed = append(all.Allowed, m.Allowed...)
		}
		all.Want = choices(all.Allowed)
		r.out = append(r.out, all)
	default:
		n := r.node(e)
		r.add(e, keyword, r.s.wanted(n), r.s.options(n)...)
	}
}

// judgesKind reports whether a problem says that another form was meant.
func judgesKind(p Problem) bool {
	return p.Keyword == "type" || p.Keyword == "const" || p.Keyword == "enum"
}

// sameField reports whether all forms are told apart by one field.
func sameField(marks []Problem) bool {
	for _, m := range marks {
		if m.Pointer != marks[0].Pointer {
			return false
		}
	}
	return len(marks) > 0
}

func parent(pointer string) string {
	return pointer[:max(strings.LastIndexByte(pointer, '/'), 0)]
}
