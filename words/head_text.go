package words

import (
	"bytes"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
)

// headWord is a part of a head without blank space and without the line that
// opens a code block behind it.
func headWord(text []byte) string {
	if i := bytes.Index(text, []byte("```")); i >= 0 {
		text = text[:i]
	}
	return string(bytes.TrimSpace(text))
}

// wordLike tells a name from prose: one word, and none of the signs that part
// words, sentences or code.
func wordLike(s string) bool {
	if s == "" || len(s) > 128 {
		return false
	}
	for i := range len(s) {
		if !wordByte(s[i]) {
			return false
		}
	}
	return true
}

func wordByte(c byte) bool {
	return c > ' ' && bytes.IndexByte([]byte("\"'`<>{}[]()|,;=!?\\\x7f"), c) < 0
}

// weakByte reports whether c can follow what was read of a head that looks like
// ordinary text: a name, the end of its line, and the line that opens a code block.
func weakByte(c byte, before []byte) bool {
	n := len(before)
	switch {
	case c == '\n' || c == '`':
		return n > 0 && before[0] != '`'
	case bytes.IndexByte(before, '\n') >= 0:
		return wordByte(c) && bytes.IndexByte(before, '`') >= 0 && before[n-1] != '\n'
	}
	return wordByte(c) && n <= 128
}

// wholeCalls reads the calls that are JSON as a whole.
func (t *headBody) wholeCalls() []chat.Written {
	var cs []chat.Written
	for _, v := range t.values {
		cs = append(cs, callsOfValue(bytes.TrimSpace(t.buf[v.from:v.to]), v.closed)...)
	}
	if len(t.values) > 1 {
		for i := range cs {
			addRepair(&cs[i], "several_objects")
		}
	}
	return cs
}

// callsOfValue reads the calls of a value that may be broken. Words about
// calls, in which no key of a call stands, are none.
func callsOfValue(v []byte, closed bool) []chat.Written {
	if !hasCallKey(v) {
		return nil
	}
	var cs []chat.Written
	if closed {
		cs = callsOf(v, 0)
		if len(cs) != 1 || cs[0].Why == "" || rawjson.Valid(v, rawjson.MaxDepth) == nil {
			return cs
		}
	}
	if each := eachObject(v); v[0] == '[' && len(each) > 0 || !closed {
		return each
	}
	return cs
}

// eachObject reads the objects of a list one by one, so that one that can't be
// read doesn't take the others with it. The last one may lack its closer.
func eachObject(list []byte) (cs []chat.Written) {
	for {
		i := bytes.IndexByte(list, '{')
		if i < 0 {
			return cs
		}
		var scan jsonScan
		n, done := scan.feed(list[i:], false)
		v := list[i : i+n]
		list = list[i+n:]
		if done {
			cs = append(cs, callsOf(v, 0)...)
			continue
		}
		w, rest, ok := callHead(v)
		if w.JSON = bytes.Clone(bytes.TrimSpace(rest)); !ok {
			w = chat.Written{Name: leadingName(v), Why: "its JSON isn't closed"}
		}
		cs = append(cs, w)
	}
}

func hasCallKey(v []byte) bool {
	for _, keys := range [][]string{nameKeys, argKeys, wrapperKeys, listKeys} {
		for _, k := range keys {
			if bytes.Contains(v, []byte(k)) {
				return true
			}
		}
	}
	return false
}

// firstPart is the name of a call whose head is nothing else.
func firstPart(head []headPart) (name, id string) { return head[0].text, "" }

// spellings lists a marker in every way in which it is met, the right one
// first: full-width or plain bars, and between its words a low block, a line
// or a blank.
func spellings(bars, between []string, words ...string) (out []string) {
	for _, bar := range bars {
		for _, gap := range between {
			m := "<" + bar
			for i, w := range words {
				if i > 0 {
					m += gap
				}
				m += w
			}
			out = append(out, m+bar+">")
		}
	}
	return out
}
