// Package history puts a transcript into the form that a model's template or
// a provider takes: who may speak after whom, where results stand, what ids
// look like, what a call's arguments are.
//
// It is one ordered table of rewrites, each of which a rule switches on. They
// run until none changes anything. A transcript that is in form already comes
// back as the very request that went in, so that its bytes can go out as they
// came.
//
// Nothing that a person wrote is lost: a text may move, change its role or be
// joined to another, never vanish. Only blank ones may go. What no rule can say
// otherwise is said in fillers (texts/*.md), which the notes name as such.
package history

import (
	"slices"

	"github.com/ferrule/ferrule/chat"
)

// maxRounds bounds how often the table is gone through. Two suffice for most
// transcripts: one that changes, one that finds nothing left to do.
const maxRounds = 8

// Note says what was done and how often. It holds no content of the transcript.
type Note struct {
	Rule  string `json:"rule"`
	What  string `json:"what"`
	Count int    `json:"count"`
}

// Shape returns q in the form that the rules ask for, and what was done; q
// itself and no notes where there was nothing to do. The same q and rules give
// the same result. Neither q nor anything in it is changed.
func Shape(q *chat.Request, rules Rules) (*chat.Request, []Note) {
	t := newTalk(q)
	rules = rules.whole()
	for range maxRounds {
		before := t.changes
		for i := range table {
			if rules&table[i].rule != 0 {
				t.rule = table[i].name
				table[i].rewrite(t)
			}
		}
		if t.changes == before {
			break
		}
	}
	return t.request(q), t.notes
}

// talk is a transcript under way. Its own two lists may be changed; what they
// hold belongs to the request and is replaced, never written to.
type talk struct {
	system  []chat.Part
	ms      []chat.Message
	tools   []chat.Tool
	rule    string // the one at work
	notes   []Note
	changes int

	paired   *pairing
	pairedAt int // changes
}

func newTalk(q *chat.Request) *talk {
	return &talk{system: q.System, ms: slices.Clone(q.Messages), tools: q.Tools}
}

// request returns q with the transcript as it is now; q itself where it is the same.
func (t *talk) request(q *chat.Request) *chat.Request {
	if t.changes == 0 {
		return q
	}
	out := q.Edit(chat.FieldMessages)
	for i := range t.ms {
		t.ms[i].Parts = unmarked(t.ms[i].Parts)
	}
	out.System, out.Messages = t.system, t.ms
	return out
}

// note counts a change. Whoever changes anything calls it, and nobody else.
func (t *talk) note(what string) {
	t.changes++
	for i := range t.notes {
		if n := &t.notes[i]; n.Rule == t.rule && n.What == what {
			n.Count++
			return
		}
	}
	t.notes = append(t.notes, Note{t.rule, what, 1})
}

// isTool reports whether a message has the role whose parts are results.
func isTool(m chat.Message) bool { return m.Role == chat.RoleTool }

// holds reports whether one of the parts is a P.
func holds[P chat.Part](ps []chat.Part) bool {
	return slices.ContainsFunc(ps, func(p chat.Part) bool { _, ok := p.(P); return ok })
}

// without returns the parts that aren't a P.
func without[P chat.Part](ps []chat.Part) []chat.Part {
	out := make([]chat.Part, 0, len(ps))
	for _, p := range ps {
		if _, ok := p.(P); !ok {
			out = append(out, p)
		}
	}
	return out
}

// count tells how many of the parts are a P.
func count[P chat.Part](ps []chat.Part) (n int) {
	for _, p := range ps {
		if _, ok := p.(P); ok {
			n++
		}
	}
	return n
}
