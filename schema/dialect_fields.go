package schema

import (
	"slices"
	"strings"
)

// Theirs returns a call's arguments with the names that a dialect gives the
// fields of a schema, and Ours with the schema's own, where the dialect renames
// some. What isn't JSON, or has no such field, comes back as it is.
func Theirs(dialect string, src, args []byte) []byte {
	return renameFields(dialect, src, args, func(own, theirs string) (string, string) { return own, theirs })
}

// Ours undoes Theirs.
func Ours(dialect string, src, args []byte) []byte {
	return renameFields(dialect, src, args, func(own, theirs string) (string, string) { return theirs, own })
}

// Renames reports whether a dialect gives fields other names.
func Renames(dialect string) bool {
	d, ok := dialectNamed(dialect)
	return ok && slices.Contains(d.rewrites, "reserved")
}

func renameFields(dialect string, src, args []byte, way func(own, theirs string) (from, to string)) []byte {
	if !Renames(dialect) {
		return args
	}
	d, _ := dialectNamed(dialect)
	d.rewrites = slices.DeleteFunc(slices.Clone(d.rewrites), func(r string) bool { return r == "reserved" })
	root, err := parse(src)
	if err != nil {
		return args
	}
	v, err := parse(args)
	if err != nil {
		return args
	}
	w := &rewriting{d: d, index: newIndex(root), budget: maxInlined}
	r := renaming{way: way}
	if r.walk(w.all(root), v, 0); !r.did {
		return args
	}
	return v.json(nil)
}

// reservedOf is what a field is called in the dialect; "" for its own name.
func reservedOf(props *node, name string) string {
	if slices.Contains(reservedNames, name) && props.get(name+"_") == nil {
		return name + "_"
	}
	return ""
}

// renaming gives the fields of a value other names.
type renaming struct {
	way func(own, theirs string) (from, to string)
	did bool
}

func (r *renaming) walk(s, v *node, depth int) {
	if s == nil || s.kind != '{' || depth > MaxNesting {
		return
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf"} {
		if list := s.get(key); list != nil && list.kind == '[' {
			for _, b := range list.vals {
				r.walk(b, v, depth+1)
			}
		}
	}
	switch v.kind {
	case '[':
		for _, e := range v.vals {
			r.walk(s.get("items"), e, depth+1)
		}
	case '{':
		r.fields(s, v, depth)
	}
}

func (r *renaming) fields(s, v *node, depth int) {
	props := s.get("properties")
	if props == nil || props.kind != '{' {
		props = &node{kind: '{'}
	}
	for _, own := range props.keys {
		name := own
		if theirs := reservedOf(props, own); theirs != "" {
			from, to := r.way(own, theirs)
			name = to
			if i := slices.Index(v.keys, from); i >= 0 && !slices.Contains(v.keys, to) {
				v.keys[i] = to
				r.did = true
			} else if i >= 0 {
				name = from
			}
		}
		if i := slices.Index(v.keys, name); i >= 0 {
			r.walk(props.get(own), v.vals[i], depth+1)
		}
	}
	if more := s.get("additionalProperties"); more != nil && more.kind == '{' {
		for i, k := range v.keys {
			if props.get(k) == nil && props.get(strings.TrimSuffix(k, "_")) == nil {
				r.walk(more, v.vals[i], depth+1)
			}
		}
	}
}
