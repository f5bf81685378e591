package turn

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/words"
)

// Bounds of one turn, whatever the reasons (design rule 5).
const (
	maxHealing     = 2
	maxCorrections = 1
)

// run is one turn under way.
type run struct {
	r       *Runner
	ctx     context.Context
	t       Target
	q       *chat.Request // the client's, its tools under names that can be written
	tools   []chat.Tool   // as the client named them
	sink    func(chat.Frame) error
	limits  Limits
	report  Report
	out     bool // something has gone out
	taught  []profile.Fact
	repeats *chat.Written // the last block that was quoted
	shown   *words.Shown  // what the model was shown; nil: not asked for yet

	back map[string]string // of tools whose names had to be made plain, the client's own

	keepsThought bool   // the provider wants thinking back with the calls that followed it
	thought      []byte // of the answer at hand

	resampled bool // asked again for what a provider rejected

	whole profile.Stream // when the upstream is asked for whole answers; "": never

	healed int // requests of the healing kind
	empty  int // answers with nothing in them, of the carrier at hand
}

// carrier takes one request to the model and its answer back.
type carrier interface {
	// request is what goes upstream next.
	request() *chat.Request
	// frame takes one frame of the answer. Words go out at once.
	frame(f chat.Frame) error
	// end judges the finished answer and sends what is due. again means that
	// the model is to be asked once more with request().
	end(a answer) (again bool, err error)
	// failed tells what the client gets when the upstream failed in mid-answer.
	failed(err error) error
	// silent reports that the current answer said nothing at all.
	silent() bool
	// clean reports that nothing of the current answer has gone out, so that a
	// refusal may still be healed.
	clean() bool
}

// answer is what an upstream's answer said of itself.
type answer struct {
	finish chat.Finish
	cut    bool // it ended without a finish
	usage  chat.Usage
	fault  *chat.Fault // it said so itself, in a 200
	done   bool        // it has gone out, rescued from a fault
}

// Run answers q. The sink gets words at once and all calls together at the end.
// An error that is a *chat.Fault is the upstream's or Ferrule's own; what the
// sink returned comes back wrapped. The report is whole in either case.
func (r *Runner) Run(ctx context.Context, t Target, q *chat.Request, sink func(chat.Frame) error) (Report, error) {
	x := &run{r: r, ctx: ctx, t: t, q: q, tools: q.Tools, sink: sink, limits: r.Limits.withDefaults()}
	x.noteLoop()
	c, err := x.carrier()
	if err == nil {
		err = x.overflow(x.loop(c))
	}
	for i := range x.report.Calls {
		x.report.Calls[i].Name = x.clients(x.report.Calls[i].Name)
	}
	return x.report, err
}

// loop is prepare, send, heal, read, judge, correct.
func (x *run) loop(c carrier) error {
	for {
		a, err := x.attempt(c)
		x.noteFault(a, err)
		if !a.done {
			next, herr := x.another(c, a, err)
			switch {
			case herr != nil:
				return herr
			case next != nil:
				c = next
				x.healed++
				continue
			case err != nil:
				return c.failed(err)
			}
			var again bool
			if again, err = c.end(a); again {
				continue
			}
			x.noteCut(a)
		}
		if err == nil {
			x.unlearn(c)
			for _, f := range x.taught {
				x.learn(f)
				x.prove(f)
			}
		}
		return err
	}
}

// another returns the carrier for another try of the healing kind, or nil.
func (x *run) another(c carrier, a answer, err error) (carrier, error) {
	if err != nil {
		if x.loosens(c, err) {
			return x.loosen(c), nil
		}
		return x.heal(c, err)
	}
	if next, err := x.unfulfilled(c, a); next != nil || err != nil {
		return next, err
	}
	return x.afresh(c, a)
}

// attempt sends one request and reads its answer to the end.
func (x *run) attempt(c carrier) (answer, error) {
	var a answer
	x.report.Requests++
	q := x.streamed(c)
	s, err := x.t.Upstream.Send(x.ctx, q)
	if err != nil {
		return x.salvage(c, a, err)
	}
	defer s.Close()
	for {
		f, err := s.Next()
		if err == io.EOF {
			break
		}
		if errors.Is(err, io.ErrUnexpectedEOF) {
			a.cut = true
			break
		}
		if err != nil {
			return x.salvage(c, a, err)
		}
		if x.q.Stream && !q.Stream {
			f = chat.Frame{Events: f.Events}
		}
		if fault := a.note(f.Events); fault != nil {
			if done, err := x.rescued(c, fault); done {
				a.done = true
				return a, err
			}
			if c.clean() && (x.heals(fault) || x.overflows(fault)) || x.loosens(c, fault) {
				return a, fault
			}
		}
		if err := c.frame(f); err != nil {
			return a, err
		}
	}
	x.report.Usage = x.report.Usage.Add(a.usage)
	x.noteTruncated(q, a)
	return a, nil
}

// salvage ends an attempt that failed: with the calls that the error carries,
// if it carries some.
func (x *run) salvage(c carrier, a answer, err error) (answer, error) {
	done, rerr := x.rescued(c, err)
	if a.done = done; done {
		return a, rerr
	}
	return a, err
}

// note keeps what the events say of the answer and returns a fault among them.
func (a *answer) note(es []chat.Event) *chat.Fault {
	for i := range es {
		switch e := &es[i]; e.Kind {
		case chat.EventUsage:
			a.usage = e.Usage
		case chat.EventFinish:
			// Of several finish reasons one that means cut wins (security.md H2).
			if a.finish == chat.FinishNone || e.Finish.Cut() && !a.finish.Cut() {
				a.finish = e.Finish
			}
		case chat.EventFault:
			if a.fault == nil {
				a.fault = e.Fault
			}
		}
	}
	return a.fault
}

// emit sends a frame out; before the first one the target hears what is known.
func (x *run) emit(f chat.Frame) error {
	if !x.out {
		x.out = true
		if x.t.Begin != nil {
			x.t.Begin(x.report)
		}
	}
	x.clientNames(f.Events)
	x.rememberExtra(f.Events)
	if err := x.sink(f); err != nil {
		return fmt.Errorf("send the answer to the client: %w", err)
	}
	return nil
}

// bound holds what waits for the end of an answer to the limits; since is when
// the wait began.
func (x *run) bound(since *time.Time, held int) error {
	now := x.r.now()
	if since.IsZero() {
		*since = now
	}
	if held > x.limits.HeldBytes || now.Sub(*since) > x.limits.HeldTime {
		return &chat.Fault{
			Code: CodeCallTooLarge, Status: 502,
			Text: fmt.Sprintf("The model's tool call is larger than %d bytes, or took longer than %v. Nothing of it was sent.", x.limits.HeldBytes, x.limits.HeldTime),
		}
	}
	return nil
}

// atLimit reports whether the usage says that the limit cut the answer,
// whatever word the server ended it with (security.md H2).
func (x *run) atLimit(a answer) bool {
	max := x.q.Sampling.MaxTokens
	return max != nil && *max > 0 && a.usage.Known && a.usage.Output >= *max
}

func cutFault() *chat.Fault {
	return &chat.Fault{
		Code: CodeUpstreamCut, Status: 502, Retryable: true,
		Text: "The upstream's answer ended in the middle. Nothing of its tool calls was sent.",
	}
}
