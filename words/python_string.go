package words

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// pyStep is what one byte did to what is being read.
type pyStep uint8

const (
	pyMore   pyStep = iota
	pyDone          // the byte ended it
	pyBefore        // it ended before this byte
	pyBad           // it can't be read
)

// pyString reads one Python string literal, byte by byte, from behind its
// first quote.
type pyString struct {
	quote    byte
	raw      bool // r'…': a backslash stands for itself
	oneLine  bool // as Python has it: only triple quotes hold line breaks
	triple   bool
	begun    bool
	quotes   int  // quotes in a row, at the start or in triple quotes
	esc      byte // the letter of the escape that is open; a backslash before that letter
	digits   int  // of the escape that are still to come
	value    rune // of the escape so far
	high     rune // half of a surrogate pair
	text     []byte
	newlines bool // a line break stood where Python has none
	why      string
}

const pyHalf = `a string holds half of a character (\ud800 to \udfff)`

func (s *pyString) feed(c byte) pyStep {
	if s.esc != 0 {
		if used := s.escape(c); used || s.why != "" {
			return s.verdict(pyMore)
		}
	}
	switch {
	case !s.begun:
		return s.begin(c)
	case c != s.quote:
		s.give()
		return s.plain(c)
	case s.triple:
		if s.quotes++; s.quotes < 3 {
			return pyMore
		}
	}
	return s.verdict(s.whole(pyDone))
}

// begin tells an empty string from the opening of a triple one.
func (s *pyString) begin(c byte) pyStep {
	switch {
	case c == s.quote && s.quotes == 0:
		s.quotes = 1
		return pyMore
	case c == s.quote:
		s.triple, s.begun, s.quotes = true, true, 0
		return pyMore
	case s.quotes == 1:
		return pyBefore
	}
	s.begun = true
	return s.plain(c)
}

// give adds the quotes that turned out to be text.
func (s *pyString) give() {
	for ; s.quotes > 0; s.quotes-- {
		s.add(rune(s.quote))
	}
}

func (s *pyString) plain(c byte) pyStep {
	switch {
	case c == '\\':
		s.esc = '\\'
		return pyMore
	case c == '\n' && !s.triple:
		if s.oneLine {
			s.why = "a string isn't closed on its line"
			return pyBad
		}
		s.newlines = true
	}
	s.text = append(s.text, c)
	return s.verdict(s.whole(pyMore))
}

// run takes bytes as long as each means nothing but itself.
func (s *pyString) run(b []byte) int {
	if !s.begun || s.esc != 0 || s.quotes > 0 || s.high != 0 || s.why != "" {
		return 0
	}
	n := 0
	for n < len(b) && b[n] != s.quote && b[n] != '\\' && b[n] != '\n' {
		n++
	}
	s.text = append(s.text, b[:n]...)
	return n
}

func (s *pyString) verdict(good pyStep) pyStep {
	if s.why != "" {
		return pyBad
	}
	return good
}

// whole refuses half of a surrogate pair that nothing completes.
func (s *pyString) whole(good pyStep) pyStep {
	if s.high != 0 {
		s.why = pyHalf
		return pyBad
	}
	return good
}

func (s *pyString) add(r rune) {
	switch {
	case s.high != 0:
		pair := utf16.DecodeRune(s.high, r)
		if s.high = 0; pair == utf8.RuneError {
			s.why = pyHalf
			return
		}
		s.text = utf8.AppendRune(s.text, pair)
	case utf16.IsSurrogate(r):
		s.high = r
	default:
		s.text = utf8.AppendRune(s.text, r)
	}
}

// The escapes of one letter, and what they mean.
const (
	pyEscapes = `\'"abfnrtv`
	pyMeaning = "\\'\"\a\b\f\n\r\t\v"
)

// escape takes a byte of an escape; used is false if the escape ended before it.
func (s *pyString) escape(c byte) (used bool) {
	switch s.esc {
	case '\\':
		s.escapeLetter(c)
		return true
	case '\r': // the line goes on behind a backslash, CR and LF
		s.esc = 0
		return c == '\n'
	}
	d := hexValue(c)
	switch {
	case s.esc == 'o' && (d < 0 || d > 7):
		s.endEscape()
		return false
	case d < 0:
		s.why = `a string holds a broken \` + string(rune(s.esc)) + " escape"
		return false
	case s.esc == 'o':
		s.value = s.value<<3 | rune(d)
	default:
		s.value = s.value<<4 | rune(d)
	}
	if s.digits--; s.digits == 0 {
		s.endEscape()
	}
	return true
}

// escapeLetter takes the byte behind a backslash. Before one that means
// nothing the backslash is text, as in Python.
func (s *pyString) escapeLetter(c byte) {
	s.esc, s.value = 0, 0
	i := strings.IndexByte(pyEscapes, c)
	switch {
	case s.raw:
		s.text = append(s.text, '\\', c)
	case i >= 0:
		s.add(rune(pyMeaning[i]))
	case c == '\n':
	case c == '\r':
		s.esc = c
	case c == 'x':
		s.esc, s.digits = c, 2
	case c == 'u':
		s.esc, s.digits = c, 4
	case c == 'U':
		s.esc, s.digits = c, 8
	case c >= '0' && c <= '7':
		s.esc, s.digits, s.value = 'o', 2, rune(c-'0')
	case c == 'N':
		s.why = `a string names a character (\N)`
	default:
		s.whole(pyMore)
		s.text = append(s.text, '\\', c)
	}
}

func (s *pyString) endEscape() {
	s.esc = 0
	if s.value > utf8.MaxRune || s.value < 0 {
		s.why = "a string holds an escape beyond all characters"
		return
	}
	s.add(s.value)
}
