package openai

import "bytes"

// template is a chunk that held nothing but a piece of text: its payload up to
// that string and behind it. Most chunks of a stream differ in the string
// alone, so one that matches needs no second look at the rest.
type template struct{ before, behind []byte }

// text returns the string that a payload has in the template's place.
func (t *template) text(c *cursor, payload []byte) (quoted []byte, ok bool) {
	n := len(payload) - len(t.behind)
	if len(t.before) == 0 || n < len(t.before)+2 || !bytes.HasPrefix(payload, t.before) || string(payload[n:]) != string(t.behind) {
		return nil, false
	}
	middle := payload[len(t.before):n]
	if middle[0] != '"' {
		return nil, false
	}
	c.reset(middle)
	quoted, _ = c.quoted()
	return quoted, c.clean() && c.i == len(middle)
}

// learn makes a template of a payload that was read and is clean.
func (t *template) learn(payload []byte, ch *chunk) {
	if len(ch.choices) != 1 || ch.usage != nil {
		return
	}
	x := &ch.choices[0]
	if x.index != 0 || x.whole || len(x.content) < 2 || x.content[0] != '"' || x.finish != nil ||
		len(x.calls) > 0 || x.hasLegacy || x.reasoning != nil || x.thoughts != nil || x.refusal != nil {
		return
	}
	// The content is a slice of the payload: what capacity it has left tells where.
	at := cap(payload) - cap(x.content)
	t.before = append(t.before[:0], payload[:at]...)
	t.behind = append(t.behind[:0], payload[at+len(x.content):]...)
}
