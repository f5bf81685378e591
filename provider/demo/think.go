package demo

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// reply is what the model answers, before it is written to the wire.
type reply struct {
	text  string
	calls []call // for the tools API
	// cut: it is to end in the middle of what begins at callAt, a byte of the text.
	cut    bool
	callAt int
}

// think decides what to answer. Words and calls may both be there.
func (v view) think() reply {
	says, calls := v.next()
	if len(calls) == 0 {
		return reply{text: says, cut: v.wish.cut && says != ""}
	}
	if missing := v.missing(calls); missing != "" {
		return reply{text: join(says, missing)}
	}
	written := calls
	spoil := fumbles[v.wish.fumble]
	if v.wish.fumble == proseOnly && (!v.told || v.wish.always) {
		return reply{text: fumbledProse}
	}
	if spoil != nil && (!v.told || v.wish.always) {
		written = append([]call{spoil(calls[0])}, calls[1:]...)
	}
	if v.told && v.kept {
		written = written[:1]
	}
	r := reply{text: says, calls: written, cut: v.wish.cut, callAt: len(says)}
	if v.style != nil {
		r.text, r.calls = join(says, v.style.write(v.offer, written)), nil
	}
	return r
}

// next finds the step that is due: what to say, and what to call.
func (v view) next() (says string, calls []call) {
	due := len(v.results)
	for _, st := range v.wish.steps {
		switch {
		case len(st.calls) > 0 && due >= len(st.calls):
			due -= len(st.calls)
			says = ""
		case len(st.calls) > 0:
			calls = st.calls[due:]
			if v.single() {
				calls = calls[:1]
			}
			return says, calls
		case st.repeat && len(v.results) > 0:
			says = join(says, v.results[len(v.results)-1].text)
		case !st.repeat:
			says = join(says, st.say)
		}
	}
	if says != "" {
		return says, nil
	}
	if len(v.results) > 0 {
		return v.answer(), nil
	}
	return v.chatOrCall()
}

// chatOrCall answers a message that holds no steps.
func (v view) chatOrCall() (string, []call) {
	tools := v.permitted()
	c, asked, ok := understand(v.wish.chat, tools)
	if ok {
		return "", []call{c}
	}
	if name, must := v.must(); must {
		for _, t := range tools {
			if (name == "" || t.name == name) && t.whole() {
				return "", []call{{name: t.name, args: fill(t, nil, v.wish.chat)}}
			}
		}
	}
	if asked {
		return "I have no tool for that, so I can't know.", nil
	}
	return "I'm a small demo model. Ask me for something that one of your tools can do, or write a line like: do TOOL {\"field\": \"value\"}", nil
}

// answer tells what came of the calls.
func (v view) answer() string {
	var b strings.Builder
	for i, r := range v.results {
		if i > 0 {
			b.WriteByte('\n')
		}
		sep := " "
		if strings.Contains(r.text, "\n") {
			sep = "\n"
		}
		fmt.Fprintf(&b, "%s says:%s%s", r.tool, sep, r.text)
	}
	return b.String()
}

// missing says which tool isn't there; empty when all are.
func (v view) missing(calls []call) string {
	for _, c := range calls {
		t, ok := v.offer.find(c.name)
		permits, restricted := v.only()
		switch {
		case !ok:
			return "I have no tool named " + c.name + "."
		case !t.whole():
			return "I have no tool named " + c.name + " that I know how to fill in."
		case restricted && !permits(c.name):
			return "I may not call " + c.name + " in this answer."
		}
	}
	return ""
}

// permitted are the tools that may be called now.
func (v view) permitted() []tool {
	names, restricted := v.only()
	if !restricted {
		return v.offer.tools
	}
	var ts []tool
	for _, t := range v.offer.tools {
		if names(t.name) {
			ts = append(ts, t)
		}
	}
	return ts
}

// only tells which tools the client's choice leaves, where it leaves not all.
func (v view) only() (permits func(name string) bool, restricted bool) {
	if !v.native {
		said := saysNone.FindString(v.policy) + saysOnly.FindString(v.policy)
		if name, must := v.must(); must && name != "" {
			said += " " + saysMust.FindString(v.policy)
		}
		return func(name string) bool { return mentions(said, name) }, said != ""
	}
	c := v.choice
	switch {
	case c.none:
		return func(string) bool { return false }, true
	case c.name != "":
		return func(name string) bool { return name == c.name }, true
	}
	return func(name string) bool { return slices.Contains(c.allowed, name) }, c.allowed != nil
}

// The sentences of a prompt's tail that restrict the answer.
var (
	saysSingle = regexp.MustCompile(`(?i)\bat most one call\b|\bone at a time\b|\bonly one call\b`)
	saysMust   = regexp.MustCompile(`(?m)^(?:Call|Choose) .+ (?:in this answer|from the list)\b`)
	saysOnly   = regexp.MustCompile(`(?m)no tool may be called but .+|only .+ can be chosen now`)
	saysNone   = regexp.MustCompile(`(?m)no tool can be called`)
)

// single reports whether only one call may be made in an answer.
func (v view) single() bool {
	if v.native {
		return !v.parallel
	}
	return saysSingle.MatchString(v.offer.rules) || saysSingle.MatchString(v.reproved)
}

// must reports whether a call must be made, and of which tool where one is named.
func (v view) must() (name string, must bool) {
	if v.native {
		return v.choice.name, v.choice.required
	}
	said := saysMust.FindString(v.policy)
	for _, t := range v.offer.tools {
		if mentions(said, t.name) {
			return t.name, true
		}
	}
	return "", said != ""
}

// mentions reports whether a sentence holds the name as a word of its own.
func mentions(sentence, name string) bool {
	return slices.Contains(strings.FieldsFunc(sentence, func(r rune) bool { return !inName(r) }), name)
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}
