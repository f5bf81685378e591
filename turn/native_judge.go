package turn

import (
	"slices"
	"strings"
	"time"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/rawjson"
	"github.com/ferrule/ferrule/schema"
)

// The names of what is set right in how a native answer carries its calls.
const (
	RepairWire   = "wire_form"    // pieces that a client could take for other calls
	RepairLeak   = "leaked_call"  // a call that stood in the text
	RepairFinish = "finish_calls" // calls, and a finish that doesn't say so
)

// judge passes the calls of a whole answer through the gate.
func (n *native) judge(a answer) (bool, error) {
	j, err := n.ask(a)
	if err != nil {
		// Schemas that we can't read are the upstream's to judge.
		for _, w := range n.written {
			n.report(Outcome{Name: w.Name, How: Passed})
		}
		return false, n.flush()
	}
	if j.ok() {
		return false, n.mend(j, a.finish)
	}
	n.refused = j
	switch on := n.x.t.Profile.OnInvalid; {
	case on == profile.Fail:
		return false, n.fail()
	case on == profile.Pass || n.x.t.Profile.Wrapper:
		return false, n.passRefused()
	}
	if n.next, err = n.correction(j); err != nil {
		return false, err
	}
	n.slots = j.fresh
	n.first = n.wait
	n.retries++
	n.x.report.Retries++
	n.wait, n.written, n.said, n.thought = nil, nil, nil, nil
	n.held, n.since = 0, time.Time{}
	return true, nil
}

// ask puts the calls of the current answer to the gate.
func (n *native) ask(a answer) (judgement, error) {
	set, err := n.toolset()
	if err != nil {
		return judgement{}, err
	}
	for i := range n.written {
		n.written[i].Stopped = a.finish == chat.FinishStop || a.finish == chat.FinishCalls
	}
	g := n.x.gate(set, 0)
	return g.judge(n.written, n.slots, n.retries > 0), nil
}

// mend sends an answer all of whose calls are good: as it came, or its calls
// and its finish written anew where they must be.
func (n *native) mend(j judgement, finish chat.Finish) error {
	r := recast{keep: true}
	for i := range j.verdicts {
		r.keep = r.keep && j.verdicts[i].clean()
	}
	r.keep = r.keep && n.back == nil // the client knows its tools by their own names
	misread := slices.ContainsFunc(n.wait, func(f chat.Frame) bool { return f.Misread })
	if misread {
		r.keep = false
		repaired(j.outcomes, RepairWire)
	}
	if finish != chat.FinishCalls {
		r.finish = chat.FinishCalls
		repaired(j.outcomes, RepairFinish)
	}
	n.report(j.outcomes...)
	r.calls = n.named(j.fresh)
	if r.keep && r.finish == "" {
		return n.flush()
	}
	return n.recast(r)
}

// repaired notes a repair of all calls of an answer.
func repaired(os []Outcome, name string) {
	for i := range os {
		o := &os[i]
		o.Repairs = append(slices.Clip(o.Repairs), name)
		if o.How == Clean {
			o.How = Repaired
		}
	}
}

// named returns the calls as they go out: each keeps its id, where it has one
// of its own.
func (n *native) named(ss slots) []chat.Call {
	var calls []chat.Call
	for _, s := range ss {
		c := *s.call
		if c.ID == "" || slices.ContainsFunc(calls, func(o chat.Call) bool { return o.ID == c.ID }) {
			c.ID = n.x.mintID()
		}
		n.x.keep(c, s.notes)
		calls = append(calls, c)
	}
	return calls
}

// passRefused sends the answer as the model wrote it, if the client's protocol
// has room for it.
func (n *native) passRefused() error {
	if n.back != nil || !n.x.carries(n.wait, &n.refused) {
		return n.fail()
	}
	for i := range n.refused.verdicts {
		v := &n.refused.verdicts[i]
		how := Passed
		if v.clean() && !v.foreign {
			how = Clean
		}
		o := v.outcome(how)
		o.Repairs = nil // none was made
		n.report(o)
	}
	return n.flush()
}

// carries reports whether the client can get these calls as they were written.
// Within its own protocol it can; another may have room only for objects.
func (x *run) carries(held []chat.Frame, j *judgement) bool {
	if x.q.Wire == nil || !slices.ContainsFunc(held, func(f chat.Frame) bool { return f.Protocol != x.q.Wire.Protocol }) {
		return true
	}
	for i := range j.verdicts {
		if !isObject(j.verdicts[i].written.JSON) {
			return false
		}
	}
	return true
}

func isObject(b []byte) bool {
	return rawjson.Kind(b) == '{' && rawjson.Valid(b, schema.MaxNesting) == nil
}

// fail is the end of an answer whose calls the client doesn't get.
func (n *native) fail() error {
	for i := range n.refused.verdicts {
		n.report(n.refused.verdicts[i].outcome(Failed))
	}
	repeated := false
	if n.retries > 0 {
		j, err := n.ask(answer{})
		repeated = err == nil && j.repeats(&n.refused)
	}
	return invalid(strings.Join(n.refused.why, "; "), n.retries > 0, repeated)
}
