package jsonmend

// mender reads broken JSON once, from front to end, and writes JSON.
type mender struct {
	in      []byte
	opt     Options
	i       int // where it reads
	out     []byte
	start   int // of the current root in out
	stack   []frame
	repairs []Mended
	marks   []mark
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
	prose     bool // words in front were left out
	closers   bool // a closer was mended in any way
	call      bool // the bracket of name( is open
}

// frame is one open container.
type frame struct {
	open  byte // { [ (
	n     int  // keys or elements so far
	comma bool // one stands behind the last
	twin  bool // it held one of its own kind, with several of them
}

// mark says where a key, or a string with surrogates, of the output stands in
// the input.
type mark struct{ out, in int32 }

// maxSteps are taken for each byte.
const maxSteps = 4

type state uint8

const (
	wantValue state = iota // a value has to come
	wantItem               // an element or the end of the list
	wantKey                // a key or the end of the object
	wantNext               // a comma or a closer
	done
)

func (m *mender) fail(kind error, at int) *Error {
	e := refuse(kind, m.in, at)
	e.Read = m.out[m.start:]
	return e
}

// mended notes a repair. It fails if that is switched off.
func (m *mender) mended(r Repair, at int) *Error {
	if m.opt.Off[r] {
		e := m.fail(ErrOff, at)
		e.Repair = r
		return e
	}
	if len(m.repairs) < maxMended {
		m.repairs = append(m.repairs, Mended{Repair: r, Offset: at})
	}
	return nil
}

func (m *mender) left(r Repair, from, to int) *Error {
	if err := m.mended(r, from); err != nil {
		return err
	}
	if n := len(m.repairs); n < maxMended {
		m.repairs[n-1].Dropped = string(m.in[from:to])
	}
	return nil
}

// value reads one value with all that is in it.
func (m *mender) value() *Error {
	m.stack = m.stack[:0]
	for st := wantValue; st != done; {
		if m.tired() {
			return m.fail(ErrReadings, m.i)
		}
		if err := m.space(); err != nil {
			return err
		}
		if m.i >= len(m.in) {
			return m.end(st)
		}
		var err *Error
		switch st {
		case wantValue:
			st, err = m.begin()
		case wantItem:
			st, err = m.item()
		case wantKey:
			st, err = m.key()
		case wantNext:
			st, err = m.next()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// tired reports whether it has looked ahead more often than anything but malice
// asks for.
func (m *mender) tired() bool { return m.steps > maxSteps*len(m.in)+maxSteps*longestKey }

func (m *mender) mark(out, in int) {
	m.marks = append(m.marks, mark{int32(out), int32(in)})
}

// settled is the state behind a value.
func (m *mender) settled() state {
	if len(m.stack) == 0 {
		return done
	}
	return wantNext
}

// begin reads a scalar, or opens a container.
func (m *mender) begin() (state, *Error) {
	m.after = m.guessed
	switch c, size := m.char(m.i); c {
	case '{', '[', '(':
		return m.open(c, size)
	}
	if q, ok := m.quote(m.i); ok {
		if err := m.text(q); err != nil {
			return 0, err
		}
		return m.settled(), nil
	}
	if err := m.scalar(); err != nil {
		return 0, err
	}
	return m.settled(), nil
}

// open opens a container.
func (m *mender) open(c byte, size int) (state, *Error) {
	if len(m.stack) >= MaxDepth {
		return 0, m.fail(ErrTooDeep, m.i)
	}
	if c == '(' {
		if err := m.mended(TupleToList, m.i); err != nil {
			return 0, err
		}
	}
	m.stack = append(m.stack, frame{open: c})
	m.out = append(m.out, kind(c))
	st := wantItem
	if c == '{' {
		st = wantKey
	}
	return st, m.take(size)
}

// item reads an element of a list, or its end.
func (m *mender) item() (state, *Error) {
	c, size := m.char(m.i)
	if isCloser(c) {
		return m.close(c, size)
	}
	if c == ',' {
		return 0, m.fail(ErrEllipsis, m.i) // [1,,2] leaves an element out
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
func (m *mender) key() (state, *Error) {
	c, size := m.char(m.i)
	switch {
	case isCloser(c):
		return m.close(c, size)
	case c == ',':
		m.i += size
		return wantKey, m.mended(DropComma, m.i-size)
	}
	m.separate()
	m.after = m.guessed
	from, at := len(m.out), m.i
	m.mark(from, at)
	if q, ok := m.quote(m.i); ok {
		if err := m.str(&str{q: q, key: true}); err != nil {
			return 0, err
		}
	} else if n := m.name(m.i); n > m.i {
		if err := m.mended(QuoteKeys, m.i); err != nil {
			return 0, err
		}
		m.out = append(append(append(m.out, '"'), m.in[m.i:n]...), '"')
		m.i = n
	} else {
		return 0, m.fail(m.junk(ErrUnexpected), m.i)
	}
	m.stray = m.stray || len(m.stack) > 1 && m.known(m.out[from+1:len(m.out)-1])
	if err := m.space(); err != nil {
		return 0, err
	}
	if m.i >= len(m.in) {
		return 0, m.fail(ErrCut, at)
	}
	if c, size = m.char(m.i); c != ':' {
		return 0, m.fail(m.junk(ErrUnexpected), m.i)
	}
	m.out = append(m.out, ':')
	return wantValue, m.take(size)
}

// next reads what stands behind a key's value or an element.
func (m *mender) next() (state, *Error) {
	c, size := m.char(m.i)
	f := &m.stack[len(m.stack)-1]
	want := wantItem
	if f.open == '{' {
		want = wantKey
	}
	switch {
	case c == ',':
		f.comma = true
		return want, m.take(size)
	case isCloser(c):
		return m.close(c, size)
	case m.commaFits(m.i, m.line, m.textEnd):
		f.comma = true
		return want, m.mended(InsertComma, m.i)
	case (c == '<' || c == '`') && m.onlyTokens(m.i):
		return done, m.end(wantNext)
	}
	return 0, m.fail(m.junk(ErrUnexpected), m.i)
}
