package words

import (
	"bytes"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
)

// token looks at a < outside of strings: a string opens, or the call's frame
// ends before its brackets are closed.
func (g *gemmaBody) token() (State, bool) {
	rest := g.buf[g.at:]
	more := false
	for _, q := range g.tags.quotes {
		switch fits(rest, q, false) {
		case wholly:
			g.at += len(q)
			g.quote, g.mark, g.closed, g.state = q, g.at, 0, gemmaString
			return More, true
		case partly:
			more = true
		}
	}
	switch {
	case g.tags.open == "":
	case fits(rest, g.tags.close, false) == wholly:
		g.leave()
		return More, true
	case fits(rest, g.tags.open, false) == wholly:
		g.repair(repairClose)
		g.leave()
		return Done, false
	case fits(rest, g.tags.close, false) == partly || fits(rest, g.tags.open, false) == partly:
		more = true
	}
	if !more {
		g.fresh = false
		g.take('<')
	}
	return More, !more
}

// inString reads a string between two tokens: nothing in it is escaped.
func (g *gemmaBody) inString() (State, bool) {
	i := bytes.IndexByte(g.buf[g.at:], '<')
	if i < 0 {
		g.at = len(g.buf)
		return More, false
	}
	g.at += i
	rest := g.buf[g.at:]
	more := false
	for n, words := range [...]string{g.quote, g.tags.close, g.tags.open} {
		if words == "" {
			continue
		}
		switch fits(rest, words, false) {
		case partly:
			more = true
		case wholly:
			return g.inStringTag(n), true
		}
	}
	if more {
		return More, false
	}
	g.at++
	return More, true
}

// inStringTag takes one of the three: the token that ends the string, the tag
// that closes the block, the tag that opens one.
func (g *gemmaBody) inStringTag(n int) State {
	switch {
	case n == 0:
		g.json = rawjson.AppendString(g.json, string(g.buf[g.mark:g.at]))
		g.at += len(g.quote)
		g.state, g.fresh = gemmaValue, false
	case n == 1:
		g.at += len(g.tags.close)
		if g.closed == 0 {
			g.closed = g.at
		}
	case g.closed > 0:
		// The block ended before its last string did.
		g.call.Why = whyOpenValue
		g.leave()
		g.end = g.closed
		return Done
	default:
		g.at += len(g.tags.open)
	}
	return More
}

// inQuoted reads a string in quotes, up to one that something follows which
// can stand behind a value. Where it really ends args finds out.
func (g *gemmaBody) inQuoted() (State, bool) {
	c := g.buf[g.at]
	switch {
	case g.esc:
		g.esc = false
	case c == '\\':
		g.esc = true
	case c == '<' && g.tags.close != "":
		switch fits(g.buf[g.at:], g.tags.close, false) {
		case partly:
			return More, false
		case wholly:
			if before := bytes.TrimRight(g.buf[g.mark:g.at], " \n\r\t"); bytes.HasSuffix(before, []byte("}")) {
				g.json = append(g.json, before...)
				g.leave()
				return More, true
			}
		}
	case c == g.quote[0]:
		i := g.at + 1
		for i < len(g.buf) && blank(g.buf[i]) {
			i++
		}
		if i == len(g.buf) && i-g.at <= maxPairHead {
			return More, false
		}
		if i == len(g.buf) || bytes.IndexByte([]byte(",:=}])<"), g.buf[i]) >= 0 {
			g.at++
			g.json = append(g.json, g.buf[g.mark:g.at]...)
			g.state, g.fresh = gemmaValue, false
			return More, true
		}
	}
	g.at++
	return More, true
}

// behindCall looks for the closing tag, another call, or the end of the block.
func (g *gemmaBody) behindCall() (State, bool) {
	rest := g.buf[g.at:]
	c := rest[0]
	switch {
	case blank(c):
		g.at++
		return More, true
	case g.tags.close != "" && fits(rest, g.tags.close, false) == wholly:
		if g.state == gemmaTail {
			g.note(repairStray)
		}
		g.at += len(g.tags.close)
		g.state, g.end = gemmaTail, g.at
		return More, true
	case g.tags.close != "" && fits(rest, g.tags.close, false) == partly:
		return More, false
	case g.state == gemmaTail:
		return Done, false
	}
	switch fits(rest, gemmaCall, false) {
	case wholly:
		g.state = gemmaName
		return More, true
	case partly:
		return More, false
	}
	switch n := foreignClose(rest); {
	case n > 0:
		g.note(repairStray)
		g.at += n
		g.end = g.at
	case c == '<' && len(rest) < maxInfo && openTag(rest):
		return More, false
	case c == '}' || c == ']' || c == ')':
		g.note(repairExtra)
		g.at++
		g.end = g.at
	case c == ',' || c == ';':
		g.at++
	default:
		g.note(repairClose)
		return Done, false
	}
	return More, true
}

// openTag reports whether b is a closing tag as far as it goes.
func openTag(b []byte) bool {
	return len(b) == 1 || b[1] == '/' && !bytes.ContainsFunc(b[2:], func(r rune) bool { return r > 0x7f || !nameByte(byte(r)) })
}

// note adds a repair to the last call.
func (g *gemmaBody) note(name string) {
	if n := len(g.calls); n > 0 && (name != repairClose || !g.weak) {
		addRepair(&g.calls[n-1], name)
	}
}

func (g *gemmaBody) End(cut bool) []chat.Written {
	if g.object != nil {
		return g.object.End(cut)
	}
	switch g.state {
	case gemmaName:
		if len(g.calls) > 0 {
			g.calls = append(g.calls, chat.Written{Cut: true})
		}
	case gemmaGap:
		g.note(repairClose)
		g.calls[len(g.calls)-1].Cut = cut
	case gemmaSettled, gemmaTail:
	default:
		g.endInside(cut)
	}
	if g.weak {
		for i := range g.calls {
			addRepair(&g.calls[i], repairBare)
		}
	}
	return g.calls
}

// endInside ends within a call. Brackets may be closed for a model that was
// done, a string never.
func (g *gemmaBody) endInside(cut bool) {
	switch {
	case cut || g.closed == 0 && (g.state == gemmaString || g.state == gemmaQuoted):
		g.call.Cut = true
	case g.state == gemmaString:
		g.call.Why = whyOpenValue
	case g.state == gemmaKey:
		g.json = append(g.json, g.buf[g.mark:]...)
	}
	g.repair(repairClose)
	g.leave()
}

// Where holds a call that nothing marks as one to the end of the answer.
func (g *gemmaBody) Where() Where {
	if g.weak {
		return AnswerEnd
	}
	return Anywhere
}

var _ Placed = (*gemmaBody)(nil)
