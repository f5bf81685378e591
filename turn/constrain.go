package turn

import (
	"cmp"
	"errors"
	"slices"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/constrain"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/refusal"
	"github.com/ferrule/ferrule/words"
)

// asked says which syntax a model is asked for, and whose forms are read beside it.
func asked(p profile.Profile, model string) (syntax, family string) {
	names, of := p.Asked(model)
	syntax, family = words.Resolve(names...)
	return syntax, cmp.Or(family, of)
}

// constrained returns q with what its kind of server wants to hear beside tools
// in words, and the answer held to the form of a call where one must come.
func (w *inWords) constrained(q *chat.Request) *chat.Request {
	w.held = false
	server := profile.ServerNamed(w.p.Server)
	q = constrain.Add(q, server.Words)
	if w.loose || !w.mayHold() {
		return q
	}
	c := constrain.Constraint{Tools: w.toolsAsked(), Forced: w.mustCall(), Write: w.plan.Write, Calls: w.callsAsked()}
	if !c.Forced && w.p.Constrain != profile.ConstrainAlways {
		return q
	}
	q, _, w.held = constrain.Apply(q, c, server.Forms)
	if w.held {
		w.x.teach(profile.ConstrainForced, "")
	}
	return q
}

// mayHold reports whether an answer may be held to a form now. Once words have
// gone out a refusal of it couldn't be healed, so it must be known to work.
func (w *inWords) mayHold() bool {
	return w.p.Constrain != profile.ConstrainNever && (!w.spoke || w.p.Constrain != "")
}

// mustCall reports whether an answer without a call isn't wanted: the client
// wants one, or the model meant one that was bad.
func (w *inWords) mustCall() bool { return w.x.q.Choice.Forced() || len(w.refused.bad) > 0 }

// callsAsked is how many calls the answer may have; 0: several.
func (w *inWords) callsAsked() int {
	several := w.x.q.Parallel == nil || *w.x.q.Parallel
	switch {
	case !several, w.x.q.Choice.Mode == chat.ChoiceNamed:
		return 1
	case len(w.refused.bad) > 0 && w.refused.tooMany == 0:
		return len(w.slots) - w.slots.good()
	}
	return 0
}

// toolsAsked are the tools that may be called, with the argument that tells a
// call of the model's own where one is asked for.
func (w *inWords) toolsAsked() []chat.Tool {
	tools := w.plan.Tools()
	field, key := w.plan.Live()
	if field == "" {
		return tools
	}
	out := slices.Clone(tools)
	for i, t := range out {
		out[i].Schema = constrain.WithConstant(t.Schema, field, key)
	}
	return out
}

// unheld drops what was noted of a call for having the form that it was held to.
func (w *inWords) unheld(c chat.Written) chat.Written {
	if w.held {
		c.Repairs = slices.DeleteFunc(slices.Clone(c.Repairs), func(r string) bool { return slices.Contains(constrain.Repairs, r) })
	}
	return c
}

// loosens reports whether an answer is worth another try without the form that
// it was held to: the server won't have it, and nothing of it is there yet.
func (x *run) loosens(c carrier, err error) bool {
	w, ok := c.(*inWords)
	if !ok || !w.held || w.spoke || len(w.said) > 0 || len(w.written) > 0 {
		return false
	}
	var f *chat.Fault
	if !errors.As(err, &f) || x.healed >= maxHealing || x.ctx.Err() != nil || x.t.Profile.Wrapper {
		return false
	}
	refused, lasting := refusal.Constraint(f)
	if refused && lasting {
		x.teach(profile.ConstrainNever, refusal.ParamUnsupported)
	} else if refused {
		x.teach("", "")
	}
	return refused
}

// loosen is the carrier for the same request, held to nothing.
func (x *run) loosen(c carrier) carrier {
	w := c.(*inWords)
	x.report.Healed = append(x.report.Healed, refusal.ParamUnsupported)
	w.loose = true
	w.begin(w.base)
	return w
}

// teach notes what was found out of constraints; "" takes back what was noted.
func (x *run) teach(c profile.Constrain, why string) {
	const field = "constrain"
	x.taught = slices.DeleteFunc(x.taught, func(f profile.Fact) bool { return f.Field == field })
	if c != "" {
		x.taught = append(x.taught, profile.Fact{Field: field, Value: string(c), Why: why})
	}
}
