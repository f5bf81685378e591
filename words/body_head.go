package words

import (
	"bytes"
	"slices"

	"github.com/ferrule/ferrule/chat"
)

// headMarks are the markers of a syntax that writes a call as a head (a name,
// perhaps an id) and one JSON value, calls one after the other. Each has one
// spelling or several, the right one first. No marker begins another.
type headMarks struct {
	section []string // before the first call
	call    []string // before a head; a section without one does as well
	sep     []string // between the parts of a head
	args    []string // between a head and the arguments
	close   []string // behind a call
	end     []string // behind the last call of a section
	trail   []string // may stand behind a call, and needn't

	// object says that arguments that don't begin with a bracket make no call:
	// nothing would tell where they end.
	object bool
	right  int  // how many of each list's markers are right ones; 0 is one
	weak   bool // it looks like ordinary text, and so counts only at the answer's end
	// name reads a head: what stands before, between and behind the separators.
	// "" says that it is none.
	name func(head []headPart) (name, id string)
}

// headPart is a piece of a head and the marker before it, "" before the first.
type headPart struct{ mark, text string }

const (
	maxHead  = 320 // bytes of one part of a head
	maxParts = 5
)

// headForm is a Form with such a body. An opener that isn't a marker is the
// beginning of a head.
type headForm struct {
	name    string
	openers []Opener
	marks   *headMarks
}

func (f headForm) Name() string      { return f.name }
func (f headForm) Openers() []Opener { return f.openers }

func (f headForm) Body(o Opener) Body {
	t := &headBody{marks: f.marks, section: slices.Contains(f.marks.section, o.Text), pending: -1}
	if !t.section && !slices.Contains(f.marks.call, o.Text) {
		t.lead = o.Text
	}
	t.ends = f.marks.lastBytes()
	t.spelled(o.Text, f.marks.section, f.marks.call)
	return t
}

// headResults is one whose results stand in a block of their own.
type headResults struct {
	headForm
	opener, closer string
}

func (f headResults) ResultBlock() (opener, closer string) { return f.opener, f.closer }

// anywhere makes openers of markers.
func anywhere(lists ...[]string) (os []Opener) {
	for _, list := range lists {
		for _, m := range list {
			os = append(os, Opener{Text: m, Where: Anywhere})
		}
	}
	return os
}

type headState uint8

const (
	inHead  headState = iota // in a part of a head, or before the first
	inLead                   // behind the marker of the arguments
	inValue                  // in a JSON value
	inRaw                    // in arguments that aren't JSON
	inGap                    // behind a value, and behind a call
)

// headValue is where a value lies; it is closed if its brackets are.
type headValue struct {
	from, to int
	closed   bool
}

// headBody reads the calls of one block.
type headBody struct {
	marks *headMarks
	ends  string // the bytes with which a marker that ends a call can end

	buf     []byte
	state   headState
	until   int // the end of what surely belongs to the block
	section bool
	calls   []chat.Written
	began   int // where the one that is being read begins

	// Of the call that is being read.
	parts   []headPart
	lead    string // text of a head that stood in the opener
	mark    string // the marker before the part that is being read
	from    int    // where that part begins
	pending int    // where what may be a marker begins; -1: nowhere
	scan    jsonScan
	values  []headValue
	open    bool // it has a head, and isn't in calls yet
	name    string
	id      string
	whole   bool // it is JSON as a whole, name and all
	fenced  bool // its arguments stand in a code block
	comma   bool // behind its value stands a comma
	repairs []string
}

func (t *headBody) Feed(b []byte) (int, State) {
	for i := 0; i < len(b); {
		s := More
		if t.state == inValue {
			n := 0
			if n, s = t.inValue(b[i:]); s == NotACall {
				return i + n, s
			}
			i += n
		} else {
			t.buf = append(t.buf, b[i])
			s = t.step(b[i])
			i++
		}
		if s == NotACall && !t.open && len(t.calls) == 0 {
			return i - (len(t.buf) - t.from), NotACall
		}
		if s != More {
			t.leave()
			return i - (len(t.buf) - t.until), Done
		}
	}
	return len(b), More
}

// step takes one byte outside of a value.
func (t *headBody) step(c byte) State {
	switch t.state {
	case inHead:
		return t.inHead(c)
	case inLead:
		return t.inLead(c)
	case inRaw:
		return t.ender()
	default:
		return t.inGap(c)
	}
}

func (t *headBody) Where() Where {
	if t.marks.weak {
		return AnswerEnd
	}
	return Anywhere
}

func (t *headBody) End(cut bool) []chat.Written {
	m := t.marks
	lacking := t.state == inValue || t.state == inRaw
	switch text := t.part(len(t.buf)); {
	case m.weak && (lacking || !t.open && len(t.calls) == 0), t.state == inRaw && m.inOneBlock() && len(t.calls) == 0:
		// Nothing but its head looks like a call.
		return nil
	case t.state == inHead && cut && (len(t.parts) > 0 || wordLike(headWord(text))):
		t.calls = append(t.calls, chat.Written{Cut: true})
	case t.state == inHead && len(t.calls) > 0 && (len(t.parts) > 0 || headWord(text) != ""):
		t.calls = append(t.calls, chat.Written{Why: "its head isn't whole"})
	case t.state == inLead, lacking && (cut || !t.scan.outside()), cut && t.open && len(m.close)+len(m.end) > 0:
		t.calls = append(t.calls, chat.Written{Name: t.name, Cut: true})
		t.open = false
	case lacking:
		t.values[len(t.values)-1].to = len(t.buf)
		t.repair("missing_close")
	}
	t.leave()
	return t.calls
}

// leave ends the block behind what was read of it.
func (t *headBody) leave() {
	t.finish(len(t.marks.close) > 0)
	if t.section && len(t.marks.end) > 0 && len(t.calls) > 0 {
		addRepair(&t.calls[len(t.calls)-1], "missing_close")
	}
	t.section = false
}

// finish makes a call of what was read since the last one.
func (t *headBody) finish(unclosed bool) {
	if !t.open {
		return
	}
	if unclosed {
		t.repair("missing_close")
	}
	cs := []chat.Written{{Name: t.name, ID: t.id}}
	if t.whole {
		cs = t.wholeCalls()
	} else if n := len(t.values); n > 0 {
		cs[0].JSON = bytes.Clone(bytes.TrimSpace(t.buf[t.values[0].from:t.values[n-1].to]))
	}
	for i := range cs {
		cs[i].Repairs = append(slices.Clone(t.repairs), cs[i].Repairs...)
		if len(cs) == 1 {
			cs[i].Raw = bytes.Clone(t.buf[t.began:])
		}
	}
	t.calls = append(t.calls, cs...)
	t.next()
}

// next gets ready for another call.
func (t *headBody) next() {
	t.parts, t.values, t.repairs = nil, nil, nil
	t.lead, t.mark, t.name, t.id = "", "", "", ""
	t.open, t.whole, t.fenced, t.comma = false, false, false, false
	t.from, t.pending = len(t.buf), -1
	t.began = t.from
}

func (t *headBody) repair(name string) {
	if !slices.Contains(t.repairs, name) {
		t.repairs = append(t.repairs, name)
	}
}

// spelled notes a marker that isn't spelled as it should be.
func (t *headBody) spelled(m string, lists ...[]string) {
	for _, list := range lists {
		if slices.Index(list, m) >= max(1, t.marks.right) {
			t.repair("marker")
		}
	}
}

var (
	_ Form    = headForm{}
	_ Results = headResults{}
	_ Placed  = (*headBody)(nil)
)
