package words

import (
	"bytes"

	"github.com/ferrule/ferrule/chat"
)

// cohereFence is a word and a list of JSON calls in a code block: Command R+.
type cohereFence struct{}

func (cohereFence) Name() string { return "cohere-fence" }

func (cohereFence) Openers() []Opener { return []Opener{{Text: "Action:", Where: AnswerEnd}} }

func (cohereFence) Body(o Opener) Body {
	return &cohereFenceBody{lead: len(o.Text), pos: len(o.Text), buf: []byte(o.Text)}
}

type cohereFenceBody struct {
	buf   []byte
	lead  int // the opener's bytes
	pos   int
	block bool // the code block was opened
	from  int  // where the list begins; 0 before it
	list  int  // where it ends
	scan  jsonScan
	end   int // where the block ends, once the list is whole
}

const fenceTicks = "```"

func (t *cohereFenceBody) Feed(b []byte) (int, State) {
	before := len(t.buf)
	t.buf = append(t.buf, b...)
	if t.from == 0 {
		switch t.open() {
		case wait:
			return len(b), More
		case refuse:
			return t.lead - before, NotACall
		}
	}
	if t.end == 0 {
		n, done := t.scan.feed(t.buf[t.pos:], false)
		if t.pos += n; !done {
			return len(b), More
		}
		t.end, t.list = t.pos, t.pos
	}
	switch fits(t.solid(), fenceTicks, false) {
	case partly:
		return len(b), More
	case wholly:
		t.end = t.pos + len(fenceTicks)
	}
	return t.end - before, Done
}

// solid is what stands at t.pos, behind blank space.
func (t *cohereFenceBody) solid() []byte {
	rest := skipBlank(t.buf[t.pos:])
	t.pos = len(t.buf) - len(rest)
	return rest
}

// open looks for the line that opens the code block, and for the list in it.
func (t *cohereFenceBody) open() outcome {
	rest := t.solid()
	if !t.block {
		i := bytes.IndexByte(rest, '\n')
		switch {
		case fits(rest, fenceTicks, false) == not, i < 0 && len(rest) > maxInfo:
			return refuse
		case i < 0:
			return wait
		}
		t.pos, t.block = t.pos+i, true
		rest = t.solid()
	}
	switch {
	case len(rest) == 0:
		return wait
	case rest[0] != '[' && rest[0] != '{':
		return refuse
	}
	t.from = t.pos
	return goOn
}

func (t *cohereFenceBody) End(cut bool) []chat.Written {
	if t.end == 0 || cut {
		return nil
	}
	return callsOf(t.buf[t.from:t.list], 0)
}

func (t *cohereFenceBody) Where() Where { return AnswerEnd }

var (
	_ Form   = cohereFence{}
	_ Placed = (*cohereFenceBody)(nil)
)
