package words

import "bytes"

// echo recognises what a model writes again behind the closer of a block: what
// stood in it, to the letter, and the closer.
type echo struct {
	said  []byte // what stands in the block
	from  int    // where that begins
	again string // what is being compared
	at    int    // how much of it came
}

// close ends what was said. So many bytes of it are the closer's.
func (e *echo) close(closer int) {
	e.said = bytes.TrimSpace(e.said[e.from : len(e.said)-closer])
}

// step takes a byte behind the closer. repair names what came again, once that
// is whole; more is false where something else begins.
func (e *echo) step(c byte, closer string) (repair string, more bool) {
	switch {
	case e.at > 0:
	case blank(c):
		return "", true
	case c == closer[0]:
		e.again = closer
	case len(e.said) > 0 && c == e.said[0]:
		e.again = string(e.said) + closer
	default:
		return "", false
	}
	if c != e.again[e.at] {
		return "", false
	}
	e.at++
	if e.at == len(e.said) && len(e.again) > len(closer) {
		return "echo", true
	}
	if e.at == len(e.again) {
		e.at = 0
		return "extra_close", true
	}
	return "", true
}
