package turn

import (
	"time"

	"github.com/ferrule/ferrule/args"
	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/profile"
)

// native carries tools by the provider's own API. Bytes go out as they came;
// frames from the first call on are held until the answer has ended, so that no
// call leaves while a sibling may still fail.
type native struct {
	x       *run
	tools   bool // the request has tools, so calls are held and judged
	wait    []chat.Frame
	started bool // a frame that says something has come
	holding bool // a call has come: everything waits
	held    int  // bytes held
	since   time.Time
	written []chat.Written
	sent    bool
}

func newNative(x *run, none bool) *native {
	n := &native{x: x, tools: len(x.q.Tools) > 0}
	if !none {
		x.report.Mode = string(profile.Native)
	}
	return n
}

func (n *native) request() *chat.Request {
	if n.x.q.Model == n.x.t.Model {
		return n.x.q
	}
	q := *n.x.q
	q.Model = n.x.t.Model
	return &q
}

func (n *native) clean() bool { return !n.sent }

func (n *native) frame(f chat.Frame) error {
	if !n.tools {
		return n.send(f)
	}
	for i := range f.Events {
		switch e := &f.Events[i]; e.Kind {
		case chat.EventOther, chat.EventStart:
		case chat.EventCallStart, chat.EventCallArgs:
			n.started, n.holding = true, true
		case chat.EventCallEnd:
			n.started, n.holding = true, true
			n.written = append(n.written, chat.Written{Index: e.Index, ID: e.Call.ID, Name: e.Call.Name, JSON: e.Call.Args})
		default:
			n.started = true
		}
	}
	if n.started && !n.holding {
		if err := n.flush(); err != nil {
			return err
		}
		return n.send(f)
	}
	// Nothing said yet, or a call under way: wait, in order.
	n.wait = append(n.wait, f.Clone())
	n.held += size(f)
	return n.x.bound(&n.since, n.held)
}

func (n *native) send(f chat.Frame) error {
	n.sent = true
	return n.x.emit(f)
}

func (n *native) flush() error {
	w := n.wait
	n.wait, n.held = nil, 0
	for _, f := range w {
		if err := n.send(f); err != nil {
			return err
		}
	}
	return nil
}

// end sends the held frames as they came. What the model wrote is judged for
// the report; in native mode the client gets it byte for byte. An answer that
// ended in the middle sends no call.
func (n *native) end(a answer) (bool, error) {
	switch {
	case a.fault != nil && n.holding:
		n.lost()
		return false, n.failed(a.fault)
	case a.cut && a.fault == nil:
		n.lost()
		return false, n.failed(cutFault())
	}
	n.judge(a)
	return false, n.flush()
}

// lost notes the calls that don't leave.
func (n *native) lost() {
	for _, w := range n.written {
		n.x.report.Calls = append(n.x.report.Calls, Outcome{Name: w.Name, How: Failed, Bucket: args.BucketTruncated})
	}
}

func (n *native) judge(a answer) {
	if len(n.written) == 0 {
		return
	}
	set, err := args.Compile(n.x.q.Tools, args.Options{Cache: n.x.r.schemas(), Loose: true})
	for _, w := range n.written {
		o := Outcome{Name: w.Name, How: Passed}
		switch {
		case a.finish.Cut():
			o.Bucket = args.BucketTruncated
		case err != nil:
			// A schema that we can't read is the upstream's to judge.
		default:
			r := set.Read(w)
			if r.Problems != nil {
				o.Bucket = r.Problems.Bucket
			} else if len(r.Repairs) == 0 {
				o.How = Clean
			}
		}
		n.x.report.Calls = append(n.x.report.Calls, o)
	}
}

// failed drops held calls: a cut reply sends none.
func (n *native) failed(err error) error {
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
