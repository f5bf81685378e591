// Package history puts a conversation into the form that a provider's template
// takes: whose turn follows whose, which call has its result where, what ids
// look like. Only what goes upstream changes; the client's own stays.
//
// Words that nobody said are the last resort, and say so of themselves.
package history

import (
	"slices"

	"github.com/ferrule/ferrule/chat"
)

// rewrite is one rule. do changes ms, which is its own to change, and reports
// whether it did.
type rewrite struct {
	name   string
	why    string // what is refused without it
	source string // where that was seen
	do     func(h *shaping) bool
}

// rewrites are all rules, in the order in which they are made.
var rewrites = []rewrite{
	{"results_first", "a note between calls and their results", "F106: deepseek", (*shaping).resultsFirst},
	{"answer_calls", "a call without a result", "F106", (*shaping).answerCalls},
	{"orphans_to_text", "a result without its call", "F107: earendil-works/pi#4570", (*shaping).orphansToText},
	{"flatten_without_tools", "calls in the history of a request without tools", "F118: vercel/ai#7537", (*shaping).flattenWithoutTools},
	{"tools_to_text", "calls and results where a template knows none", "F110", (*shaping).toolsToText},
	{"one_call", "several calls in one turn", "F112: natefleming/dao-ai#94", (*shaping).oneCall},
	{"pictures_out", "a picture in a result", "F113", (*shaping).picturesOut},
	{"system_first", "a system message that isn't the first", "F110", (*shaping).systemFirst},
	{"no_system", "a system message", "agno-agi/agno#3505", (*shaping).noSystem},
	{"no_empty", "a message without content", "F110", (*shaping).noEmpty},
	{"bridge", "a user's turn behind a result", "F103", (*shaping).bridge},
	{"user_first", "an assistant's turn at the beginning", "F109", (*shaping).userFirst},
	{"merge_roles", "two turns of one role", "F110", (*shaping).mergeRoles},
	{"ids_nine", "ids that aren't nine letters and digits", "F104: mistralai/client-js#69", (*shaping).idsNine},
}

// flavours are the rules that belong together, by what a provider takes.
var flavours = []struct {
	name  string
	rules []string
}{
	{"any", []string{"results_first", "answer_calls", "orphans_to_text", "no_empty"}},
	{"openai", []string{"results_first", "answer_calls", "orphans_to_text", "pictures_out"}},
	{"deepseek", []string{"results_first", "answer_calls", "orphans_to_text"}},
	{"mistral", []string{"results_first", "answer_calls", "orphans_to_text", "system_first", "bridge", "user_first", "ids_nine"}},
	{"gemini", []string{"results_first", "answer_calls", "orphans_to_text", "user_first"}},
	{"single-call-template", []string{"results_first", "answer_calls", "orphans_to_text", "one_call"}},
	{"alternating-template", []string{"tools_to_text", "orphans_to_text", "system_first", "no_empty", "user_first", "merge_roles"}},
	{"bedrock", []string{"results_first", "answer_calls", "orphans_to_text", "flatten_without_tools", "no_empty"}},
	{"bedrock-nonclaude", []string{"results_first", "answer_calls", "orphans_to_text", "flatten_without_tools", "bridge", "user_first"}},
}

// Flavours lists their names.
func Flavours() []string {
	var names []string
	for _, f := range flavours {
		names = append(names, f.name)
	}
	return names
}

// Rules lists what a flavour, or a rule by its own name, asks for; ok is false
// for a name that isn't there.
func Rules(name string) (rules []string, ok bool) {
	for _, f := range flavours {
		if f.name == name {
			return f.rules, true
		}
	}
	if slices.ContainsFunc(rewrites, func(r rewrite) bool { return r.name == name }) {
		return []string{name}, true
	}
	return nil, false
}

// maxRounds bounds how often the rules are made: one may make work for another.
const maxRounds = 6

// shaping is a conversation under way.
type shaping struct {
	q  *chat.Request
	ms []chat.Message
}

// Shape makes the rules of a flavour, in the order of their table, until none
// changes anything. It returns q itself where none did, else a copy, and the
// names of those that did. An unknown flavour changes nothing.
func Shape(q *chat.Request, flavour string) (*chat.Request, []string) {
	rules, _ := Rules(flavour)
	c := *q
	h := &shaping{q: &c, ms: slices.Clone(q.Messages)}
	for i := range h.ms {
		h.ms[i].Parts = slices.Clone(h.ms[i].Parts)
	}
	var made []string
	for range maxRounds {
		changed := false
		for _, r := range rewrites {
			if slices.Contains(rules, r.name) && r.do(h) {
				changed = true
				if !slices.Contains(made, r.name) {
					made = append(made, r.name)
				}
			}
		}
		if !changed {
			break
		}
	}
	if len(made) == 0 {
		return q, nil
	}
	out := q.Edit(chat.FieldMessages)
	out.System, out.Messages = c.System, h.ms
	return out, made
}

// Names lists the rules by their own names.
func Names() []string {
	var names []string
	for _, r := range rewrites {
		names = append(names, r.name)
	}
	return names
}
