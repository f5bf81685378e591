package history

import (
	"github.com/ferrule/ferrule/chat"
)

// eachPart replaces the parts of messages by what f makes of them; f returns
// false for one that stays.
func (t *talk) eachPart(f func(m *chat.Message, p chat.Part) (chat.Part, bool)) {
	for i := range t.ms {
		m := &t.ms[i]
		var parts []chat.Part
		for k, p := range m.Parts {
			q, ok := f(m, p)
			if !ok {
				continue
			}
			if parts == nil {
				parts = append(parts, m.Parts...)
			}
			parts[k] = q
		}
		if parts != nil {
			m.Parts = parts
		}
	}
}

// picturesOut moves the pictures of results into a message of the user behind
// all results of the round; where results stand in the user's own, to its end.
func (t *talk) picturesOut() {
	var out, shown []chat.Message
	changed := false
	for _, m := range t.ms {
		if !isTool(m) {
			out, shown = append(out, shown...), nil
		}
		left, pictures := m.Parts, []chat.Part(nil)
		if m.Role != chat.RoleAssistant {
			left, pictures = t.pictures(m.Parts)
		}
		if len(pictures) > 0 {
			changed = true
			m.Parts = left
			switch {
			case !isTool(m):
				m.Parts = append(left, pictures...)
			case len(shown) > 0:
				shown[0].Parts = append(shown[0].Parts, pictures...)
			default:
				shown = []chat.Message{{Role: chat.RoleUser, Parts: pictures}}
			}
		}
		out = append(out, m)
	}
	if changed {
		t.ms = append(out, shown...)
	}
}

// pictures takes them out of the results among some parts.
func (t *talk) pictures(ps []chat.Part) (left, pictures []chat.Part) {
	for _, p := range ps {
		r, ok := p.(chat.Result)
		if !ok || !holds[chat.Image](r.Parts) {
			left = append(left, p)
			continue
		}
		pictures = append(pictures, chat.Text{Text: pictureLabel(r)})
		for _, p := range r.Parts {
			if image, ok := p.(chat.Image); ok {
				pictures = append(pictures, image)
			}
		}
		if r.Parts = without[chat.Image](r.Parts); !speaks(r.Parts) {
			r.Parts = append(r.Parts, chat.Text{Text: seePicture})
		}
		left = append(left, r)
		t.note("the pictures of a result stand in a message of the user")
	}
	return left, pictures
}

// noEmpty leaves no blank text and no message without content. The last message
// of the user stays, for it is what is answered.
func (t *talk) noEmpty() {
	t.system = t.filled(t.system)
	var out []chat.Message
	for i, m := range t.ms {
		m.Parts = t.filled(m.Parts)
		switch {
		case len(m.Parts) > 0:
		case i == len(t.ms)-1 && m.Role == chat.RoleUser:
			m.Parts = []chat.Part{chat.Text{Text: goesOn}}
			t.note("a filler stands where the user said nothing")
		default:
			t.note("a message without content was left out")
			continue
		}
		out = append(out, m)
	}
	t.ms = out
}

// filled returns the parts without blank texts; a result that is empty says so.
func (t *talk) filled(ps []chat.Part) []chat.Part {
	var out []chat.Part
	changed := false
	for _, p := range ps {
		switch v := p.(type) {
		case chat.Text:
			if blank(v.Text) {
				changed = true
				t.note("a blank text was left out")
				continue
			}
		case chat.Result:
			parts := t.filled(v.Parts)
			if len(parts) == 0 {
				parts = []chat.Part{chat.Text{Text: noOutput}}
				t.note("a result without content says so")
			}
			if len(parts) != len(v.Parts) || len(v.Parts) == 0 || !same(parts[0], v.Parts[0]) {
				changed = true
			}
			v.Parts = parts
			p = v
		}
		out = append(out, p)
	}
	if !changed {
		return ps
	}
	return out
}

// same compares two parts that are texts; others are as they were.
func same(a, b chat.Part) bool {
	x, ok := a.(chat.Text)
	if !ok {
		return true
	}
	y, ok := b.(chat.Text)
	return ok && x.Text == y.Text
}
