package words

import "bytes"

// bareGap follows what stands behind a whole value that has nothing around it.
type bareGap struct {
	value bool   // another value is open
	line  bool   // a line ended
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
		case isCloserTag(g.tag) && bytes.Contains(bytes.ToLower(g.tag), []byte("call")):
			g.tag = nil
			return gapTaken
		case !maybeCloserTag(g.tag):
			return gapEnd
		}
		return gapOpen
	case blank(c):
		g.line = g.line || c == '\n'
		return gapOpen
	case g.line:
		return gapEnd
	case c == ',' || c == ';':
		return gapOpen
	case c == '}' || c == ']':
		return gapTaken
	case c == '{' || c == '[':
		g.value = true
		return gapValue
	}
	return gapEnd
}
