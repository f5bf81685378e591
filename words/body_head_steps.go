package words

import (
	"bytes"
	"strings"
)

// The lists of markers that count at a place, by their index.
const (
	markClose = iota
	markEnd
	markTrail
	markCall
	markSection
	markSep
	markArgs
)

// enders are the markers that end a call.
func (m *headMarks) enders() [5][]string {
	return [5][]string{m.close, m.end, m.trail, m.call, m.section}
}

// inOneBlock reports whether calls follow one another within a block.
func (m *headMarks) inOneBlock() bool { return len(m.close)+len(m.end) > 0 }

// marker follows what may be one of the markers that the lists hold. kind is
// the list of a whole one, below zero while it isn't whole; none says that it
// is none of them.
func (t *headBody) marker(lists ...[]string) (kind int, mark string, none bool) {
	if t.pending < 0 {
		t.pending = len(t.buf) - 1
	}
	rest, may := t.buf[t.pending:], false
	for k, list := range lists {
		for _, m := range list {
			if m == string(rest) {
				t.pending = -1
				t.spelled(m, list)
				return k, m, false
			}
			may = may || len(rest) < len(m) && m[:len(rest)] == string(rest)
		}
	}
	return -1, "", !may
}

// mayBegin reports whether a marker can begin with the byte.
func mayBegin(c byte, lists ...[]string) bool {
	for _, list := range lists {
		for _, m := range list {
			if m[0] == c {
				return true
			}
		}
	}
	return false
}

// inHead takes a byte of a head.
func (t *headBody) inHead(c byte) State {
	m := t.marks
	if t.pending >= 0 || mayBegin(c, m.close, m.end, m.trail, m.call, m.section, m.sep, m.args) {
		// What separates comes first: it may be spelled as what opens.
		kind, mark, none := t.marker(m.sep, m.args, m.close, m.end, m.trail, m.call, m.section)
		switch {
		case kind >= 0:
			return t.headMark((kind+markSep)%7, mark)
		case !none:
			return More
		}
		at := t.pending
		t.pending = -1
		if t.buf[at] == '[' && t.bareHead(at) {
			return t.begin(at)
		}
		return NotACall
	}
	at := len(t.buf) - 1
	switch {
	case (c == '{' || c == '[') && t.bareHead(at):
		return t.begin(at)
	case c == '{':
		if !t.closeHead(at) {
			return NotACall
		}
		if len(m.args) > 0 && !m.weak {
			t.repair("missing_separator")
		}
		return t.begin(at)
	case at-t.from > maxHead, m.weak && !weakByte(c, t.buf[t.from:at]):
		return NotACall
	}
	return More
}

// bareHead reports whether nothing stands before the byte where a head belongs:
// the call is JSON as a whole.
func (t *headBody) bareHead(at int) bool {
	return !t.marks.weak && len(t.parts) == 0 && len(bytes.TrimSpace(t.part(at))) == 0
}

// part is what was read of the part, up to the given byte.
func (t *headBody) part(end int) []byte {
	if len(t.parts) == 0 && t.lead != "" {
		return append([]byte(t.lead), t.buf[t.from:end]...)
	}
	return t.buf[t.from:end]
}

// closePart ends a part of the head before the given byte.
func (t *headBody) closePart(end int) {
	text := t.part(end)
	t.fenced = t.fenced || bytes.Contains(text, []byte("```"))
	t.parts = append(t.parts, headPart{t.mark, headWord(text)})
}

// closeHead ends a head that lacks the marker behind it. Its last part must be
// a word, or nothing behind a separator.
func (t *headBody) closeHead(end int) bool {
	t.closePart(end)
	n := len(t.parts) - 1
	return (wordLike(t.parts[n].text) || n > 0 && t.parts[n].text == "") && t.named()
}

// named reads the name out of the head. From here on it is a call.
func (t *headBody) named() bool {
	t.name, t.id = t.marks.name(t.parts)
	t.open = wordLike(t.name)
	return t.open
}

// headMark takes a marker that follows a part of a head.
func (t *headBody) headMark(kind int, mark string) State {
	before := len(t.buf) - len(mark)
	empty := len(t.parts) == 0 && headWord(t.part(before)) == ""
	switch {
	case kind == markSep || kind == markArgs:
		if t.closePart(before); len(t.parts) > maxParts {
			return NotACall
		}
		t.mark, t.from = mark, len(t.buf)
		if kind == markArgs {
			t.state = inLead
			if !t.named() {
				return NotACall
			}
		}
		return More
	case kind == markCall || kind == markSection:
		if !empty {
			t.from = before
			return NotACall
		}
		t.from, t.section = len(t.buf), t.section || kind == markSection
		return More
	case empty && len(t.calls) == 0:
		t.from = len(t.buf)
		return NotACall
	case empty:
		return t.ended(kind)
	}
	// A call without arguments.
	if !t.closeHead(before) {
		return NotACall
	}
	return t.ended(kind)
}

// begin opens a value at the given byte.
func (t *headBody) begin(at int) State {
	t.whole = t.whole || !t.open
	t.open, t.comma = true, false
	rest := t.buf[at:]
	t.scan = jsonScan{}
	t.values = append(t.values, headValue{from: at})
	t.state = inValue
	n, done := t.scan.feed(rest, t.marks.weak)
	switch {
	case done && n == len(rest):
		t.closeValue()
	case n < len(rest):
		t.open = false
		return NotACall
	}
	return More
}

func (t *headBody) closeValue() {
	t.until = len(t.buf)
	v := &t.values[len(t.values)-1]
	v.to, v.closed = t.until, true
	t.state = inGap
}

// inValue takes bytes of a value. Outside of its strings a marker ends it, be
// its brackets closed or not.
func (t *headBody) inValue(b []byte) (int, State) {
	if i := bytes.IndexAny(b, t.ends); i >= 0 {
		b = b[:i+1]
	}
	n, done := t.scan.feed(b, t.marks.weak)
	t.buf = append(t.buf, b[:n]...)
	switch {
	case done:
		t.closeValue()
	case n < len(b):
		return n, NotACall
	case t.scan.outside():
		return n, t.ender()
	}
	return n, More
}

// lastBytes are those with which a marker that ends a call can end.
func (m *headMarks) lastBytes() string {
	var b strings.Builder
	for _, list := range m.enders() {
		for _, mark := range list {
			if c := mark[len(mark)-1:]; !strings.Contains(b.String(), c) {
				b.WriteString(c)
			}
		}
	}
	return b.String()
}
