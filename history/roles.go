package history

import (
	"maps"
	"slices"

	"github.com/ferrule/ferrule/chat"
)

// systemFirst leaves no system message within the conversation: those that open
// it join the system prompt, later ones become the user's, in their places.
func (t *talk) systemFirst() {
	n := 0
	var opening []chat.Part
	for ; n < len(t.ms) && t.ms[n].Role == chat.RoleSystem; n++ {
		opening = append(opening, t.ms[n].Parts...)
		t.note("a system message joined the system prompt")
	}
	if n > 0 {
		t.system, t.ms = slices.Concat(t.system, opening), t.ms[n:]
	}
	for i := range t.ms {
		if t.ms[i].Role == chat.RoleSystem {
			t.ms[i].Role = chat.RoleUser
			t.note("a late system message became the user's")
		}
	}
}

// oneSystem makes one text of the system prompt, as far as it is plain: several
// system messages may have made it.
func (t *talk) oneSystem() {
	if one := joined(t.system); len(one) < len(t.system) {
		t.system = one
		t.note("the system prompt became one text")
	}
}

// foldSystem puts the system prompt in front of the first user message.
func (t *talk) foldSystem() {
	t.systemFirst() // what opens the conversation belongs to it
	if len(t.system) == 0 {
		return
	}
	system := joined(t.system)
	t.system = nil
	t.note("the system prompt stands in front of the first user message")
	switch {
	case len(system) == 0:
	case len(t.ms) > 0 && t.ms[0].Role == chat.RoleUser && !holds[chat.Result](t.ms[0].Parts):
		t.ms[0].Parts = joined(system, t.ms[0].Parts)
	default:
		t.ms = append([]chat.Message{{Role: chat.RoleUser, Parts: system}}, t.ms...)
	}
}

// alternate joins messages of the user, or of the assistant, that follow each other.
func (t *talk) alternate() {
	var out []chat.Message
	for i := 0; i < len(t.ms); {
		m := t.ms[i]
		end := i + 1
		if m.Role == chat.RoleUser || m.Role == chat.RoleAssistant {
			for end < len(t.ms) && t.ms[end].Role == m.Role {
				end++
			}
		}
		if end > i+1 {
			var lists [][]chat.Part
			for _, one := range t.ms[i:end] {
				lists = append(lists, one.Parts)
				m.Extra = merged(m.Extra, one.Extra)
			}
			m.Parts = joined(lists...)
			t.note("messages of one role were joined")
		}
		out = append(out, m)
		i = end
	}
	t.ms = out
}

// merged returns what a says, and what b says besides.
func merged(a, b chat.Extra) chat.Extra {
	if len(a) == 0 {
		return b
	}
	if len(b) == 0 {
		return a
	}
	out := maps.Clone(b)
	maps.Copy(out, a)
	return out
}

// bridgeResults has the assistant say a word between results and the user's next.
func (t *talk) bridgeResults() {
	var out []chat.Message
	for i, m := range t.ms {
		if i > 0 && m.Role == chat.RoleUser && isTool(t.ms[i-1]) {
			out = append(out, chat.Message{Role: chat.RoleAssistant, Parts: []chat.Part{chat.Text{Text: understood}}})
			t.note("a filler of the assistant stands between results and the user")
		}
		out = append(out, m)
	}
	t.ms = out
}

// leadingUser has the user speak first.
func (t *talk) leadingUser() {
	at := slices.IndexFunc(t.ms, func(m chat.Message) bool { return m.Role != chat.RoleSystem })
	if at < 0 || t.ms[at].Role != chat.RoleAssistant && !isTool(t.ms[at]) {
		return
	}
	t.ms = slices.Insert(t.ms, at, chat.Message{Role: chat.RoleUser, Parts: []chat.Part{chat.Text{Text: goesOn}}})
	t.note("a filler of the user opens the conversation")
}
