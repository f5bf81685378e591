package turn

import (
	"maps"
	"slices"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
)

// What a protocol hangs on a call beside its name and arguments, such as a
// thought signature, some providers want back with it, and many clients drop
// it. It is kept under the call's id, and is of use only to the model that made
// the call.
const (
	memoryExtra = "extra " // and the provider's and the model's name: what it is kept under
	maxExtra    = 512 << 10
)

func (x *run) extraName() string { return memoryExtra + x.t.Provider + "/" + x.t.Model }

// rememberExtra keeps what hangs on the calls that are about to leave.
func (x *run) rememberExtra(es []chat.Event) {
	if x.r.Memory == nil {
		return
	}
	for i := range es {
		c := &es[i].Call
		if es[i].Kind != chat.EventCallEnd || len(c.Extra) == 0 {
			continue
		}
		b := []byte{'{'}
		for n, k := range slices.Sorted(maps.Keys(c.Extra)) {
			if n > 0 {
				b = append(b, ',')
			}
			b = append(append(rawjson.AppendString(b, k), ':'), c.Extra[k]...)
		}
		if key := memoryKey(x.t.Owner, *c); key != "" && len(b) < maxExtra {
			x.r.Memory.Put(key, map[string][]byte{x.extraName(): append(b, '}')})
		}
	}
}

// withExtra returns q with what is remembered of its calls where the client
// sent nothing of it; q itself where that is nothing.
func (x *run) withExtra(q *chat.Request) *chat.Request {
	if x.r.Memory == nil {
		return q
	}
	out := q
	for i, m := range q.Messages {
		for k, p := range m.Parts {
			c, ok := p.(chat.Call)
			if !ok {
				continue
			}
			e := x.recallExtra(c)
			if e == nil {
				continue
			}
			if out == q {
				out = q.Edit(chat.FieldMessages)
				out.Messages = slices.Clone(q.Messages)
			}
			if to := &out.Messages[i]; &to.Parts[0] == &m.Parts[0] {
				to.Parts = slices.Clone(m.Parts)
			}
			maps.Copy(e, c.Extra)
			c.Extra = e
			out.Messages[i].Parts[k] = c
		}
	}
	return out
}

// recallExtra returns what is remembered of a call; nil where that is nothing,
// or the client sent some of it.
func (x *run) recallExtra(c chat.Call) chat.Extra {
	key := memoryKey(x.t.Owner, c)
	if key == "" {
		return nil
	}
	kept := x.r.Memory.Get(key)[x.extraName()]
	if len(kept) == 0 || rawjson.Valid(kept, rawjson.MaxDepth) != nil {
		return nil
	}
	e := chat.Extra{}
	sent := false
	err := rawjson.Members(kept, func(k, v []byte) bool {
		_, has := c.Extra[string(k)]
		sent = sent || has
		e[string(k)] = v
		return true
	})
	if err != nil || sent || len(e) == 0 {
		return nil
	}
	return e
}
