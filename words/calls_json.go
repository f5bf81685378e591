package words

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
)

// The keys under which models write the parts of a call. The first of each is
// the one that is asked for.
var (
	listKeys    = []string{"calls", "tool_calls", "toolCalls", "call", "tool_call"}
	nameKeys    = []string{"name", "tool_name", "function", "tool", "function_name"}
	argKeys     = []string{"arguments", "parameters", "args", "input", "tool_input", "params"}
	wrapperKeys = []string{"function", "function_call"}
	idKeys      = []string{"id", "call_id"}
)

// maxNesting bounds how deep calls may be wrapped in lists and objects.
const maxNesting = 4

// fields are the members of one object, each taken once. What is left over in
// the end is what nobody asked for.
type fields struct {
	keys    []string // in order, "" once taken
	vals    [][]byte
	at      map[string]int
	why     string // it can't be read as one meaning
	repairs []string
}

// fieldsOf reads the members of an object; err says why it isn't one. A key
// that stands twice with the same value is one member.
func fieldsOf(v []byte) (fs *fields, err string) {
	if e := rawjson.Valid(v, rawjson.MaxDepth); e != nil {
		return nil, "its JSON is broken: " + e.Error()
	}
	fs = &fields{at: map[string]int{}}
	e := rawjson.Members(v, func(k, val []byte) bool {
		i, doubled := fs.at[string(k)]
		switch {
		case !doubled:
			fs.at[string(k)] = len(fs.keys)
			fs.keys = append(fs.keys, string(k))
			fs.vals = append(fs.vals, val)
		case sameJSON(fs.vals[i], val):
			fs.repair("duplicate_key")
		case fs.why == "":
			fs.why = fmt.Sprintf("the key %q stands twice with different values", k)
		}
		return true
	})
	if e != nil {
		return nil, "a JSON object was expected"
	}
	return fs, ""
}

func sameJSON(a, b []byte) bool { return bytes.Equal(a, b) || rawjson.Same(a, b) }

func (fs *fields) repair(what string) {
	if !slices.Contains(fs.repairs, what) {
		fs.repairs = append(fs.repairs, what)
	}
}

func (fs *fields) has(keys ...string) bool {
	for _, k := range keys {
		if i, ok := fs.at[k]; ok && fs.keys[i] != "" {
			return true
		}
	}
	return false
}

// take takes the first of the keys that is there and whose value begins like
// one of kinds. Another of them with another value makes two readings.
func (fs *fields) take(repair, kinds string, keys ...string) []byte {
	var got []byte
	for n, k := range keys {
		i, ok := fs.at[k]
		if !ok || fs.keys[i] == "" || kinds != "" && bytes.IndexByte([]byte(kinds), rawjson.Kind(fs.vals[i])) < 0 {
			continue
		}
		v := fs.vals[i]
		fs.keys[i] = ""
		switch {
		case got == nil:
			got = v
			if n > 0 && repair != "" {
				fs.repair(repair)
			}
		case !sameJSON(got, v):
			if fs.why == "" {
				fs.why = fmt.Sprintf("it has %q and %q, and they differ", keys[0], k)
			}
		default:
			fs.repair("duplicate_key")
		}
	}
	return got
}

func (fs *fields) takeString(keys ...string) string {
	v := fs.take("", `"`, keys...)
	if v == nil {
		return ""
	}
	s, _ := rawjson.String(v)
	return s
}

// takeList takes a list of calls, or the one call that stands in its place.
func (fs *fields) takeList() (v []byte, ok bool) {
	v = fs.take("calls_key", "[{", listKeys...)
	return v, v != nil
}

// left counts the members that nobody took. A type that says that this is a
// call says nothing that isn't known.
func (fs *fields) left() int {
	n := 0
	for i, k := range fs.keys {
		if k != "" && (k != "type" || !isCallType(fs.vals[i])) {
			n++
		}
	}
	return n
}

// callsOf reads every call that a JSON value holds. Something in it that can't
// be read is a call with a reason.
func callsOf(v []byte, depth int) []chat.Written {
	if rawjson.Kind(v) == '"' {
		return callsOfText(v, depth)
	}
	if rawjson.Kind(v) == '[' {
		if err := rawjson.Valid(v, rawjson.MaxDepth); err != nil {
			return callsOfBroken(v, depth, "its JSON is broken: "+err.Error())
		}
		cs := elementCalls(v, depth+1)
		for i := range cs {
			cs[i].Repairs = append([]string{"array"}, cs[i].Repairs...)
		}
		if len(cs) == 0 {
			return []chat.Written{{Why: "the list holds no call"}}
		}
		return cs
	}
	if err := rawjson.Valid(v, rawjson.MaxDepth); err != nil {
		return callsOfBroken(v, depth, "its JSON is broken: "+err.Error())
	}
	fs, err := fieldsOf(v)
	if err != "" {
		return []chat.Written{{Why: err}}
	}
	return fs.call(depth)
}

// callsOfText reads calls from a string that holds them as JSON.
func callsOfText(v []byte, depth int) []chat.Written {
	s, err := rawjson.String(v)
	if kind := rawjson.Kind([]byte(s)); err != nil || kind != '{' && kind != '[' || depth > maxNesting {
		return []chat.Written{{Why: "a JSON object was expected"}}
	}
	cs := callsOf([]byte(s), depth+1)
	for i := range cs {
		cs[i].Repairs = append([]string{"double_encoded"}, cs[i].Repairs...)
	}
	return cs
}

// leadingName is the name in an object that breaks off behind it, so that the
// model can be told how this tool is called. "" where it can't be read for sure.
func leadingName(v []byte) (name string) {
	_ = rawjson.Members(v, func(k, val []byte) bool {
		if slices.Contains(nameKeys, string(k)) && name == "" && rawjson.Kind(val) == '"' {
			name, _ = rawjson.String(val)
		}
		return true
	})
	return name
}

// elementCalls reads the elements of a list, or the one object in its place.
func elementCalls(v []byte, depth int) []chat.Written {
	if rawjson.Kind(v) != '[' {
		return callsOf(v, depth)
	}
	if depth > maxNesting {
		return []chat.Written{{Why: "its lists are nested too deep"}}
	}
	var cs []chat.Written
	// The list is part of a value that was checked.
	_ = rawjson.Elements(v, func(e []byte) bool {
		cs = append(cs, each(e, callsOf(e, depth))...)
		return true
	})
	return cs
}

// each notes in a call where it stands, if it is the only one there.
func each(raw []byte, cs []chat.Written) []chat.Written {
	if len(cs) == 1 && cs[0].Raw == nil {
		cs[0].Raw = bytes.Clone(raw)
	}
	return cs
}

// call reads an object that is a call, wraps one, or holds a list of them.
func (fs *fields) call(depth int) []chat.Written {
	if depth > maxNesting {
		return []chat.Written{{Why: "its objects are nested too deep"}}
	}
	id := fs.takeString(idKeys...)
	var cs []chat.Written
	inner := fs.take("", "{", wrapperKeys...)
	if inner != nil && !fs.has("name", "tool_name") {
		fs.repair("wrapped")
		cs = callsOf(inner, depth+1)
	} else if list, ok := fs.wrappedList(); ok {
		fs.repair("wrapped")
		cs = elementCalls(list, depth+1)
	} else {
		cs = []chat.Written{fs.single(id)}
	}
	if len(cs) > 0 && cs[0].ID == "" {
		cs[0].ID = id
	}
	if fs.left() > 0 {
		fs.repair("extra_fields")
	}
	for i := range cs {
		cs[i].Repairs = append(append([]string(nil), fs.repairs...), cs[i].Repairs...)
		if cs[i].Why == "" {
			cs[i].Why = fs.why
		}
	}
	return cs
}

// wrappedList finds a list of calls in an object that has no name of its own.
func (fs *fields) wrappedList() ([]byte, bool) {
	if fs.has(nameKeys...) {
		return nil, false
	}
	return fs.takeList()
}

func (fs *fields) single(id string) chat.Written {
	w := chat.Written{ID: id}
	if name := fs.take("name_key", `"`, nameKeys...); name != nil {
		w.Name, _ = rawjson.String(name)
		fs.unescape(&w)
	}
	w.JSON = bytes.Clone(fs.take("arguments_key", "", argKeys...))
	switch {
	case w.Name == "":
		if w.JSON == nil && id == "" && fs.named(&w) {
			return w
		}
		w.Why = `it has no "name"`
	case w.JSON == nil && fs.left() > 0:
		if id != "" {
			// It may be an argument as well.
			w.Why = `its arguments don't stand under "arguments"`
			break
		}
		w.JSON = fs.flat()
		fs.repair(repairFlat)
	}
	return w
}

// looseString finds the string value of a key in JSON that can't be read.
func looseString(b []byte, key string) string {
	_, rest, ok := bytes.Cut(b, rawjson.AppendString(nil, key))
	if !ok {
		return ""
	}
	rest = bytes.TrimLeft(rest, " \t\r\n:")
	if v, _, err := rawjson.Prefix(rest); err == nil && rawjson.Kind(v) == '"' {
		s, _ := rawjson.String(v)
		return s
	}
	return ""
}
