package turn

import (
	"cmp"
	"errors"
	"maps"
	"slices"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/history"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/rawjson"
	"github.com/ferrule/ferrule/refusal"
	"github.com/ferrule/ferrule/schema"
	"github.com/ferrule/ferrule/words"
)

// diagnosis is what a fault means, and the fault itself.
type diagnosis struct {
	refusal.Verdict
	fault *chat.Fault
}

// remedies are what can be done about a refusal, by the action that it asks for.
// One returns the carrier for another try, or nil where it has nothing to offer.
var remedies = map[string]func(x *run, c carrier, v diagnosis) (carrier, error){
	refusal.Emulate:    (*run).emulate,
	refusal.Unstream:   (*run).unstream,
	refusal.Redialect:  (*run).redialect,
	refusal.RetryOnce:  (*run).resample,
	refusal.Rescue:     (*run).resample,
	refusal.DropChoice: (*run).dropChoice,
	refusal.DropParam:  (*run).dropParam,
	refusal.Reshape:    (*run).reshape,
}

// heals reports whether the request would be sent again for this fault.
func (x *run) heals(f *chat.Fault) bool {
	_, ok := remedies[x.classify(f).Action]
	return ok
}

// classify tells what a fault means for what was sent: the upstream was given
// the model by its own name.
func (x *run) classify(f *chat.Fault) refusal.Verdict {
	q := *x.q
	q.Model = x.t.Model
	return x.r.Refusals.Classify(f, &q)
}

// noteFault keeps the class of the fault that a request met, for the report.
func (x *run) noteFault(a answer, err error) {
	x.report.Fault, x.report.Sample = "", ""
	var f *chat.Fault
	if !errors.As(err, &f) {
		f = a.fault
	}
	if f == nil || f.Wire == nil {
		return // none, or one of our own
	}
	if x.report.Fault = x.classify(f).Class; x.report.Fault == refusal.Other {
		x.report.Sample = refusal.Sample(f)
	}
}

// heal returns the carrier for another try after a refusal, or nil.
func (x *run) heal(c carrier, err error) (carrier, error) {
	var f *chat.Fault
	if !errors.As(err, &f) || !c.clean() || x.healed >= maxHealing || x.ctx.Err() != nil || x.t.Profile.Wrapper {
		return nil, nil
	}
	v := x.classify(f)
	remedy, ok := remedies[v.Action]
	if !ok {
		return nil, nil
	}
	next, err := remedy(x, c, diagnosis{v, f})
	if err != nil || next == nil {
		return nil, err
	}
	x.report.Healed = append(x.report.Healed, v.Class)
	return next, nil
}

// emulate puts the tools into words.
func (x *run) emulate(c carrier, v diagnosis) (carrier, error) {
	if _, native := c.(*native); !native || !inWordsNeeded(x.q) {
		return nil, nil
	}
	// What the configuration says outright isn't overruled by an error text.
	if m := x.t.Profile.Tools; m != profile.Auto && m != "" {
		return nil, nil
	}
	next, err := x.words(x.profile())
	if err != nil {
		return nil, err
	}
	if v.Action != refusal.RetryOnce && v.Action != refusal.Rescue && v.Action != refusal.Reshape { // what the model wrote says nothing of the next time
		x.note("tools", string(profile.Emulated), v)
	}
	return next, nil
}

// note keeps what is to be learned once this attempt succeeds.
func (x *run) note(field, value string, v diagnosis) {
	f := profile.Fact{Field: field, Value: value, Why: v.Class}
	if v.Class == refusal.SchemaRefused {
		f.Tools = words.Toolset(x.tools)
	}
	x.taught = append(x.taught, f)
}

// redialect sends schemas that were refused again in the dialect that the
// provider takes, where that is known, else in the plainest; then come words.
func (x *run) redialect(c carrier, v diagnosis) (carrier, error) {
	n, native := c.(*native)
	if !native || len(x.q.Tools) == 0 {
		return nil, nil
	}
	if n.p.Dialect != "" {
		x.taught = nil
		return x.emulate(c, v)
	}
	p := n.p
	if p.Dialect = cmp.Or(p.Refused(x.t.Model), schema.Minimal); v.Class == refusal.TemplateFailed {
		p.Dialect = schema.Renaming
	}
	x.note("dialect", p.Dialect, v)
	return newNative(x, p), nil
}

// resample asks once more where a provider rejected what the model wrote, and
// then in words.
func (x *run) resample(c carrier, v diagnosis) (carrier, error) {
	n, native := c.(*native)
	if !native || x.repeats != nil { // what only repeats what was shown is asked for no second time
		return nil, nil
	}
	if x.resampled {
		return x.emulate(c, v)
	}
	x.resampled = true
	return newNative(x, n.p), nil
}

// dropChoice leaves the choice to the model, as the provider wants it. What comes
// is held until it is known to be what the client asked for; where it isn't,
// the tools go in words, which can be held to it.
func (x *run) dropChoice(c carrier, v diagnosis) (carrier, error) {
	n, native := c.(*native)
	if !native || n.unchosen || !x.q.Choice.Forced() {
		return nil, nil
	}
	next := newNative(x, n.p)
	next.unchosen, next.holding = true, true
	return next, nil
}

// unfulfilled returns the tools in words where an answer, for which the choice
// was left to the model, isn't what the client asked for.
func (x *run) unfulfilled(c carrier, a answer) (carrier, error) {
	n, native := c.(*native)
	if !native || !n.unchosen || n.retries > 0 || a.cut || a.fault != nil || x.healed >= maxHealing || x.ctx.Err() != nil {
		return nil, nil
	}
	for _, w := range n.written {
		if x.q.Choice.Name == "" || w.Name == x.q.Choice.Name {
			return nil, nil
		}
	}
	next, err := x.emulate(c, diagnosis{Verdict: refusal.Verdict{Class: refusal.ToolChoiceUnsupported, Action: refusal.RetryOnce}})
	if next != nil {
		x.report.Healed = append(x.report.Healed, refusal.ToolChoiceUnsupported)
	}
	return next, err
}

// dropParam leaves out a member of the client's request that the provider
// doesn't know, but none that says what is asked for.
func (x *run) dropParam(c carrier, v diagnosis) (carrier, error) {
	w := x.q.Wire
	if w == nil || v.Param == "" || slices.Contains(essential, v.Param) || slices.Contains(x.report.Dropped, v.Param) {
		return nil, nil
	}
	if _, ok := rawjson.Get(w.Body, v.Param); !ok {
		return nil, nil
	}
	x.report.Dropped = append(x.report.Dropped, v.Param)
	switch c := c.(type) {
	case *native:
		return newNative(x, c.p), nil
	case *inWords:
		return x.words(c.p)
	}
	return nil, nil
}

// essential are members without which a request asks for something else.
var essential = []string{"model", "messages", "tools", "tool_choice", "stream", "response_format", "n", "max_tokens", "max_completion_tokens", "stop", "parallel_tool_calls"}

// without leaves out what the provider refused to know.
func (x *run) without(q *chat.Request) *chat.Request {
	if len(x.report.Dropped) == 0 || q.Wire == nil {
		return q
	}
	c := *q
	c.Extra = maps.Clone(q.Extra)
	if c.Extra == nil {
		c.Extra = chat.Extra{}
	}
	for _, name := range x.report.Dropped {
		c.Extra[q.Wire.Protocol+"."+name] = nil
	}
	return &c
}

// reshape sends the conversation again in the form that the provider's words ask
// for; where that isn't known or was refused too, the tools in words, which are
// turns of two people and nothing else.
func (x *run) reshape(c carrier, v diagnosis) (carrier, error) {
	n, native := c.(*native)
	if !native {
		return nil, nil
	}
	asked := history.Asked(v.fault)
	if n.rules.Has(asked) { // or nothing that is known
		return x.emulate(c, v)
	}
	p := n.p
	p.History = (n.rules | asked).String()
	if asked&^history.Passing != 0 {
		x.note("history", ((n.rules | asked) &^ history.Passing).String(), v)
	}
	return newNative(x, p), nil
}

// unstream asks for the whole answer at once; the client gets its stream made of it.
func (x *run) unstream(c carrier, v diagnosis) (carrier, error) {
	n, native := c.(*native)
	as := profile.StreamNever
	if v.Class == refusal.ToolsUnsupportedStreaming {
		as = profile.StreamWithoutTools
	}
	if !x.q.Stream || x.whole != "" || x.t.Profile.Stream != "" || as == profile.StreamWithoutTools && !native {
		return nil, nil
	}
	x.whole = as
	x.note("stream", string(as), v)
	if native {
		return newNative(x, n.p), nil
	}
	return x.words(c.(*inWords).p)
}

// streamed is what goes upstream next: unstreamed, where a stream is refused.
func (x *run) streamed(c carrier) *chat.Request {
	q := x.without(c.request())
	n, native := c.(*native)
	if !q.Stream || x.whole != profile.StreamNever && (x.whole != profile.StreamWithoutTools || !native || !n.tools) {
		return q
	}
	q = q.Edit(chat.FieldStream)
	q.Stream, q.Usage = false, false
	return q
}
