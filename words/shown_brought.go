package words

import "github.com/ferrule/ferrule/chat"

// Brought is what of it nobody vouches for: results, and what the model itself
// said. The rest stands in what the user or the operator wrote, or in a tool's
// description.
func (s *Shown) Brought() *Shown {
	out := &chat.Request{}
	for _, t := range s.q.Tools {
		out.Tools = append(out.Tools, chat.Tool{Name: t.Name})
	}
	for _, m := range s.q.Messages {
		var parts []chat.Part
		for _, p := range m.Parts {
			if m.Role != chat.RoleUser && m.Role != chat.RoleSystem || isResult(p) {
				parts = append(parts, p)
			}
		}
		if len(parts) > 0 {
			out.Messages = append(out.Messages, chat.Message{Role: m.Role, Parts: parts})
		}
	}
	return NewShown(out)
}
