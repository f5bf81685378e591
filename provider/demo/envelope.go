package demo

import (
	"bytes"
	"strings"

	"github.com/ferrule/ferrule/rawjson"
)

// envelopeStyle: the shape of the answer stands on the last line of the
// prompt; the model copies it and fills in its calls.
type envelopeStyle struct{}

func (envelopeStyle) offer(p prompt) (offer, bool) {
	last := strings.TrimRight(p.last, " \t\r\n")
	shape := []byte(strings.TrimSpace(last[strings.LastIndexByte(last, '\n')+1:]))
	for _, key := range []string{"protocol", "toolset", "nonce", "calls"} {
		if _, ok := rawjson.Get(shape, key); !ok {
			return offer{}, false
		}
	}
	tools, rules, ok := p.listed()
	return offer{tools: tools, rules: rules, shape: shape}, ok
}

// write fills the shape. A spoiled call may be no JSON, so the list is put in
// as text.
func (envelopeStyle) write(o offer, cs []call) string {
	objects := make([][]byte, len(cs))
	for i, c := range cs {
		objects[i] = c.object()
	}
	const here = `"calls here"`
	out, err := rawjson.Edit(o.shape, rawjson.Change{Key: "calls", Value: []byte(here)})
	if err != nil {
		return ""
	}
	return strings.Replace(string(out), here, "["+string(bytes.Join(objects, []byte(", ")))+"]", 1)
}

func (envelopeStyle) attempted(said string) bool {
	return strings.Contains(said, `"nonce"`) && strings.Contains(said, `"calls"`)
}
