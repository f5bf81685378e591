package words

import (
	"bytes"

	"github.com/ferrule/ferrule/chat"
)

// nameJSON is name{…}, or a name and its JSON object behind it or on the next
// line: what is left of several syntaxes once their marks are gone. It counts
// only where it ends the answer.
type nameJSON struct{}

func (nameJSON) Name() string { return "name-json" }

func (nameJSON) Openers() (os []Opener) {
	for _, o := range nameStarts() {
		os = append(os, Opener{Text: o.Text, Where: AnswerEnd})
	}
	return os
}

func (nameJSON) Body(o Opener) Body { return &nameJSONBody{buf: []byte(o.Text)} }

// maxBareName bounds the name and what stands between it and the object, in bytes.
const maxBareName = 96

// Peek finds the object behind the name: most lines begin with a word.
func (nameJSON) Peek(line []byte, final bool) (name []byte, f fit) {
	n := 0
	for n < len(line) && nameByte(line[n]) {
		n++
	}
	lines := 0
	for i := n; i < len(line) && i < maxBareName; i++ {
		switch c := line[i]; {
		case c == '{' && lines > 0:
			return line[:n], ownObject(line[i:], final)
		case c == '{':
			return line[:n], wholly
		case c == '\n' && lines == 0:
			lines++
		case c != ' ' && c != '\t':
			return nil, not
		}
	}
	switch {
	case final || len(line) >= maxBareName:
		return nil, not
	case n == len(line):
		return nil, partly
	}
	return line[:n], partly
}

// ownObject tells whether the object on the next line belongs to the name. One
// that names a tool itself is a call of its own.
func ownObject(object []byte, final bool) fit {
	rest := skipBlank(object[1:])
	switch {
	case len(rest) == 0 && !final:
		return partly
	case len(rest) == 0 || rest[0] != '"':
		return wholly
	}
	key, _, ok := bytes.Cut(rest[1:], []byte(`"`))
	switch {
	case !ok && !final && len(rest) < bareHead:
		return partly
	case isCallKey(string(key)) || string(key) == "protocol":
		return not
	}
	return wholly
}

type nameJSONBody struct {
	buf    []byte
	object int // where it begins; 0 before it
	scan   jsonScan
	done   bool
}

func (t *nameJSONBody) Feed(b []byte) (int, State) {
	fed := 0
	if t.object == 0 {
		if fed = bytes.IndexByte(b, '{') + 1; fed == 0 {
			t.buf = append(t.buf, b...)
			return len(b), More
		}
		t.buf = append(t.buf, b[:fed]...)
		t.object, t.scan = len(t.buf)-1, scanBehind("{")
	}
	n, done := t.scan.feed(b[fed:], true)
	t.buf = append(t.buf, b[fed:fed+n]...)
	switch fed += n; {
	case done:
		t.done = true
		return fed, Done
	case fed < len(b):
		return fed, NotACall
	}
	return fed, More
}

func (t *nameJSONBody) End(bool) []chat.Written {
	if !t.done {
		return nil
	}
	return []chat.Written{{
		Name: string(bytes.TrimSpace(t.buf[:t.object])), JSON: bytes.Clone(t.buf[t.object:]), Repairs: []string{"bare"},
	}}
}

var (
	_ Form    = nameJSON{}
	_ Peeking = nameJSON{}
)
