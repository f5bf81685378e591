package turn

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/schema"
	"github.com/ferrule/ferrule/words"
)

// carrier chooses how the tools of this request travel.
func (x *run) carrier() (carrier, error) {
	p := x.profile()
	if p.Stream != profile.StreamAsked {
		x.whole = p.Stream
	}
	switch {
	case p.Tools == profile.None:
		x.report.Mode = string(profile.None)
		if len(x.q.Tools) > 0 {
			return nil, x.noTools()
		}
	case p.Words() && inWordsNeeded(x.q):
		return x.words(p)
	}
	if f := x.tooLarge(x.t.Profile); f != nil {
		return nil, f
	}
	return newNative(x, p), nil
}

// profile is what the configuration says, what was learned, and the table of
// models, merged: the former wins.
func (x *run) profile() profile.Profile {
	return x.t.Profile.Learn(x.learned()).Of(x.t.Model)
}

// inWordsNeeded reports whether q has anything that only a tools API can carry.
func inWordsNeeded(q *chat.Request) bool {
	if len(q.Tools) > 0 {
		return true
	}
	for _, m := range q.Messages {
		for _, p := range m.Parts {
			switch p.(type) {
			case chat.Call, chat.Result:
				return true
			}
		}
	}
	return false
}

func (x *run) noTools() *chat.Fault {
	return &chat.Fault{
		Code: CodeToolsNotSupported, Status: 400, Param: "tools",
		Text: fmt.Sprintf("%s is configured with `tools: none`, and the request has %d tools. Take the tools out, or choose another model.", x.t.Model, len(x.q.Tools)),
	}
}

func (x *run) learned() []profile.Fact {
	if x.r.Facts == nil {
		return nil
	}
	return x.count(x.r.Facts.Learned(x.place()))
}

// count leaves out what was learned with other tools: one client's odd schema
// is no other's, until a second list of tools met the same (security.md D2).
func (x *run) count(facts []profile.Fact) []profile.Fact {
	mine, met := "", map[profile.Fact]int{}
	for _, f := range facts {
		if f.Tools != "" {
			mine = words.Toolset(x.q.Tools)
			met[profile.Fact{Field: f.Field, Value: f.Value}]++
		}
	}
	return slices.DeleteFunc(slices.Clone(facts), func(f profile.Fact) bool {
		return f.Tools != "" && f.Tools != mine && met[profile.Fact{Field: f.Field, Value: f.Value}] < 2
	})
}

func (x *run) learn(f profile.Fact) {
	if x.r.Facts != nil {
		x.r.Facts.Learn(x.place(), f)
	}
}

func (x *run) place() profile.Place {
	return profile.Place{Owner: x.t.Owner, Provider: x.t.Provider, Model: x.t.Model}
}

// unlearn forgets that tools must go in words, where they were taken natively.
func (x *run) unlearn(c carrier) {
	if n, native := c.(*native); native && n.tools && x.r.Facts != nil && x.healed == 0 {
		x.r.Facts.Unlearn(x.place(), "tools")
	}
}

// withDefaults fills what the caller left open.
func (l Limits) withDefaults() Limits {
	for _, d := range []struct {
		field *int
		value int
	}{
		{&l.Tools, 128},
		{&l.ToolBytes, 2 << 20},
		{&l.Calls, 32},
		{&l.AnswerBytes, 16 << 20},
		{&l.HeldBytes, 2 << 20},
	} {
		if *d.field == 0 {
			*d.field = d.value
		}
	}
	if l.HeldTime == 0 {
		l.HeldTime = 10 * time.Minute
	}
	return l
}

// Codes of the faults that a request meets before anything goes upstream, and
// of those that an answer ends in.
const (
	CodeToolsNotSupported = "tools_not_supported"
	CodeTooManyTools      = "too_many_tools"
	CodeToolsTooLarge     = "tools_too_large"
	CodeToolKind          = "tool_kind_unsupported"
	CodeToolName          = "tool_name_invalid"
	CodeToolNameTwice     = "tool_name_duplicate"
	CodeToolSchema        = "tool_schema_invalid"
	CodeChoiceUnknown     = "tool_choice_unknown"
	CodeChoicesUnsupp     = "n_unsupported"
	CodeToolCallInvalid   = "tool_call_invalid"
	CodeAnswerTooLarge    = "answer_too_large"
	CodeCallTooLarge      = "tool_call_too_large"
	CodeUpstreamCut       = "upstream_cut"
)

// check holds an emulated request to the limits.
func (l Limits) check(q *chat.Request) *chat.Fault {
	refuse := func(code, param, format string, args ...any) *chat.Fault {
		return &chat.Fault{Code: code, Status: 400, Param: param, Text: fmt.Sprintf(format, args...)}
	}
	if n := q.Sampling.Choices; n != nil && *n > 1 {
		return refuse(CodeChoicesUnsupp, "n", "n is %d: a model that gets its tools in words gives one answer. Leave n out.", *n)
	}
	if len(q.Tools) > l.Tools {
		return refuse(CodeTooManyTools, "tools", "%d tools: at most %d can be put into words. Send fewer.", len(q.Tools), l.Tools)
	}
	size := 0
	seen := make(map[string]bool, len(q.Tools))
	for i, t := range q.Tools {
		param := fmt.Sprintf("tools[%d]", i)
		if t.Kind != chat.ToolFunction {
			return refuse(CodeToolKind, param, "tool %d is of kind %q: only function tools can be put into words.", i, t.Kind)
		}
		if !nameFits(t.Name) {
			return refuse(CodeToolName, param, "tool %d has no name.", i)
		}
		if seen[t.Name] {
			return refuse(CodeToolNameTwice, param, "two tools are named %q.", t.Name)
		}
		seen[t.Name] = true
		if size += len(t.Name) + len(t.Description) + len(t.Schema); size > l.ToolBytes {
			return refuse(CodeToolsTooLarge, "tools", "the tool definitions are larger than %d bytes. Send fewer tools or shorter descriptions.", l.ToolBytes)
		}
		if err := schema.Measure(t.Schema); err != nil {
			code := CodeToolSchema
			var limit *schema.LimitError
			if errors.As(err, &limit) {
				code = limit.Limit
			}
			return refuse(code, param, "the parameters of tool %s: %v.", t.Name, err)
		}
	}
	if q.Choice.Mode == chat.ChoiceNamed && !seen[q.Choice.Name] {
		return refuse(CodeChoiceUnknown, "tool_choice", "tool_choice names %q, which isn't among the tools.", clip(q.Choice.Name, 80))
	}
	for _, a := range q.Choice.Allowed {
		if !seen[a] {
			return refuse(CodeChoiceUnknown, "tool_choice", "allowed_tools names %q, which isn't among the tools.", clip(a, 80))
		}
	}
	return nil
}

func nameFits(s string) bool {
	if s == "" || len(s) > 64 {
		return false
	}
	return strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == ""
}

// clip shortens s to at most n bytes at a rune's edge.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
