package jsonmend

import "sort"

// run reads the whole text: what stands in front, the value, what stands behind.
func (m *mender) run() (Result, *Error) {
	if err := m.front(); err != nil {
		return Result{}, err
	}
	var ends []int // of each root in out
	first, second := m.i, -1
	for {
		m.start = len(m.out)
		if err := m.value(); err != nil {
			if second >= 0 {
				return Result{}, refuse(ErrRoots, m.in, second)
			}
			return Result{}, err
		}
		ends = append(ends, len(m.out))
		more, err := m.behind()
		if err != nil {
			return Result{}, err
		}
		if !more {
			break
		}
		if second < 0 {
			second = m.i
		}
		if len(ends) == maxRoots {
			return Result{}, refuse(ErrRoots, m.in, second)
		}
	}
	roots, err := m.sound(ends, first)
	if err != nil {
		return Result{}, err
	}
	if second >= 0 {
		e := refuse(ErrRoots, m.in, second)
		if !m.closers && !m.prose && !m.cut {
			e.Roots = roots
		}
		return Result{}, e
	}
	return Result{Value: roots[0], Repairs: m.repairs, Cut: m.cut}, nil
}

// sound holds what was written to what strict JSON is held to.
func (m *mender) sound(ends []int, first int) ([][]byte, *Error) {
	if m.kept && m.odd >= 0 {
		return nil, m.fail(ErrReadings, m.odd) // \d in one string makes \b in another doubtful
	}
	roots := make([][]byte, 0, len(ends))
	from := 0
	for _, end := range ends {
		root := m.out[from:end:end]
		m.steps += len(root)
		switch at, kind := strict(root); kind {
		case nil:
		case errNotStrict:
			return nil, m.fail(ErrUnexpected, first)
		default:
			return nil, m.fail(kind, m.origin(from+at))
		}
		roots = append(roots, root)
		from = end
	}
	return roots, nil
}

// origin returns where in the input the last mark at or before out stands.
func (m *mender) origin(out int) int {
	n := sort.Search(len(m.marks), func(k int) bool { return int(m.marks[k].out) > out })
	if n == 0 {
		return 0
	}
	return int(m.marks[n-1].in)
}
