package words

import (
	"fmt"
	"slices"

	"github.com/ferrule/ferrule/jsonmend"
	"github.com/ferrule/ferrule/rawjson"
)

const (
	pyMaxDepth = 64   // brackets inside brackets, the call's own among them
	pyMaxName  = 128  // bytes of a name
	pyMaxWord  = 4096 // bytes of a number
)

// pyCall reads one call, name(key=literal, …), byte by byte, and writes its
// arguments as JSON. Anything that isn't a literal makes it bad: nothing is
// worked out. An argument without its name is bad too: a schema has no order
// that would tell which it is. **{"name": literal} is read, for names that
// aren't Python's.
type pyCall struct {
	strict bool // what Python itself wouldn't take is bad

	name   []byte
	space  bool // blank space between the name and its bracket
	opened bool // its bracket was seen
	out    []byte
	levels []pyLevel
	phase  pyPhase
	inText bool // str is being read
	inWord bool // word is being read
	joins  bool // the last value is a string, which another string goes on with
	stars  int  // asterisks before a dict of arguments
	str    pyString
	word   []byte

	inArg   bool              // an argument is being read
	key     string            // its name
	keyAt   int               // where it begins in out
	valueAt int               // where its value begins in out
	args    map[string][2]int // where the values of the arguments lie in out
	repairs []string
	why     string
}

// pyLevel is one open bracket.
type pyLevel struct {
	open  byte // '(' the call, '*' arguments in a dict, '[' list, '{' dict, 't' tuple
	at    int  // where it stands in out
	items int
	comma bool
}

type pyPhase uint8

const (
	pyItem  pyPhase = iota // a key or an item may come, or the closer
	pySep                  // behind a key
	pyValue                // behind = or :
	pyNext                 // behind a value: a comma or the closer
)

// feed takes one byte: it says pyMore, pyDone or pyBad.
func (p *pyCall) feed(c byte) pyStep {
	if !p.opened {
		return p.head(c)
	}
	if p.inText {
		switch p.str.feed(c) {
		case pyBad:
			return p.bad(p.str.why)
		case pyMore:
			return pyMore
		case pyDone:
			p.text()
			return pyMore
		}
		p.text()
	}
	if p.inWord {
		if pyWordByte(c) {
			if p.word = append(p.word, c); len(p.word) > pyMaxWord {
				return p.bad("a number or a word is too long")
			}
			return pyMore
		}
		if p.endWord(c) == pyBad {
			return pyBad
		}
		if p.inText {
			return pyMore
		}
	}
	return p.mark(c)
}

// run takes as many bytes as mean nothing but themselves, inside a string.
func (p *pyCall) run(b []byte) int {
	if !p.inText {
		return 0
	}
	return p.str.run(b)
}

// head takes the name and its bracket.
func (p *pyCall) head(c byte) pyStep {
	switch {
	case c == '(' && len(p.name) > 0:
		if _, _, ok := pyName(p.name); !ok {
			return pyBad
		}
		p.opened = true
		p.out = append(p.out, '{')
		p.levels = append(p.levels, pyLevel{open: c})
	case c == ' ' && !p.strict && len(p.name) > 0:
		p.space = true
	case p.space || !pyNameByte(c) || len(p.name) == pyMaxName:
		return pyBad
	default:
		p.name = append(p.name, c)
	}
	return pyMore
}

func (p *pyCall) bad(why string) pyStep {
	if p.why == "" {
		p.why = why
	}
	return pyBad
}

func (p *pyCall) repair(name string) {
	if !slices.Contains(p.repairs, name) {
		p.repairs = append(p.repairs, name)
	}
}

func (p *pyCall) top() *pyLevel { return &p.levels[len(p.levels)-1] }

// args reports whether the bracket holds the arguments of the call.
func (l *pyLevel) args() bool { return l.open == '(' || l.open == '*' }

// dict reports whether the bracket holds keys as Python's dicts do.
func (l *pyLevel) dict() bool { return l.open == '{' || l.open == '*' }

// mark takes a byte outside of strings and words.
func (p *pyCall) mark(c byte) pyStep {
	switch {
	case blank(c):
		return pyMore
	case p.stars > 0 || c == '*' && p.phase == pyItem && p.top().open == '(':
		return p.star(c)
	case c == '"' || c == '\'':
		return p.beginText(c, false)
	case pyWordByte(c):
		if p.phase == pySep || p.phase == pyNext {
			return p.bad("a comma is missing, or a value isn't a literal")
		}
		p.inWord, p.word = true, append(p.word[:0], c)
		return pyMore
	case c == '[' || c == '{' || c == '(':
		return p.open(c)
	case c == ']' || c == '}' || c == ')':
		return p.close(c)
	case c == ',' && p.phase == pyNext:
		p.top().comma, p.phase, p.joins = true, pyItem, false
		return p.endArgument()
	case p.phase == pySep && (c == '=' && p.top().open == '(' || c == ':' && p.top().dict()):
		p.out = append(p.out, ':')
		p.phase = pyValue
		if p.top().args() {
			p.valueAt = len(p.out)
		}
		return pyMore
	}
	return p.misplaced(c)
}

func (p *pyCall) misplaced(c byte) pyStep {
	switch {
	case p.phase == pySep && p.top().dict():
		return p.bad("a set was given, which JSON doesn't have")
	case p.phase == pySep:
		return p.bad(pyNameless)
	}
	return p.bad(fmt.Sprintf("%q stands where it can't: write name=literal", c))
}

const pyNameless = "an argument has no name: write name=literal"

func (p *pyCall) beginText(quote byte, raw bool) pyStep {
	switch {
	case p.phase == pyNext && p.joins && !p.strict:
	case p.phase == pySep || p.phase == pyNext:
		return p.bad("a string ends too early: a quote inside it needs a backslash")
	case p.phase == pyItem && p.top().open == '(':
		return p.bad(pyNameless)
	}
	p.inText = true
	p.str = pyString{quote: quote, raw: raw, oneLine: p.strict, text: p.str.text[:0]}
	return pyMore
}

// text takes the string that just ended.
func (p *pyCall) text() {
	p.inText = false
	if p.str.newlines {
		p.repair(string(jsonmend.EscapeControlChars))
	}
	s := string(p.str.text)
	switch {
	case p.phase == pyNext:
		// Two strings side by side are one: between them go two quotes.
		at := len(p.out) - 1
		p.out = rawjson.AppendString(p.out[:at], s)
		p.out = slices.Delete(p.out, at, at+1)
	case p.phase == pyItem && p.top().dict():
		p.keyed(s)
	default:
		p.value()
		p.out = rawjson.AppendString(p.out, s)
		p.phase, p.joins = pyNext, true
	}
}

// item writes the comma before another item of the open bracket.
func (p *pyCall) item() {
	l := p.top()
	if l.items++; l.items > 1 {
		p.out = append(p.out, ',')
	}
}

// value comes before a value: one of a list is an item of its own.
func (p *pyCall) value() {
	p.joins = false
	if p.phase == pyItem {
		p.item()
	}
}

// keyed writes a key.
func (p *pyCall) keyed(key string) {
	if p.top().args() {
		p.inArg, p.key, p.keyAt = true, key, len(p.out)
	}
	p.item()
	p.out = rawjson.AppendString(p.out, key)
	p.phase = pySep
}

// endWord takes the word that ended before c.
func (p *pyCall) endWord(c byte) pyStep {
	p.inWord = false
	w := p.word
	if c == '"' || c == '\'' {
		switch string(w) {
		case "r", "R", "u", "U":
			return p.beginText(c, w[0]|0x20 == 'r')
		}
		return p.bad(fmt.Sprintf("a string has the prefix %q, which isn't read", shortWord(w)))
	}
	if p.phase == pyItem && (p.top().args() || p.top().dict()) {
		return p.keyWord(w)
	}
	v, ok := pyWord(w)
	if !ok {
		return p.bad(fmt.Sprintf("%q isn't a literal", shortWord(w)))
	}
	p.value()
	p.out = append(p.out, v...)
	p.phase = pyNext
	return pyMore
}

// keyWord takes a word where a key stands. In a dict a number is written as
// Python's own JSON writer does it; a bare word is JavaScript's way.
func (p *pyCall) keyWord(w []byte) pyStep {
	name, escaped, ok := pyName(w)
	ok = ok && pyNameStart(w[0])
	if p.top().dict() {
		if n, number := pyNumber(string(w)); number {
			name, ok = n, true
		} else if _, constant := pyWord(w); constant || p.strict {
			ok = false
		} else if ok {
			p.repair(string(jsonmend.QuoteKeys))
		}
	}
	if !ok || len(w) > pyMaxName {
		return p.bad(fmt.Sprintf("%q isn't the name of an argument", shortWord(w)))
	}
	if escaped {
		p.repair("escaped_underscore")
	}
	p.keyed(name)
	return pyMore
}

func shortWord(w []byte) []byte { return w[:min(len(w), 40)] }
