package words

// jsonScan follows one JSON value through pieces of any size. It knows strings
// and brackets; what else a value may hold it knows only so far that prose and
// program code soon stop being JSON to it.
type jsonScan struct {
	stack    []byte // open brackets
	str, esc bool
}

// scanBehind is a scan that has seen what an opener holds.
func scanBehind(opener string) jsonScan {
	var s jsonScan
	s.feed([]byte(opener), false)
	return s
}

// feed returns how many bytes of b belong to the value and whether the last of
// them closed it. A strict scan stops before the first byte that JSON can't
// have there; then n < len(b) and done is false.
func (s *jsonScan) feed(b []byte, strict bool) (n int, done bool) {
	for i := 0; i < len(b); i++ {
		c := b[i]
		if s.str {
			switch {
			case s.esc:
				s.esc = false
			case c == '\\':
				s.esc = true
			case c == '"':
				s.str = false
			case c < ' ' && strict:
				return i, false
			}
			continue
		}
		switch c {
		case '"':
			s.str = true
		case '{', '[':
			s.stack = append(s.stack, c)
		case '}', ']':
			top := len(s.stack) - 1
			if strict && s.stack[top]+2 != c { // ASCII: the closers stand two behind the openers
				return i, false
			}
			if s.stack = s.stack[:top]; top == 0 {
				return i + 1, true
			}
		default:
			if strict && !jsonByte(c) {
				return i, false
			}
		}
	}
	return len(b), false
}

// lenient takes bytes that stopped being JSON: what follows is read outside of
// any string, and the value never ends with these bytes.
func (s *jsonScan) lenient(b []byte) {
	s.str, s.esc = false, false
	for _, c := range b {
		switch c {
		case '{', '[':
			s.stack = append(s.stack, c)
		case '}', ']':
			if len(s.stack) > 1 {
				s.stack = s.stack[:len(s.stack)-1]
			}
		}
	}
}

// jsonByte reports whether c may stand in JSON outside of strings and brackets.
func jsonByte(c byte) bool {
	switch c {
	case ' ', '\n', '\r', '\t', ',', ':', '+', '-', '.', 'E',
		'a', 'e', 'f', 'l', 'n', 'r', 's', 't', 'u': // true, false, null
		return true
	}
	return c >= '0' && c <= '9'
}
