package words

import (
	"bytes"
	"slices"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/jsonmend"
	"github.com/ferrule/ferrule/rawjson"
)

// frameOff are the repairs that the frame of a call doesn't get. What stands
// around it was read as the syntax has it, and of quotes within a string only
// the tool's own fields can tell where it ends: args has those.
var frameOff = map[jsonmend.Repair]bool{
	jsonmend.StripProseBefore: true, jsonmend.StripProseAfter: true, jsonmend.StripCall: true, jsonmend.StripFence: true,
	jsonmend.StripThinking: true, jsonmend.UnwrapDoubleEncoded: true, jsonmend.EscapeInnerQuotes: true,
}

// mended reads almost-JSON that holds a call. It is whole: its last closer was
// seen.
func mended(v []byte) (value []byte, repairs []string, ok bool) {
	r, err := jsonmend.Mend(v, jsonmend.Options{Off: frameOff})
	if err != nil {
		return nil, nil, false
	}
	for _, m := range r.Repairs {
		if name := string(m.Repair); !slices.Contains(repairs, name) {
			repairs = append(repairs, name)
		}
	}
	return r.Value, repairs, true
}

// callsOfBroken reads calls from a value that isn't JSON: mended as a whole,
// else as a name that can be read and arguments for args to mend.
func callsOfBroken(v []byte, depth int, why string) []chat.Written {
	if value, repairs, ok := mended(v); ok && depth <= maxNesting {
		cs := callsOf(value, depth+1)
		for i := range cs {
			cs[i].Repairs = append(slices.Clone(repairs), cs[i].Repairs...)
		}
		return cs
	}
	if w, ok := headed(v); ok {
		return []chat.Written{w}
	}
	return []chat.Written{{Name: leadingName(v), Why: why}}
}

// headed reads {"name": …, "arguments": …} where only the arguments are broken.
func headed(v []byte) (w chat.Written, ok bool) {
	v, ok = bytes.CutSuffix(bytes.TrimSpace(v), []byte("}"))
	if !ok {
		return w, false
	}
	w, rest, ok := callHead(v)
	w.JSON = bytes.Clone(bytes.TrimSpace(rest))
	return w, ok
}

// callHead reads an object as far as the opening of its arguments, which begin
// rest.
func callHead(v []byte) (w chat.Written, rest []byte, ok bool) {
	rest, ok = bytes.CutPrefix(skipBlank(v), []byte("{"))
	for ok {
		key, end, err := rawjson.Prefix(rest)
		if err != nil || rawjson.Kind(key) != '"' {
			break
		}
		k, _ := rawjson.String(key)
		if rest, ok = bytes.CutPrefix(skipBlank(rest[end:]), []byte(":")); !ok {
			break
		}
		if slices.Contains(argKeys, k) {
			return w, rest, w.Name != "" && rawjson.Kind(rest) == '{'
		}
		val, end, err := rawjson.Prefix(rest)
		if err != nil || rawjson.Kind(val) != '"' {
			break
		}
		switch s, _ := rawjson.String(val); {
		case slices.Contains(nameKeys, k) && w.Name == "":
			w.Name = s
		case slices.Contains(idKeys, k) && w.ID == "":
			w.ID = s
		case k != "type":
			return w, nil, false
		}
		rest, ok = bytes.CutPrefix(skipBlank(rest[end:]), []byte(","))
	}
	return w, nil, false
}
