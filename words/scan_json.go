package words

import "bytes"

// jsonScan follows one JSON value through pieces of any size. It knows strings
// and brackets; what else a value may hold it knows only so far that prose and
// program code soon stop being JSON to it. Where it isn't strict it also knows
// single quotes and block comments.
type jsonScan struct {
	stack []byte // open brackets
	quote byte   // of the open string
	esc   bool
	last  byte // that isn't blank, outside of strings
	star  bool // within a comment the last byte was an asterisk
}

// inComment stands for a quote while a comment is open.
const inComment = '*'

// scanBehind is a scan that has seen what an opener holds.
func scanBehind(opener string) jsonScan {
	var s jsonScan
	s.feed([]byte(opener), false)
	return s
}

// outside reports whether the next byte is in no string and no comment.
func (s *jsonScan) outside() bool { return s.quote == 0 }

// feed returns how many bytes of b belong to the value and whether the last of
// them closed it. A strict scan stops before the first byte that JSON can't
// have there; then n < len(b) and done is false.
func (s *jsonScan) feed(b []byte, strict bool) (n int, done bool) {
	for i := 0; i < len(b); i++ {
		c := b[i]
		switch {
		case s.quote == inComment:
			s.comment(c)
			continue
		case s.quote != 0:
			if c < ' ' && strict && !s.esc {
				return i, false
			}
			if s.inString(c); s.quote == 0 && len(s.stack) == 0 {
				return i + 1, true
			}
			continue
		case strict && c != '"' && !jsonByte(c) && !bracket(c):
			return i, false
		}
		switch c {
		case '"':
			s.quote = c
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
		case '\'':
			if bytes.IndexByte([]byte("{[,:"), s.last) >= 0 {
				s.quote = c
			}
		case '*':
			if s.last == '/' {
				s.quote, s.star = inComment, false
			}
		}
		if !blank(c) {
			s.last = c
		}
	}
	return len(b), false
}

func (s *jsonScan) inString(c byte) {
	switch {
	case s.esc:
		s.esc = false
	case c == '\\':
		s.esc = true
	case c == s.quote:
		s.quote, s.last = 0, c
	}
}

func (s *jsonScan) comment(c byte) {
	if s.star && c == '/' {
		s.quote, s.last = 0, 0
		return
	}
	s.star = c == '*'
}

func bracket(c byte) bool { return c == '{' || c == '[' || c == '}' || c == ']' }

// lenient takes bytes that stopped being JSON: what follows is read outside of
// any string, and the value never ends with these bytes.
func (s *jsonScan) lenient(b []byte) {
	s.quote, s.esc = 0, false
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
