package words

import (
	"bytes"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
)

// openCalls reads the calls of a value whose last closers are missing: args
// closes arguments that are open, where that may be done at all.
func openCalls(v []byte) (cs []chat.Written) {
	objects, open, ok := objectsOf(v)
	if !ok || len(objects) == 0 {
		return []chat.Written{{Name: leadingName(v), Why: "its JSON isn't closed"}}
	}
	for i, o := range objects {
		if open && i == len(objects)-1 {
			cs = append(cs, each(o, []chat.Written{openCall(o)})...)
		} else {
			cs = append(cs, each(o, callsOf(o, 0))...)
		}
	}
	if last := &cs[len(cs)-1]; last.Why == "" {
		last.Repairs = append(last.Repairs, "missing_bracket")
	}
	return cs
}

// openCall reads a call as far as it goes, with nothing but brackets behind
// arguments that are whole.
func openCall(v []byte) chat.Written {
	w, rest, ok := callHead(v)
	if args, n, err := rawjson.Prefix(rest); ok && err == nil {
		ok, rest = len(bytes.Trim(rest[n:], separators)) == 0, args
	}
	if !ok {
		return chat.Written{Name: leadingName(v), Why: "its JSON isn't closed"}
	}
	w.JSON = bytes.Clone(bytes.TrimSpace(rest))
	return w
}

// separators may stand between values and behind them.
const separators = " \t\r\n,;[]}"

// objectsOf lists the objects that stand in v, in a list or one behind the
// other; open says that the last one isn't closed. ok is false where something
// else stands between them.
func objectsOf(v []byte) (objects [][]byte, open, ok bool) {
	for {
		v = bytes.TrimLeft(v, separators)
		if len(v) == 0 || v[0] != '{' {
			return objects, false, len(v) == 0
		}
		var scan jsonScan
		n, done := scan.feed(v, false)
		objects = append(objects, v[:n])
		if v = v[n:]; !done {
			return objects, true, true
		}
	}
}

// keyedCalls reads objects whose keys are names of tools: alone, in a list, one
// behind the other. The last one may lack its closers.
func keyedCalls(v []byte) (cs []chat.Written) {
	objects, open, ok := objectsOf(v)
	for i, o := range objects {
		if open && i == len(objects)-1 {
			cs = append(cs, each(o, []chat.Written{keyedOpen(o)})...)
		} else {
			cs = append(cs, keyedObject(o)...)
		}
	}
	if !ok || len(cs) == 0 {
		return []chat.Written{{Why: "the list holds something that is no call"}}
	}
	return cs
}

func keyedObject(v []byte) (cs []chat.Written) {
	var repairs []string
	if rawjson.Valid(v, rawjson.MaxDepth) != nil {
		value, rs, ok := mended(v)
		if !ok {
			w := keyedOpen(bytes.TrimSuffix(v, []byte("}")))
			w.Repairs = nil // args mends what is broken in them
			return []chat.Written{w}
		}
		v, repairs = value, rs
	}
	// A tool that is called by its own key in another form is called like that.
	if fs, err := fieldsOf(v); err == "" && fs.has(nameKeys...) && fs.has(argKeys...) {
		return fs.call(0)
	}
	from := 0
	_ = rawjson.Members(v, func(k, val []byte) bool {
		w := chat.Written{Name: string(k), JSON: bytes.Clone(val), Repairs: repairs}
		end := from + bytes.Index(v[from:], val) + len(val)
		w.Raw, from = bytes.Clone(v[from:end]), end
		if rawjson.Kind(val) != '{' {
			w.JSON, w.Why = nil, "an object with its arguments was expected behind the name"
		}
		cs = append(cs, w)
		return true
	})
	if len(cs) == 0 {
		return []chat.Written{{Why: "an object with no call in it"}}
	}
	return cs
}

// keyedOpen reads {"name": {… as far as it goes.
func keyedOpen(v []byte) chat.Written {
	bad := chat.Written{Why: "its JSON isn't closed"}
	rest, _ := bytes.CutPrefix(v, []byte("{"))
	key, end, err := rawjson.Prefix(rest)
	if err != nil || rawjson.Kind(key) != '"' {
		return bad
	}
	name, _ := rawjson.String(key)
	rest, ok := bytes.CutPrefix(skipBlank(rest[end:]), []byte(":"))
	rest = bytes.TrimSpace(rest)
	if !ok || rawjson.Kind(rest) != '{' {
		return chat.Written{Name: name, Why: bad.Why}
	}
	return chat.Written{Name: name, JSON: bytes.Clone(rest), Repairs: []string{"missing_bracket"}}
}
