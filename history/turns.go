package history

import (
	"slices"
	"strings"

	"github.com/ferrule/ferrule/chat"
)

// Turns that nobody took.
const (
	understood = "Understood."
	continued  = "(conversation continues)"
	nothing    = "(nothing)"
)

func said(role chat.Role, text string) chat.Message {
	return chat.Message{Role: role, Parts: []chat.Part{chat.Text{Text: text}}}
}

// systemFirst makes a user's note of each system message within the conversation.
func (h *shaping) systemFirst() (changed bool) {
	for i := range h.ms {
		if h.ms[i].Role == chat.RoleSystem {
			h.ms[i].Role = chat.RoleUser
			changed = true
		}
	}
	return changed
}

// noSystem puts the system messages in front of what the user says first.
func (h *shaping) noSystem() bool {
	if len(h.q.System) == 0 {
		return false
	}
	first := slices.IndexFunc(h.ms, func(m chat.Message) bool { return m.Role == chat.RoleUser })
	if first != 0 {
		h.ms = slices.Insert(h.ms, 0, chat.Message{Role: chat.RoleUser})
	}
	h.ms[0].Parts = append(slices.Clone(h.q.System), h.ms[0].Parts...)
	h.q.System = nil
	return true
}

// noEmpty says of a message without content that it has none.
func (h *shaping) noEmpty() (changed bool) {
	for i := range h.ms {
		m := &h.ms[i]
		empty := !slices.ContainsFunc(m.Parts, func(p chat.Part) bool {
			t, ok := p.(chat.Text)
			return !ok || strings.TrimSpace(t.Text) != ""
		})
		if empty {
			m.Parts = []chat.Part{chat.Text{Text: nothing}}
			changed = true
		}
	}
	return changed
}

// bridge lets the assistant speak between a result and the user.
func (h *shaping) bridge() (changed bool) {
	for i := 1; i < len(h.ms); i++ {
		if h.ms[i].Role == chat.RoleUser && isResults(h.ms[i-1]) && h.ms[i-1].Role == chat.RoleTool {
			h.ms = slices.Insert(h.ms, i, said(chat.RoleAssistant, understood))
			changed = true
		}
	}
	return changed
}

// userFirst lets the user speak first.
func (h *shaping) userFirst() bool {
	at := slices.IndexFunc(h.ms, func(m chat.Message) bool { return m.Role != chat.RoleSystem })
	if at < 0 || h.ms[at].Role != chat.RoleAssistant {
		return false
	}
	h.ms = slices.Insert(h.ms, at, said(chat.RoleUser, continued))
	return true
}

// mergeRoles makes one turn of several of one role.
func (h *shaping) mergeRoles() (changed bool) {
	for i := 1; i < len(h.ms); i++ {
		a, b := &h.ms[i-1], h.ms[i]
		if a.Role != b.Role || a.Role == chat.RoleTool {
			continue
		}
		a.Parts = joined(a.Parts, b.Parts)
		h.ms = slices.Delete(h.ms, i, i+1)
		changed = true
		i--
	}
	return changed
}

// joined puts parts behind parts; words that meet are parted by an empty line.
func joined(a, b []chat.Part) []chat.Part {
	out := slices.Clone(a)
	for i, p := range b {
		t, words := p.(chat.Text)
		if n := len(out); i == 0 && words && n > 0 {
			if last, ok := out[n-1].(chat.Text); ok && len(last.Extra) == 0 && len(t.Extra) == 0 {
				last.Text += "\n\n" + t.Text
				out[n-1] = last
				continue
			}
		}
		out = append(out, p)
	}
	return out
}
