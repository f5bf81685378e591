package history

import (
	"slices"

	"github.com/ferrule/ferrule/chat"
)

// unsigned is what Google documents for calls that its models didn't make, or
// whose signature is gone.
const unsigned = `{"google":{"thought_signature":"skip_thought_signature_validator"}}`

// noReasoning takes all thinking out.
func (t *talk) noReasoning() {
	for i := range t.ms {
		if holds[chat.Reasoning](t.ms[i].Parts) {
			t.ms[i].Parts = without[chat.Reasoning](t.ms[i].Parts)
			t.note("thinking was left out")
		}
	}
}

// reasoningBack gives each message with calls its thinking: none, where none is
// known. Restore, called before, puts back what is.
func (t *talk) reasoningBack() {
	for i, m := range t.ms {
		if m.Role == chat.RoleAssistant && holds[chat.Call](m.Parts) && !holds[chat.Reasoning](m.Parts) {
			t.ms[i].Parts = append([]chat.Part{chat.Reasoning{}}, m.Parts...)
			t.note("empty thinking stands where none is known")
		}
	}
}

// signaturesBack gives the first call of each message a signature that isn't
// checked, where it has none.
func (t *talk) signaturesBack() {
	for i, m := range t.ms {
		k := slices.IndexFunc(m.Parts, func(p chat.Part) bool { _, ok := p.(chat.Call); return ok })
		if k < 0 {
			continue
		}
		c := m.Parts[k].(chat.Call)
		if c.Extra[wireSignature] != nil {
			continue
		}
		c.Extra = with(c.Extra, wireSignature, unsigned)
		t.ms[i].Parts = slices.Clone(m.Parts)
		t.ms[i].Parts[k] = c
		t.note("a call that has no signature says so")
	}
}

// Kept is what an answer gave beside a call, for the next request of the same
// conversation: Extra as the answer's chat.Call had it, and the thinking of its
// message.
type Kept struct {
	Reasoning string
	Extra     chat.Extra
}

// Restore returns q with what clients drop put back, and what was done; q itself
// where there is nothing. What the client sent wins, member by member. Members
// of a call come back whatever the rules say; thinking does under ReasoningBack
// alone, for others refuse it. recall says what is kept of a call, by its id as
// the client has it: Restore comes before Shape. Nothing of q is changed.
func Restore(q *chat.Request, rules Rules, recall func(chat.Call) (Kept, bool)) (*chat.Request, []Note) {
	t := newTalk(q)
	for i := range t.ms {
		if t.ms[i].Role == chat.RoleAssistant && holds[chat.Call](t.ms[i].Parts) {
			t.restore(&t.ms[i], rules, recall)
		}
	}
	return t.request(q), t.notes
}

func (t *talk) restore(m *chat.Message, rules Rules, recall func(chat.Call) (Kept, bool)) {
	thinks := holds[chat.Reasoning](m.Parts) || !rules.Has(ReasoningBack)
	var front, parts []chat.Part
	for k, p := range m.Parts {
		c, ok := p.(chat.Call)
		if !ok {
			continue
		}
		kept, ok := recall(c)
		if !ok {
			continue
		}
		if extra := merged(c.Extra, kept.Extra); len(extra) > len(c.Extra) {
			if parts == nil {
				parts = append(parts, m.Parts...)
			}
			c.Extra = extra
			parts[k] = c
			t.rule = nameOf(SignaturesBack)
			t.note("what the model gave with a call was put back")
		}
		if !thinks && kept.Reasoning != "" {
			thinks = true
			front = []chat.Part{chat.Reasoning{Text: kept.Reasoning}}
			t.rule = nameOf(ReasoningBack)
			t.note("thinking was put back")
		}
	}
	if parts == nil {
		parts = m.Parts
	}
	if front != nil {
		parts = append(front, parts...)
	}
	m.Parts = parts
}
