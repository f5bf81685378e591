package words

import (
	"bytes"
	"slices"

	"github.com/ferrule/ferrule/jsonmend"
)

const (
	maxJSONLead  = 64 // bytes between an opener and its first value
	maxCloserTag = 48 // bytes of a tag that closes something else
)

func (t *taggedJSON) repair(name string) {
	if !slices.Contains(t.repairs, name) {
		t.repairs = append(t.repairs, name)
	}
}

// lead looks at what stands before the first value after each byte of it:
// blank space, a mark, the line that opens a fence, the quote of a call that
// is JSON text.
func (t *taggedJSON) lead() State {
	rest := t.buf[t.tail:]
	c := rest[len(rest)-1]
	switch {
	case len(rest) == 1 && blank(c):
		t.tail++
	case len(rest) > maxJSONLead:
		return NotACall
	case len(rest) == 1 && (c == '{' || c == '['):
		t.begin(c)
	case rest[0] == '`':
		return t.leadFence(rest)
	case rest[0] == '"':
		return t.leadQuote(rest)
	default:
		if slices.Contains(t.marks.inside, string(rest)) || slices.Contains(t.marks.openers, string(rest)) {
			t.tail = len(t.buf)
		} else if !beginsOneOf(rest, t.marks.inside, t.marks.openers) {
			return NotACall
		}
	}
	return More
}

func (t *taggedJSON) leadFence(rest []byte) State {
	ticks := len(rest) - len(bytes.TrimLeft(rest, "`"))
	switch c := rest[len(rest)-1]; {
	case ticks > 3 || ticks < 3 && c != '`' || t.fence:
		return NotACall
	case c == '\n':
		t.fence, t.tail = true, len(t.buf)
		t.repair("fence")
	case c != '`' && !nameByte(c) && !blank(c):
		return NotACall
	}
	return More
}

func (t *taggedJSON) leadQuote(rest []byte) State {
	if len(rest) == 1 {
		return More
	}
	c := rest[1]
	if c != '{' && c != '[' {
		return NotACall
	}
	t.buf = t.buf[:len(t.buf)-1]
	t.begin('"')
	t.buf = append(t.buf, c)
	return More
}

// gap looks at what stands behind a value after each byte of it. back is how
// many of the last bytes don't belong to the block.
func (t *taggedJSON) gap() (back int, s State) {
	rest := t.buf[t.tail:]
	switch c := rest[0]; {
	case blank(c) || c == ',' || c == ';':
		t.tail++
	case (c == '{' || c == '[') && !t.wrong:
		t.begin(c)
	case c == '}' || c == ']':
		t.tail, t.end = len(t.buf), len(t.buf)
		t.repair("stray_bracket")
	case c == '`' && t.fence:
		t.tail++
	case c == '/' && !t.marks.loose && (len(rest) == 1 || rest[1] == '/' || rest[1] == '*'):
		t.comment(rest)
	default:
		return t.mark(rest)
	}
	return 0, More
}

// comment passes over a comment behind a value, once it ended.
func (t *taggedJSON) comment(rest []byte) {
	line := len(rest) > 1 && rest[1] == '/' && rest[len(rest)-1] == '\n'
	if line || len(rest) > 3 && rest[1] == '*' && string(rest[len(rest)-2:]) == "*/" {
		t.tail = len(t.buf)
		t.repair(string(jsonmend.StripComment))
	}
}

// mark looks at what may be a mark behind a value. Any other tag's closer is
// taken for the block's own; any other tag, or a fence's end, ends the block
// before itself.
func (t *taggedJSON) mark(rest []byte) (back int, s State) {
	m, before := t.marks, len(t.buf)-t.end
	switch {
	case slices.Contains(m.closers, string(rest)):
		t.closed, t.end = true, len(t.buf)
		return 0, Done
	case slices.Contains(m.inside, string(rest)):
		t.tail, t.end = len(t.buf), len(t.buf)
	case slices.Contains(m.openers, string(rest)):
		return before, Done
	case beginsOneOf(rest, m.closers, m.inside, m.openers):
	case isCloserTag(rest) && len(m.closers) > 0 && !t.wrong:
		t.tail, t.end, t.wrong = len(t.buf), len(t.buf), true
		t.repair("wrong_close")
	case maybeCloserTag(rest) && len(m.closers) > 0 && !t.wrong:
	case m.loose || t.wrong || rest[0] == '`' || rest[0] == '<':
		return before, Done
	default:
		t.state = taggedJunk
	}
	return 0, More
}

// maybeCloserTag reports whether b can still become the closer of some tag.
func maybeCloserTag(b []byte) bool {
	if len(b) > maxCloserTag || b[0] != '<' || len(b) > 1 && b[1] != '/' {
		return false
	}
	for _, c := range b[min(2, len(b)):] {
		if !nameByte(c) && c != ':' && c != '|' {
			return false
		}
	}
	return true
}

// isCloserTag reports whether b is the closer of some tag.
func isCloserTag(b []byte) bool {
	return len(b) > 3 && b[len(b)-1] == '>' && maybeCloserTag(b[:len(b)-1])
}

// beginsOneOf reports whether one of the words begins with b.
func beginsOneOf(b []byte, lists ...[]string) bool {
	for _, words := range lists {
		for _, w := range words {
			if len(b) <= len(w) && string(b) == w[:len(b)] {
				return true
			}
		}
	}
	return false
}

// hasSuffixOf returns the word that b ends with, "" if it ends with none.
func hasSuffixOf(b []byte, words []string) string {
	for _, w := range words {
		if len(b) >= len(w) && string(b[len(b)-len(w):]) == w {
			return w
		}
	}
	return ""
}
