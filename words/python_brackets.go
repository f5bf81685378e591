package words

import (
	"fmt"

	"github.com/ferrule/ferrule/chat"
)

// open takes a bracket that holds a value.
func (p *pyCall) open(c byte) pyStep {
	switch {
	case p.phase == pySep || p.phase == pyNext:
		return p.bad("a value isn't a literal, and nothing is worked out")
	case p.phase == pyItem && p.top().open == '(':
		return p.bad(pyNameless)
	case p.phase == pyItem && p.top().dict():
		return p.bad("a key is neither a string nor a number")
	case len(p.levels) == pyMaxDepth:
		return p.bad("it is nested too deep")
	}
	p.value()
	l := pyLevel{open: c, at: len(p.out)}
	if c == '(' {
		l.open, c = 't', ' ' // a list only if it turns out to be a tuple
	}
	p.out = append(p.out, c)
	p.levels = append(p.levels, l)
	p.phase = pyItem
	return pyMore
}

// star takes what stands before and at the bracket of a dict of arguments.
func (p *pyCall) star(c byte) pyStep {
	switch {
	case c == '*' && p.stars < 2:
		p.stars++
	case c == '{' && p.stars == 2:
		p.stars = 0
		p.levels = append(p.levels, pyLevel{open: '*', items: p.top().items})
	default:
		return p.bad("behind asterisks only a dict of arguments is read")
	}
	return pyMore
}

// close takes a closing bracket.
func (p *pyCall) close(c byte) pyStep {
	l := *p.top()
	switch {
	case p.phase == pySep:
		return p.misplaced(c)
	case p.phase == pyValue:
		return p.bad("a value is missing")
	case c != pyCloser(l.open):
		return p.bad(fmt.Sprintf("%q closes what it didn't open", c))
	}
	if l.args() && p.endArgument() == pyBad {
		return pyBad
	}
	l.items = p.top().items
	p.levels = p.levels[:len(p.levels)-1]
	p.phase, p.joins = pyNext, false
	switch {
	case l.open == '(':
		p.out = append(p.out, '}')
		return pyDone
	case l.open == '*':
		p.top().items = l.items
	case l.open != 't':
		p.out = append(p.out, c)
	case l.items != 1 || l.comma:
		p.out[l.at] = '['
		p.out = append(p.out, ']')
	}
	return pyMore
}

// pyCloser is what closes a bracket.
func pyCloser(open byte) byte {
	switch open {
	case '[':
		return ']'
	case '{', '*':
		return '}'
	}
	return ')'
}

// endArgument takes an argument of the call that is whole. One that stands
// twice with the same value is one.
func (p *pyCall) endArgument() pyStep {
	if !p.inArg || !p.top().args() {
		return pyMore
	}
	p.inArg = false
	v := [2]int{p.valueAt, len(p.out)}
	old, doubled := p.args[p.key]
	switch {
	case !doubled:
		if p.args == nil {
			p.args = map[string][2]int{}
		}
		p.args[p.key] = v
	case sameJSON(p.out[old[0]:old[1]], p.out[v[0]:v[1]]):
		p.out = p.out[:p.keyAt]
		p.top().items--
		p.repair("duplicate_key")
	default:
		return p.bad(fmt.Sprintf("the argument %q stands twice with different values", p.key))
	}
	return pyMore
}

// written returns the call as far as it could be read.
func (p *pyCall) written() chat.Written {
	name, escaped, _ := pyName(p.name)
	w := chat.Written{Name: name, Why: p.why, Repairs: p.repairs}
	if escaped {
		w.Repairs = append([]string{"escaped_underscore"}, w.Repairs...)
	}
	if p.why == "" {
		w.JSON = p.out
	}
	return w
}
