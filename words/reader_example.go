package words

import "bytes"

// A block with a marker counts wherever it stands, unless the words around it
// say that it is shown and not made: they announce an example, or it is part of
// a sentence.

// maxTail is how many bytes of words before a block are looked at.
const maxTail = 240

// Announcements of an example. What directly precedes a block says so by
// itself; the others only if the answer goes on behind it.
var (
	exampleCues = []string{
		"for example", "for instance", "e.g.", "zum beispiel", "z.b.", "par exemple", "por ejemplo", "per esempio",
		"por exemplo", "например", "例如", "比如", "例えば", "たとえば", "예를 들어",
	}
	shapeCues = []string{
		"like this", "looks like", "as follows", "such as", "example", "the format", "the syntax", "would be written",
	}
)

// cue is what the words before a block say of it.
type cue uint8

const (
	noCue      cue = iota
	shapeCue       // an example, if the answer goes on
	exampleCue     // an example
)

// remember keeps the end of the words that went out.
func (r *Reader) remember(b []byte) {
	b = b[max(0, len(b)-maxTail):]
	keep := min(len(r.tail), maxTail-len(b))
	r.tail = append(append(r.tail[:0], r.tail[len(r.tail)-keep:]...), b...)
}

// cueBefore tells what the words before the open block say of it.
func (r *Reader) cueBefore() cue {
	if r.every || r.tag != nil {
		return noCue
	}
	if n := len(r.segments); n > 0 && r.segments[n-1].cue != noCue && len(bytes.TrimSpace(r.buf[r.segments[n-1].end:r.open.start])) == 0 {
		return r.segments[n-1].cue // several calls are one example
	}
	held := r.buf[r.from:r.open.start]
	words := bytes.ToLower(append(bytes.Clone(r.tail), held[max(0, len(held)-maxTail):]...))
	words = words[max(0, len(words)-maxTail):]
	for _, c := range exampleCues {
		if i := bytes.LastIndex(words, []byte(c)); i >= 0 && !endsSentence(words[i+len(c):]) {
			return exampleCue
		}
	}
	for _, cs := range [...][]string{exampleCues, shapeCues} {
		for _, c := range cs {
			if bytes.Contains(words, []byte(c)) {
				return shapeCue
			}
		}
	}
	return noCue
}

// endsSentence reports whether a sentence or a paragraph of words ends in b.
func endsSentence(b []byte) bool {
	b = bytes.TrimRight(b, " \n\r\t")
	for i, c := range b {
		next := i+1 == len(b) || blank(b[i+1])
		if next && (c == '.' || c == '!' || c == '?') || c == '\n' && i > 0 && b[i-1] == '\n' {
			return true
		}
	}
	return bytes.Contains(b, []byte("。"))
}

// goesOn are what a sentence goes on with directly behind a part of it.
const goesOn = ",;:?)\"'*|_"

// example reports whether the text at r.at makes an example of a held block.
func (r *Reader) example(s *segment) bool {
	last := &r.segments[len(r.segments)-1]
	switch {
	case s.cue == exampleCue:
		return true
	case r.at >= len(r.buf) || last.kind == invented || last.kind == thinkEnd:
		return false
	case s.cue == shapeCue:
		return true
	}
	return s.within && last.end == r.at && bytes.IndexByte([]byte(goesOn), r.buf[r.at]) >= 0
}
