package history_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/ferrule/ferrule/chat"
)

// wants says for each rule what a request must be like that it has shaped; "" is
// right.
var wants = map[string]func(q *chat.Request) string{
	"no-system": func(q *chat.Request) string {
		if len(q.System) > 0 {
			return "there is a system prompt"
		}
		return ""
	},
	"system-first": func(q *chat.Request) string {
		return noMessage(q, "a system message", func(i int) bool { return q.Messages[i].Role == chat.RoleSystem })
	},
	"one-system": func(q *chat.Request) string {
		plain := 0
		for i, p := range q.System {
			if t, ok := p.(chat.Text); ok && t.Extra == nil && i > 0 {
				if before, ok := q.System[i-1].(chat.Text); ok && before.Extra == nil {
					plain++
				}
			}
		}
		if plain > 0 {
			return "two texts side by side"
		}
		return ""
	},
	"drop-orphans":  func(q *chat.Request) string { return some("orphans", matched(q).orphans) },
	"answer-calls":  func(q *chat.Request) string { return some("open calls", matched(q).open) },
	"results-first": resultsBehindCalls,
	"one-call": func(q *chat.Request) string {
		return noMessage(q, "two calls in one message", func(i int) bool { return len(calls(q.Messages[i])) > 1 })
	},
	"no-calls-without-tools": func(q *chat.Request) string {
		if len(q.Tools) > 0 {
			return ""
		}
		return noCalls(q)
	},
	"only-offered-calls": func(q *chat.Request) string {
		return eachCall(q, func(c chat.Call) bool {
			for _, t := range q.Tools {
				if t.Name == c.Name {
					return true
				}
			}
			return false
		})
	},
	"no-tool-role":   noCalls,
	"stub-arguments": func(q *chat.Request) string { return eachCall(q, argsAreObject) },
	"arguments-object": func(q *chat.Request) string {
		return eachCall(q, func(c chat.Call) bool {
			return c.Extra["openai.type"] != nil || string(c.Extra["openai.arguments_as"]) == `"object"`
		})
	},
	"arguments-string": func(q *chat.Request) string {
		return eachCall(q, func(c chat.Call) bool { return c.Extra["openai.arguments_as"] == nil })
	},
	"ids-nine":      formed(`^[a-zA-Z0-9]{9}$`),
	"ids-toolu":     formed(`^toolu_[a-zA-Z0-9_-]+$`),
	"ids-functions": formed(`^functions\.[fg]:[0-9]+$`),
	"ids-plain":     formed(`^[a-zA-Z0-9_-]{1,40}$`),
	"name-results":  named("openai.name"),
	"tool-names":    named("openai.tool_name"),
	"no-pictures-in-results": func(q *chat.Request) string {
		return eachResult(q, func(_ chat.Message, r chat.Result) bool {
			for _, p := range r.Parts {
				if _, ok := p.(chat.Image); ok {
					return false
				}
			}
			return true
		})
	},
	"no-empty": noBlanks,
	"bridge-results": func(q *chat.Request) string {
		return noMessage(q, "the user right behind a result", func(i int) bool {
			return i > 0 && q.Messages[i-1].Role == chat.RoleTool && q.Messages[i].Role == chat.RoleUser
		})
	},
	"alternate": func(q *chat.Request) string {
		return noMessage(q, "one role twice", func(i int) bool {
			r := q.Messages[i].Role
			return i > 0 && r == q.Messages[i-1].Role && (r == chat.RoleUser || r == chat.RoleAssistant)
		})
	},
	"leading-user": func(q *chat.Request) string {
		for _, m := range q.Messages {
			if m.Role != chat.RoleSystem {
				if m.Role == chat.RoleAssistant || m.Role == chat.RoleTool {
					return "it begins with " + string(m.Role)
				}
				break
			}
		}
		return ""
	},
	"no-reasoning": func(q *chat.Request) string {
		return noMessage(q, "thinking", func(i int) bool { return thinks(q.Messages[i]) })
	},
	"reasoning-back": func(q *chat.Request) string {
		return noMessage(q, "calls without thinking", func(i int) bool {
			return len(calls(q.Messages[i])) > 0 && !thinks(q.Messages[i])
		})
	},
	"signatures-back": func(q *chat.Request) string {
		return noMessage(q, "a first call without signature", func(i int) bool {
			cs := calls(q.Messages[i])
			return len(cs) > 0 && cs[0].Extra["openai.extra_content"] == nil
		})
	},
}

func some(what string, list []string) string {
	if len(list) == 0 {
		return ""
	}
	return what + ": " + strings.Join(list, ", ")
}

func noMessage(q *chat.Request, what string, bad func(i int) bool) string {
	for i := range q.Messages {
		if bad(i) {
			return fmt.Sprintf("message %d: %s", i, what)
		}
	}
	return ""
}

func calls(m chat.Message) (out []chat.Call) {
	for _, p := range m.Parts {
		if c, ok := p.(chat.Call); ok {
			out = append(out, c)
		}
	}
	return out
}

func thinks(m chat.Message) bool {
	for _, p := range m.Parts {
		if _, ok := p.(chat.Reasoning); ok {
			return true
		}
	}
	return false
}

func eachCall(q *chat.Request, good func(chat.Call) bool) string {
	for i, m := range q.Messages {
		for _, c := range calls(m) {
			if !good(c) {
				return fmt.Sprintf("message %d: call %q %s", i, c.ID, c.Args)
			}
		}
	}
	return ""
}

func eachResult(q *chat.Request, good func(chat.Message, chat.Result) bool) string {
	for i, m := range q.Messages {
		for _, p := range m.Parts {
			if r, ok := p.(chat.Result); ok && !good(m, r) {
				return fmt.Sprintf("message %d: result %q", i, r.ID)
			}
		}
	}
	return ""
}

func noCalls(q *chat.Request) string {
	if why := eachCall(q, func(chat.Call) bool { return false }); why != "" {
		return why
	}
	return eachResult(q, func(chat.Message, chat.Result) bool { return false })
}

func argsAreObject(c chat.Call) bool {
	var m map[string]any
	return c.Extra["openai.type"] != nil || len(c.Args) == 0 || json.Unmarshal(c.Args, &m) == nil && m != nil
}

// match pairs calls and results one by one, the latest call first.
type match struct {
	open, orphans []string
	pairs         []pair
}

type pair struct {
	id           string
	call, result int // the messages
}

func matched(q *chat.Request) (out match) {
	var open []pair
	key := func(id, name string) string {
		if id == "" {
			return "by name " + name
		}
		return id
	}
	for i, m := range q.Messages {
		for _, p := range m.Parts {
			switch v := p.(type) {
			case chat.Call:
				open = append(open, pair{id: key(v.ID, v.Name), call: i})
			case chat.Result:
				at := -1
				for k, w := range open {
					if w.id == key(v.ID, v.Name) && (at < 0 || w.call > open[at].call) {
						at = k
					}
				}
				if at < 0 {
					out.orphans = append(out.orphans, v.ID)
					continue
				}
				open[at].result = i
				out.pairs = append(out.pairs, open[at])
				open = append(open[:at:at], open[at+1:]...)
			}
		}
	}
	for _, w := range open {
		out.open = append(out.open, w.id)
	}
	return out
}

// resultsBehindCalls: between a call and its result stand other results alone.
func resultsBehindCalls(q *chat.Request) string {
	for _, p := range matched(q).pairs {
		for k := p.call + 1; k <= p.result; k++ {
			if q.Messages[k].Role != chat.RoleTool {
				return fmt.Sprintf("message %d: the result %q", k, p.id)
			}
		}
	}
	return ""
}

func formed(pattern string) func(q *chat.Request) string {
	re := regexp.MustCompile(pattern)
	return func(q *chat.Request) string {
		seen := map[string]bool{}
		return eachCall(q, func(c chat.Call) bool {
			twice := seen[c.ID]
			seen[c.ID] = true
			return re.MatchString(c.ID) && !twice
		})
	}
}

func named(member string) func(q *chat.Request) string {
	return func(q *chat.Request) string {
		return eachResult(q, func(m chat.Message, r chat.Result) bool {
			if r.Name == "" {
				return true // its call isn't there
			}
			return string(r.Extra[member]) == `"`+r.Name+`"` || m.Extra[member] != nil
		})
	}
}

func noBlanks(q *chat.Request) string {
	blank := func(ps []chat.Part) bool {
		for _, p := range ps {
			if t, ok := p.(chat.Text); ok && strings.TrimSpace(t.Text) == "" {
				return true
			}
		}
		return false
	}
	if blank(q.System) {
		return "the system prompt"
	}
	if why := noMessage(q, "nothing", func(i int) bool { return len(q.Messages[i].Parts) == 0 || blank(q.Messages[i].Parts) }); why != "" {
		return why
	}
	return eachResult(q, func(_ chat.Message, r chat.Result) bool { return len(r.Parts) > 0 && !blank(r.Parts) })
}
