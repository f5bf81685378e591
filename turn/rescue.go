package turn

import (
	"bytes"
	"errors"
	"strings"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/refusal"
	"github.com/ferrule/ferrule/words"
)

// The names of what is set right in calls out of an error.
const (
	RepairRescue  = "rescued_call" // the server couldn't read what the model wrote, and sent it along
	RepairUnnamed = "unnamed_call" // without its tool's name, where one tool alone takes such arguments
)

// rescuer is a carrier that can end its answer with calls out of an error.
type rescuer interface {
	// rescuing returns what reads them; nil where nothing can be rescued now.
	rescuing(g refusal.Generation) *rescue
	// deliver sends the answer that they make.
	deliver(words []chat.Event, j judgement) error
}

// rescue is how the calls in an error are read.
type rescue struct {
	gate   gate
	reader *words.Reader
	profile.Profile
	known func(string) bool
	proof bool   // only what carries the nonce counts
	said  string // what the client has been told, or is about to be
	out   bool   // something has gone out

	words   []chat.Event
	written []chat.Written
	ahead   bool // words stand before the first call
}

// rescued ends the answer with the calls that stand in an error, before
// anything is sent again. It reports whether it did.
func (x *run) rescued(c carrier, err error) (bool, error) {
	var f *chat.Fault
	if !errors.As(err, &f) || x.ctx.Err() != nil || len(x.q.Tools) == 0 || x.q.Choice.Mode == chat.ChoiceNone {
		return false, nil
	}
	g, ok := refusal.Generated(f)
	if !ok {
		return false, nil
	}
	to, ok := c.(rescuer)
	if !ok {
		return false, nil
	}
	r := to.rescuing(g)
	if r == nil || !r.read(g, x) {
		return false, nil
	}
	j := r.gate.judge(r.written, nil, false)
	if !j.ok() || j.fresh.good() == 0 {
		return false, nil
	}
	x.report.Rescued += j.fresh.good()
	return true, to.deliver(r.words, j)
}

// read reads what the model wrote. It is false where that can't be the whole of
// what the client should get: a call is cut, or there are words that it misses.
func (r *rescue) read(g refusal.Generation, x *run) bool {
	if g.Extent == refusal.Arguments {
		w, ok := r.unnamed(g.Text, x)
		r.written = []chat.Written{w}
		return ok
	}
	// What was cut off isn't known, so nothing is closed for it: a call that
	// isn't whole fails, and none is taken.
	r.reader.Write([]byte(g.Text), r.take)
	r.reader.Close(chat.FinishStop, r.take)
	if w, ok := headOnly(g.Text, r.known); ok && len(r.written) == 0 && !r.proof && g.Extent == refusal.Whole && !x.quotes(w) {
		r.written, r.words = []chat.Written{w}, nil
	}
	for i := range r.written {
		w := &r.written[i]
		w.Repairs = append(w.Repairs, RepairRescue)
	}
	if len(r.written) == 0 || g.Extent == refusal.Rest && r.ahead {
		return false
	}
	if !r.out && strings.TrimSpace(r.said) == "" {
		return true
	}
	spoken := strings.TrimSpace(textOf(r.words))
	r.words = nil
	return strings.Contains(r.said, spoken)
}

func (r *rescue) take(i words.Item) {
	kind := chat.EventText
	switch i.Kind {
	case words.ItemCall:
		r.written = append(r.written, *i.Call)
		return
	case words.ItemReasoning:
		kind = chat.EventReasoning
	}
	if len(i.Text) == 0 {
		return
	}
	r.ahead = r.ahead || len(r.written) == 0 && len(bytes.TrimSpace(i.Text)) > 0
	r.words = append(r.words, chat.Event{Kind: kind, Text: string(i.Text)})
}

// textOf joins the words of an answer, thoughts left out.
func textOf(es []chat.Event) string {
	var b strings.Builder
	for _, e := range es {
		if e.Kind == chat.EventText {
			b.WriteString(e.Text)
		}
	}
	return b.String()
}

// delivered are the events of a rescued answer, its calls last.
func delivered(words []chat.Event, calls []chat.Call) []chat.Event {
	es := words
	for i, c := range calls {
		es = append(es, chat.Event{Kind: chat.EventCallEnd, Index: i, Call: c})
	}
	return append(es, chat.Event{Kind: chat.EventFinish, Finish: chat.FinishCalls})
}

// autoReader reads what a model wrote in a syntax that nobody asked it for. Of
// an answer whose beginning is missing only what nobody could take for text counts.
func autoReader(g refusal.Generation, known func(string) bool, quoted func(chat.Written) bool) *words.Reader {
	if g.Extent == refusal.Rest {
		return words.NewLeakReader(known, quoted, false)
	}
	forms, _ := words.Forms("auto")
	r := words.NewReader(forms, words.Frame{}, known, quoted)
	r.MayThink()
	return r
}

// holdsCall reports whether what was said so far holds a call, or the beginning of one.
func holdsCall(r *words.Reader, said []byte) (found bool) {
	take := func(i words.Item) { found = found || i.Kind == words.ItemCall }
	r.Write(said, take)
	r.Close(chat.FinishNone, take)
	return found
}

func (w *inWords) rescuing(g refusal.Generation) *rescue {
	if w.retries > 0 || len(w.written) > 0 || holdsCall(w.plan.Reader(w.known, nil), w.said) {
		return nil
	}
	r := &rescue{gate: w.gate, Profile: w.p, known: w.known, proof: w.proof, said: string(w.said), out: w.spoke}
	if r.reader = autoReader(g, w.known, w.x.quotes); w.proof {
		if g.Extent == refusal.Arguments {
			return nil
		}
		r.reader = w.plan.Reader(w.known, w.x.quotes)
	}
	return r
}

func (w *inWords) deliver(words []chat.Event, j judgement) error {
	if err := w.rest(); err != nil {
		return err
	}
	if len(words) > 0 {
		if err := w.say(words); err != nil {
			return err
		}
	}
	w.x.report.Calls = append(w.x.report.Calls, j.outcomes...)
	return w.close(j.fresh, chat.FinishCalls)
}

func (n *native) rescuing(g refusal.Generation) *rescue {
	if n.retries > 0 || n.holding || n.several || holdsCall(words.NewLeakReader(n.known, nil, n.x.q.Format == nil), n.said) {
		return nil
	}
	set, err := n.toolset()
	if err != nil {
		return nil
	}
	return &rescue{
		gate: n.x.gate(set, 0), reader: autoReader(g, n.known, n.x.quotes), Profile: n.p, known: n.known,
		said: string(n.said), out: n.sent,
	}
}

func (n *native) deliver(words []chat.Event, j judgement) error {
	if !n.sent && len(n.wait) == 0 {
		words = append([]chat.Event{{Kind: chat.EventStart}}, words...)
	}
	if err := n.flush(); err != nil {
		return err
	}
	n.report(j.outcomes...)
	return n.send(chat.Frame{Events: delivered(words, n.named(j.fresh))})
}
