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
	Missing  bool     // a call was due and none came
	Only     string   // the one tool that the client named
	TooMany  int      // calls where one or Max are allowed
	Max      int
}

// judge passes every written call through the one gate: tool, choice,
// arguments, policy. Origin was asked when the call was read.
func (w *inWords) judge(a answer, finish chat.Finish) (bool, error) {
	var c complaint
	var bad []Outcome
	var why []string
	fresh := make([]slot, 0, len(w.written))
	for _, wr := range w.written {
		r := w.set.Read(wr)
		p := r.Problems
		if p == nil {
			p = w.granted(wr, r.Calls)
		}
		if p != nil {
			bad = append(bad, Outcome{Name: wr.Name, How: Failed, Bucket: p.Bucket, Repairs: r.Repairs})
			why = append(why, p.Error())
			c.Problems = append(c.Problems, args.Explain(p, args.Full, w.plan.Show))
			fresh = append(fresh, slot{})
			continue
		}
		how := Clean
		if len(r.Repairs) > 0 {
			how = Repaired
		}
		if w.retries > 0 {
			how = Retried
		}
		for i := range r.Calls {
			call := &r.Calls[i]
			if w.retries > 0 && w.slots.hold(call) {
				continue // a model that was asked for the bad calls repeats the good ones too
			}
			fresh = append(fresh, slot{call})
			w.outcomes = append(w.outcomes, Outcome{Name: call.Name, How: how, Repairs: r.Repairs})
		}
	}
	c.Kept = w.slots.good() + slots(fresh).good()
	c.Max = w.x.limits.Calls
	if w.x.q.Parallel != nil && !*w.x.q.Parallel {
		c.Max = 1
	}
	if total := c.Kept + len(bad); total > c.Max {
		c.TooMany = total
		why = append(why, fmt.Sprintf("%d calls where at most %d may be made", total, c.Max))
	}
	if w.x.q.Choice.Forced() && len(w.written)+w.slots.good() == 0 {
		c.Missing, c.Only = true, w.x.q.Choice.Name
		why = append(why, "the request asks for a tool call and the model made none")
		bad = append(bad, Outcome{How: Failed, Bucket: args.BucketChannel})
	}
	if len(why) == 0 {
		return false, w.pass(fresh, finish)
	}
	return w.correct(c, fresh, bad, why)
}

// granted asks whether the client's choice lets the calls be made.
func (w *inWords) granted(wr chat.Written, cs []chat.Call) *args.Problems {
	for _, c := range cs {
		if !w.x.q.Choice.Permits(c.Name) {
			return w.set.NotGranted(wr, w.permitted())
		}
	}
	return nil
}

func (w *inWords) permitted() []string {
	var names []string
	for _, t := range w.x.q.Tools {
		if w.x.q.Choice.Permits(t.Name) {
			names = append(names, t.Name)
		}
	}
	return names
}

// pass sends the answer: words that waited if no call came, else the calls.
func (w *inWords) pass(fresh slots, finish chat.Finish) error {
	calls := w.slots.fill(fresh)
	if w.retries > 0 && len(fresh) == 0 {
		if len(calls) > 0 {
			// The siblings were meant together with a call that never came right.
			return w.invalid([]string{"the model gave up a call that others were made with"})
		}
		if err := w.release(); err != nil {
			return err
		}
	}
	if len(calls) == 0 && !w.spoke && w.quoted {
		return w.invalid([]string{"the call repeats text that the model was shown"})
	}
	w.x.report.Calls = append(w.x.report.Calls, w.outcomes...)
	return w.close(calls, finish)
}

// correct asks once more, saying why; the second time the client hears it.
func (w *inWords) correct(c complaint, fresh slots, bad []Outcome, why []string) (bool, error) {
	if w.retries >= maxCorrections || w.x.t.Profile.Wrapper {
		w.outcomes = append(w.outcomes, bad...)
		return false, w.invalid(why)
	}
	if c.TooMany > 0 {
		// Which of them were meant can't be told: all are asked for again.
		fresh, w.outcomes, c.Kept = nil, nil, 0
	}
	var b strings.Builder
	if err := correctTmpl.Execute(&b, c); err != nil {
		return false, fmt.Errorf("write the correction: %w", err)
	}
	w.slots = fresh
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
func (w *inWords) invalid(why []string) error {
	w.withhold()
	again := ""
	if w.retries > 0 {
		again = ", also after it was asked again"
	}
	return &chat.Fault{
		Code: CodeToolCallInvalid, Status: 422,
		Text: fmt.Sprintf("The model's tool call can't be used%s: %s. Nothing was run.", again, strings.Join(why, "; ")),
	}
}
