package turn

import (
	_ "embed"
	"fmt"
	"strings"
	"text/template"

	"github.com/ferrule/ferrule/args"
	"github.com/ferrule/ferrule/chat"
)

//go:embed correct.tmpl
var correctText string

var correctTmpl = template.Must(template.New("correct").Parse(correctText))

// complaint is what a correction says.
type complaint struct {
	Problems []string // one explanation a bad call
	Kept     int      // good calls that wait
	Quoted   string   // a call only repeats what was shown: what to answer if it was meant so
	Missing  bool     // a call was due and none came
	Only     string   // the one tool that the client named
	TooMany  int      // calls where one or Max are allowed
	Max      int
}

// judge asks the gate, and the client's choice whether a call was due.
func (w *inWords) judge(finish chat.Finish) (bool, error) {
	for i := range w.written {
		w.written[i].Stopped = finish == chat.FinishStop || finish == chat.FinishCalls
	}
	j := w.gate.judge(w.written, w.slots, w.retries > 0)
	w.outcomes = append(w.outcomes, j.outcomes...)
	c := complaint{Kept: w.slots.good() + j.fresh.good(), TooMany: j.tooMany, Max: w.gate.most}
	if w.x.q.Choice.Forced() && len(w.written)+w.slots.good() == 0 {
		c.Missing, c.Only = true, w.x.q.Choice.Name
		j.why = append(j.why, "the request asks for a tool call and the model made none")
		j.bad = append(j.bad, Outcome{How: Failed, Bucket: args.BucketChannel})
	}
	if w.aside != "" && w.retries == 0 && len(w.written) == 0 {
		w.plan.Prove()
		return w.correct(complaint{Quoted: quotedWord}, j)
	}
	if j.ok() {
		return false, w.pass(j.fresh, finish)
	}
	return w.correct(c, j)
}

// pass sends the answer: words that waited if no call came, else the calls.
func (w *inWords) pass(fresh slots, finish chat.Finish) error {
	calls := w.slots.fill(fresh)
	if len(fresh) > 0 {
		w.aside = ""
	}
	if w.retries > 0 && len(fresh) == 0 {
		if len(calls) > 0 {
			// The siblings were meant together with a call that never came right.
			return w.invalid([]string{"the model gave up a call that others were made with"}, false)
		}
		w.outcomes = append(w.outcomes, w.refused.bad...)
		if len(textOf(w.kept)) == 0 && w.declining != nil {
			w.kept = w.declining
		}
		if err := w.release(); err != nil {
			return err
		}
	}
	if len(calls) == 0 && !w.spoke && w.quoted {
		return w.invalid([]string{"the call repeats text that the model was shown"}, false)
	}
	w.x.report.Calls = append(w.x.report.Calls, w.outcomes...)
	return w.close(calls, finish)
}

// correct asks once more, saying why; the second time the client hears it.
func (w *inWords) correct(c complaint, j judgement) (bool, error) {
	if w.retries >= maxCorrections || w.x.t.Profile.Wrapper {
		w.outcomes = append(w.outcomes, j.bad...)
		return false, w.invalid(j.why, w.retries > 0 && j.repeats(&w.refused))
	}
	if c.TooMany > 0 {
		w.outcomes, c.Kept = nil, 0 // all are asked for again
	}
	for _, v := range j.verdicts {
		if v.problems != nil {
			c.Problems = append(c.Problems, args.Explain(v.problems, verbosityOf(w.p), w.plan.Show))
		}
	}
	var b strings.Builder
	if err := correctTmpl.Execute(&b, c); err != nil {
		return false, fmt.Errorf("write the correction: %w", err)
	}
	w.slots, w.refused = j.fresh, j
	w.retries++
	w.x.report.Retries++
	w.begin(w.plan.Correct(w.said, strings.TrimSpace(b.String())))
	return true, nil
}

// withhold notes that calls which passed don't leave after all.
func (w *inWords) withhold() {
	for _, o := range w.outcomes {
		o.How = Failed
		w.x.report.Calls = append(w.x.report.Calls, o)
	}
	w.outcomes = nil
}

// invalid is the end of an answer whose calls didn't come right: none leaves.
func (w *inWords) invalid(why []string, repeated bool) error {
	w.withhold()
	return invalid(strings.Join(why, "; "), w.retries > 0, repeated)
}
