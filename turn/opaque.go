package turn

import (
	"maps"
	"slices"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/history"
	"github.com/ferrule/ferrule/rawjson"
)

// What a protocol hangs on a call beside its name and arguments, such as a
// thought signature, some providers want back with it, and many clients drop
// it. It is kept under the call's id, and is of use only to the model that made
// the call.
const (
	memoryExtra   = "extra "    // and the provider's and the model's name: what it is kept under
	memoryThought = "thinking " // the same
	maxExtra      = 512 << 10
	maxKept       = 64 << 10 // bytes of thinking that are kept of one answer
)

func (x *run) extraName() string   { return memoryExtra + x.t.Provider + "/" + x.t.Model }
func (x *run) thoughtName() string { return memoryThought + x.t.Provider + "/" + x.t.Model }

// rememberExtra keeps what hangs on the calls that are about to leave, and the
// thinking before them where the provider wants that back.
func (x *run) rememberExtra(es []chat.Event) {
	if x.r.Memory == nil {
		return
	}
	for i := range es {
		c := &es[i].Call
		switch kind := es[i].Kind; {
		case kind == chat.EventReasoning && x.keepsThought:
			x.thought = append(x.thought, es[i].Text[:min(len(es[i].Text), maxKept-len(x.thought))]...)
			continue
		case kind != chat.EventCallEnd || len(c.Extra) == 0 && len(x.thought) == 0:
			continue
		}
		key := memoryKey(x.t.Owner, *c)
		if key == "" {
			continue
		}
		if b := extraObject(c.Extra); len(c.Extra) > 0 && len(b) < maxExtra {
			x.r.Memory.Put(key, map[string][]byte{x.extraName(): b})
		}
		// Cut thinking is none that the model had.
		if n := len(x.thought); n > 0 && n < maxKept {
			x.r.thoughts.Put(key, map[string][]byte{x.thoughtName(): x.thought})
		}
	}
}

func extraObject(e chat.Extra) []byte {
	b := []byte{'{'}
	for n, k := range slices.Sorted(maps.Keys(e)) {
		if n > 0 {
			b = append(b, ',')
		}
		b = append(append(rawjson.AppendString(b, k), ':'), e[k]...)
	}
	return append(b, '}')
}

// recallKept returns what is remembered of a call; nothing of what hung on it where
// the client sent some of that.
func (x *run) recallKept(c chat.Call) (history.Kept, bool) {
	key := memoryKey(x.t.Owner, c)
	if key == "" {
		return history.Kept{}, false
	}
	k := history.Kept{Reasoning: string(x.r.thoughts.Get(key)[x.thoughtName()])}
	kept := x.r.Memory.Get(key)[x.extraName()]
	if len(kept) > 0 && rawjson.Valid(kept, rawjson.MaxDepth) == nil {
		e, sent := chat.Extra{}, false
		err := rawjson.Members(kept, func(k, v []byte) bool {
			_, has := c.Extra[string(k)]
			sent = sent || has
			e[string(k)] = v
			return true
		})
		if err == nil && !sent {
			k.Extra = e
		}
	}
	return k, k.Reasoning != "" || len(k.Extra) > 0
}

// withExtra returns q with what is remembered of its calls where the client
// sent nothing of it; q itself where that is nothing.
func (x *run) withExtra(q *chat.Request, rules history.Rules) *chat.Request {
	if x.r.Memory == nil {
		return q
	}
	x.keepsThought = rules.Has(history.ReasoningBack)
	x.thought = nil
	out, _ := history.Restore(q, rules, x.recallKept)
	return out
}
