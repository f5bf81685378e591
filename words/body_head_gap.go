package words

import "bytes"

// ender looks for a marker at the end of what was read of the arguments.
func (t *headBody) ender() State {
	for kind, list := range t.marks.enders() {
		for _, m := range list {
			if bytes.HasSuffix(t.buf, []byte(m)) {
				t.until = len(t.buf) - len(m)
				t.values[len(t.values)-1].to = t.until
				t.spelled(m, list)
				return t.ended(kind)
			}
		}
	}
	return More
}

// ended takes a marker that ends a call.
func (t *headBody) ended(kind int) State {
	m := t.marks
	t.state = inGap
	switch kind {
	case markClose:
		t.finish(false)
	case markTrail:
	case markEnd:
		t.finish(len(m.close) > 0)
		if !t.section && len(m.section) > 0 && len(t.calls) > 0 {
			addRepair(&t.calls[len(t.calls)-1], "missing_open")
		}
		t.section, t.until = false, len(t.buf)
		return Done
	default:
		if !m.inOneBlock() {
			return Done
		}
		t.finish(len(m.close) > 0)
		t.state, t.section = inHead, t.section || kind == markSection
		t.from = len(t.buf)
		return More
	}
	t.until = len(t.buf)
	return More
}

// inLead takes a byte between the marker of the arguments and these.
func (t *headBody) inLead(c byte) State {
	m := t.marks
	if t.pending >= 0 || mayBegin(c, m.close, m.end, m.trail, m.call, m.section) {
		kind, mark, none := t.marker(m.close, m.end, m.trail, m.call, m.section)
		switch {
		case kind >= 0:
			t.until = len(t.buf) - len(mark)
			return t.ended(kind)
		case !none:
			return More
		}
	}
	at := len(t.buf) - 1
	if t.pending >= 0 {
		at, t.pending = t.pending, -1
	}
	switch first := t.buf[at]; {
	case blank(first):
	case first == '{', first == '[':
		return t.begin(at)
	case m.object:
		t.open = false
		return NotACall
	default:
		t.values = append(t.values, headValue{from: at})
		t.state = inRaw
	}
	return More
}

// inGap takes a byte behind a value or behind a call.
func (t *headBody) inGap(c byte) State {
	m := t.marks
	lists := [][]string{m.close, m.end, m.trail}
	if m.inOneBlock() {
		lists = append(lists, m.call, m.section)
	}
	if t.pending >= 0 || mayBegin(c, lists...) {
		kind, _, none := t.marker(lists...)
		switch {
		case kind >= 0:
			return t.ended(kind)
		case !none:
			return More
		}
		return NotACall
	}
	switch {
	case blank(c):
	case !t.open:
		return NotACall
	case c == '`' && t.fenced:
		t.until = len(t.buf)
	case c == '}' || c == ']':
		t.until = len(t.buf)
		t.repair("extra_close")
	case c == ',' || c == ';':
		t.comma = true
	case c == '{' && (t.whole || t.comma || m.inOneBlock()):
		return t.begin(len(t.buf) - 1)
	case c == '"' && t.comma && !t.whole:
		// It goes on where it seemed to end: args sees all of it.
		t.values[len(t.values)-1].closed = false
		t.state = inRaw
	default:
		return NotACall
	}
	return More
}
