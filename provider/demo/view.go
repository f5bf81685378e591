package demo

import (
	"regexp"
	"strings"
)

// view is what a model makes of its prompt.
type view struct {
	request
	model
	style    style // nil: the tools API
	offer    offer
	wish     script   // what the user last asked for
	results  []result // what came of it so far
	told     bool     // it was put right after its last attempt
	kept     bool     // and its other calls of that attempt are kept
	policy   string   // what the end of the prompt says
	reproved string   // the correction
}

// look reads a request the way that the model's endpoint shows it.
func (m model) look(q request) view {
	v := view{request: q, model: m}
	if m.native {
		v.offer.tools = q.tools
		v.follow(nil)
		return v
	}
	p := prompt{}
	for _, msg := range q.messages {
		if msg.role == "assistant" || m.dropsSystem && msg.system() {
			continue
		}
		_, rest := splitFences(msg.text)
		p.told = append(p.told, rest)
		p.last = rest
	}
	for _, s := range styles {
		if o, ok := s.offer(p); ok && !m.chatsOnly {
			v.style, v.offer, v.policy = s, o, p.last
			break
		}
	}
	v.follow(v.style)
	return v
}

func (m message) system() bool { return m.role == "system" || m.role == "developer" }

// follow reads the conversation: the last wish, and what came since.
func (v *view) follow(s style) {
	names := map[string]string{}
	said := ""
	for _, m := range v.messages {
		switch {
		case m.role == "assistant":
			said = m.text
			for _, c := range m.calls {
				names[c.id] = c.name
			}
		case m.role == "tool" && v.native:
			v.results = append(v.results, result{names[m.callID], m.text})
			v.told = false
		case !m.system():
			v.hear(m, said, s)
			said = ""
		}
	}
}

// hear takes a message that isn't the model's own: results, a correction or a wish.
func (v *view) hear(m message, said string, s style) {
	results, rest := []result(nil), m.text
	if s != nil {
		results, rest = splitFences(m.text)
	}
	if len(results) > 0 {
		v.results, v.told = append(v.results, results...), false
	}
	sc := readScript(own(rest))
	_, asked, _ := understand(sc.chat, nil)
	switch {
	case len(sc.steps) > 0:
	case len(results) == 0 && said != "" && (s != nil && s.attempted(said) || said == fumbledProse || corrects.MatchString(rest)):
		v.told, v.reproved = true, rest
		v.kept = strings.Contains(rest, "are kept")
		return
	case asked:
	case len(results) > 0, m.role == "tool", strings.TrimSpace(rest) == "":
		return // what is left is the syntax's own, or the prompt's tail
	}
	v.wish, v.results, v.told = sc, nil, false
}

// corrects is how one knows that the last answer wasn't taken.
var corrects = regexp.MustCompile(`(?i)\byour last answer\b|\bnothing was run\b`)
