package turn

import (
	"slices"
	"time"

	"github.com/ferrule/ferrule/chat"
)

// recast says how a held answer differs from what came. Its zero value is the
// answer without its calls.
type recast struct {
	keep   bool         // the calls stay as they came
	calls  []chat.Call  // all calls, in order
	words  []chat.Event // of a second answer, which made no call
	finish chat.Finish  // "": as it came
	usage  bool         // the count is that of all requests
}

// recast sends the held frames. One whose bytes still hold goes out as it came;
// the calls leave together where the first one stood, before the finish.
func (n *native) recast(r recast) error {
	var due []chat.Event
	if !r.keep {
		due = append(due, r.words...)
		for i, c := range r.calls {
			due = append(due, chat.Event{Kind: chat.EventCallEnd, Index: i, Call: c})
		}
	}
	w := n.wait
	if n.leaks.found() {
		w = n.leaks.out(w)
	}
	n.wait, n.held, n.since = nil, 0, time.Time{}
	for _, f := range w {
		var out []chat.Frame
		out, due = r.frame(f, due, n.x.report.Usage)
		for _, f := range out {
			if err := n.send(f); err != nil {
				return err
			}
		}
	}
	if len(due) > 0 {
		return n.send(chat.Frame{Events: due})
	}
	return nil
}

// frame returns what goes out for one held frame, and what is still due then.
func (r *recast) frame(f chat.Frame, due []chat.Event, usage chat.Usage) (out []chat.Frame, left []chat.Event) {
	cut := !r.keep && holdsCalls(f) // Raw has what doesn't go out
	es, at, changed := r.events(f, usage)
	asCame := f.Raw != nil && !cut && !changed
	switch {
	case at < 0:
		left = due
	case f.Raw != nil && !cut && len(due) > 0:
		out = append(out, chat.Frame{Events: due})
	default:
		es = slices.Insert(es, at, due...)
	}
	switch {
	case asCame:
		f.Events = es
		return append(out, f), left
	case len(es) == 0:
		return out, left
	case f.Raw != nil && (!cut || f.Whole && len(r.words) == 0):
		f.Events, f.Changed = es, true
		return append(out, f), left
	}
	return append(out, chat.Frame{Events: es}), left
}

// events returns a frame's events as they go out, where among them the calls
// stand, -1 for nowhere, and whether another event than a call is changed.
func (r *recast) events(f chat.Frame, usage chat.Usage) (es []chat.Event, at int, changed bool) {
	at = -1
	for _, e := range f.Events {
		isCall := e.Kind == chat.EventCallStart || e.Kind == chat.EventCallArgs || e.Kind == chat.EventCallEnd
		if at < 0 && (isCall || e.Kind == chat.EventFinish) {
			at = len(es)
		}
		switch {
		case e.Kind == chat.EventOther || isCall && !r.keep:
			continue
		case e.Kind == chat.EventFinish && r.finish != "" && e.Finish != r.finish:
			e.Finish, changed = r.finish, true
		case e.Kind == chat.EventUsage && r.usage && e.Usage != usage:
			e.Usage, changed = usage, true
		}
		es = append(es, e)
	}
	if at < 0 && f.Calls {
		at = len(es)
	}
	return es, at, changed
}

// holdsCalls reports whether a frame's bytes hold a piece of a call.
func holdsCalls(f chat.Frame) bool {
	return f.Calls || slices.ContainsFunc(f.Events, func(e chat.Event) bool {
		return e.Kind == chat.EventCallStart || e.Kind == chat.EventCallArgs || e.Kind == chat.EventCallEnd && f.Whole
	})
}
