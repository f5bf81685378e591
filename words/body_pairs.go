package words

import (
	"bytes"

	"github.com/ferrule/ferrule/chat"
)

// pairTag names the tags of pairBody by what they do.
type pairTag uint8

const (
	frameOpen  pairTag = iota // around all calls of a round, where there is such a frame
	frameClose                // its end
	callOpen                  // around one call
	callClose                 // its end
	nameClose                 // behind the name, where the syntax has it
	keyOpen
	keyClose
	valueOpen
	valueClose
	noTag
)

// pairTags spells the tags; "" where the syntax has none.
type pairTags [noTag]string

// Repairs of what stands around the pairs.
const (
	repairTag      = "missing_tag"    // a tag between a name, a key and a value
	repairClose    = "missing_close"  // the frame's closing tag
	repairStray    = "stray_close"    // the closing tag of something else
	repairNewline  = "escaped_space"  // \n written out between tags
	repairNameJSON = "json_arguments" // an object where pairs were due
	repairRepeat   = "repeated_call"  // a call begun anew before it was closed
)

// maxPairHead is how many bytes a name and the blank space around it may have.
const maxPairHead = 256

type pairState uint8

const (
	pairFrame   pairState = iota // in the frame, between calls
	pairName                     // before the first pair
	pairGap                      // between pairs
	pairKey                      // in a key
	pairKeyGap                   // between a key and its value
	pairValue                    // in a value
	pairJSON                     // in an object that stands for the pairs
	pairSettled                  // ended
)

// pairBody reads a name and behind it pairs of keys and values, each in tags
// of its own. A value is text up to its own closing tag; nothing else ends the
// last one (a value is never completed).
type pairBody struct {
	tags   pairTags
	json   bool // an object in place of the name is a call too
	weak   bool // its opener is no mark of calls alone
	framed bool // it was opened by the frame

	buf    []byte
	at     int // buf before it was searched for tags
	mark   int // where the text before the next tag begins
	end    int // where the block ends, once it is settled
	state  pairState
	scan   jsonScan
	object *taggedJSON // reads the block if it is nothing but JSON

	call   chat.Written // the one being read
	key    string
	from   int  // where the value being read begins
	odd    bool // that value holds the closing tag of a key
	closed int  // behind the first tag in it that would close the call
	start  int  // of a call that opened within the block
	bare   bool // one of the calls is only a name
	calls  []chat.Written
}

// newPairs reads a block behind one of the two openers that tags has.
func newPairs(tags pairTags, opener string) *pairBody {
	p := &pairBody{tags: tags, state: pairName, framed: opener == tags[frameOpen]}
	if p.framed {
		p.state = pairFrame
	}
	return p
}

func (p *pairBody) Feed(b []byte) (int, State) {
	if p.object != nil {
		return p.object.Feed(b)
	}
	fed := len(p.buf)
	p.buf = append(p.buf, b...)
	for {
		s, on := p.step()
		switch {
		case p.object != nil:
			n, s := p.object.Feed(p.buf)
			return n - fed, s
		case s == NotACall && len(p.calls) > 0:
			// What opened within the block was no call: the block ended before it.
			p.end, p.state = p.start, pairSettled
			return p.end - fed, Done
		case s == NotACall:
			return -fed, NotACall
		case s == Done:
			p.state = pairSettled
			return p.end - fed, Done
		case !on:
			return len(b), More
		}
	}
}

// step goes on by one tag. on is false if it needs more bytes.
func (p *pairBody) step() (s State, on bool) {
	switch p.state {
	case pairFrame:
		return p.inFrame()
	case pairName:
		return p.inName()
	case pairJSON:
		return p.inJSON()
	}
	tag, at := p.next()
	if tag == noTag {
		return More, false
	}
	text := p.buf[p.mark:at]
	p.mark = p.at
	switch p.state {
	case pairGap:
		return p.inGap(tag, text, at), true
	case pairKey:
		return p.inKey(tag, text, at), true
	case pairKeyGap:
		return p.inKeyGap(tag, text, at), true
	}
	return p.inValue(tag, at), true
}

// next finds the next tag from p.at on and where it begins; noTag if more
// bytes are needed.
func (p *pairBody) next() (tag pairTag, at int) {
	for {
		i := bytes.IndexByte(p.buf[p.at:], '<')
		if i < 0 {
			p.at = len(p.buf)
			return noTag, 0
		}
		p.at += i
		tag, more := p.tagAt(p.at)
		if tag != noTag {
			at, p.at = p.at, p.at+len(p.tags[tag])
			return tag, at
		}
		if more {
			return noTag, 0
		}
		p.at++
	}
}

// tagAt tells which tag stands at a place; more says that one may still come.
func (p *pairBody) tagAt(at int) (tag pairTag, more bool) {
	for t, words := range p.tags {
		if words == "" {
			continue
		}
		switch fits(p.buf[at:], words, false) {
		case wholly:
			return pairTag(t), false
		case partly:
			more = true
		}
	}
	return noTag, more
}

// inFrame looks between the calls of a frame.
func (p *pairBody) inFrame() (State, bool) {
	for p.at < len(p.buf) && blank(p.buf[p.at]) {
		p.at++
	}
	if p.at == len(p.buf) {
		return More, false
	}
	tag, more := p.tagAt(p.at)
	switch {
	case more && tag == noTag:
		return More, false
	case tag == callOpen:
		p.begin(p.at, p.at+len(p.tags[tag]))
		return More, true
	case len(p.calls) == 0:
		return NotACall, false
	case tag == frameClose:
		p.end = p.at + len(p.tags[tag])
		return Done, false
	}
	p.end = p.mark // behind the last call
	addRepair(&p.calls[len(p.calls)-1], repairClose)
	return Done, false
}

// begin starts a call whose opener stands at buf[at:behind].
func (p *pairBody) begin(at, behind int) {
	p.call, p.state = chat.Written{}, pairName
	p.start, p.at, p.mark = at, behind, behind
}

// inName reads the name, as far as the first thing that shows that it is one.
func (p *pairBody) inName() (State, bool) {
	head := p.buf[p.mark:]
	lead := len(head) - len(skipBlank(head))
	i := lead
	for i < len(head) && nameByte(head[i]) {
		i++
	}
	j, escaped := skipGap(head, i)
	switch {
	case j > maxPairHead:
		return NotACall, false
	case j == len(head) || head[j] == '\\' && j+1 == len(head):
		return More, false
	case i == lead:
		if p.json && !p.framed && len(p.calls) == 0 && (head[i] == '{' || head[i] == '[') {
			p.object = newTaggedJSON(p.tags[callOpen], p.tags[callClose])
			return More, false
		}
		return NotACall, false
	}
	p.call.Name = string(head[lead:i])
	if escaped {
		p.repair(repairNewline)
	}
	return p.behindName(j, j > i)
}

// behindName looks at what follows the name; j is relative to p.mark.
func (p *pairBody) behindName(j int, spaced bool) (State, bool) {
	at := p.mark + j
	head := p.buf[at:]
	if head[0] == '{' {
		p.repair(repairNameJSON)
		p.scan, p.state, p.mark, p.at = scanBehind("{"), pairJSON, at, at+1
		return More, true
	}
	tag, more := p.tagAt(at)
	switch {
	case tag == noTag && more:
		p.call = chat.Written{}
		return More, false
	case tag == nameClose:
		p.pairs()
		p.at = at + len(p.tags[tag])
		p.mark = p.at
		return More, true
	case tag == keyOpen || tag == valueOpen || tag == callClose:
		p.bare = p.bare || tag == callClose && !p.framed
		p.pairs()
		p.at, p.mark = at, at
		return More, true
	case tag == noTag && spaced:
		return p.keyBehindName(at)
	}
	return NotACall, false
}

// keyBehindName reads a key behind the name that lacks its opening tag. Names
// hold no blank space, so the two can't be taken for one.
func (p *pairBody) keyBehindName(at int) (State, bool) {
	i := at
	for i < len(p.buf) && nameByte(p.buf[i]) {
		i++
	}
	switch {
	case i == at || i-p.mark > maxPairHead:
		return NotACall, false
	case i == len(p.buf):
		p.call = chat.Written{}
		return More, false
	}
	switch fits(p.buf[i:], p.tags[keyClose], false) {
	case wholly:
		p.pairs()
		p.at, p.mark = at, at
		return More, true
	case partly:
		p.call = chat.Written{}
		return More, false
	}
	return NotACall, false
}

// pairs goes on to the pairs: an empty list says that the arguments are text.
func (p *pairBody) pairs() { p.call.Params, p.state = []chat.Param{}, pairGap }

// inJSON reads an object that stands where the pairs should.
func (p *pairBody) inJSON() (State, bool) {
	n, done := p.scan.feed(p.buf[p.at:], false)
	p.at += n
	if done {
		p.call.JSON = bytes.Clone(p.buf[p.mark:p.at])
		p.mark, p.state = p.at, pairGap
	}
	return More, done
}

// nameByte reports whether c may stand in the name of a tool.
func nameByte(c byte) bool {
	return c == '_' || c == '-' || c == '.' || c == ':' || c == '/' ||
		c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// skipGap passes over blank space, and over such as is written out.
func skipGap(b []byte, i int) (end int, escaped bool) {
	for i < len(b) {
		switch {
		case blank(b[i]):
			i++
		case b[i] == '\\' && i+1 < len(b) && (b[i+1] == 'n' || b[i+1] == 't' || b[i+1] == 'r'):
			i, escaped = i+2, true
		default:
			return i, escaped
		}
	}
	return i, escaped
}
