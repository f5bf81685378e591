package turn

import (
	"slices"
	"time"

	"github.com/ferrule/ferrule/args"
	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/history"
	"github.com/ferrule/ferrule/profile"
)

// native carries tools by the provider's own API. Bytes go out as they came;
// frames from the first call on are held until the answer has ended, so that no
// call leaves while a sibling may still fail. Calls that can be mended leave
// mended, in their place; what can't be is asked for once more.
type native struct {
	rules history.Rules

	x        *run
	p        profile.Profile
	tools    bool                                  // the request has tools, so calls are held and judged
	back     map[string]string                     // the tools' own names by what the provider calls them; nil: they go by their own
	unchosen bool                                  // the choice is left to the model, though the client made one
	several  bool                                  // more than one choice is asked for: its calls pass as they came
	fields   func(name string, args []byte) []byte // a call's fields under their own names; nil: they have them
	sent     bool
	next     *chat.Request // nil: the client's own
	set      *args.Set     // from toolset
	setErr   error

	// Of the current answer:
	wait    []chat.Frame
	started bool // a frame that says something has come
	holding bool // a call has come: everything waits
	held    int  // bytes held
	since   time.Time
	written []chat.Written
	leaks   *leaks // nil: not looked for
	said    []byte // its words and thoughts, for a correction
	thought []byte

	retries int
	first   []chat.Frame // the frames of the first answer that wait
	slots   slots        // its calls, once some were bad
	refused judgement    // of them
}

// maxThought is how much of a rejected answer a correction shows again, in
// bytes of words and of thoughts.
const maxThought = 16 << 10

func newNative(x *run, p profile.Profile) *native {
	n := &native{x: x, p: p, tools: len(x.q.Tools) > 0}
	n.rules, _ = history.Parse(p.History) // what the configuration says was checked when it was read
	if c := x.q.Sampling.Choices; c != nil && *c > 1 {
		n.several = true
	}
	if n.tools && !n.several && p.Arguments != profile.ArgumentsStreamed {
		n.leaks = x.newLeaks(n.known)
	}
	if p.Tools != profile.None {
		x.report.Mode = string(profile.Native)
	}
	return n
}

func (n *native) request() *chat.Request {
	q := n.x.q
	switch {
	case n.next != nil:
		q = n.next
	case q.Model != n.x.t.Model:
		c := *q
		c.Model = n.x.t.Model
		q = &c
	}
	return n.spoken(n.x.withNotes(n.x.withExtra(q, n.rules)))
}

func (n *native) clean() bool { return !n.sent && n.retries == 0 }

func (n *native) silent() bool {
	return n.tools && !n.several && n.clean() && !n.started && len(n.written) == 0
}

func (n *native) frame(f chat.Frame) error {
	if !n.tools {
		return n.send(f)
	}
	n.note(f)
	if n.streams() {
		return n.send(f)
	}
	wait := n.leaks != nil && n.retries == 0 && n.leaks.read(f)
	if n.started && !n.holding && !wait && n.retries == 0 {
		if err := n.flush(); err != nil {
			return err
		}
		return n.send(f)
	}
	// Nothing said yet, or a call under way, or a second answer: wait, in order.
	n.wait = append(n.wait, f.Clone())
	n.held += size(f)
	err := n.x.bound(&n.since, n.held)
	if err != nil && wait && !n.holding {
		n.leaks = nil // words that are too long for a call are words
		return n.flush()
	}
	return err
}

// streams reports whether calls leave as they come, as the profile may have it:
// not where they must be held to a choice, or are called by other names.
func (n *native) streams() bool {
	return n.p.Arguments == profile.ArgumentsStreamed && !n.unchosen && n.back == nil && n.retries == 0
}

// toolset compiles the request's tools, once, when a call is there.
func (n *native) toolset() (*args.Set, error) {
	if n.set == nil && n.setErr == nil {
		o := argsOptions(n.x.q, n.p, n.x.r.schemas())
		o.Loose = true
		n.set, n.setErr = args.Compile(n.x.q.Tools, o)
	}
	return n.set, n.setErr
}

// known reports whether a name means one of the request's functions.
func (n *native) known(name string) bool {
	set, err := n.toolset()
	if err != nil {
		return false
	}
	t, _, _ := set.Find(name)
	return t != nil && (t.Kind == "" || t.Kind == chat.ToolFunction)
}

// note keeps what a frame says.
func (n *native) note(f chat.Frame) {
	if f.Calls && !n.several {
		n.started, n.holding = true, true
	}
	for i := range f.Events {
		switch e := &f.Events[i]; e.Kind {
		case chat.EventOther, chat.EventStart:
		case chat.EventCallStart, chat.EventCallArgs:
			n.started, n.holding = true, true
		case chat.EventCallEnd:
			n.started, n.holding = true, true
			n.written = append(n.written, chat.Written{Index: e.Index, ID: e.Call.ID, Name: n.own(e.Call.Name), JSON: n.ownFields(e.Call), Extra: e.Call.Extra})
		case chat.EventFinish, chat.EventUsage:
			// An answer may hold nothing else, and then nothing goes out yet.
		case chat.EventText:
			n.started = true
			n.said = appendUpTo(n.said, e.Text, maxThought)
		case chat.EventReasoning:
			n.started = true
			n.thought = appendUpTo(n.thought, e.Text, maxThought)
		default:
			n.started = true
		}
	}
}

func appendUpTo(b []byte, text string, most int) []byte {
	return append(b, text[:min(len(text), most-len(b))]...)
}

func (n *native) send(f chat.Frame) error {
	n.sent = true
	return n.x.emit(f)
}

func (n *native) flush() error {
	w := n.wait
	n.wait, n.held, n.since = nil, 0, time.Time{}
	for _, f := range w {
		if err := n.send(f); err != nil {
			return err
		}
	}
	return nil
}

// end decides how the held frames go out.
func (n *native) end(a answer) (bool, error) {
	// A call that isn't whole ends last, wherever it began.
	slices.SortStableFunc(n.written, func(v, w chat.Written) int { return v.Index - w.Index })
	if n.leaks != nil && n.retries == 0 && a.fault == nil && !a.cut {
		finish := a.finish
		if n.x.atLimit(a) {
			finish = chat.FinishLength
		}
		n.leaks.end(finish)
		n.written = append(n.written, n.leaks.calls()...)
	}
	switch {
	case n.retries > 0:
		return false, n.endSecond(a)
	case a.fault != nil && n.holding:
		n.lost(Failed)
		return false, n.failed(a.fault)
	case a.cut && a.fault == nil:
		n.lost(Failed)
		return false, n.failed(cutFault())
	case len(n.written) == 0:
		return false, n.flush()
	case n.several || n.streams():
		for _, w := range n.written {
			n.report(Outcome{Name: w.Name, How: Passed})
		}
		return false, n.flush()
	case a.finish.Cut() || n.x.atLimit(a):
		return false, n.endCut(a.finish)
	}
	return n.judge(a)
}

// endCut ends an answer that a limit or a filter cut: its words are out, its
// calls never leave (security.md H1). The client hears of a cut that cost a call.
func (n *native) endCut(said chat.Finish) error {
	if n.x.t.Profile.OnInvalid == profile.Pass {
		n.lost(Passed)
		return n.flush()
	}
	n.lost(Failed)
	var r recast
	if !said.Cut() {
		r.finish = chat.FinishLength
	}
	return n.recast(r)
}

// lost notes the calls of an answer that was cut.
func (n *native) lost(how string) {
	for _, w := range n.written {
		n.report(Outcome{Name: w.Name, How: how, Bucket: args.BucketTruncated})
	}
}

func (n *native) report(os ...Outcome) { n.x.report.Calls = append(n.x.report.Calls, os...) }

// failed drops held calls: a cut reply sends none. Where a second answer
// failed, the first one stands.
func (n *native) failed(err error) error {
	if n.retries > 0 {
		if n.x.ctx.Err() != nil {
			return err
		}
		return n.passFirst()
	}
	if !n.holding {
		if ferr := n.flush(); ferr != nil {
			return ferr
		}
	}
	return err
}

// size is what a held frame keeps in memory.
func size(f chat.Frame) int {
	n := len(f.Raw)
	for i := range f.Events {
		n += len(f.Events[i].Text) + len(f.Events[i].Call.Args)
	}
	return n
}
