package jsonmend

import "slices"

// mender reads broken JSON once, from front to end, and writes JSON.
type mender struct {
	in      []byte
	opt     Options
	scan    scanner // of what was written
	i       int     // where it reads
	out     []byte
	start   int // of the current root in out
	first   int // root, in the input
	second  int // likewise, or -1
	stack   []frame
	keys    int // so far
	repairs []Mended
	names   map[Repair]bool // of the repairs, once not all are listed
	sought  int             // of the output, or -1
	found   int             // where that stands in the input
	steps   int

	line      bool // a line ended before in[i]
	broke     bool // a line ended where blank passed
	controls  int  // control characters so far
	textEnd   int  // where the last string ended
	numberEnd int  // where the last number ended
	guessed   bool // a wrong closer was taken for another
	after     bool // and something came after it
	kept      bool // a lone backslash was kept
	odd       int  // a string before in[odd] has an escape that may be one, or -1
	stray     bool // a known key stands further inside
	cut       bool
	err       *Error // why it stopped
	prose     bool   // words in front were left out
	closers   bool   // a closer was mended in any way
	call      bool   // the bracket of name( is open
}

// frame is one open container.
type frame struct {
	open  byte // { [ (
	n     int  // keys or elements so far
	comma bool // one stands behind the last
	twin  bool // it held one of its own kind, with several of them
}

// maxSteps are taken for each byte.
const maxSteps = 5

type state uint8

const (
	wantValue state = iota // a value has to come
	wantItem               // an element or the end of the list
	wantKey                // a key or the end of the object
	wantNext               // a comma or a closer
	done
)

// fail ends the reading. What fails first is what is told.
func (m *mender) fail(kind error, at int) state {
	if m.err == nil {
		m.err = refuse(kind, m.in, at)
		m.err.Read = m.out[m.start:]
	}
	return done
}

// mended notes a repair. It fails if that is switched off.
func (m *mender) mended(r Repair, at int) {
	if m.opt.Off[r] {
		if m.fail(ErrOff, at); m.err.Kind == ErrOff && m.err.Repair == "" {
			m.err.Repair = r
		}
		return
	}
	if m.listed(r) {
		if len(m.repairs) == cap(m.repairs) {
			m.repairs = slices.Grow(m.repairs, m.room()-len(m.repairs)+1)
		}
		m.repairs = append(m.repairs, Mended{Repair: r, Offset: at})
	}
}

// listed reports whether one more repair is listed. A few always are, and so is
// the first of each name.
func (m *mender) listed(r Repair) bool {
	if len(m.repairs) < m.room() {
		return true
	}
	if m.names == nil {
		m.names = map[Repair]bool{}
		for _, d := range m.repairs {
			m.names[d.Repair] = true
		}
	}
	if m.names[r] {
		return false
	}
	m.names[r] = true
	return true
}

func (m *mender) room() int { return min(fewMended+len(m.in)/32, maxMended) }

// left notes what was left out.
func (m *mender) left(r Repair, from, to int) {
	m.mended(r, from)
	if n := len(m.repairs); n > 0 && m.repairs[n-1].Repair == r && m.repairs[n-1].Offset == from {
		m.repairs[n-1].Dropped = string(m.in[from:to])
	}
}

// value reads one value with all that is in it.
func (m *mender) value() {
	m.stack = m.stack[:0]
	for st := wantValue; st != done && m.err == nil; {
		m.line = false
		if m.i < len(m.in) && spaceLike[m.in[m.i]] {
			m.space()
		}
		switch {
		case m.err != nil:
		case m.tired():
			m.fail(ErrReadings, m.i)
		case m.i >= len(m.in):
			st = m.end(st)
		case st == wantValue:
			st = m.begin()
		case st == wantItem:
			st = m.item()
		case st == wantKey:
			st = m.key()
		case st == wantNext:
			st = m.next()
		}
	}
}

// tired reports whether it has looked ahead more often than anything but malice
// asks for.
func (m *mender) tired() bool { return m.steps > maxSteps*len(m.in)+maxSteps*longestKey }

// here notes the place of what is written next, if it is what is looked for.
func (m *mender) here() {
	if len(m.out) == m.sought {
		m.found = m.i
	}
}

// settled is the state behind a value.
func (m *mender) settled() state {
	if len(m.stack) == 0 {
		return done
	}
	return wantNext
}

// begin reads a scalar, or opens a container.
func (m *mender) begin() state {
	m.after = m.guessed
	switch c, size := m.char(m.i); c {
	case '{', '[', '(':
		return m.open(c, size)
	}
	if q, ok := m.quote(m.i); ok {
		m.text(q)
		return m.settled()
	}
	m.scalar()
	return m.settled()
}

// open opens a container.
func (m *mender) open(c byte, size int) state {
	if len(m.stack) >= MaxDepth {
		return m.fail(ErrTooDeep, m.i)
	}
	if c == '(' {
		m.mended(TupleToList, m.i)
	}
	m.stack = append(m.stack, frame{open: c})
	m.out = append(m.out, kind(c))
	m.take(size)
	return m.inside()
}

// inside is the state in which the innermost container goes on.
func (m *mender) inside() state {
	if m.top() == '{' {
		return wantKey
	}
	return wantItem
}

// item reads an element of a list, or its end.
func (m *mender) item() state {
	c, size := m.char(m.i)
	if isCloser(c) {
		return m.close(c, size)
	}
	if c == ',' {
		return m.fail(ErrEllipsis, m.i) // [1,,2] leaves an element out
	}
	m.separate()
	return m.begin()
}

// separate writes the comma in front of a key or an element.
func (m *mender) separate() {
	f := &m.stack[len(m.stack)-1]
	if f.n > 0 {
		m.out = append(m.out, ',')
	}
	f.n++
	f.comma = false
}

// key reads a key and its colon, or the end of the object.
func (m *mender) key() state {
	c, size := m.char(m.i)
	switch {
	case isCloser(c):
		return m.close(c, size)
	case c == ',':
		m.mended(DropComma, m.i)
		m.i += size
		return wantKey
	}
	m.separate()
	m.after = m.guessed
	m.keys++
	from, at := len(m.out), m.i
	m.here()
	if q, ok := m.quote(m.i); ok {
		m.str(&str{q: q, key: true})
	} else if n := m.name(m.i); n > m.i {
		m.mended(QuoteKeys, m.i)
		m.out = append(append(append(m.out, '"'), m.in[m.i:n]...), '"')
		m.i = n
	} else {
		return m.fail(m.junk(ErrUnexpected), m.i)
	}
	if m.space(); m.err != nil {
		return done
	}
	m.stray = m.stray || len(m.stack) > 1 && m.known(m.out[from+1:len(m.out)-1])
	if m.i >= len(m.in) {
		return m.fail(ErrCut, at)
	}
	if c, size = m.char(m.i); c != ':' {
		return m.fail(m.junk(ErrUnexpected), m.i)
	}
	m.out = append(m.out, ':')
	m.take(size)
	return wantValue
}

// next reads what stands behind a key's value or an element.
func (m *mender) next() state {
	c, size := m.char(m.i)
	switch {
	case c == ',':
		m.take(size)
	case isCloser(c):
		return m.close(c, size)
	case m.commaFits(m.i, m.line, m.textEnd):
		m.mended(InsertComma, m.i)
	case (c == '<' || c == '`') && m.onlyTokens(m.i):
		return m.end(wantNext)
	default:
		return m.fail(m.junk(ErrUnexpected), m.i)
	}
	m.stack[len(m.stack)-1].comma = true
	return m.inside()
}
