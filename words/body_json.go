package words

import (
	"bytes"

	"github.com/ferrule/ferrule/chat"
)

// taggedJSON reads JSON calls between two tags: one object, several, or a
// list. A closing tag inside a JSON string is part of the string.
type taggedJSON struct {
	opener, closer string

	buf    []byte
	scan   jsonScan
	state  taggedState
	values [][2]int // where the values lie in buf
	tail   int      // where what stands behind a value begins, blank space and separators aside
	closed bool
}

type taggedState uint8

const (
	taggedLead  taggedState = iota // before the first value
	taggedValue                    // inside a value
	taggedGap                      // behind a value
	taggedJunk                     // behind a value, and neither a value nor a tag
)

func newTaggedJSON(opener, closer string) *taggedJSON {
	return &taggedJSON{opener: opener, closer: closer}
}

func (t *taggedJSON) Feed(b []byte) (int, State) {
	for i := 0; i < len(b); {
		switch t.state {
		case taggedValue:
			n, done := t.scan.feed(b[i:], false)
			t.buf = append(t.buf, b[i:i+n]...)
			i += n
			if done {
				t.values[len(t.values)-1][1] = len(t.buf)
				t.state, t.tail = taggedGap, len(t.buf)
			}
		case taggedLead:
			c := b[i]
			if !blank(c) && c != '{' && c != '[' {
				return i, NotACall
			}
			if !blank(c) {
				t.begin(c)
			}
			t.buf = append(t.buf, c)
			i++
		case taggedGap:
			t.buf = append(t.buf, b[i])
			i++
			if back, s := t.gap(); s == Done {
				return i - back, Done
			}
		case taggedJunk:
			t.buf = append(t.buf, b[i])
			i++
			if bytes.HasSuffix(t.buf, []byte(t.closer)) {
				t.closed = true
				return i, Done
			}
		}
	}
	return len(b), More
}

// begin opens a value with a bracket that is about to be added to buf.
func (t *taggedJSON) begin(c byte) {
	t.scan = scanBehind(string(c))
	t.values = append(t.values, [2]int{len(t.buf), 0})
	t.state = taggedValue
}

// gap looks at what stands behind a value after each byte of it. back is how
// many of the last bytes don't belong to the block.
func (t *taggedJSON) gap() (back int, s State) {
	rest := t.buf[t.tail:]
	switch c := rest[0]; {
	case blank(c) || c == ',' || c == ';':
		t.tail++
	case c == '{' || c == '[':
		t.buf = t.buf[:t.tail]
		t.begin(c)
		t.buf = append(t.buf, c)
	case string(rest) == t.closer:
		t.closed = true
		return 0, Done
	case string(rest) == t.opener, string(rest) == "`":
		// The next block opens, or a fence ends, before this one was closed.
		return len(rest), Done
	case !bytes.HasPrefix([]byte(t.closer), rest) && !bytes.HasPrefix([]byte(t.opener), rest):
		t.state = taggedJunk
	}
	return 0, More
}

func (t *taggedJSON) End(cut bool) []chat.Written {
	switch {
	case t.state == taggedLead, !cut && !t.meansCall():
		return nil
	case cut && !t.closed:
		return []chat.Written{{Cut: true}}
	case t.state == taggedValue:
		open := t.buf[t.values[len(t.values)-1][0]:]
		return []chat.Written{{Name: leadingName(open), Why: "its JSON isn't closed"}}
	case t.state == taggedJunk:
		return []chat.Written{{Why: "something that isn't a call stands behind its JSON"}}
	}
	var cs []chat.Written
	for _, v := range t.values {
		cs = append(cs, callsOf(t.buf[v[0]:v[1]], 0)...)
	}
	for i := range cs {
		if len(t.values) > 1 {
			cs[i].Repairs = append(cs[i].Repairs, "several_objects")
		}
		if !t.closed {
			cs[i].Repairs = append(cs[i].Repairs, "missing_close")
		}
	}
	return cs
}

// meansCall tells an attempt at a call from words about calls, where a tag may
// hold dots or nothing: one of the keys of a call stands in its values.
func (t *taggedJSON) meansCall() bool {
	b := t.buf[t.values[0][0]:]
	if end := t.values[len(t.values)-1][1]; end > 0 {
		b = t.buf[t.values[0][0]:end]
	}
	for _, keys := range [][]string{nameKeys, argKeys, wrapperKeys, listKeys} {
		for _, k := range keys {
			if bytes.Contains(b, []byte(k)) {
				return true
			}
		}
	}
	return false
}

func blank(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }
