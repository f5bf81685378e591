package words

import (
	"slices"
	"sync"
)

// opening is an opener of one of the forms.
type opening struct {
	form   Form
	opener Opener
	asked  bool // the model was asked for this form, or is trained on it
}

// openers are what a Reader looks for. They don't change once they are made.
type openers struct {
	byFirst [256][]opening  // by the first byte of their openers, the longest first
	pairs   [256]*[256]heat // the same for a byte by what follows it; nil: it needs a look whatever does
	results []resultBlock
	tokens  [256][]token // of channels, by their first byte
	hot     [256]heat    // where a byte needs a look
	tags    []thinkTag   // how thinking is set apart
	infos   []string     // what a code block says that holds calls
}

// heat says at which places a byte needs a look.
type heat uint8

const (
	heatLine heat = 1 << iota // within a line
	heatHead                  // at the head of a line
)

// newOpeners gathers those of some forms; of two that fit, the earlier form's
// is asked first. The first so many forms were asked for.
func newOpeners(forms []Form, asked int, own ...thinkTag) *openers {
	return openersAt(forms, asked, own, func(_ Form, w Where) (Where, bool) { return w, true })
}

// openersAt takes only those that count somewhere, which at says.
func openersAt(forms []Form, asked int, own []thinkTag, at func(Form, Where) (Where, bool)) *openers {
	x := &openers{tags: slices.Concat(thinkTags, own)}
	var all []opening
	for i, f := range forms {
		for _, o := range f.Openers() {
			if w, ok := at(f, o.Where); ok {
				o.Where = w
				all = append(all, opening{f, o, i < asked})
			}
		}
		x.channelsOf(f, i < asked)
		if c, ok := f.(CodeFenced); ok {
			x.infos = append(x.infos, c.CodeFence())
		}
		if rs, ok := f.(Results); ok {
			if opener, closer := rs.ResultBlock(); opener != "" {
				x.results = append(x.results, resultBlock{opener, closer, ""})
			}
		}
	}
	x.results = append(x.results, resultBlock{fenceOpen, fenceClose, "]"})
	x.results = append(x.results, resultBlock{executed, "", ""})
	for _, token := range turnEnds {
		x.results = append(x.results, resultBlock{token, token, ""})
	}
	for _, t := range x.tags { // of thinking that a call ended
		x.results = append(x.results, resultBlock{t.closer, t.closer, ""})
	}
	slices.SortStableFunc(all, func(a, b opening) int { return len(b.opener.Text) - len(a.opener.Text) })
	x.heat(all)
	return x
}

// heat notes which bytes need a look.
func (x *openers) heat(all []opening) {
	for _, t := range x.tags {
		x.warm(t.opener, heatHead)
		x.warm(t.closer, heatHead|heatLine)
	}
	for _, o := range all {
		x.byFirst[o.opener.Text[0]] = append(x.byFirst[o.opener.Text[0]], o)
		if o.opener.Where == Anywhere {
			x.warm(o.opener.Text, heatHead|heatLine)
		} else {
			x.warm(o.opener.Text, heatHead)
		}
	}
	for _, b := range x.results {
		x.warm(b.opener, heatHead)
	}
	for _, c := range []byte("\n`") {
		x.hot[c], x.pairs[c] = heatLine|heatHead, nil
	}
	for _, c := range []byte(" \t\r~") {
		x.hot[c], x.pairs[c] = x.hot[c]|heatHead, nil
	}
}

// warm notes where a text may stand that needs a look.
func (x *openers) warm(text string, at heat) {
	first := text[0]
	x.hot[first] |= at
	if x.pairs[first] == nil {
		x.pairs[first] = new([256]heat)
	}
	if len(text) > 1 {
		x.pairs[first][text[1]] |= at
		return
	}
	for c := range x.pairs[first] {
		x.pairs[first][c] |= at
	}
}

// marked are the markers of every form that count wherever they stand, and with
// alone what counts as the whole answer: made once, since each native answer
// with tools is read with them. Nobody leaves framing of ours in such an answer.
func marked(alone bool) *openers {
	if alone {
		return markedOrAlone()
	}
	return onlyMarked()
}

var (
	onlyMarked    = sync.OnceValue(func() *openers { return leaking(false) })
	markedOrAlone = sync.OnceValue(func() *openers { return leaking(true) })
)

func leaking(alone bool) *openers {
	forms, _ := Forms("")
	forms = slices.DeleteFunc(forms, isFramed)
	return openersAt(forms, len(forms), nil, func(f Form, w Where) (Where, bool) {
		if a, ok := f.(Alone); ok && a.Alone() {
			return AnswerStart, alone
		}
		return w, w == Anywhere
	})
}

// everything are the openers of every form, for what was shown.
var everything = sync.OnceValue(func() *openers {
	forms, _ := Forms("")
	return newOpeners(forms, len(forms))
})

// asking is what a model was asked for, the family that it is known to be of,
// and how it sets its thinking apart, if in a way of its own.
type asking struct {
	syntax, family string
	tag            thinkTag
}

// readings keeps the openers of each asking: made once, since each answer in
// words is read with them. There are no more than the table has pairs of names,
// and the configuration tags.
var readings sync.Map

// reading returns what reads the answers to an asking: the syntax first, then
// what the family writes by itself, then everything else.
func reading(a asking) *openers {
	if x, ok := readings.Load(a); ok {
		return x.(*openers)
	}
	forms, asked := formsFirst(a.syntax, a.family)
	// Nobody writes framing values that he was never shown.
	rest := slices.DeleteFunc(slices.Clone(forms[asked:]), isFramed)
	forms = append(forms[:asked:asked], rest...)
	var own []thinkTag
	if a.tag != (thinkTag{}) {
		own = append(own, a.tag)
	}
	x, _ := readings.LoadOrStore(a, newOpeners(forms, asked, own...))
	return x.(*openers)
}
