package turn

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ferrule/ferrule/args"
	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/words"
)

// inWords carries tools in the prompt and reads calls from the text.
type inWords struct {
	x      *run
	plan   *words.Plan
	p      profile.Profile
	proof  bool // only what carries the nonce counts
	gate   gate
	reader *words.Reader
	muse   thoughts
	next   *chat.Request
	base   *chat.Request // next, before it was held to anything
	held   bool          // next holds the answer to the form of a call
	loose  bool          // the server refused to

	meta    *chat.Meta // the first answer's
	said    []byte     // the current answer's text as the model wrote it
	size    int
	since   time.Time // when the first call of the current answer began to wait
	written []chat.Written
	slots   slots     // the calls of the first answer, once some were bad
	refused judgement // of that answer
	spoke   bool      // words have gone out
	quoted  bool      // a native call of the current answer was quoted

	retries   int
	kept      []chat.Event // a retry's words: dropped if a call comes; or those that are watched
	aside     string       // a quoted call at the answer's end, of which it isn't known whether it is meant
	watching  bool         // the answer may yet turn out to refuse to play
	declining []chat.Event // the first answer's words, if it did
	outcomes  []Outcome    // of the calls so far
}

// words prepares the request in words.
func (x *run) words(p profile.Profile) (carrier, error) {
	noted, options := x.noted(x.q), x.optionsOf(p)
	if f := x.limits.check(x.q); f != nil {
		return nil, f
	}
	set, err := args.Compile(x.q.Tools, options)
	if err != nil {
		return nil, &chat.Fault{Code: CodeToolSchema, Status: 400, Param: "tools", Text: err.Error()}
	}
	syntax, family := asked(p, x.t.Model)
	q := x.worded(p)
	plan, err := words.NewPlan(q, words.Settings{
		Syntax:   syntax,
		Family:   family,
		Dropped:  p.System == profile.Dropped,
		Proof:    p.Origin == profile.Proof,
		Key:      words.FenceKey(x.r.key(), x.t.Owner),
		Rand:     x.r.Rand,
		Notes:    noted,
		Thinking: thinkings[p.Thinks(x.t.Model)],
		Opened:   p.Opened != nil && *p.Opened,
		Shown:    x.showing(),
		Window:   p.Context,
		Level:    levelsOf[p.Descriptions],
		Example:  p.Examples != nil && *p.Examples,

		ThinkTags: p.Tags,

		Tokens: estimator(p, x.t.Model),
	})
	if err != nil {
		return nil, planFault(err)
	}
	x.planned(p, plan.Level())
	x.report.Mode, x.report.Syntax = string(profile.Emulated), plan.Syntax()
	w := &inWords{x: x, plan: plan, gate: x.gate(set, x.limits.Calls), p: p, proof: p.Origin == profile.Proof}
	w.begin(plan.Request())
	return w, nil
}

// begin readies for one answer to q.
func (w *inWords) begin(q *chat.Request) {
	c := *q
	c.Model = w.x.t.Model
	w.base, w.next = q, w.constrained(&c)
	w.reader = w.plan.Reader(w.known, w.x.quotes)
	as := thinkings[w.p.Thinks(w.x.t.Model)]
	w.muse = thoughts{as: as, open: func() *words.Reader {
		r := w.plan.Reader(w.known, w.x.quotes)
		r.Thinks(as, false)
		return r
	}}
	w.said, w.written, w.kept, w.quoted, w.since = nil, nil, nil, false, time.Time{}
	w.watching = w.watches()
}

func (w *inWords) known(name string) bool {
	t, _, _ := w.gate.set.Find(name)
	return t != nil
}

func (w *inWords) request() *chat.Request { return w.next }

func (w *inWords) clean() bool { return !w.spoke && w.retries == 0 }

func (w *inWords) silent() bool {
	return w.clean() && len(w.written) == 0 && !w.quoted && !w.muse.spoke && len(bytes.TrimSpace(w.said)) == 0
}

func (w *inWords) frame(f chat.Frame) error {
	var es []chat.Event
	for _, e := range f.Events {
		switch e.Kind {
		case chat.EventStart:
			if w.meta == nil && e.Meta != nil {
				m := *e.Meta
				w.meta = &m
			}
		case chat.EventText:
			if w.size += len(e.Text); w.size > w.x.limits.AnswerBytes {
				return &chat.Fault{Code: CodeAnswerTooLarge, Status: 502, Text: fmt.Sprintf("The upstream's answer is larger than %d bytes.", w.x.limits.AnswerBytes)}
			}
			if strings.TrimSpace(e.Text) != "" {
				w.muse.interrupt(w.collect(&es))
			}
			w.said = append(w.said, e.Text...)
			w.reader.Write([]byte(e.Text), w.collect(&es))
		case chat.EventReasoning:
			if len(w.said) == 0 {
				w.reader.Thinks(w.muse.as, false) // the endpoint tells thinking apart by itself
			}
			w.muse.read(e.Text, w.collect(&es))
		case chat.EventCallEnd:
			// Some servers read native markers from text that nobody asked them to.
			w.muse.interrupt(w.collect(&es))
			w.unasked(e)
		}
	}
	if !w.reader.Holding() && len(w.written) == 0 {
		w.since = time.Time{}
	} else if err := w.x.bound(&w.since, 0); err != nil {
		return err
	}
	return w.speak(es)
}

func (w *inWords) unasked(e chat.Event) {
	c := chat.Written{Index: e.Index, ID: e.Call.ID, Name: e.Call.Name, JSON: e.Call.Args}
	if w.x.q.Choice.Mode == chat.ChoiceNone {
		// The client forbade calls, and no words of this one could be shown.
		w.x.report.Calls = append(w.x.report.Calls, Outcome{Name: c.Name, How: Failed, Bucket: args.BucketChannel})
		return
	}
	if w.x.quotes(c) {
		w.quoted = true
		return
	}
	if w.proof {
		c.Why = "it wasn't written in the form that was asked for"
	}
	w.written = append(w.written, c)
}

// collect turns what the Reader finds into events, and keeps the calls.
func (w *inWords) collect(es *[]chat.Event) func(words.Item) {
	return func(i words.Item) {
		if w.setAside(i, func(text string) { *es = append(*es, chat.Event{Kind: chat.EventText, Text: text}) }) {
			return
		}
		kind := chat.EventText
		switch i.Kind {
		case words.ItemCall:
			w.written = append(w.written, w.unheld(*i.Call))
			return
		case words.ItemReasoning:
			kind = chat.EventReasoning
		}
		if len(i.Text) == 0 {
			return
		}
		if n := len(*es); n > 0 && (*es)[n-1].Kind == kind {
			(*es)[n-1].Text += string(i.Text)
			return
		}
		*es = append(*es, chat.Event{Kind: kind, Text: string(i.Text)})
	}
}

// speak sends words at once; those of a retry wait for what comes of it.
func (w *inWords) speak(es []chat.Event) error {
	if len(es) == 0 {
		return nil
	}
	switch {
	case w.retries > 0:
		w.kept = append(w.kept, es...)
		return nil
	case w.watching:
		return w.watch(es)
	}
	return w.say(es)
}

func (w *inWords) say(es []chat.Event) error {
	if !w.spoke {
		w.spoke = true
		es = append([]chat.Event{{Kind: chat.EventStart, Meta: w.meta}}, es...)
	}
	return w.x.emit(chat.Frame{Events: es})
}

// end judges the answer.
func (w *inWords) end(a answer) (bool, error) {
	w.weigh(a.usage)
	finish := a.finish
	if a.cut {
		finish = chat.FinishNone
	}
	if w.x.atLimit(a) && !finish.Cut() {
		finish = chat.FinishLength
	}
	if err := w.finish(finish); err != nil {
		return false, err
	}
	if whole := a.fault == nil && !finish.Cut(); whole && w.declined() {
		w.plainer()
		return true, nil
	}
	if w.watching {
		if err := w.release(); err != nil {
			return false, err
		}
	}
	switch {
	case a.fault != nil:
		return false, w.failed(a.fault)
	case a.cut:
		w.lost(w.written)
		return false, w.failed(cutFault())
	case finish.Cut():
		return false, w.endCut(a.finish, finish)
	}
	return w.judge(finish)
}

// finish ends the reading: what was held goes out, or is a call.
func (w *inWords) finish(f chat.Finish) error {
	var es []chat.Event
	w.muse.end(f, w.collect(&es))
	w.reader.Close(f, w.collect(&es))
	w.reader = nil
	return w.speak(es)
}

// rest sends the words that an answer without an end has held.
func (w *inWords) rest() error {
	if w.reader != nil {
		if err := w.finish(chat.FinishNone); err != nil {
			return err
		}
	}
	if w.retries > 0 || len(w.kept) == 0 && w.aside == "" {
		return nil
	}
	return w.release()
}

// endCut ends a cut answer: its words are out, its calls never leave. The
// client hears of the cut where the upstream said so, or where it cost a call.
func (w *inWords) endCut(said, finish chat.Finish) error {
	if len(w.written) == 0 {
		finish = said
	}
	w.withhold()
	w.lost(w.written)
	if err := w.release(); err != nil {
		return err
	}
	return w.close(nil, finish)
}

// lost notes calls that a cut took.
func (w *inWords) lost(ws []chat.Written) {
	for _, c := range ws {
		w.x.report.Calls = append(w.x.report.Calls, Outcome{Name: c.Name, How: Failed, Bucket: args.BucketTruncated, Repairs: c.Repairs})
	}
}

// release sends the words of a retry from which no call came, behind the block
// that was asked about.
func (w *inWords) release() error {
	es := w.kept
	if w.aside != "" {
		if w.onlyQuoted(es) {
			es = nil
		}
		es = append([]chat.Event{{Kind: chat.EventText, Text: w.aside}}, es...)
	}
	w.kept, w.aside = nil, ""
	if len(es) == 0 {
		return nil
	}
	return w.say(es)
}

// close sends the calls, all together, and ends the answer.
func (w *inWords) close(calls slots, finish chat.Finish) error {
	var es []chat.Event
	taken := w.x.callIDs()
	for i, s := range calls {
		c := *s.call
		c.ID = w.x.callID(c.ID, taken)
		w.x.keep(c, s.notes)
		es = append(es, chat.Event{Kind: chat.EventCallEnd, Index: i, Call: c})
	}
	if len(calls) > 0 {
		finish = chat.FinishCalls
	} else if finish == chat.FinishCalls {
		finish = chat.FinishStop
	}
	es = append(es, chat.Event{Kind: chat.EventFinish, Finish: finish})
	if u := w.x.report.Usage; u.Known {
		es = append(es, chat.Event{Kind: chat.EventUsage, Usage: u})
	}
	return w.say(es)
}

// failed tells the client what became of the answer. Emulated mode never shows
// another request's own error as if it were the client's.
func (w *inWords) failed(err error) error {
	if w.x.ctx.Err() == nil {
		if serr := w.rest(); serr != nil {
			return serr
		}
	}
	if w.declining != nil && w.x.ctx.Err() == nil {
		return w.asDeclined()
	}
	var f *chat.Fault
	if errors.As(err, &f) {
		return f
	}
	return err
}
