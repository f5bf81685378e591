package words

import (
	"bytes"
	"slices"

	"github.com/ferrule/ferrule/chat"
)

// jsonMarks are what a syntax puts around calls that are JSON.
type jsonMarks struct {
	openers []string // each begins a block, and so ends one that wasn't closed
	closers []string // none: a block ends with its last value
	inside  []string // marks that may stand around each call and say nothing more
	loose   bool     // closers are often left out: whatever stands behind the values ends the block
	keyed   bool     // the name of a call is the key of its arguments
	named   bool     // that is met as a slip
}

// taggedJSON reads JSON calls between two marks: one object, several, or a
// list. A mark inside a JSON string is part of the string.
type taggedJSON struct {
	marks jsonMarks

	buf     []byte
	scan    jsonScan
	state   taggedState
	values  [][2]int // where the values lie in buf
	tail    int      // where what stands behind a value begins, blank space and separators aside
	end     int      // where the last thing that belongs to the block ends
	closed  bool
	open    bool // the last value lacks its closers
	wrong   bool // another tag's closer was taken
	fence   bool // a fence stands inside the tags
	weak    bool // only its place tells that it is a call
	repairs []string
}

type taggedState uint8

const (
	taggedLead  taggedState = iota // before the first value
	taggedValue                    // inside a value
	taggedGap                      // behind a value
	taggedJunk                     // behind a value, and neither a value nor a tag
)

func newTaggedJSON(opener, closer string) *taggedJSON {
	m := jsonMarks{openers: []string{opener}}
	if closer != "" {
		m.closers = []string{closer}
	}
	return newMarkedJSON(m)
}

func newMarkedJSON(m jsonMarks) *taggedJSON {
	return &taggedJSON{marks: m}
}

func (t *taggedJSON) Feed(b []byte) (int, State) {
	for i := 0; i < len(b); {
		switch t.state {
		case taggedValue:
			n, back, done := t.value(b[i:])
			if i += n; done {
				return i - back, Done
			}
		case taggedLead:
			t.buf = append(t.buf, b[i])
			i++
			if t.lead() == NotACall {
				return i - len(t.buf), NotACall
			}
		case taggedGap:
			t.buf = append(t.buf, b[i])
			i++
			if back, s := t.gap(); s == Done {
				return i - back, Done
			}
		case taggedJunk:
			t.buf = append(t.buf, b[i])
			i++
			if hasSuffixOf(t.buf, t.marks.closers) != "" {
				t.closed = true
				return i, Done
			}
		}
	}
	return len(b), More
}

// value feeds the open value. A mark outside of its strings ends it, although
// brackets are open. back is how many of the bytes don't belong to the block.
func (t *taggedJSON) value(b []byte) (n, back int, done bool) {
	if i := bytes.IndexByte(b, '>'); i >= 0 {
		b = b[:i+1]
	}
	n, ended := t.scan.feed(b, false)
	t.buf = append(t.buf, b[:n]...)
	last := &t.values[len(t.values)-1]
	if ended {
		back, done = t.ended(last)
		return n, back, done
	}
	if b[n-1] != '>' || !t.scan.outside() {
		return n, 0, false
	}
	closer, opener := hasSuffixOf(t.buf, t.marks.closers), hasSuffixOf(t.buf, t.marks.openers)
	if closer == "" && opener == "" {
		return n, 0, false
	}
	last[1] = len(t.buf) - len(closer) - len(opener)
	t.end, t.open, t.closed = last[1]+len(closer), true, closer != ""
	return n, len(opener), true
}

// ended notes the end of a value. Behind calls that nothing has to close,
// other JSON is none of the block: that ended before it.
func (t *taggedJSON) ended(last *[2]int) (back int, done bool) {
	last[1], t.state = len(t.buf), taggedGap
	if t.marks.loose && !t.marks.keyed && len(t.values) > 1 && !hasCallKey(t.buf[last[0]:]) {
		t.values = t.values[:len(t.values)-1]
		return len(t.buf) - t.end, true
	}
	t.tail, t.end = len(t.buf), len(t.buf)
	return 0, false
}

// begin opens a value with a bracket or a quote, the last byte of buf.
func (t *taggedJSON) begin(c byte) {
	t.scan = scanBehind(string(c))
	t.values = append(t.values, [2]int{len(t.buf) - 1, 0})
	t.state = taggedValue
}

func (t *taggedJSON) End(cut bool) []chat.Written {
	switch {
	case t.state == taggedLead, len(t.values) == 0:
		return nil
	case cut && !t.closed:
		return []chat.Written{{Cut: true}}
	case t.state == taggedJunk && t.meansCall():
		return []chat.Written{{Why: "something that isn't a call stands behind its JSON"}}
	case t.state == taggedJunk:
		return nil
	}
	cs := t.calls()
	if len(cs) == 0 || !t.meansCall() && !t.isNamed(cs) {
		return nil
	}
	for i := range cs {
		if len(t.values) > 1 {
			cs[i].Repairs = append(cs[i].Repairs, "several_objects")
		}
		cs[i].Repairs = append(cs[i].Repairs, t.repairs...)
		if !t.closed && !t.wrong && len(t.marks.closers) > 0 {
			cs[i].Repairs = append(cs[i].Repairs, "missing_close")
		}
	}
	return cs
}

// calls reads the values.
func (t *taggedJSON) calls() (cs []chat.Written) {
	for i, v := range t.values {
		b := t.buf[v[0]:]
		switch {
		case i == len(t.values)-1 && t.state == taggedValue && !t.open:
			cs = append(cs, t.unended(b)...)
		case t.marks.keyed:
			cs = append(cs, keyedCalls(b[:v[1]-v[0]])...)
		case i == len(t.values)-1 && t.open:
			cs = append(cs, openCalls(b[:v[1]-v[0]])...)
		default:
			b = b[:v[1]-v[0]]
			cs = append(cs, each(b, callsOf(b, 0))...)
		}
	}
	return cs
}

// unended reads a value that the answer's end left open. Where quotes don't
// pair, its string may have taken the closer in.
func (t *taggedJSON) unended(v []byte) []chat.Written {
	if t.marks.keyed {
		return keyedCalls(v)
	}
	if t.scan.outside() {
		return openCalls(v)
	}
	for _, c := range t.marks.closers {
		inner, ok := bytes.CutSuffix(bytes.TrimRight(v, " \n\r\t"), []byte(c))
		if ok && bytes.Count(v, []byte(c)) == 1 {
			if cs := callsOf(inner, 0); len(cs) == 1 && cs[0].Why == "" {
				t.closed = true
				return cs
			}
		}
	}
	return []chat.Written{{Name: leadingName(v), Why: "its JSON isn't closed"}}
}

// meansCall tells an attempt at a call from words about calls, where a tag may
// hold dots or nothing: one of the keys of a call stands in its values.
func (t *taggedJSON) meansCall() bool {
	b := t.buf[t.values[0][0]:]
	if end := t.values[len(t.values)-1][1]; end > 0 {
		b = t.buf[t.values[0][0]:end]
	}
	return t.marks.keyed || hasCallKey(b)
}

// isNamed reports whether the name of each call is a key, so that only a known
// tool at the answer's end can tell it from an example.
func (t *taggedJSON) isNamed(cs []chat.Written) bool {
	t.weak = t.marks.named && !slices.ContainsFunc(cs, func(w chat.Written) bool { return w.Why != "" })
	return t.weak
}

// Where narrows the places of a block that could be an example.
func (t *taggedJSON) Where() Where {
	if t.weak {
		return AnswerEnd
	}
	return Anywhere
}

func blank(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

var _ Placed = (*taggedJSON)(nil)
