package turn

import (
	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
)

// slot is the place of one call in an answer; empty where the call was bad.
type slot struct {
	call  *chat.Call
	notes []string // for the model to read with the call's result
}

// slots are the calls of an answer in the order in which they were written, so
// that a call that is asked for again comes back to its place.
type slots []slot

func (s slots) good() int {
	n := 0
	for _, p := range s {
		if p.call != nil {
			n++
		}
	}
	return n
}

// hold reports whether an equal call is among them.
func (s slots) hold(c *chat.Call) bool {
	for _, p := range s {
		if p.call != nil && p.call.Name == c.Name && rawjson.Same(p.call.Args, c.Args) {
			return true
		}
	}
	return false
}

// fill puts the fresh calls into the empty places, in order. What is left over
// comes behind the last place that was filled; a place that stays empty goes.
func (s slots) fill(fresh slots) slots {
	var calls slots
	empty := len(s) - s.good()
	for _, p := range s {
		if p.call != nil {
			calls = append(calls, p)
			continue
		}
		take := min(1, len(fresh))
		if empty--; empty == 0 {
			take = len(fresh)
		}
		calls = append(calls, fresh[:take]...)
		fresh = fresh[take:]
	}
	return append(calls, fresh...)
}
