package refusal

import (
	"strings"

	"github.com/ferrule/ferrule/chat"
)

// row is one way in which providers refuse.
type row struct {
	is     pattern
	class  string
	action string
	scope  string
	source string
}

func r(is, class, action, scope, source string) row {
	return row{compile(is), class, action, scope, source}
}

// aboutTools are the classes that a request without tools can't meet.
var aboutTools = map[string]bool{
	SchemaRefused: true, ToolsUnsupported: true, ToolsUnsupportedStreaming: true, ToolChoiceUnsupported: true,
	CombinationUnsupported: true, ServerMisconfigured: true, TooManyTools: true,
}

// hearing is one fault, looked at row by row.
type hearing struct {
	f    *chat.Fault
	q    *chat.Request
	said said

	own    *words // the request's; nil: not looked at yet
	masked string
}

// fits returns the verdict of a row, if it fits in words of the provider's own.
func (h *hearing) fits(x *row) (Verdict, bool) {
	if aboutTools[x.class] && h.q != nil && len(h.q.Tools) == 0 {
		return Verdict{}, false
	}
	at, ok := x.is.in(h.said.low)
	if !ok {
		return Verdict{}, false
	}
	if h.q != nil {
		if h.own == nil {
			h.own = wordsOf(h.q)
			h.masked = h.own.mask(h.said.low)
		}
		if at, ok = x.is.in(h.masked); !ok || h.own.hold(h.masked, at.from, at.to) {
			return Verdict{}, false
		}
	}
	v := Verdict{Class: x.class, Action: x.action, Scope: x.scope, Source: x.source}
	v.Tool = h.tool(at)
	v.Param = clean(at.param.of(h.said.words))
	if v.Class == ParamUnsupported {
		v = h.param(v)
	}
	if aboutTools[v.Class] && h.q != nil && len(h.q.Tools) == 0 {
		return Verdict{}, false
	}
	return v, true
}

// tool returns the tool that a fault names, by name or by its place in the list.
func (h *hearing) tool(at hit) string {
	name := at.tool.of(h.said.words)
	if h.q == nil {
		return clean(name)
	}
	for _, t := range h.q.Tools {
		if name != "" && strings.EqualFold(strings.TrimSpace(plain([]string{t.Name})), name) {
			return t.Name
		}
	}
	if name == "" && at.index >= 0 && at.index < len(h.q.Tools) {
		return h.q.Tools[at.index].Name
	}
	return ""
}

// clean drops a name that can't be one: it goes into headers and logs.
func clean(name string) string {
	const longest = 64
	if len(name) > longest {
		return ""
	}
	for i := range len(name) {
		if c := name[i]; c <= ' ' || c >= 0x7f {
			return ""
		}
	}
	return name
}

// param tells what it means that a parameter is refused: some have a class of
// their own, and without some a request would no longer be the client's.
func (h *hearing) param(v Verdict) Verdict {
	if v.Param == "" {
		v.Param = clean(h.f.Param)
	}
	path := strings.ToLower(v.Param)
	for _, before := range []string{"body.", "request."} {
		path = strings.TrimPrefix(path, before)
	}
	for _, p := range params {
		if !p.fits(path) {
			continue
		}
		v.Class, v.Action = p.class, p.action
		if v.Scope != ScopeGateway || p.class != ToolsUnsupported {
			v.Scope = p.scope
		}
		return v
	}
	if v.Param == "" {
		v.Action = Report
	}
	return v
}

// special is a parameter that isn't just left out.
type special struct {
	names  []string // the first step of its path, in lower case
	within string   // its path holds this; "": whatever it holds
	deeper bool     // only steps below it
	class  string
	action string
	scope  string
}

var params = []special{
	{[]string{"toolconfig", "tool_config"}, "choice", false, ToolChoiceUnsupported, DropChoice, ScopeModelChoice},
	{[]string{"toolconfig", "tool_config"}, "function_calling_config", false, ToolChoiceUnsupported, DropChoice, ScopeModelChoice},
	{[]string{"tool_choice", "function_call", "toolchoice"}, "", false, ToolChoiceUnsupported, DropChoice, ScopeModelChoice},
	{[]string{"tools", "functions"}, "", true, SchemaRefused, Redialect, ScopeTools},
	{[]string{"toolconfig"}, "tools", true, SchemaRefused, Redialect, ScopeTools},
	{[]string{"tools", "functions", "toolconfig"}, "", false, ToolsUnsupported, Emulate, ScopeModel},
	{[]string{"messages", "contents", "input", "system", "system_instruction"}, "", false, HistoryRejected, Reshape, ScopeThisRequest},
	{[]string{"stream"}, "", false, StreamingUnsupported, Unstream, ScopeModelStream},
	{[]string{"model"}, "", false, ModelNotFound, Report, ScopeModel},
	// The client asked for these; without them the answer may be another.
	{[]string{"response_format", "text", "max_tokens", "max_completion_tokens", "stop", "n", "generationconfig", "generation_config"}, "", false, ParamUnsupported, Report, ScopeModelParam},
}

func (p special) fits(path string) bool {
	step, deeper := path, false
	if i := strings.IndexAny(path, ".["); i >= 0 {
		step, deeper = path[:i], true
	}
	if p.deeper && !deeper {
		return false
	}
	for _, n := range p.names {
		if n == step {
			return strings.Contains(path, p.within)
		}
	}
	return false
}
