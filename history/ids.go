package history

import (
	"crypto/sha256"
	"strconv"
	"strings"

	"github.com/ferrule/ferrule/chat"
)

// form is what a provider takes for the id of a call.
type form struct {
	fits func(id string, c chat.Call) bool
	// key tells calls apart whose ids are made of different things.
	key func(c chat.Call) string
	// from makes an id. place is the call's among all of the conversation, n the
	// number of the try: 0, then the next that it returned for the same key.
	from func(c chat.Call, place, n int) (id string, next int)
}

const (
	alnum = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	plain = alnum + "_-"
)

// Lengths of ids, in bytes.
const (
	nineLength = 9
	longLength = 24 // behind the prefix
	maxPlain   = 40 // OpenAI takes no longer one
	maxToolu   = 64
	maxDigits  = 9
)

const (
	tooluPrefix     = "toolu_"
	functionsPrefix = "functions."
)

var (
	nineForm = hashForm("", nineLength, func(id string) bool {
		return len(id) == nineLength && only(id, alnum)
	})
	tooluForm = hashForm(tooluPrefix, longLength, func(id string) bool {
		rest, ok := strings.CutPrefix(id, tooluPrefix)
		return ok && rest != "" && len(id) <= maxToolu && only(rest, plain)
	})
	plainForm = hashForm("call_", longLength, func(id string) bool {
		return id != "" && len(id) <= maxPlain && only(id, plain)
	})
	functionsForm = form{
		fits: func(id string, c chat.Call) bool {
			number, ok := strings.CutPrefix(id, functionsPrefix+c.Name+":")
			return ok && number != "" && len(number) <= maxDigits && only(number, "0123456789")
		},
		key: func(c chat.Call) string { return c.Name },
		from: func(c chat.Call, place, n int) (string, int) {
			n = max(place, n)
			return functionsPrefix + c.Name + ":" + strconv.Itoa(n), n + 1
		},
	}
)

// hashForm is a form that says nothing: a prefix and so many letters and digits.
func hashForm(prefix string, length int, fits func(id string) bool) form {
	return form{
		fits: func(id string, _ chat.Call) bool { return fits(id) },
		key:  func(c chat.Call) string { return c.ID },
		from: func(c chat.Call, place, n int) (string, int) {
			return prefix + hashed(c.ID, place, n, length), n + 1
		},
	}
}

func only(s, chars string) bool { return strings.Trim(s, chars) == "" }

// hashed spells the hash of an id. One that isn't there is told from others by
// the call's place.
func hashed(id string, place, n, length int) string {
	seed := "id\x00" + id
	if id == "" {
		seed = "place\x00" + strconv.Itoa(place)
	}
	if n > 0 {
		seed += "\x00" + strconv.Itoa(n)
	}
	sum := sha256.Sum256([]byte(seed))
	out := make([]byte, length)
	for i := range out {
		out[i] = alnum[int(sum[i])%len(alnum)]
	}
	return string(out)
}

// mapIDs gives every call an id of the form, which no earlier call has: its own
// where it fits. Results follow their calls. What comes later in a conversation
// changes nothing, so ids are the same on every turn.
func mapIDs(f form) func(*talk) {
	return func(t *talk) {
		ids := t.assign(f)
		for i := range t.ms {
			var parts []chat.Part
			for k, part := range t.ms[i].Parts {
				id, ok := ids[place{i, k}]
				if !ok {
					continue
				}
				if parts == nil {
					parts = append(parts, t.ms[i].Parts...)
				}
				switch v := part.(type) {
				case chat.Call:
					v.ID = id
					parts[k] = v
				case chat.Result:
					v.ID = id
					parts[k] = v
				}
				t.note("an id was put into the form that is taken")
			}
			if parts != nil {
				t.ms[i].Parts = parts
			}
		}
	}
}

// assignment gives out ids, one for each call, in the order of the conversation.
type assignment struct {
	form   form
	used   map[string]bool
	latest map[string]string // the new id by the client's
	next   map[string]int    // the next try, by the form's key: many calls may share an id
	calls  int
}

func (a *assignment) id(c chat.Call) string {
	id := c.ID
	if !a.form.fits(id, c) || a.used[id] {
		key := a.form.key(c)
		n := a.next[key]
		for id, n = a.form.from(c, a.calls, n); a.used[id]; {
			id, n = a.form.from(c, a.calls, n)
		}
		a.next[key] = n
	}
	a.used[id], a.latest[c.ID] = true, id
	a.calls++
	return id
}

// orphan is the id of a result whose call isn't there.
func (a *assignment) orphan(r chat.Result) string {
	c := chat.Call{ID: r.ID, Name: r.Name}
	id, ok := a.latest[r.ID]
	switch {
	case r.ID == "":
		c.ID = "\x00" // not what a call without an id would get
	case ok:
		return id
	case a.form.fits(r.ID, c):
		return r.ID
	}
	id, _ = a.form.from(c, a.calls, 0)
	return id
}

// assign returns the new ids of the calls and results that need one.
func (t *talk) assign(f form) map[place]string {
	p := t.pairs()
	a := assignment{form: f, used: map[string]bool{}, latest: map[string]string{}, next: map[string]int{}}
	given := map[place]string{}
	changed := map[place]string{}
	for i, m := range t.ms {
		for k, part := range m.Parts {
			at := place{i, k}
			var was, id string
			switch v := part.(type) {
			case chat.Call:
				was, id = v.ID, a.id(v)
				given[at] = id
			case chat.Result:
				was = v.ID
				if call, ok := p.call[at]; ok {
					id = given[call]
				} else {
					id = a.orphan(v)
				}
			}
			if id != was {
				changed[at] = id
			}
		}
	}
	return changed
}

// ClientIDs returns the client's id by the one that Shape gives its call under
// the same rules, for ids that come back from an upstream in other places than
// a history. An id that isn't there is the client's own.
func ClientIDs(q *chat.Request, rules Rules) map[string]string {
	shaped, _ := Shape(q, rules)
	plainly, _ := Shape(q, rules.whole()&^(IDsNine|IDsToolu|IDsFunctions|IDsPlain))
	out := map[string]string{}
	if len(shaped.Messages) != len(plainly.Messages) {
		return out
	}
	for i, m := range shaped.Messages {
		was := plainly.Messages[i].Parts
		for k, part := range m.Parts {
			c, ok := part.(chat.Call)
			if !ok || k >= len(was) {
				continue
			}
			if before, ok := was[k].(chat.Call); ok && before.ID != c.ID {
				out[c.ID] = before.ID
			}
		}
	}
	return out
}
