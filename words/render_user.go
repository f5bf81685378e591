package words

import (
	"slices"

	"github.com/ferrule/ferrule/chat"
)

// gap stands between two texts of one message.
const gap = "\n\n"

// joinText adds text behind parts: to the last part if that is plain text.
func joinText(ps []chat.Part, text string) []chat.Part {
	if n := len(ps); n > 0 {
		if t, ok := ps[n-1].(chat.Text); ok && t.Extra == nil {
			ps = slices.Clone(ps)
			if t.Text != "" {
				t.Text += gap
			}
			ps[n-1] = chat.Text{Text: t.Text + text}
			return ps
		}
	}
	return append(slices.Clip(ps), chat.Text{Text: text})
}

// joinUser puts the parts of one message behind those of another.
func joinUser(m, behind chat.Message) chat.Message {
	for _, p := range behind.Parts {
		if t, ok := p.(chat.Text); ok && t.Extra == nil {
			m.Parts = joinText(m.Parts, t.Text)
			continue
		}
		m.Parts = append(slices.Clip(m.Parts), p)
	}
	if m.Extra == nil {
		m.Extra = behind.Extra
	}
	return m
}

// addUser adds words of the user's role: to the last message if it is his.
func addUser(ms []chat.Message, text string) []chat.Message {
	ms = slices.Clone(ms)
	if n := len(ms); n > 0 && ms[n-1].Role == chat.RoleUser {
		ms[n-1].Parts = joinText(ms[n-1].Parts, text)
		return ms
	}
	return append(ms, chat.Message{Role: chat.RoleUser, Parts: []chat.Part{chat.Text{Text: text}}})
}

// addSaid adds what the model answered, behind the words that it was to go on with.
func addSaid(ms []chat.Message, text string) []chat.Message {
	if n := len(ms); n > 0 && ms[n-1].Role == chat.RoleAssistant {
		ps := slices.Clone(ms[n-1].Parts)
		if k := len(ps); k > 0 {
			if t, ok := ps[k-1].(chat.Text); ok {
				ps[k-1] = chat.Text{Text: t.Text + text}
				ms[n-1].Parts = ps
				return ms
			}
		}
	}
	return append(ms, chat.Message{Role: chat.RoleAssistant, Parts: []chat.Part{chat.Text{Text: text}}})
}

// addTail puts the tail at the very end. A conversation that ends with the
// assistant's words is to be gone on with: the tail must not come behind them.
// needed says that the syntax can't do without.
func addTail(ms []chat.Message, tail string, dropped, needed bool) []chat.Message {
	n := len(ms)
	if n == 0 || ms[n-1].Role != chat.RoleAssistant {
		return addUser(ms, tail)
	}
	if !needed && !dropped {
		return ms
	}
	for i := n - 1; i >= 0; i-- {
		if ms[i].Role == chat.RoleUser {
			ms = slices.Clone(ms)
			ms[i].Parts = joinText(ms[i].Parts, tail)
			return ms
		}
	}
	return append([]chat.Message{{Role: chat.RoleUser, Parts: []chat.Part{chat.Text{Text: tail}}}}, ms...)
}

// inFront puts the system prompt at the front of the first user message, for
// endpoints that drop it.
func inFront(system []chat.Part, ms []chat.Message) []chat.Message {
	if len(system) == 0 {
		return ms
	}
	first := joinUser(chat.Message{Role: chat.RoleUser}, chat.Message{Parts: system})
	if len(ms) > 0 && ms[0].Role == chat.RoleUser {
		return append([]chat.Message{joinUser(first, ms[0])}, ms[1:]...)
	}
	return append([]chat.Message{first}, ms...)
}
