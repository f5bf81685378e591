package words

import (
	"bytes"
	"slices"

	"github.com/ferrule/ferrule/chat"
)

// taggedText reads calls whose arguments are text between tags: one call, or
// several in a frame. Which of the tags in a value belong to the value is told
// by how they are closed, see body_tags_value.go.
type taggedText struct {
	s *tagWords

	buf    []byte
	base   int // bytes of the opener
	pos    int // bytes before it were understood
	ahead  int // blank bytes behind a candidate end, as far as was looked
	lead   int // bytes before it hold the opener and blank space only
	end    int // behind the last thing that is part of a call
	step   func(t *taggedText, final bool) outcome
	framed bool
	shut   bool // the frame's closer was seen
	marks  int  // tokens that say nothing

	calls   []taggedCall
	open    bool // the last of calls isn't closed
	inside  bool // a value, an object or a name in it isn't closed
	value   openValue
	scan    jsonScan
	objects int // where the JSON in place of parameters begins
}

type taggedCall struct {
	name    string
	at      int // where it begins in the block
	params  []taggedParam
	json    []byte
	stray   bool
	why     string
	repairs []string
}

// taggedParam is a parameter. Its text lies in the block's bytes.
type taggedParam struct {
	name       string
	typed      string // what its tag says of its type
	start, end int
	section    [2]int // the CDATA section that it consists of
}

type outcome uint8

const (
	goOn   outcome = iota
	wait           // it needs more bytes
	over           // the block ends at t.end
	refuse         // it was never a call
)

func newTaggedText(s tagWords, opener string) *taggedText {
	t := &taggedText{s: &s, buf: []byte(opener), base: len(opener), lead: len(opener)}
	t.step = (*taggedText).between
	t.run(false)
	return t
}

func (t *taggedText) run(final bool) outcome {
	for {
		if o := t.step(t, final); o != goOn {
			return o
		}
	}
}

func (t *taggedText) Feed(b []byte) (int, State) {
	before := len(t.buf)
	t.buf = append(t.buf, b...)
	switch t.run(false) {
	case over:
		return t.end - before, Done
	case refuse:
		return t.lead - before, NotACall
	}
	return len(b), More
}

// Spare is how many of the last bytes don't belong to the block, once it was
// ended by the answer's end. The beginning of a closer does: a stop word may
// have taken the rest of it.
func (t *taggedText) Spare() int {
	rest := t.buf[t.end:]
	if tag := bytes.TrimSpace(rest); bytes.HasPrefix(tag, []byte("</")) && !bytes.ContainsAny(tag, "> \n") {
		return 0
	}
	return len(rest)
}

// tag reads the tag at t.pos.
func (t *taggedText) tag(final bool) (tag, fit) { return t.s.read(t.buf[t.pos:], final) }

// skipBlank passes over blank space. It returns false where the bytes end.
func (t *taggedText) skipBlank() bool {
	for t.pos < len(t.buf) && blank(t.buf[t.pos]) {
		t.pos++
	}
	return t.pos < len(t.buf)
}

func (t *taggedText) call() *taggedCall { return &t.calls[len(t.calls)-1] }

func (c *taggedCall) repair(name string) {
	if !slices.Contains(c.repairs, name) {
		c.repairs = append(c.repairs, name)
	}
}

// maxMarks bounds the tokens that say nothing before the first call.
const maxMarks = 4

// between is outside of any call: before the first, or behind one.
func (t *taggedText) between(final bool) outcome {
	clean := t.pos == t.lead
	more := t.skipBlank()
	if clean {
		t.lead = t.pos
	}
	if !more {
		return wait
	}
	tg, f := t.tag(final)
	if f == partly {
		return wait
	}
	if f == not && len(t.calls) == 0 && t.framed {
		tg, f = t.bareHead(final)
		if f == partly {
			return wait
		}
	}
	first := len(t.calls) == 0
	switch {
	case tg.kind == tagMark && !first:
		t.end = t.pos + tg.size
	case tg.kind == tagMark && t.marks < maxMarks:
		t.marks++
	case tg.kind == tagFrame && (first && !t.framed):
		t.framed = true
	case tg.kind == tagFrameEnd && first && t.pos == 0:
		// A closer whose opener is missing, before the call.
	case tg.kind == tagFrameEnd && !first:
		t.pos += tg.size
		t.end, t.shut = t.pos, true
		return over
	case tg.kind == tagCall && (first || t.framed) && (!tg.loose || t.framed):
		return t.beginCall(tg)
	case first:
		return refuse
	case t.framed && tg.kind == tagCallEnd:
	case t.framed && f == not && bytes.IndexByte(t.buf[t.end:t.pos], '\n') < 0:
		t.step = (*taggedText).behindCalls
		return goOn
	default:
		return over
	}
	t.pos += tg.size
	return goOn
}

// bareHead reads the head of a call that lost its first bracket.
func (t *taggedText) bareHead(final bool) (tag, fit) {
	rest := t.buf[t.pos:]
	if f := fits(rest, t.s.call+"=", final); f != wholly {
		return tag{}, f
	}
	tg, f := t.s.read(append([]byte(t.s.lead+"<"+first(t.s.spaces)), rest[:min(len(rest), maxTag)]...), final)
	tg.size -= len(t.s.lead) + 1 + len(first(t.s.spaces))
	tg.loose = true
	return tg, f
}

func first(s []string) string {
	if len(s) == 0 {
		return ""
	}
	return s[0]
}

// maxStray is how many bytes of text between a frame's last call and its closer
// are taken for nothing.
const maxStray = 128

// behindCalls is behind a call in a frame, at text. On the same line the
// frame's closer may still follow; else the frame ended with the call.
func (t *taggedText) behindCalls(final bool) outcome {
	rest := t.buf[t.pos:]
	n := bytes.IndexAny(rest[:min(len(rest), maxStray)], "<\n")
	if n < 0 && len(rest) < maxStray && !final {
		return wait
	}
	if n >= 0 && rest[n] == '<' {
		switch tg, f := t.s.read(rest[n:], final); {
		case f == partly:
			return wait
		case tg.kind == tagFrameEnd:
			t.call().repair("stray_text")
			t.pos += n
			t.step = (*taggedText).between
			return goOn
		}
	}
	return over
}

func (t *taggedText) beginCall(tg tag) outcome {
	c := taggedCall{name: tg.name, at: t.pos}
	if tg.loose {
		c.repair("bad_tag")
	}
	t.calls = append(t.calls, c)
	t.pos += tg.size
	t.open, t.end = true, t.pos
	switch {
	case tg.whole:
		t.endCall()
	case tg.name == "":
		t.inside, t.step = true, (*taggedText).nameOfCall
	default:
		t.step = (*taggedText).inCall
	}
	return goOn
}

// endCall ends the open call. t.end stands behind what is known to be its own.
func (t *taggedText) endCall() {
	t.open, t.step = false, (*taggedText).between
	c := t.call()
	if len(c.params) == 0 && c.json == nil && c.stray && c.why == "" {
		c.why = "text stands where its parameters should"
	}
	if len(c.params) > 0 && c.json != nil && c.why == "" {
		c.why = "it has both a JSON object and parameters"
	}
	if c.stray {
		c.repair("stray_text")
	}
}

// nameOfCall reads <function>add</function> as the head of a call.
func (t *taggedText) nameOfCall(final bool) outcome {
	name, tg, o := t.inner(tagCallEnd, final)
	if o != goOn {
		return o
	}
	t.inside, t.step = false, (*taggedText).inCall
	if t.call().name = name; name == "" {
		t.call().why = "it has no name"
	}
	t.pos += tg.size
	t.end = t.pos
	return goOn
}

// inner reads a name that stands before a closer; t.pos is then at the closer.
// There is none if anything else stands there.
func (t *taggedText) inner(closer tagKind, final bool) (name string, tg tag, o outcome) {
	rest := t.buf[t.pos:]
	n := bytes.IndexByte(rest[:min(len(rest), maxTag)], t.s.startByte())
	if n < 0 {
		if len(rest) >= maxTag || final {
			return "", tag{}, goOn
		}
		return "", tag{}, wait
	}
	tg, f := t.s.read(rest[n:], final)
	if f == partly {
		return "", tag{}, wait
	}
	inner := bytes.TrimSpace(rest[:n])
	if tg.kind != closer || identifier(inner) != len(inner) {
		return "", tag{}, goOn
	}
	t.pos += n
	return string(inner), tg, goOn
}

// inCall is in a call and in none of its parameters.
func (t *taggedText) inCall(final bool) outcome {
	if !t.skipBlank() {
		return wait
	}
	c := t.call()
	bare := len(c.params) == 0 && c.json == nil
	if bare && t.buf[t.pos] == '{' && t.takesObject() {
		t.scan, t.objects, t.inside = scanBehind("{"), t.pos, true
		t.pos++
		t.step = (*taggedText).inObject
		return goOn
	}
	if bare && !t.framed && t.s.object == objectOnly {
		return refuse
	}
	tg, f := t.tag(final)
	switch {
	case f == partly:
		return wait
	case f == not || tg.kind == tagPlainEnd || tg.kind == tagParam && tg.loose && tg.name != "" && c.stray:
		return t.strayText(final)
	}
	return t.tagInCall(tg)
}

func (t *taggedText) takesObject() bool {
	return t.s.object != objectFramed || t.framed
}

func (t *taggedText) tagInCall(tg tag) outcome {
	c := t.call()
	bare := len(c.params) == 0 && c.json == nil
	switch tg.kind {
	case tagCallEnd:
		t.pos += tg.size
		t.end = t.pos
		t.endCall()
		return goOn
	case tagFrameEnd, tagFrame, tagCall:
		if bare && !t.framed {
			return refuse
		}
		c.repair("missing_close")
		// A frameless call ends with its last parameter; the text behind is none of it.
		c.stray = c.stray && (t.framed || tg.kind == tagFrameEnd)
		t.endCall()
		if !t.framed && tg.kind != tagFrameEnd {
			return over
		}
		return goOn
	case tagMark:
		t.pos += tg.size
		return goOn
	case tagParamEnd:
		t.shutAgain(tg)
		return goOn
	}
	t.pos += tg.size
	t.beginValue(tg)
	return goOn
}

// strayText passes over text that stands where a tag must stand.
func (t *taggedText) strayText(bool) outcome {
	c := t.call()
	if len(c.params) == 0 && c.json == nil && !t.framed {
		return refuse
	}
	c.stray = true
	t.pos++
	t.step = (*taggedText).inStray
	return goOn
}

// inStray looks for the tag with which stray text ends.
func (t *taggedText) inStray(bool) outcome {
	i := bytes.IndexByte(t.buf[t.pos:], t.s.startByte())
	if i < 0 {
		t.pos = len(t.buf)
		return wait
	}
	t.pos += i
	t.step = (*taggedText).inCall
	return goOn
}

// inObject is in the JSON object that stands in place of parameters.
func (t *taggedText) inObject(bool) outcome {
	n, done := t.scan.feed(t.buf[t.pos:], false)
	t.pos += n
	if !done {
		return wait
	}
	t.call().json = t.buf[t.objects:t.pos]
	t.end, t.inside = t.pos, false
	t.step = (*taggedText).inCall
	return goOn
}

func (t *taggedText) End(cut bool) []chat.Written {
	o := over
	if !t.shut {
		o = t.run(true)
	}
	if len(t.calls) == 0 || o == refuse {
		return nil
	}
	if t.open {
		return t.endOpen(cut)
	}
	if t.framed && !t.shut {
		if cut && o == wait {
			return []chat.Written{{Name: t.call().name, Cut: true}}
		}
		t.call().repair("missing_close")
	}
	return t.written()
}

// endOpen ends a call that isn't closed.
func (t *taggedText) endOpen(cut bool) []chat.Written {
	c := t.call()
	bare := len(c.params) == 0 && c.json == nil
	switch {
	case bare && !t.framed && t.idle():
		return nil
	case cut || !t.idle():
		return []chat.Written{{Name: c.name, Cut: true}}
	}
	c.repair("missing_close")
	c.stray = c.stray && bare // the text behind the last parameter is none of the call's
	t.endCall()
	return t.written()
}

// idle reports whether neither a value nor a tag is open.
func (t *taggedText) idle() bool { return !t.inside }

var _ Body = (*taggedText)(nil)
