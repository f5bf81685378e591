package words

import (
	"slices"

	"github.com/ferrule/ferrule/chat"
)

const (
	maxBlock = 2 << 20  // bytes of one block
	piece    = 32 << 10 // bytes taken at once, so that the buffer stays small
)

// Reader reads one answer as it streams in. It keeps what may still become a
// call; all else goes out at once. It isn't safe for concurrent use.
type Reader struct {
	*openers
	frame  Frame
	known  func(string) bool
	quoted func(chat.Written) bool
	// every takes blocks wherever they stand: what is read was shown, not answered.
	every bool
	proof bool // a block without the nonce is a call that can't be read
	leak  bool // only blocks that nobody could take for text count
	maybe bool // the answer may have begun in thinking
	pre   []byte

	liveKey   string // a call that carries it is meant; "": there is none
	liveField string // the argument that carries it
	thinking  Thinking
	tag       *thinkTag // what is looked at is thinking
	channel   *thinkTag // the channel that is open
	left      *thinkTag // the one that was open last
	outOf     int       // blocks that thinking was found to end in
	musing    bool      // what goes out next is thinking

	buf  []byte
	from int // bytes before it went out
	at   int // bytes before it were looked at
	seen int // buf[from:seen] is blank
	step func(r *Reader, final bool) bool
	out  func(Item)
	cut  bool

	headOfLine   bool // only blank space since the line, or what counts as one, began
	headOfAnswer bool
	ticks        int // backticks that opened inline code on this line
	fence        codeFence
	open         block
	segments     []segment
	tail         []byte // the end of the words that went out since a call
	behind       bool   // only blank space since a block, as far as was looked
	after        bool   // the last thing that went out was a call
	spoke        bool   // something went out
	index        int
	work         int // bytes looked at, for the test that this grows with the input alone
}

// block is one that is being read.
type block struct {
	start, fed int // its opener, and what its body has had
	openings   []opening
	body       Body
	looked     int // what the bodies that gave up were sure of
	end        int
	calls      []chat.Written
	strong     bool
	within     bool // it doesn't begin its line
}

// busy reports whether a block is being read or waits for what follows it.
func (o *block) busy() bool { return o.body != nil || len(o.calls) > 0 }

// NewReader reads the given forms; of two that fit, the earlier one is asked
// first. known tells the names of tools; nil knows none. quoted, if not nil, is asked about
// each whole block before it becomes a call; a quoted block is text.
func NewReader(forms []Form, frame Frame, known func(string) bool, quoted func(chat.Written) bool) *Reader {
	if known == nil {
		known = func(string) bool { return false }
	}
	return newReader(newOpeners(forms, len(forms)), frame, known, quoted)
}

func newReader(o *openers, frame Frame, known func(string) bool, quoted func(chat.Written) bool) *Reader {
	return &Reader{
		openers: o, frame: frame, known: known, quoted: quoted,
		step: (*Reader).prose, headOfLine: true, headOfAnswer: true,
	}
}

// NewLeakReader reads answers whose calls came by other means, for those that
// were left in the text: calls to known tools, in a syntax with a marker that
// stands for nothing else. With alone an answer that is nothing but the JSON of
// calls is taken too.
func NewLeakReader(known func(string) bool, quoted func(chat.Written) bool, alone bool) *Reader {
	r := newReader(marked(alone), Frame{}, known, quoted)
	r.leak = true
	return r
}

// Held is what is kept because it may still become a call. It is valid until
// the next Write.
func (r *Reader) Held() []byte { return r.buf[r.from:] }

// ReadAll reads every call in a text that was shown to a model, wherever in it
// they stand, in any syntax of the table.
func ReadAll(text []byte, known func(string) bool) []chat.Written {
	if known == nil {
		known = func(string) bool { return false }
	}
	r := newReader(everything(), Frame{}, known, nil)
	r.every = true
	var calls []chat.Written
	take := func(i Item) {
		if i.Kind == ItemCall {
			calls = append(calls, *i.Call)
		}
	}
	r.Write(text, take)
	r.Close(chat.FinishStop, take)
	return calls
}

// Write takes the next bytes of the answer. Words go to out at once; out must
// not keep an item's Text.
func (r *Reader) Write(b []byte, out func(Item)) {
	r.out = out
	if r.maybe {
		rest, known := r.unopened(b, false)
		r.maybe = !known
		b = rest
	}
	for len(b) > 0 {
		n := min(len(b), piece)
		r.buf = append(r.buf, b[:n]...)
		b = b[n:]
		r.run(false)
		r.release(false)
		r.compact()
	}
	r.out = nil
}

// Holding reports whether something is held that may be a call.
func (r *Reader) Holding() bool { return r.open.busy() }

// Close ends the answer: what was held goes out as calls or as text.
func (r *Reader) Close(f chat.Finish, out func(Item)) {
	r.out, r.cut = out, f.Cut()
	if r.maybe {
		rest, _ := r.unopened(nil, true)
		r.maybe = false
		r.Write(rest, out)
		r.out = out
	}
	r.run(true)
	// Behind a cut nobody knows what would have followed.
	r.settle(!r.cut)
	r.release(true)
	r.compact()
	r.out = nil
}

func (r *Reader) run(final bool) {
	for {
		for r.at < len(r.buf) && r.step(r, final) {
		}
		// A block may still be open although nothing stands behind it.
		if !final || !r.open.busy() || !r.step(r, final) {
			return
		}
	}
}

// begin opens a block that starts at r.at.
func (r *Reader) begin(candidates []opening) {
	r.open = block{start: r.at, openings: candidates, looked: r.at + 1, within: !r.headOfLine}
	r.nextBody()
	r.step = (*Reader).inBlock
}

// nextBody lets the next form that fits try the block, from its opener on. It
// reports whether there was one.
func (r *Reader) nextBody() bool {
	o := &r.open
	if len(o.openings) == 0 {
		o.body = nil
		return false
	}
	next := o.openings[0]
	o.body, o.fed = bodyOf(next, r.known), o.start+len(next.opener.Text)
	o.looked = max(o.looked, o.fed)
	r.at = o.fed
	return true
}

// inBlock feeds the open block.
func (r *Reader) inBlock(final bool) bool {
	o := &r.open
	n, state := o.body.Feed(r.buf[o.fed:])
	r.work += max(0, n) + 1
	end := o.fed + n
	var calls []chat.Written
	switch state {
	case More:
		o.fed, r.at = len(r.buf), len(r.buf)
		switch {
		case len(r.buf)-o.start > maxBlock:
			return r.overrun()
		case !final:
			return false
		}
		calls = o.body.End(r.cut)
		if b, ok := o.body.(Sparing); ok && wholeCalls(calls) {
			end -= b.Spare()
		}
	case Done:
		calls = o.body.End(false)
	}
	if len(calls) == 0 || r.swallowedTicks(calls, end) || !r.counts(calls, end) {
		o.looked = max(o.looked, end)
		o.openings = o.openings[1:]
		if !r.nextBody() {
			r.giveUp()
		}
		return true
	}
	o.end, o.calls, o.body, r.at = end, calls, nil, end
	if r.ticks > 0 && !r.every {
		r.step = (*Reader).inTicks
	} else {
		r.keep()
	}
	return true
}

// wholeCalls reports whether all of a block's calls could be read.
func wholeCalls(calls []chat.Written) bool {
	return !slices.ContainsFunc(calls, func(w chat.Written) bool { return w.Cut || w.Why != "" })
}

// counts fills in what the block's place and frame say of its calls, and
// reports whether they count at all.
func (r *Reader) counts(calls []chat.Written, end int) bool {
	o := &r.open
	where := o.openings[0].opener.Where
	if p, ok := o.body.(Placed); ok && p.Where() == AnswerEnd {
		where = AnswerEnd
	}
	asked := o.openings[0].asked
	framed := isFramed(o.openings[0].form)
	o.strong = true
	r.takeLive(calls, r.buf[o.start:end])
	for i := range calls {
		w := &calls[i]
		w.Syntax = o.openings[0].form.Name()
		if framed {
			r.checkFrame(w)
		}
		weak := (where == AnswerEnd || r.fence.open) && !w.Live || r.tag != nil && r.thinking != ThinkingEnds
		if r.leak && weak && (o.openings[0].opener.Where != AnswerStart || r.fence.open || r.tag != nil) {
			return false
		}
		if !asked && !w.Cut && !r.known(w.Name) {
			return false // an example of how others call tools
		}
		if (weak || r.leak) && (w.Why != "" || w.Cut || !r.known(w.Name)) {
			return false
		}
		o.strong = o.strong && !weak
	}
	o.strong = o.strong || r.every
	return true
}

func (r *Reader) checkFrame(w *chat.Written) {
	if r.frame.Nonce == "" {
		return
	}
	w.Live = w.Key == r.frame.Nonce
	switch {
	case w.Live:
	case r.proof && w.Why == "":
		w.Why = "it doesn't carry the nonce that stands at the end of the prompt"
	default:
		w.Repairs = append(w.Repairs, "nonce")
	}
	if w.Toolset != r.frame.Toolset {
		w.Repairs = append(w.Repairs, "toolset")
	}
}

// giveUp makes text of a block that was none.
func (r *Reader) giveUp() {
	o := &r.open
	r.at, r.step = o.start, (*Reader).prose
	r.solid()
	r.walk(r.thoughtEnd(o.start+1, o.looked))
	r.open = block{}
}

// overrun ends a block that is too long: text if nothing says that it is a
// call, else a call with a reason, and what follows belongs to it.
func (r *Reader) overrun() bool {
	o := &r.open
	o.looked = len(r.buf)
	if calls := o.body.End(true); len(calls) > 0 && r.strongPlace() {
		o.calls = []chat.Written{{Why: "it is longer than 2 MB", Syntax: o.openings[0].form.Name()}}
		o.end, o.strong, o.body = len(r.buf), true, nil
		r.keep()
		r.step = (*Reader).drop
		return true
	}
	o.openings = o.openings[1:]
	if !r.nextBody() {
		r.giveUp()
	}
	return true
}

func (r *Reader) strongPlace() bool {
	p, ok := r.open.body.(Placed)
	return !r.fence.open && !(ok && p.Where() == AnswerEnd)
}

// drop takes what follows a block that was too long.
func (r *Reader) drop(bool) bool {
	r.settle(false)
	r.at, r.from, r.seen = len(r.buf), len(r.buf), len(r.buf)
	return true
}

// maxCode is how many bytes behind a block the end of its inline code is looked for.
const maxCode = 1 << 10

// inTicks waits whether the inline code, in which a block stands, is closed
// behind it in the same paragraph.
func (r *Reader) inTicks(final bool) bool {
	rest := r.buf[r.open.end:]
	rest = rest[:min(len(rest), maxCode)]
	closed, known := closesCode(rest, r.ticks)
	switch {
	case !known && !final && len(rest) < maxCode:
		r.at = len(r.buf)
		return false
	case closed:
		r.open.looked = r.open.end
		r.giveUp()
	default:
		r.at = r.open.end
		r.keep()
	}
	return true
}

// swallowedTicks reports whether a block that nothing closed took the end of the
// inline code in which it stands for a part of itself.
func (r *Reader) swallowedTicks(calls []chat.Written, end int) bool {
	if r.ticks == 0 || r.every || wholeCalls(calls) && !slices.ContainsFunc(calls, unclosed) {
		return false
	}
	b := r.buf[r.open.start:end]
	closed, _ := closesCode(b[:min(len(b), maxCode)], r.ticks)
	return closed
}

func unclosed(w chat.Written) bool { return slices.Contains(w.Repairs, "missing_close") }

// closesCode looks for so many backticks before the paragraph ends.
func closesCode(b []byte, ticks int) (closed, known bool) {
	line := false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case c == '\n' && line:
			return false, true
		case c == '\n':
			line = true
		case c == '`':
			n := runOf(b[i:])
			if n == ticks {
				return true, i+n < len(b)
			}
			i, line = i+n-1, false
		case !blank(c):
			line = false
		}
	}
	return false, false
}

// runOf is how often the first byte of b stands there in a row.
func runOf(b []byte) int {
	n := 1
	for n < len(b) && b[n] == b[0] {
		n++
	}
	return n
}
