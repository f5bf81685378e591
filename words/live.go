package words

import (
	"bytes"
	"slices"
	"strings"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
)

// liveKeyLen is how many letters and digits a live key has: few enough that a
// small model copies them, and new for each upstream request.
const liveKeyLen = 6

// liveField is the argument that carries the live key, where no tool has one of
// that name.
const liveField = "live"

// liveKey is the key that proves a call meant where a syntax has no frame of
// its own for one: the beginning of the request's nonce.
func (f Frame) liveKey() string { return f.Nonce[:min(len(f.Nonce), liveKeyLen)] }

// liveFieldOf is the name of the argument for the key, which no tool has.
func liveFieldOf(tools []chat.Tool) string {
	name := liveField
	for i := 0; i < len(tools); i++ {
		if bytes.Contains(tools[i].Schema, []byte(`"`+name+`"`)) {
			name, i = name+"_key", -1
		}
	}
	return name
}

// withLive returns the call with the key as its last argument. Arguments that
// are no object have no place for it.
func withLive(c chat.Call, field, key string) chat.Call {
	args := argsOf(c)
	body, ok := bytes.CutSuffix(args, []byte("}"))
	if !ok || rawjson.Kind(args) != '{' {
		return c
	}
	body = bytes.Clone(body)
	if len(body) > 1 {
		body = append(body, ',')
	}
	body = append(rawjson.AppendString(body, field), ':')
	c.Args = append(rawjson.AppendString(body, key), '}')
	return c
}

// takeLive marks the calls of a block that carry the live key. What carries
// another one was copied from somewhere, and is compared without it.
func (r *Reader) takeLive(calls []chat.Written, block []byte) {
	if r.liveKey == "" {
		return
	}
	found := bytes.Contains(block, []byte(r.liveKey))
	for i := range calls {
		w := &calls[i]
		w.Params = r.withoutLive(w)
		if out, err := rawjson.Edit(w.JSON, rawjson.Change{Key: r.liveField}); err == nil && !bytes.Contains(w.JSON, []byte(r.liveKey)) {
			w.JSON = out
		}
		// A syntax of JSON may have it beside the arguments.
		w.Live = w.Live || found && (bytes.Contains(w.JSON, []byte(r.liveKey)) || len(calls) == 1)
		if w.Live {
			w.Key = r.liveKey
		}
	}
}

// withoutLive returns a call's arguments but the one for the key, and marks the
// call where that is the right one.
func (r *Reader) withoutLive(w *chat.Written) []chat.Param {
	if !slices.ContainsFunc(w.Params, func(p chat.Param) bool { return p.Name == r.liveField }) {
		return w.Params
	}
	rest := []chat.Param{} // none left is no arguments, not none written
	for _, p := range w.Params {
		if p.Name != r.liveField {
			rest = append(rest, p)
			continue
		}
		w.Live = w.Live || strings.Trim(p.Text, " \t\r\n\"'") == r.liveKey
	}
	return rest
}
