package turn

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"text/template"

	"github.com/ferrule/ferrule/args"
	"github.com/ferrule/ferrule/chat"
)

//go:embed native_result.tmpl
var resultText string

var resultTmpl = template.Must(template.New("native_result").Parse(resultText))

// feedback is what one call of a rejected answer gets for a result.
type feedback struct {
	Explain string // what is wrong with it; "": it's held
	Emptied bool   // its arguments can't stand in a history
	TooMany int    // calls where Max are allowed
	Max     int
}

// correction is the request for another try: the client's own, the answer with
// its calls, and a result for each that says what became of it.
func (n *native) correction(j judgement) (*chat.Request, error) {
	said := chat.Message{Role: chat.RoleAssistant}
	if len(n.thought) > 0 {
		said.Parts = append(said.Parts, chat.Reasoning{Text: strings.ToValidUTF8(string(n.thought), "")})
	}
	if len(n.said) > 0 {
		said.Parts = append(said.Parts, chat.Text{Text: strings.ToValidUTF8(string(n.said), "")})
	}
	results := chat.Message{Role: chat.RoleTool}
	ids := map[string]bool{"": true}
	for i := range j.verdicts {
		v := &j.verdicts[i]
		c := chat.Call{ID: v.written.ID, Name: historyName(v), Args: v.written.JSON, Extra: v.written.Extra}
		if ids[c.ID] {
			c.ID = n.x.mintID()
		}
		ids[c.ID] = true
		f := feedback{TooMany: j.tooMany, Max: 1}
		if !v.foreign && !isObject(c.Args) {
			c.Args, f.Emptied = []byte("{}"), true
		}
		if v.problems != nil {
			f.Explain = args.Explain(v.problems, verbosityOf(n.p), nil)
		}
		var b strings.Builder
		if err := resultTmpl.Execute(&b, f); err != nil {
			return nil, fmt.Errorf("write the correction: %w", err)
		}
		said.Parts = append(said.Parts, c)
		results.Parts = append(results.Parts, chat.Result{
			ID: c.ID, Name: c.Name, Error: v.problems != nil || j.tooMany > 0,
			Parts: []chat.Part{chat.Text{Text: strings.TrimSpace(b.String())}},
		})
	}
	q := n.x.q.Edit(chat.FieldMessages)
	q.Model = n.x.t.Model
	q.Messages = append(slices.Clip(q.Messages), said, results)
	return q, nil
}

// historyName is a call's name as every provider takes it in a history.
func historyName(v *verdict) string {
	name := v.written.Name
	if v.problems != nil && v.problems.Tool != "" {
		name = v.problems.Tool
	}
	if nameFits(name) {
		return name
	}
	name = strings.Map(func(r rune) rune {
		if nameFits(string(r)) {
			return r
		}
		return '_'
	}, name)
	if name == "" {
		return "unnamed"
	}
	return name[:min(len(name), 64)]
}

// endSecond ends the answer to a correction. What came right takes its place in
// the first answer; where nothing did, the first answer stands.
func (n *native) endSecond(a answer) error {
	if a.fault != nil || a.cut || a.finish.Cut() || n.x.atLimit(a) {
		return n.passFirst()
	}
	j, err := n.ask(a)
	if err != nil || !j.ok() {
		return n.passFirst()
	}
	r := recast{usage: true, finish: chat.FinishCalls}
	if len(j.fresh) == 0 {
		words := spoken(n.wait)
		if len(words) == 0 || n.slots.good() > 0 || len(n.written) > 0 || n.x.q.Choice.Forced() {
			// The siblings were meant together with a call that never came right.
			return n.passFirst()
		}
		r.words, r.finish = words, a.finish
		if r.finish == chat.FinishCalls {
			r.finish = chat.FinishStop
		}
		n.report(n.refused.bad...)
	} else {
		r.calls = n.named(n.slots.fill(j.fresh))
		n.report(n.refused.outcomes...)
		n.report(j.outcomes...)
	}
	n.wait = n.first
	return n.recast(r)
}

// passFirst gives up a second answer: the client gets the first one.
func (n *native) passFirst() error {
	n.wait = n.first
	return n.passRefused()
}

// spoken are the words of held frames.
func spoken(fs []chat.Frame) []chat.Event {
	var es []chat.Event
	for _, f := range fs {
		for _, e := range f.Events {
			if e.Kind == chat.EventText || e.Kind == chat.EventReasoning {
				es = append(es, e)
			}
		}
	}
	return es
}
