package jsonmend

// char returns the ASCII form of the character at i and its size: the full-width
// forms of brackets, comma and colon count as such.
func (m *mender) char(i int) (c byte, size int) {
	m.steps++
	if c = m.in[i]; c == 0xEF && i+3 <= len(m.in) {
		if w := wide[string(m.in[i:i+3])]; w != 0 {
			return w, 3
		}
	}
	return c, 1
}

var wide = map[string]byte{
	"｛": '{', "｝": '}', "［": '[', "］": ']', "，": ',', "：": ':',
}

// take passes over the character at m.i, of the given size.
func (m *mender) take(size int) {
	if size > 1 {
		m.mended(FullWidth, m.i)
	}
	m.i += size
}

// top is what opened the innermost container, 0 outside of all.
func (m *mender) top() byte {
	if len(m.stack) == 0 {
		return 0
	}
	return m.stack[len(m.stack)-1].open
}

func (m *mender) inTuple() bool {
	for _, f := range m.stack {
		if f.open == '(' {
			return true
		}
	}
	return false
}

func isCloser(c byte) bool { return c == '}' || c == ']' || c == ')' }

// kind is what a bracket is written as.
func kind(open byte) byte {
	if open == '(' {
		return '['
	}
	return open
}

func closerOf(open byte) byte {
	if open == '(' {
		return ')'
	}
	return open + 2 // ASCII: the closers of { and [ stand two behind
}

// close closes what the closer c at m.i can mean.
func (m *mender) close(c byte, size int) state {
	at := m.i
	m.take(size)
	top := len(m.stack) - 1
	if closerOf(m.stack[top].open) == c {
		return m.pop(top, at)
	}
	found := top
	for found >= 0 && closerOf(m.stack[found].open) != c {
		found--
	}
	m.guessed, m.closers = true, true
	// A closer of nothing that is open, or one that would end it all while more
	// comes, stands for the innermost one's. Else those inside it lack theirs.
	if found < 0 || found == 0 && m.peek() == ',' {
		m.mended(MismatchedCloser, at)
		return m.pop(top, at)
	}
	for n := top; n > found; n-- {
		// It may have been missing further in front as well: [[1,2] could be [[1],2].
		if f := m.stack[n]; f.twin || f.n > 1 && kind(m.stack[n-1].open) == kind(f.open) {
			return m.fail(ErrReadings, at)
		}
	}
	m.mended(MissingCloser, at)
	return m.pop(found, at)
}

// peek returns the next byte behind white space, or 0.
func (m *mender) peek() byte {
	if i := m.blank(m.i); i < len(m.in) {
		return m.in[i]
	}
	return 0
}

// pop closes all containers from the innermost down to the given one.
func (m *mender) pop(to, at int) state {
	for n := len(m.stack) - 1; n >= to; n-- {
		f := m.stack[n]
		if f.open == '(' && f.n == 1 && !f.comma {
			return m.fail(ErrReadings, at) // (1) is a number in brackets
		}
		if f.comma && f.open != '(' {
			m.mended(DropComma, at)
		}
		m.out = append(m.out, closerOf(kind(f.open)))
		if n > 0 && f.n > 1 && kind(f.open) == kind(m.stack[n-1].open) {
			m.stack[n-1].twin = true
		}
	}
	m.stack = m.stack[:to]
	return m.settled()
}

// end decides about a text that ends while something is open.
func (m *mender) end(st state) state {
	at := m.i
	switch {
	case len(m.stack) == 0 && st == wantValue:
		return m.fail(ErrEmpty, at)
	case st != wantNext:
		return m.fail(ErrCut, at)
	case m.numberEnd == len(m.in):
		return m.fail(ErrCutNumber, at)
	case !m.opt.Stopped:
		return m.fail(ErrCut, at)
	case m.after, m.stray: // a closer may be missing further in front
		return m.fail(ErrReadings, at)
	}
	m.cut, m.closers = true, true
	m.mended(CloseContainers, at)
	return m.pop(0, at)
}
