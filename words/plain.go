package words

import (
	"slices"

	"github.com/ferrule/ferrule/chat"
)

// plain is a form that was asked for with nothing around its JSON, so that
// nothing of that is a repair.
type plain struct {
	Form
	openers []string // of the JSON, beside the form's own
	repairs []string // what are none
}

func (f plain) Openers() []Opener {
	os := slices.Clip(f.Form.Openers())
	for _, o := range f.openers {
		os = append(os, Opener{Text: o, Where: LineStart})
	}
	return os
}

func (f plain) Body(o Opener) Body {
	if slices.Contains(f.openers, o.Text) {
		return plainBody{bareJSON{}.Body(o), f.repairs}
	}
	return plainBody{f.Form.Body(o), f.repairs}
}

type plainBody struct {
	Body
	repairs []string
}

func (t plainBody) End(cut bool) []chat.Written {
	cs := t.Body.End(cut)
	for i := range cs {
		cs[i].Repairs = slices.DeleteFunc(cs[i].Repairs, func(r string) bool { return slices.Contains(t.repairs, r) })
	}
	return cs
}

func (t plainBody) Where() Where {
	if p, ok := t.Body.(Placed); ok {
		return p.Where()
	}
	return Anywhere
}

func (t plainBody) Spare() int {
	if s, ok := t.Body.(Sparing); ok {
		return s.Spare()
	}
	return 0
}

var (
	_ Placed  = plainBody{}
	_ Sparing = plainBody{}
)
