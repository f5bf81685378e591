package words

import "bytes"

// bareGap follows what stands behind a whole value that has nothing around it.
type bareGap struct {
	value bool   // another value is open
	line  bool   // a line ended
	comma bool   // another value was announced
	tag   []byte // what may be the closer of a call
}

type gapState uint8

const (
	gapOpen  gapState = iota // nothing is known yet
	gapValue                 // another value begins with this byte
	gapTaken                 // this byte ends what still belongs to the value
	gapEnd                   // the block ended behind the value
)

func (g *bareGap) next(c byte) gapState {
	switch {
	case len(g.tag) > 0 || c == '<':
		g.tag = append(g.tag, c)
		switch {
		case isCloserTag(g.tag) && closesCall(g.tag):
			g.tag = nil
			return gapTaken
		case !maybeCloserTag(g.tag):
			return gapEnd
		}
		return gapOpen
	case blank(c):
		g.line = g.line || c == '\n'
		return gapOpen
	case g.line && !g.comma:
		return gapEnd
	case c == ',' || c == ';':
		g.comma = true
		return gapOpen
	case c == '}' || c == ']':
		return gapTaken
	case c == '{' || c == '[':
		g.value = true
		return gapValue
	}
	return gapEnd
}

// closesCall reports whether a closing tag is named after a call.
func closesCall(tag []byte) bool {
	name := bytes.ToLower(bytes.TrimRight(tag, ">|"))
	return bytes.HasSuffix(bytes.TrimSuffix(name, []byte("s")), []byte("call"))
}
