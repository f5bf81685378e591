package history

import (
	"slices"
	"strings"

	"github.com/ferrule/ferrule/chat"
)

// dropOrphans makes words of the user of every result that answers no call. It
// may be anybody's text, so it is shown as data.
func (t *talk) dropOrphans() {
	p := t.pairs()
	t.tell(func(at place, r chat.Result) (string, bool) {
		if _, paired := p.call[at]; paired {
			return "", false
		}
		t.note("an orphan result became words of the user")
		return orphanLabel(r.Error), true
	})
}

// noToolRole makes words of all calls and results.
func (t *talk) noToolRole() { t.flatten(func(chat.Call) bool { return true }) }

// callsNeedTools makes words of them where the request offers no tools.
func (t *talk) callsNeedTools() {
	if len(t.tools) == 0 {
		t.noToolRole()
	}
}

// callsOffered makes words of calls to tools that the request doesn't offer.
func (t *talk) callsOffered() {
	offered := make(map[string]bool, len(t.tools))
	for _, tool := range t.tools {
		offered[tool.Name] = true
	}
	t.flatten(func(c chat.Call) bool { return !offered[c.Name] })
}

// flatten takes the calls that pick names out of the transcript. What was called
// is told with the result, in the user's words: the assistant's own would be
// imitated in place of a call.
func (t *talk) flatten(pick func(chat.Call) bool) {
	p := t.pairs()
	told := map[place]chat.Call{}
	for i, m := range t.ms {
		if m.Role != chat.RoleAssistant || !holds[chat.Call](m.Parts) {
			continue
		}
		var left []chat.Part
		for k, part := range m.Parts {
			// A call without a result has nobody to tell of it: answer-calls comes first.
			c, isCall := part.(chat.Call)
			if _, answered := p.result[place{i, k}]; isCall && answered && pick(c) {
				told[place{i, k}] = c
				t.note("a call and its result became words")
				continue
			}
			left = append(left, part)
		}
		if len(left) == len(m.Parts) {
			continue
		}
		if !speaks(left) {
			left = append(left, chat.Text{Text: oneMoment})
			t.note("a filler stands where nothing but calls stood")
		}
		t.ms[i].Parts = left
	}
	if len(told) == 0 {
		return
	}
	t.tell(func(at place, r chat.Result) (string, bool) {
		call, ok := p.call[at]
		c, chosen := told[call]
		return callLabel(c, r.Error), ok && chosen
	})
}

// speaks reports whether the parts hold anything but thoughts and blank space.
func speaks(ps []chat.Part) bool {
	return slices.ContainsFunc(ps, func(p chat.Part) bool {
		switch v := p.(type) {
		case chat.Text:
			return !blank(v.Text)
		case chat.Reasoning:
			return false
		}
		return true
	})
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }

// tell makes words of the results that pick names, under the label that it gives
// them. Out of messages of tools they go behind all results of their round; in
// others they stay where they are.
func (t *talk) tell(pick func(at place, r chat.Result) (label string, ok bool)) {
	var out []chat.Message
	var told [][]chat.Part
	flush := func() {
		if told != nil {
			out, told = append(out, chat.Message{Role: chat.RoleUser, Parts: joined(told...)}), nil
		}
	}
	changed := false
	for i, m := range t.ms {
		if !isTool(m) {
			flush()
		}
		left, words := split(m, func(k int, r chat.Result) (string, bool) { return pick(place{i, k}, r) })
		switch {
		case len(words) == 0:
			out = append(out, m)
			continue
		case isTool(m):
			told = append(told, words...)
		default:
			left = [][]chat.Part{joined(left...)}
		}
		changed = true
		if m.Parts = slices.Concat(left...); len(m.Parts) > 0 {
			out = append(out, m)
		}
	}
	if flush(); changed {
		t.ms = out
	}
}

// split parts a message into what stays and the words that became of results.
// In a message that isn't a tool's the words stay too, in their places.
func split(m chat.Message, pick func(k int, r chat.Result) (string, bool)) (left, words [][]chat.Part) {
	if m.Role == chat.RoleAssistant {
		return nil, nil
	}
	for k, part := range m.Parts {
		r, ok := part.(chat.Result)
		if ok {
			var label string
			if label, ok = pick(k, r); ok {
				words = append(words, inWords(label, r))
				if !isTool(m) {
					left = append(left, words[len(words)-1])
				}
				continue
			}
		}
		left = append(left, m.Parts[k:k+1])
	}
	return left, words
}
