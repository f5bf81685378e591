package openai

import (
	"bytes"
	"fmt"
	"net/http"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
)

// answer turns chunks, or one whole reply, into events. It follows choice 0;
// the calls of others count only where choice 0 has none and they say nothing else.
type answer struct {
	events  []chat.Event
	strings arena
	scratch []byte

	begun   bool // EventStart is out
	said    bool // choice 0 said a word
	failed  bool // it told of an error
	text    half
	thought half
	main    assembler
	aside   []*aside
	finish  chat.Finish
}

// aside is a choice other than the first.
type aside struct {
	index  int
	calls  assembler
	words  bool
	finish chat.Finish
}

func (a *answer) add(e chat.Event) { a.events = append(a.events, e) }

func (a *answer) fault(f *chat.Fault) {
	a.failed = true
	a.add(chat.Event{Kind: chat.EventFault, Fault: f})
}

// chunk adds the events of a chunk. plain is false where the bytes would make
// another reader understand something else.
func (a *answer) chunk(ch *chunk, whole bool) (plain bool) {
	plain = true
	if !a.begun && (len(ch.choices) > 0 || ch.id != nil) {
		a.begun = true
		a.add(chat.Event{Kind: chat.EventStart, Meta: &chat.Meta{ID: str(ch.id), Model: str(ch.model), Created: ch.created}})
	}
	finish := chat.FinishNone
	a.main.chunk++
	for i := range ch.choices {
		x := &ch.choices[i]
		f := readFinish(x.finish)
		if x.index != 0 {
			a.other(x, f)
			continue
		}
		if x.whole && !whole && (a.said || len(a.main.calls) > 0) {
			x.content, x.calls, x.hasLegacy = nil, nil, false // it repeats the deltas
		} else {
			a.words(x)
			plain = a.calls(x) && plain
		}
		finish = firstFinish(finish, f)
	}
	if whole {
		plain = a.adopt(&finish) && plain
		if finish == chat.FinishNone && len(a.main.calls) == 0 && len(ch.choices) > 0 {
			finish = chat.FinishStop // the reply is all there, and nothing runs
		}
	}
	if finish != chat.FinishNone {
		plain = a.endCalls(whole) && plain
	}
	if ch.usage != nil {
		a.add(chat.Event{Kind: chat.EventUsage, Usage: readUsage(ch.usage)})
	}
	if finish != chat.FinishNone {
		a.end(finish)
	}
	return plain
}

// end says the finish. Of several the first counts, unless a later one means cut.
func (a *answer) end(f chat.Finish) {
	if was := a.finish; was != chat.FinishNone && firstFinish(was, f) == was {
		return
	}
	a.finish = f
	a.restText()
	a.add(chat.Event{Kind: chat.EventFinish, Finish: f})
}

func readFinish(quoted []byte) chat.Finish {
	if quoted == nil {
		return chat.FinishNone
	}
	word := str(quoted)
	if f, ok := finishes[word]; ok {
		return f
	}
	return chat.Finish(word)
}

func firstFinish(f, g chat.Finish) chat.Finish {
	if f == chat.FinishNone || !f.Cut() && g != chat.FinishNone && g.Cut() {
		return g
	}
	return f
}

func (a *answer) words(x *choice) {
	thoughts := x.reasoning
	if thoughts == nil {
		thoughts = x.thoughts
	}
	a.say(chat.EventReasoning, &a.thought, thoughts)
	if len(x.content) > 0 && x.content[0] == '[' {
		a.parts(x.content)
	} else {
		a.say(chat.EventText, &a.text, x.content)
	}
	a.say(chat.EventText, &a.text, x.refusal)
}

// say adds an event with the text of a JSON string.
func (a *answer) say(kind chat.Kind, h *half, quoted []byte) {
	if len(quoted) <= 2 || quoted[0] != '"' {
		return
	}
	a.scratch = appendText(a.scratch[:0], quoted)
	if text := h.whole(a.scratch); len(text) > 0 {
		a.said = true
		a.add(chat.Event{Kind: kind, Text: a.strings.string(text)})
	}
}

// parts reads content that is a list: some upstreams think in it.
func (a *answer) parts(list []byte) {
	_ = rawjson.Elements(list, func(part []byte) bool {
		if text, ok := rawjson.Get(part, "text"); ok {
			a.say(chat.EventText, &a.text, text)
			return true
		}
		thinking, ok := rawjson.Get(part, "thinking")
		if ok && rawjson.Kind(thinking) == '[' {
			_ = rawjson.Elements(thinking, func(part []byte) bool {
				text, _ := rawjson.Get(part, "text")
				a.say(chat.EventReasoning, &a.thought, text)
				return true
			})
			return true
		}
		a.say(chat.EventReasoning, &a.thought, thinking)
		return true
	})
}

// restText says what was held back of text that ends inside a pair.
func (a *answer) restText() {
	for _, r := range []struct {
		kind chat.Kind
		half *half
	}{{chat.EventReasoning, &a.thought}, {chat.EventText, &a.text}} {
		if s := r.half.rest(); s != "" {
			a.add(chat.Event{Kind: r.kind, Text: s})
		}
	}
}

// calls takes the pieces of calls that a chunk of choice 0 holds.
func (a *answer) calls(x *choice) (plain bool) {
	plain = true
	for i := range x.calls {
		d := &x.calls[i]
		if x.whole {
			d.index, d.hasIndex = i, true
		}
		plain = a.piece(d) && plain
	}
	if x.hasLegacy && len(x.calls) == 0 {
		plain = a.piece(&x.legacy) && plain
	}
	return plain
}

func (a *answer) piece(d *delta) (plain bool) {
	c, plain := a.main.take(d)
	switch {
	case c == nil:
		return a.refuse(fmt.Sprintf("The upstream sent more than %d tool calls.", maxCalls))
	case c.ended:
		return a.refuse("The upstream sent more of a tool call that it had ended.")
	}
	if !c.started && c.name != "" {
		c.started = true
		a.add(chat.Event{Kind: chat.EventCallStart, Index: c.index, Call: c.head()})
	}
	if c.started && c.told < len(c.args) {
		a.add(chat.Event{Kind: chat.EventCallArgs, Index: c.index, Text: a.strings.string(c.args[c.told:])})
		c.told = len(c.args)
	}
	return plain
}

func (a *answer) refuse(text string) (plain bool) {
	a.fault(&chat.Fault{Code: codeInvalid, Status: http.StatusBadGateway, Text: text})
	return false
}

// endCalls says the calls that are whole, for some upstreams say a finish in
// every chunk; at the very end, all of them. It is false where a call isn't
// what its pieces said one after the other.
func (a *answer) endCalls(last bool) (plain bool) {
	plain = true
	for _, c := range a.main.calls {
		if c.ended || !last && !c.custom && len(c.args) > 0 && !complete(c.args) {
			continue
		}
		c.ended = true
		if !c.started {
			a.add(chat.Event{Kind: chat.EventCallStart, Index: c.index, Call: c.head()})
			if len(c.args) > 0 {
				a.add(chat.Event{Kind: chat.EventCallArgs, Index: c.index, Text: a.strings.string(c.args)})
			}
			plain = false
		}
		w, same := c.whole()
		plain = plain && same
		a.add(chat.Event{Kind: chat.EventCallEnd, Index: c.index, Call: w})
	}
	return plain
}

// other keeps the calls of a choice that isn't the first.
func (a *answer) other(x *choice, f chat.Finish) {
	var o *aside
	for _, known := range a.aside {
		if known.index == x.index {
			o = known
		}
	}
	if o == nil {
		if len(a.aside) >= maxChoices {
			return
		}
		o = &aside{index: x.index}
		a.aside = append(a.aside, o)
	}
	o.finish = firstFinish(o.finish, f)
	o.words = o.words || len(x.content) > 2 || x.reasoning != nil || x.thoughts != nil
	o.calls.chunk++
	for i := range x.calls {
		d := &x.calls[i]
		if x.whole {
			d.index, d.hasIndex = i, true
		}
		o.calls.take(d)
	}
}

// adopt takes the calls of another choice for choice 0's, which has none. plain
// is false where it does: a client reads choice 0.
func (a *answer) adopt(finish *chat.Finish) (plain bool) {
	if len(a.main.calls) > 0 {
		return true
	}
	for _, o := range a.aside {
		if o.words || len(o.calls.calls) == 0 {
			continue
		}
		a.main.calls = o.calls.calls
		*finish = firstFinish(*finish, o.finish)
		return false
	}
	return true
}

// stop ends an answer in words whose upstream says only that it is over.
func (a *answer) stop() {
	if a.finish == chat.FinishNone && a.said && !a.failed && len(a.main.calls) == 0 && len(a.aside) == 0 {
		a.finish = chat.FinishStop
		a.add(chat.Event{Kind: chat.EventFinish, Finish: chat.FinishStop})
	}
}

// close says what is left at the end of a stream that gave a finish.
func (a *answer) close() (plain bool) {
	if a.finish == chat.FinishNone {
		return true
	}
	finish := a.finish
	plain = a.adopt(&finish)
	plain = a.endCalls(true) && plain
	a.end(finish)
	return plain
}

// usagePaths is where the counts stand in a usage object.
var usagePaths = []struct {
	path []string
	set  func(*chat.Usage, int)
}{
	{[]string{"prompt_tokens"}, func(u *chat.Usage, n int) { u.Input = n }},
	{[]string{"completion_tokens"}, func(u *chat.Usage, n int) { u.Output = n }},
	{[]string{"total_tokens"}, func(u *chat.Usage, n int) { u.Total = n }},
	{[]string{"prompt_tokens_details", "cached_tokens"}, func(u *chat.Usage, n int) { u.Cached = n }},
	{[]string{"completion_tokens_details", "reasoning_tokens"}, func(u *chat.Usage, n int) { u.Reasoning = n }},
}

func readUsage(raw []byte) chat.Usage {
	u := chat.Usage{Known: true}
	for _, p := range usagePaths {
		if v, ok := rawjson.Get(raw, p.path...); ok {
			if n, ok := integer(bytes.TrimSpace(v)); ok {
				p.set(&u, int(n))
			}
		}
	}
	return u
}
