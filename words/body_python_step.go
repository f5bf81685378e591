package words

import (
	"bytes"
	"slices"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/jsonmend"
)

const (
	notInList = "something that isn't a call stands in the list of calls"
	notBehind = "something that isn't a call stands behind it"
	pyMaxTag  = 48 // bytes of a closer, to be taken for one
)

// step takes one byte. With Done the block ends at b.end.
func (b *pythonBody) step(c byte) State {
	switch b.state {
	case pyLead, pyFirst:
		if len(b.tag) > 0 {
			return b.stepTwice(c)
		}
		return b.stepLead(c)
	case pyIn:
		return b.stepCall(c)
	case pyComma, pyGap, pyAfter:
		return b.stepGap(c)
	case pyTag:
		return b.stepTag(c)
	case pyJunk, pyBehind:
		return b.stepJunk(c)
	case pyTail:
		return b.stepTail(c)
	}
	return More
}

func (b *pythonBody) stepLead(c byte) State {
	if blank(c) {
		return More
	}
	if b.state == pyLead || b.frame.bare() {
		b.lead = b.pos
	}
	switch {
	case pyToolStart(c):
		b.begin(c)
	case c == '[' && b.state == pyLead:
		b.state, b.listed = pyFirst, true
	case c == '{' && b.frame.json:
		b.state, b.inner = pyJSON, newTaggedJSON(b.frame.opener, b.frame.closer)
		if b.listed {
			b.inner.Feed([]byte("["))
		}
		b.inner.Feed([]byte{c})
	case c == '<' && b.state == pyLead && !b.frame.bare() && !b.twice:
		b.tag = append(b.tag, c)
	default:
		return NotACall
	}
	return More
}

// stepTwice takes a byte of an opener that stands twice.
func (b *pythonBody) stepTwice(c byte) State {
	b.tag = append(b.tag, c)
	switch {
	case string(b.tag) == b.frame.opener:
		b.twice, b.tag = true, b.tag[:0]
		b.echo.from = b.pos + 1
	case !bytes.HasPrefix([]byte(b.frame.opener), b.tag):
		return NotACall
	}
	return More
}

// begin begins a call.
func (b *pythonBody) begin(c byte) {
	b.call = pyCall{strict: b.frame.bare() || b.frame.suffix != ""}
	b.call.feed(c)
	b.state, b.raw = pyIn, b.raw[:0]
}

func (b *pythonBody) stepCall(c byte) State {
	switch b.call.feed(c) {
	case pyDone:
		b.unsure = b.unsure || b.frame.suffix != "" && b.doubtful()
		w := b.written()
		w.Raw = append(bytes.Clone(b.raw), c)
		b.calls = append(b.calls, w)
		b.state, b.end = pyGap, b.pos+1
	case pyBad:
		switch {
		case b.call.opened:
			return b.fail(c, b.written())
		case len(b.calls) == 0:
			return NotACall
		case b.listed:
			return b.fail(c, chat.Written{Why: notInList})
		}
		return b.finish(c)
	}
	return More
}

// fail notes a call that can't be read. The rest of the block goes with it.
func (b *pythonBody) fail(c byte, w chat.Written) State {
	if b.doubtful() {
		return NotACall
	}
	b.calls, b.broken = append(b.calls, w), true
	b.state, b.tag = pyJunk, b.tag[:0]
	return b.stepJunk(c)
}

// stepGap takes a byte between calls, or behind their list.
func (b *pythonBody) stepGap(c byte) State {
	open := b.listed && !b.ended
	switch {
	case blank(c):
	case c == '<' && (!open || !b.frame.bare()):
		b.state, b.tag = pyTag, append(b.tag[:0], c)
	case b.state == pyAfter:
		return b.finish(c)
	case c == ']' && open:
		b.state, b.ended, b.end = pyAfter, true, b.pos+1
	case c == ',' && open && b.state == pyGap:
		b.state = pyComma
	case (c == ',' || c == ';') && !open && !b.frame.bare():
	case pyToolStart(c) && open && b.state == pyGap:
		if b.doubtful() {
			return NotACall
		}
		b.repair(string(jsonmend.InsertComma))
		b.begin(c)
	case pyToolStart(c):
		b.begin(c)
	case !open:
		return b.finish(c)
	default:
		return b.fail(c, chat.Written{Why: notInList})
	}
	return More
}

// finish ends the block before what doesn't belong to it. Where the closer
// comes after all, that was a part of a call: most likely a string ended early.
func (b *pythonBody) finish(c byte) State {
	if b.frame.bare() {
		return Done
	}
	b.state, b.tag = pyBehind, b.tag[:0]
	return b.stepJunk(c)
}

// stepTag takes a byte of what may be a closer.
func (b *pythonBody) stepTag(c byte) State {
	b.tag = append(b.tag, c)
	switch {
	case c == '>':
	case c == '<', blank(c), len(b.tag) == pyMaxTag:
		return b.notCloser(c)
	default:
		return More
	}
	switch tag := string(b.tag); {
	case tag == b.frame.closer:
	case tag == b.frame.opener || !closes(b.tag):
		return b.notCloser(c)
	case b.frame.bare() && !slices.Contains(turnEnds, tag):
		b.repair("missing_open")
	case b.frame.bare():
	case b.frame.suffix == "":
		b.repair("wrong_close")
	}
	if b.listed && !b.ended {
		b.repair("missing_bracket")
		b.ended = true
	}
	b.token = b.tag[1] == '|'
	b.end = b.pos + 1
	if b.frame.echo {
		b.behind(len(b.tag) - 1)
		return More
	}
	b.closed = true
	return Done
}

// notCloser goes on behind a tag that closes nothing: the next block, or text.
func (b *pythonBody) notCloser(c byte) State {
	if b.listed && !b.ended {
		if string(b.tag) != b.frame.opener {
			return b.fail(c, chat.Written{Why: notInList})
		}
		b.repair("missing_bracket")
		b.ended = true
	}
	if string(b.tag) == b.frame.opener {
		return b.close()
	}
	return b.finish(c)
}

// closes tells a closing tag, of whatever syntax, from others.
func closes(tag []byte) bool {
	inner := tag[1 : len(tag)-1]
	if bytes.HasPrefix(inner, []byte("/")) {
		return len(inner) > 1
	}
	token, ok := bytes.CutPrefix(inner, []byte("|"))
	if !ok {
		return false
	}
	if token, ok = bytes.CutSuffix(token, []byte("|")); !ok {
		return false
	}
	return bytes.HasPrefix(token, []byte("/")) || bytes.HasSuffix(token, []byte("end")) ||
		bytes.HasPrefix(token, []byte("eo")) && bytes.HasSuffix(token, []byte("_id"))
}

// stepJunk looks for the closer, or for the next opener.
func (b *pythonBody) stepJunk(c byte) State {
	switch {
	case c == '<':
		b.tag = append(b.tag[:0], c)
		return More
	case len(b.tag) == 0 || len(b.tag) == pyMaxTag:
		b.tag = b.tag[:0]
		return More
	}
	b.tag = append(b.tag, c)
	switch string(b.tag) {
	case b.frame.closer:
		if b.state == pyBehind {
			last := &b.calls[len(b.calls)-1]
			*last = chat.Written{Name: last.Name, Why: notBehind}
			b.broken = true
		}
		b.end, b.closed = b.pos+1, true
		return Done
	case b.frame.opener:
		if b.state == pyJunk {
			b.end = b.pos + 1 - len(b.tag)
		}
		return b.close()
	}
	return More
}

// close ends the block without its closer.
func (b *pythonBody) close() State {
	if !b.broken {
		b.missesCloser()
	}
	b.closed = true
	return Done
}

// behind goes on behind the closer, of which so many bytes were noted.
func (b *pythonBody) behind(noted int) {
	b.closed, b.state = true, pyTail
	b.echo.close(noted)
}

func (b *pythonBody) stepTail(c byte) State {
	repair, more := b.echo.step(c, b.frame.closer)
	if repair != "" {
		b.repair(repair)
		b.end = b.pos + 1
	}
	if !more {
		return Done
	}
	return More
}
