package args

import (
	"bytes"
	"slices"
	"strings"

	"github.com/ferrule/ferrule/rawjson"
	"github.com/ferrule/ferrule/schema"
)

// object sets the members of an object right, or finds the object in a text or
// a list of one.
func (f *fitter) object(v []byte, p schema.Spot, path string) ([]byte, bool) {
	switch rawjson.Kind(v) {
	case '{':
	case '"':
		inner, ok := f.decode(v, path)
		if !ok || rawjson.Kind(inner) != '{' {
			return v, false
		}
		return f.fit(inner, p, path)
	case '[':
		e, ok := onlyElement(v)
		if !ok || rawjson.Kind(e) != '{' {
			return v, false
		}
		f.did(RepairUnlist, path)
		return f.fit(e, p, path)
	default:
		return v, false
	}
	if path == "" {
		if inner, found := f.envelope(v, p); found {
			return f.fit(inner, p, path)
		}
		if f.stop != nil {
			return v, false
		}
	}
	ms := membersOf(v)
	f.respell(ms, p, path)
	all := true
	for i := range ms {
		all = f.member(ms, i, p, path) && all
		if f.steps > maxSteps {
			return v, false
		}
	}
	return objectOf(ms), all
}

// member is one field of an object.
type member struct {
	key   string
	value []byte
	gone  bool
}

func membersOf(v []byte) (ms []member) {
	_ = rawjson.Members(v, func(k, val []byte) bool {
		ms = append(ms, member{key: string(k), value: bytes.TrimSpace(val)})
		return true
	})
	return ms
}

func objectOf(ms []member) []byte {
	out := []byte{'{'}
	for _, m := range ms {
		if m.gone {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(rawjson.AppendString(out, m.key), ':')
		out = append(out, m.value...)
	}
	return append(out, '}')
}

// member fits one value, and leaves out what says nothing or isn't taken.
func (f *fitter) member(ms []member, i int, p schema.Spot, path string) bool {
	m := &ms[i]
	at := below(path, m.key)
	spot, standing := p.Field(m.key)
	if standing == schema.Refused {
		if path == "" && slices.Contains(names, m.key) && rawjson.Kind(m.value) == '"' && f.nameIn(m) {
			return f.stop == nil
		}
		if f.lost++; f.lost > maxLost || f.keep {
			return false
		}
		if twin := twinOf(ms, i); twin != nil {
			if m.gone = rawjson.Same(twin.value, m.value); m.gone {
				f.did(RepairDuplicate, at)
			}
			return m.gone // else which of the two is meant can't be told
		}
		f.done = append(f.done, made{RepairUnknown, at, m.value})
		m.gone = true
		return true
	}
	before := len(f.done)
	value, ok := f.fit(m.value, spot, at)
	if ok || p.Requires(m.key) || !saysNothing(m.value) {
		m.value = value
		return ok
	}
	f.done = append(f.done[:before], made{RepairAbsent, at, m.value})
	m.gone = true
	return true
}

// twinOf finds another member whose name differs only in case and separators.
func twinOf(ms []member, i int) *member {
	for j := range ms {
		if j != i && !ms[j].gone && sameName(ms[j].key, ms[i].key) {
			return &ms[j]
		}
	}
	return nil
}

// nameIn takes a field that holds this tool's own name for what it is, and one
// that names another tool for a call to that one. Other values are just values.
func (f *fitter) nameIn(m *member) bool {
	name, _ := rawjson.String(m.value)
	if f.named(name) {
		m.gone = true
		f.did(RepairOwnName, "")
		return true
	}
	i, _, several := f.set.find(name)
	return (i >= 0 || len(several) > 0) && f.otherTool(m)
}

// saysNothing reports whether a value stands for the lack of one.
func saysNothing(v []byte) bool {
	switch string(v) {
	case `null`, `"null"`, `""`:
		return true
	}
	return false
}

func below(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// respell gives fields the tool's spelling where an object's names are what is
// wrong with it: one isn't taken, or a required one is missing.
func (f *fitter) respell(ms []member, p schema.Spot, path string) {
	fields := p.Fields()
	has := func(key string) bool {
		return slices.ContainsFunc(ms, func(m member) bool { return m.key == key })
	}
	wrong := slices.ContainsFunc(fields, func(name string) bool { return p.Requires(name) && !has(name) })
	var strange []int
	for i, m := range ms {
		switch _, standing := p.Field(m.key); standing {
		case schema.Refused:
			wrong = true
			strange = append(strange, i)
		case schema.Unnamed:
			strange = append(strange, i)
		}
	}
	if !wrong || len(strange) == 0 {
		return
	}
	meant := map[string][]int{} // by the field's own name
	for _, i := range strange {
		if name, ok := spelled(ms[i].key, fields); ok && !has(name) {
			meant[name] = append(meant[name], i)
		}
	}
	for _, name := range fields {
		if is := meant[name]; len(is) == 1 {
			ms[is[0]].key = name
			f.did(RepairKey, below(path, name))
		}
	}
}

// spelled finds the one field whose name differs only in case and separators.
func spelled(key string, fields []string) (name string, ok bool) {
	for _, f := range fields {
		if !sameName(f, key) {
			continue
		}
		if ok {
			return "", false
		}
		name, ok = f, true
	}
	return name, ok
}

// sameName reports whether two names differ only in case and separators. Of one
// letter only the case may differ: -d isn't D.
func sameName(a, b string) bool {
	if len(fold(a)) < 2 {
		return !strings.HasPrefix(a, "-") && strings.EqualFold(a, b)
	}
	return fold(a) == fold(b)
}
