package words

import (
	"bytes"
	"slices"

	"github.com/ferrule/ferrule/chat"
)

// Why a call in pairs can't be read.
const (
	whyNoValue   = "an argument has no value"
	whyNoKey     = "a value has no key"
	whyTags      = "the tags of its arguments don't pair up"
	whyBetween   = "something stands between its arguments that is none"
	whyOpenValue = "the closing tag of its last value is missing"
	whyOpenJSON  = "its JSON isn't closed"
)

// inGap takes the tag behind a pair, or before the first.
func (p *pairBody) inGap(tag pairTag, text []byte, at int) State {
	rest := p.between(text)
	switch {
	case tag == keyClose && len(rest) > 0 && p.call.JSON == nil:
		p.repair(repairTag)
		p.key, p.state = string(rest), pairKeyGap
		return More
	case len(rest) > 0:
		p.bad(whyBetween)
	}
	switch tag {
	case keyOpen:
		if p.call.JSON != nil {
			p.bad(whyBetween)
		}
		p.state = pairKey
	case valueOpen:
		p.bad(whyNoKey)
		p.value()
	case keyClose, valueClose, nameClose, frameOpen:
		p.bad(whyTags)
	default:
		return p.finish(tag, at)
	}
	return More
}

// between is what stands between two tags and says something.
func (p *pairBody) between(text []byte) []byte {
	i, escaped := skipGap(text, 0)
	for {
		end := foreignClose(text[i:])
		if end == 0 {
			break
		}
		p.repair(repairStray)
		n, more := skipGap(text[i:], end)
		i, escaped = i+n, escaped || more
	}
	if escaped {
		p.repair(repairNewline)
	}
	return bytes.TrimRight(text[i:], " \n\r\t")
}

// foreignClose is the length of a closing tag that b begins with.
func foreignClose(b []byte) int {
	if len(b) < 3 || b[0] != '<' || b[1] != '/' {
		return 0
	}
	for i := 2; i < len(b) && i < maxInfo; i++ {
		switch {
		case b[i] == '>' && i > 2:
			return i + 1
		case !nameByte(b[i]):
			return 0
		}
	}
	return 0
}

func (p *pairBody) inKey(tag pairTag, text []byte, at int) State {
	p.key = string(bytes.TrimSpace(text))
	switch tag {
	case keyClose:
		p.state = pairKeyGap
	case valueClose: // a value may yet follow
		p.repair(repairTag)
		p.state = pairKeyGap
	case valueOpen:
		p.repair(repairTag)
		p.value()
	case keyOpen, nameClose, frameOpen:
		p.bad(whyNoValue)
	default:
		p.bad(whyNoValue)
		return p.finish(tag, at)
	}
	return More
}

// inKeyGap takes the tag between a key and its value.
func (p *pairBody) inKeyGap(tag pairTag, text []byte, at int) State {
	rest := p.between(text)
	switch tag {
	case valueOpen:
		if len(rest) > 0 {
			p.bad(whyBetween)
		}
		p.value()
	case valueClose:
		p.repair(repairTag)
		p.param(text)
	case keyOpen:
		p.bad(whyNoValue)
		p.state = pairKey
	case keyClose, nameClose, frameOpen:
		p.bad(whyTags)
	default:
		p.bad(whyNoValue)
		return p.finish(tag, at)
	}
	return More
}

// value begins a value at p.mark.
func (p *pairBody) value() { p.state, p.from, p.odd, p.closed = pairValue, p.mark, false, 0 }

// inValue takes a tag inside a value: its closer, the next key where that is
// missing, or part of its text.
func (p *pairBody) inValue(tag pairTag, at int) State {
	switch {
	case tag == valueClose:
		p.param(p.buf[p.from:at])
	case (tag == keyOpen || tag == valueOpen) && p.closed > 0:
		// The call ended before its last value did.
		p.bad(whyOpenValue)
		p.end = p.closed
		p.leave()
		return Done
	case tag == keyOpen:
		if p.odd {
			p.bad(whyTags)
		}
		p.repair(repairTag)
		p.param(p.buf[p.from:at])
		p.state = pairKey
	case tag == valueOpen:
		p.bad(whyTags)
	case tag == callClose && p.closed == 0:
		p.closed = p.at
	case tag == keyClose:
		p.odd = true
	}
	return More
}

// param takes the value that was just read.
func (p *pairBody) param(text []byte) {
	p.call.Params = append(p.call.Params, chat.Param{Name: p.key, Text: string(text)})
	p.state = pairGap
}

// finish ends a call with a tag that stands at a place where one may end.
func (p *pairBody) finish(tag pairTag, at int) State {
	p.end = p.at
	if tag == callClose {
		p.leave()
		if !p.framed {
			return Done
		}
		p.state = pairFrame
		return More
	}
	p.repair(repairClose)
	p.leave()
	if tag == callOpen {
		p.begin(at, p.at)
		return More
	}
	return Done
}

// leave puts the call to the others. One that was begun anew before it was
// closed is one call.
func (p *pairBody) leave() {
	if n := len(p.calls) - 1; n >= 0 && slices.Contains(p.calls[n].Repairs, repairClose) && sameCall(p.calls[n], p.call) {
		p.calls = p.calls[:n]
		p.repair(repairRepeat)
	}
	p.call.Raw = bytes.Clone(p.buf[min(p.start, p.at):p.at])
	p.calls = append(p.calls, p.call)
	p.call = chat.Written{}
}

func sameCall(a, b chat.Written) bool {
	return a.Name == b.Name && a.Why == "" && bytes.Equal(a.JSON, b.JSON) && slices.Equal(a.Params, b.Params)
}

func (p *pairBody) End(cut bool) []chat.Written {
	if p.object != nil {
		return p.object.End(cut)
	}
	switch p.state {
	case pairSettled:
	case pairFrame:
		if n := len(p.calls); n > 0 {
			addRepair(&p.calls[n-1], repairClose)
		}
	case pairName:
		p.endName(cut)
	case pairGap:
		p.endGap(cut)
	default:
		switch {
		case p.state == pairValue && p.closed > 0 && !cut:
			p.bad(whyOpenValue)
		case p.state == pairJSON && !cut:
			p.bad(whyOpenJSON)
		default:
			p.call.Cut = true
		}
		p.leave()
	}
	return p.calls
}

// endName ends with a name that nothing came behind. A name is whole if blank
// space shows where it ends.
func (p *pairBody) endName(cut bool) {
	head := p.buf[p.mark:]
	name := bytes.TrimSpace(head)
	whole := len(name) > 0 && len(name) < len(skipBlank(head)) && !slices.ContainsFunc(name, func(c byte) bool { return !nameByte(c) })
	switch {
	case whole && !cut:
		p.call = chat.Written{Name: string(name), Params: []chat.Param{}, Repairs: []string{repairClose}}
		p.bare = true
	case len(p.calls) > 0:
		p.call = chat.Written{Cut: true}
	default:
		return
	}
	p.leave()
}

// endGap ends behind a pair, where nothing but the closing tag was due.
func (p *pairBody) endGap(cut bool) {
	rest := p.between(p.buf[p.mark:])
	switch {
	case cut:
		p.call.Cut = true
	case len(rest) > 0 && fits(rest, p.tags[callClose], false) != partly:
		p.bad(whyBetween)
	default:
		p.repair(repairClose)
	}
	p.leave()
}

// Where holds what looks like text to the end of the answer.
func (p *pairBody) Where() Where {
	if p.weak || p.bare {
		return AnswerEnd
	}
	return Anywhere
}

// bad says why the call can't be read; the first reason stays.
func (p *pairBody) bad(why string) {
	if p.call.Why == "" {
		p.call.Why = why
	}
}

func (p *pairBody) repair(name string) { addRepair(&p.call, name) }

func addRepair(w *chat.Written, name string) {
	if !slices.Contains(w.Repairs, name) {
		w.Repairs = append(w.Repairs, name)
	}
}

var _ Placed = (*pairBody)(nil)
