package args

import (
	"bytes"
	"slices"

	"github.com/ferrule/ferrule/rawjson"
	"github.com/ferrule/ferrule/schema"
)

// envelopes are the keys under which models put all arguments once more.
var envelopes = []string{"arguments", "parameters", "args", "input", "properties", "params", "kwargs", "body"}

// beside are the keys that may stand beside an envelope: those of a whole call.
var beside = []string{"name", "tool", "tool_name", "function", "type", "id"}

// names are those of them that say which tool is called.
var names = beside[:4]

// envelope finds the arguments within a wrapper that the tool has no field for.
func (f *fitter) envelope(v []byte, p schema.Spot) (inner []byte, found bool) {
	ms := membersOf(v)
	var wrapper *member
	for i := range ms {
		m := &ms[i]
		if _, standing := p.Field(m.key); standing == schema.Named {
			return nil, false
		}
		switch {
		case slices.Contains(names, m.key) && rawjson.Kind(m.value) == '"':
			if f.otherTool(m) {
				return nil, false
			}
		case slices.Contains(beside, m.key):
		case wrapper == nil && (slices.Contains(envelopes, m.key) || f.named(m.key)):
			wrapper = m
		default:
			return nil, false
		}
	}
	if wrapper == nil {
		return nil, false
	}
	inner = wrapper.value
	var did []made
	if rawjson.Kind(inner) == '"' {
		g := fitter{set: f.set, tool: f.tool}
		decoded, ok := g.decode(inner, "")
		if !ok {
			return nil, false
		}
		inner, did = decoded, g.done
	}
	if rawjson.Kind(inner) != '{' {
		return nil, false
	}
	if echoed(inner, p) {
		f.stop = &schema.Problem{Keyword: "schema_echo", Want: "values for the tool's fields", Got: wrapper.key}
		return nil, false
	}
	key := wrapper.key
	if !slices.Contains(envelopes, key) {
		key = "name"
	}
	f.did(RepairEnvelope+":"+key, "")
	f.done = append(f.done, did...)
	return inner, true
}

// wrapped takes arguments given as text by name out of a wrapper that passed
// only since the schema doesn't speak of other fields: all that it holds are
// fields of the tool. JSON that passes is never touched.
func (f *fitter) wrapped(v []byte, p schema.Spot) []byte {
	ms := membersOf(v)
	if len(ms) != 1 || !slices.Contains(envelopes, ms[0].key) {
		return v
	}
	if _, standing := p.Field(ms[0].key); standing != schema.Unnamed {
		return v
	}
	g := fitter{set: f.set, tool: f.tool}
	inner, found := g.envelope(v, p)
	if !found || len(membersOf(inner)) == 0 || len(f.tool.schema.Check(inner)) > 0 {
		return v
	}
	for _, m := range membersOf(inner) {
		if _, standing := p.Field(m.key); standing != schema.Named {
			return v
		}
	}
	f.done = append(f.done, g.done...)
	return inner
}

// otherTool reports whether a member says that another tool is called, which is
// no call to this one.
func (f *fitter) otherTool(m *member) bool {
	name, err := rawjson.String(m.value)
	if err != nil || f.named(name) {
		return false
	}
	f.stop = &schema.Problem{
		Path: m.key, Pointer: "/" + m.key, Keyword: "other_tool",
		Want: "the arguments of " + f.tool.Name + " alone", Got: string(m.value[:min(len(m.value), 60)]),
	}
	return true
}

// named reports whether a name means this tool.
func (f *fitter) named(name string) bool {
	i, _, _ := f.set.find(name)
	return i >= 0 && f.set.names[i] == f.tool.Name
}

// echoed reports whether the members are a schema's, not values: each is an
// object that says its type where the tool has a field.
func echoed(v []byte, p schema.Spot) bool {
	all, some := true, false
	_ = rawjson.Members(v, func(k, val []byte) bool {
		some = true
		t, ok := rawjson.Get(val, "type")
		word := ""
		if ok && rawjson.Kind(val) == '{' {
			word, _ = rawjson.String(bytes.TrimSpace(t))
		}
		all = slices.Contains([]string{"string", "number", "integer", "boolean", "object", "array", "null"}, word)
		return all
	})
	return some && all
}
