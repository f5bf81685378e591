package turn

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/ferrule/ferrule/args"
	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
)

// gate is the one that every written call passes, whichever way it came: tool,
// choice, arguments, number (security.md Q5). Where a call is from was asked
// when it was read.
type gate struct {
	set    *args.Set
	tools  []chat.Tool
	choice chat.Choice
	most   int // calls in one answer; 0: any number
}

// gate returns the gate of a request; most is how many calls an answer may have
// where the client didn't say one.
func (x *run) gate(set *args.Set, most int) gate {
	if x.q.Parallel != nil && !*x.q.Parallel {
		most = 1
	}
	return gate{set: set, tools: x.q.Tools, choice: x.q.Choice, most: most}
}

// verdict is what the gate says of one written call: the calls that it is, or
// what is wrong with it.
type verdict struct {
	written  chat.Written
	calls    []chat.Call
	repairs  []string
	notes    []string
	foreign  bool // not ours to judge: it isn't a function's
	problems *args.Problems
}

// clean reports that the call can go out in the bytes that it came in.
func (v *verdict) clean() bool {
	return v.problems == nil && len(v.repairs) == 0 && len(v.calls) == 1 &&
		v.calls[0].Name == v.written.Name && bytes.Equal(v.calls[0].Args, v.written.JSON)
}

func (v *verdict) outcome(how string) Outcome {
	o := Outcome{Name: v.written.Name, How: how, Repairs: v.repairs}
	if v.problems != nil {
		o.Bucket = v.problems.Bucket
	}
	return o
}

// pass reads and checks one call.
func (g *gate) pass(w chat.Written) verdict {
	if t, _, _ := g.set.Find(w.Name); t != nil && t.Kind != "" && t.Kind != chat.ToolFunction {
		v := verdict{written: w, foreign: true}
		v.calls = []chat.Call{{ID: w.ID, Name: w.Name, Args: w.JSON, Extra: w.Extra}}
		if t.Kind == chat.ToolCustom && !g.choice.Permits(t.Name) {
			v.calls, v.problems = nil, g.set.NotGranted(w, g.permitted())
		}
		return v
	}
	r := g.set.Read(w)
	v := verdict{written: w, calls: r.Calls, repairs: r.Repairs, notes: r.Notes, problems: r.Problems}
	for _, c := range r.Calls {
		if !g.choice.Permits(c.Name) {
			v.calls, v.problems = nil, g.set.NotGranted(w, g.permitted())
			break
		}
	}
	if len(v.calls) > 0 {
		v.calls[0].Extra = w.Extra
	}
	return v
}

func (g *gate) permitted() []string {
	var names []string
	for _, t := range g.tools {
		if g.choice.Permits(t.Name) {
			names = append(names, t.Name)
		}
	}
	return names
}

// judgement is what the gate says of the calls of one answer.
type judgement struct {
	verdicts []verdict
	fresh    slots     // the calls in their places, those of a bad one empty
	outcomes []Outcome // of the calls that passed
	bad      []Outcome
	why      []string // for people
	tooMany  int      // calls where one or most are allowed
}

func (j *judgement) ok() bool { return len(j.why) == 0 }

// judge passes the calls of an answer through the gate. Of a second answer, held
// are the good calls of the first.
func (g *gate) judge(ws []chat.Written, held slots, second bool) judgement {
	var j judgement
	for _, w := range ws {
		v := g.pass(w)
		j.verdicts = append(j.verdicts, v)
		if v.problems != nil {
			j.bad = append(j.bad, v.outcome(Failed))
			j.why = append(j.why, v.problems.Error())
			j.fresh = append(j.fresh, slot{})
			continue
		}
		how := Clean
		switch {
		case second:
			how = Retried
		case v.foreign:
			how = Passed
		case len(v.repairs) > 0:
			how = Repaired
		}
		for i := range v.calls {
			call := &v.calls[i]
			if second && held.hold(call) {
				continue // a model that was asked for the bad calls repeats the good ones too
			}
			s := slot{call: call}
			if i == 0 {
				s.notes = v.notes
			}
			j.fresh = append(j.fresh, s)
			j.outcomes = append(j.outcomes, Outcome{Name: call.Name, How: how, Repairs: v.repairs})
		}
	}
	if total := held.good() + j.fresh.good() + len(j.bad); g.most > 0 && total > g.most {
		j.tooMany = total
		j.why = append(j.why, fmt.Sprintf("%d calls where at most %d may be made", total, g.most))
		// Which of them were meant can't be told.
		for _, o := range j.outcomes {
			o.How = Failed
			j.bad = append(j.bad, o)
		}
		j.fresh, j.outcomes = nil, nil
	}
	return j
}

// repeats reports whether a bad call of this answer is a bad one of the last, again.
func (j *judgement) repeats(last *judgement) bool {
	for i := range j.verdicts {
		for k := range last.verdicts {
			a, b := &j.verdicts[i], &last.verdicts[k]
			if a.problems != nil && b.problems != nil && sameWritten(a.written, b.written) {
				return true
			}
		}
	}
	return false
}

func sameWritten(a, b chat.Written) bool {
	if a.Name != b.Name || !slices.Equal(a.Params, b.Params) || (a.Params == nil) != (b.Params == nil) {
		return false
	}
	if len(a.JSON)+len(b.JSON) == 0 && a.Params == nil {
		return bytes.Equal(a.Raw, b.Raw) // it couldn't be read
	}
	return bytes.Equal(a.JSON, b.JSON) || rawjson.Same(a.JSON, b.JSON)
}

// invalid is the fault of an answer whose calls didn't come right: none left.
func invalid(why string, second, repeated bool) *chat.Fault {
	text := "The model's tool call can't be used"
	if second {
		text += ", also after it was asked again"
	}
	text += ": " + why + "."
	if repeated {
		text += " It repeated the same call."
	}
	return &chat.Fault{Code: CodeToolCallInvalid, Status: 422, Text: text + " Nothing was run."}
}
