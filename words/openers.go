package words

import (
	"slices"
	"sync"
)

// opening is an opener of one of the forms.
type opening struct {
	form   Form
	opener Opener
}

// openers are what a Reader looks for. They don't change once they are made.
type openers struct {
	byFirst [256][]opening  // by the first byte of their openers, the longest first
	next    [256]*[256]bool // the bytes that may follow that one in an opener
	results []resultBlock
	hot     [256]heat
}

// heat says at which places a byte needs a look.
type heat uint8

const (
	heatLine heat = 1 << iota // within a line
	heatHead                  // at the head of a line
)

// newOpeners gathers those of some forms; of two that fit, the earlier form's
// is asked first.
func newOpeners(forms []Form) *openers {
	x := &openers{}
	var all []opening
	for _, f := range forms {
		for _, o := range f.Openers() {
			all = append(all, opening{f, o})
		}
		if rs, ok := f.(Results); ok {
			opener, closer := rs.ResultBlock()
			x.results = append(x.results, resultBlock{opener, closer, ""})
		}
	}
	x.results = append(x.results, resultBlock{fenceOpen, fenceClose, "]"})
	for _, token := range turnEnds {
		x.results = append(x.results, resultBlock{token, token, ""})
	}
	slices.SortStableFunc(all, func(a, b opening) int { return len(b.opener.Text) - len(a.opener.Text) })
	x.heat(all)
	return x
}

// heat notes which bytes need a look.
func (x *openers) heat(all []opening) {
	for _, c := range []byte("\n`") {
		x.hot[c] |= heatLine | heatHead
	}
	for _, c := range []byte(" \t\r~") {
		x.hot[c] |= heatHead
	}
	for _, t := range thinkTags {
		x.hot[t.opener[0]] |= heatHead
	}
	for _, o := range all {
		first := o.opener.Text[0]
		x.byFirst[first] = append(x.byFirst[first], o)
		x.hot[first] |= heatHead
		x.follow(first, o.opener.Text[1:])
		if o.opener.Where == Anywhere {
			x.hot[first] |= heatLine
		}
	}
	for _, b := range x.results {
		x.hot[b.opener[0]] |= heatHead
	}
}

// follow notes what may stand behind the first byte of an opener.
func (x *openers) follow(first byte, rest string) {
	n := x.next[first]
	if n == nil {
		n = new([256]bool)
		x.next[first] = n
	}
	for c := range n {
		n[c] = n[c] || rest == "" || rest[0] == byte(c)
	}
}

// marked are the openers of every form with a marker: made once, since each
// native answer with tools is read with them.
var marked = sync.OnceValue(func() *openers { return newOpeners(markedForms()) })
