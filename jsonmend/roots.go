package jsonmend

func newMender(b []byte, o Options) *mender {
	return &mender{
		in: b, opt: o, out: make([]byte, 0, len(b)+len(b)/4+16), repairs: make([]Mended, 0, 8), stack: make([]frame, 0, 8),
		odd: -1, textEnd: -1, sought: -1, second: -1,
	}
}

// run reads the whole text and holds it to what strict JSON is held to.
func (m *mender) run() (Result, *Error) {
	ends := m.read()
	roots := m.sound(ends)
	switch {
	case m.second >= 0 && (m.err == nil || m.err.Kind == ErrRoots):
		e := refuse(ErrRoots, m.in, m.second)
		if m.err == nil && !m.closers && !m.prose && !m.cut {
			e.Roots = roots
		}
		return Result{}, e
	case m.err != nil:
		return Result{}, m.err
	}
	return Result{Value: roots[0], Repairs: m.repairs, Cut: m.cut}, nil
}

// read reads what stands in front, the values, and what stands behind. It
// returns where each value ends in the output.
func (m *mender) read() []int {
	m.front()
	m.first = m.i
	var ends []int
	for more := true; more && m.err == nil; {
		m.start = len(m.out)
		m.value()
		if m.second >= 0 && (m.err != nil || len(ends) >= maxRoots) {
			m.err = refuse(ErrRoots, m.in, m.second) // what follows the first value only counts as another
			return nil
		}
		ends = append(ends, len(m.out))
		if more = m.err == nil && m.behind(); more && m.second < 0 {
			m.second = m.i
		}
	}
	return ends
}

// sound holds each value that was written to what strict JSON is held to.
func (m *mender) sound(ends []int) [][]byte {
	if m.kept && m.odd >= 0 {
		m.fail(ErrReadings, m.odd) // \d in one string makes \b in another doubtful
	}
	if m.err != nil {
		return nil
	}
	m.scan.known.room(m.keys)
	roots := make([][]byte, 0, len(ends))
	from := 0
	for _, end := range ends {
		root := m.out[from:end:end]
		m.steps += len(root)
		switch at, kind := m.scan.strict(root); kind {
		case nil:
		case errNotStrict:
			m.fail(ErrUnexpected, m.first)
		default:
			m.fail(kind, m.origin(from+at))
		}
		roots = append(roots, root)
		from = end
	}
	return roots
}

// origin returns where in the input the string or key stands that is at out in
// the output. It reads all of it once more.
func (m *mender) origin(out int) int {
	again := newMender(m.in, m.opt)
	again.sought, again.steps = out, m.steps
	again.read()
	m.steps = again.steps
	return again.found
}
