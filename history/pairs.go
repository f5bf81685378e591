package history

import "github.com/ferrule/ferrule/chat"

// place is where a part stands.
type place struct{ message, part int }

// pairing says which result answers which call.
type pairing struct {
	call   map[place]place // of a result
	result map[place]place // of a call
}

// pairs reads the transcript as it was lived through: a result answers the
// latest call of its id that has none yet, of several in one message the first.
// Without an id the tool's name counts. What was read holds until a note says
// that something changed.
func (t *talk) pairs() *pairing {
	if t.paired == nil || t.pairedAt != t.changes {
		t.paired, t.pairedAt = t.pair(), t.changes
	}
	return t.paired
}

// key is what a call and its result have in common.
type key struct{ id, name string }

func keyOf(id, name string) key {
	if id != "" {
		name = ""
	}
	return key{id, name}
}

func (t *talk) pair() *pairing {
	p := &pairing{call: map[place]place{}, result: map[place]place{}}
	waiting := map[key][][]place{} // for each message, its calls
	for i, m := range t.ms {
		for k, part := range m.Parts {
			at := place{i, k}
			switch v := part.(type) {
			case chat.Call:
				if m.Role != chat.RoleAssistant {
					continue
				}
				id := keyOf(v.ID, v.Name)
				groups := waiting[id]
				if n := len(groups); n > 0 && groups[n-1][0].message == i {
					groups[n-1] = append(groups[n-1], at)
					continue
				}
				waiting[id] = append(groups, []place{at})
			case chat.Result:
				if m.Role == chat.RoleAssistant {
					continue
				}
				id := keyOf(v.ID, v.Name)
				groups := waiting[id]
				n := len(groups)
				if n == 0 {
					continue
				}
				call := groups[n-1][0]
				p.call[at], p.result[call] = call, at
				if groups[n-1] = groups[n-1][1:]; len(groups[n-1]) == 0 {
					waiting[id] = groups[:n-1]
				}
			}
		}
	}
	return p
}

// callAt returns the call at a place.
func (t *talk) callAt(at place) chat.Call {
	c, _ := t.ms[at.message].Parts[at.part].(chat.Call)
	return c
}
