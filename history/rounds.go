package history

import (
	"slices"

	"github.com/ferrule/ferrule/chat"
)

// resultsFirst puts every result right behind the message that made its call,
// and what stood between them behind the results. Results leave messages of
// other roles.
func (t *talk) resultsFirst() {
	p := t.pairs()
	if len(p.call) == 0 {
		return
	}
	if t.inOrder(p) {
		return
	}
	home := make([][]piece, len(t.ms)) // results, by the message of their call
	rest := make([]*piece, len(t.ms))
	for j, m := range t.ms {
		var order []int
		byHome := map[int][]chat.Part{}
		var others []chat.Part
		for k, part := range m.Parts {
			call, ok := p.call[place{j, k}]
			if !ok {
				others = append(others, part)
				continue
			}
			if byHome[call.message] == nil {
				order = append(order, call.message)
			}
			byHome[call.message] = append(byHome[call.message], part)
		}
		whole := isTool(m) && len(order) == 1 && len(others) == 0
		for _, h := range order {
			r := piece{from: j, whole: whole, m: chat.Message{Role: chat.RoleTool, Parts: byHome[h]}}
			if isTool(m) {
				r.m.Extra = m.Extra
			}
			home[h] = append(home[h], r)
		}
		switch {
		case len(order) == 0:
			rest[j] = &piece{from: j, whole: true, m: m}
		case len(others) > 0:
			m.Parts = others
			rest[j] = &piece{from: j, m: m}
		}
	}
	t.place(rest, home)
}

// inOrder reports whether every paired result stands in a message of tools
// behind the one that made its call, with nothing but such between.
func (t *talk) inOrder(p *pairing) bool {
	calls := -1 // the message whose results may stand here
	for j, m := range t.ms {
		if !isTool(m) {
			calls = j
		}
		for k := range m.Parts {
			call, ok := p.call[place{j, k}]
			if ok && (!isTool(m) || call.message != calls) {
				return false
			}
			if isTool(m) && !ok {
				return false // an orphan among them: place sorts it out
			}
		}
	}
	return true
}

// piece is a message or a part of one, and where it stood.
type piece struct {
	from  int
	whole bool
	m     chat.Message
}

// place lays the pieces out, if that differs from what was there.
func (t *talk) place(rest []*piece, home [][]piece) {
	out := make([]chat.Message, 0, len(t.ms)+2)
	same := true
	lay := func(p piece) {
		same = same && p.whole && p.from == len(out)
		out = append(out, p.m)
	}
	for i := range rest {
		if rest[i] != nil {
			lay(*rest[i])
		}
		for _, p := range home[i] {
			lay(p)
		}
	}
	if !same || len(out) != len(t.ms) {
		t.ms = out
		t.note("results stand right behind their calls")
	}
}

// answerCalls gives each call that has no result one that says so.
func (t *talk) answerCalls() {
	p := t.pairs()
	var out []chat.Message
	for i := 0; i < len(t.ms); {
		m := t.ms[i]
		missing := chat.Message{Role: chat.RoleTool}
		if m.Role == chat.RoleAssistant {
			for k, part := range m.Parts {
				c, ok := part.(chat.Call)
				if !ok {
					continue
				}
				if _, ok := p.result[place{i, k}]; !ok {
					missing.Parts = append(missing.Parts, chat.Result{ID: c.ID, Name: c.Name, Parts: []chat.Part{chat.Text{Text: noResult}}})
					t.note("a call without a result is answered: none was recorded")
				}
			}
		}
		i++
		if len(missing.Parts) == 0 {
			if out != nil {
				out = append(out, m)
			}
			continue
		}
		if out == nil {
			out = slices.Clone(t.ms[:i-1])
		}
		out = append(out, m)
		for ; i < len(t.ms) && isTool(t.ms[i]); i++ {
			out = append(out, t.ms[i])
		}
		out = append(out, missing)
	}
	if out != nil {
		t.ms = out
	}
}

// splitCalls makes one message of each call, with its result behind it. What
// else the message holds stays with the first.
func (t *talk) splitCalls() {
	if !slices.ContainsFunc(t.ms, manyCalls) {
		return
	}
	p := t.pairs()
	out := make([]chat.Message, 0, len(t.ms)+4)
	for i := 0; i < len(t.ms); i++ {
		if !manyCalls(t.ms[i]) {
			out = append(out, t.ms[i])
			continue
		}
		end := i + 1
		for end < len(t.ms) && isTool(t.ms[end]) {
			end++
		}
		out = append(out, t.split(p, i, end)...)
		t.note("one call a message")
		i = end - 1
	}
	t.ms = out
}

func manyCalls(m chat.Message) bool {
	return m.Role == chat.RoleAssistant && count[chat.Call](m.Parts) > 1
}

// split returns the message at i, whose results stand before end, call by call.
func (t *talk) split(p *pairing, i, end int) []chat.Message {
	results := map[int][]chat.Message{} // by the call's part
	var others []chat.Message
	for j := i + 1; j < end; j++ {
		m := t.ms[j]
		for k, part := range m.Parts {
			one := chat.Message{Role: m.Role, Extra: m.Extra, Parts: []chat.Part{part}}
			if call, ok := p.call[place{j, k}]; ok && call.message == i {
				results[call.part] = append(results[call.part], one)
			} else {
				others = append(others, one)
			}
		}
	}
	m := t.ms[i]
	first := chat.Message{Role: m.Role, Extra: m.Extra}
	var out, behind []chat.Message
	for k, part := range m.Parts {
		switch _, isCall := part.(chat.Call); {
		case !isCall:
			first.Parts = append(first.Parts, part)
		case out == nil:
			first.Parts = append(first.Parts, part)
			out = append([]chat.Message{{}}, results[k]...)
		default:
			behind = append(behind, chat.Message{Role: m.Role, Parts: []chat.Part{part}})
			behind = append(behind, results[k]...)
		}
	}
	out[0] = first
	return append(append(out, behind...), others...)
}
