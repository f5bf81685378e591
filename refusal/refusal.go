// Package refusal tells what a provider's fault means for a request.
//
// A status is no guide: the same refusal comes with 400, 404, 405 and 500, in
// an error's body, in a 200 body or in a stream. What counts is what the
// provider says, less what it only repeats of the request: a model may well be
// named "does not support tools".
//
// What providers say is a table of rows (rows.go and its neighbours). A row
// needs words of the provider's own; the first that fits decides. A fault that
// fits none is Other, and Sample tells of it without its content.
package refusal

import "github.com/ferrule/ferrule/chat"

// The classes of faults.
const (
	SchemaRefused             = "schema_refused"
	ToolsUnsupported          = "tools_unsupported"
	ToolsUnsupportedStreaming = "tools_unsupported_streaming"
	StreamingUnsupported      = "streaming_unsupported"
	ToolChoiceUnsupported     = "tool_choice_unsupported"
	CombinationUnsupported    = "tool_combination_unsupported"
	ParamUnsupported          = "param_unsupported"
	ServerMisconfigured       = "server_misconfigured"
	OutputRejected            = "model_output_rejected"
	HistoryRejected           = "history_rejected"
	TemplateFailed            = "template_failed"
	ContextOverflow           = "context_overflow"
	OverflowOrHistory         = "context_overflow_or_history_rejected" // only where nothing is known of the request
	TooManyTools              = "too_many_tools"
	ToolsExceedBudget         = "tools_exceed_budget" // Ferrule's own, before anything is sent: no row has it
	ModelNotFound             = "model_not_found"
	UpstreamTransient         = "upstream_transient"
	Auth                      = "auth"
	RateLimited               = "rate_limited"
	Other                     = "other"
)

// The actions that a verdict asks for. Whoever doesn't know one, or can't do it
// for the request at hand, reports the fault.
const (
	Report     = "report"      // give the fault to the client as it came
	Emulate    = "emulate"     // send the request again with the tools in words
	Redialect  = "redialect"   // with schemas and names in the provider's dialect, then in the smallest one
	Unstream   = "unstream"    // unstreamed; the client gets its stream made of the whole
	DropChoice = "drop_choice" // with tool_choice auto, the answer checked against the choice; "none" is never dropped, the tools are
	DropParam  = "drop_param"  // without Verdict.Param
	Reshape    = "reshape"     // with the history in the form that the model's template takes
	Rescue     = "rescue"      // read the calls in the fault; where there are none, as RetryOnce
	RetryOnce  = "retry_once"  // once more as it was, unless the upstream runs tools of its own
)

// What a verdict holds for.
const (
	ScopeModel        = "model"
	ScopeEndpoint     = "endpoint+model" // this model here: it may take tools elsewhere
	ScopeGateway      = "gateway+model"  // what a gateway on the way believes of the model
	ScopeServer       = "server"         // all models of a server, until it is started otherwise
	ScopeModelStream  = "model+stream"
	ScopeModelChoice  = "model+tool_choice"
	ScopeModelParam   = "model+param"
	ScopeTools        = "tools" // the tools of this request; Verdict.Tool is the one that was named
	ScopeThisRequest  = "request"
	scopeOfTheUnknown = ScopeThisRequest
)

// Verdict is what a fault means.
type Verdict struct {
	Class  string
	Action string
	Scope  string
	Tool   string // the tool that the fault names, as the request spells it; "" where it names none
	Param  string // the parameter that it names, as it spells it
	Source string // where the row that matched was learned: a case of the field log, an issue; "" for none
}

// Classify tells what f means for q by the built-in rows. A nil q stands for a
// request of which nothing is known: then nothing is ruled out, and words that
// it may have had aren't known for an echo.
func Classify(f *chat.Fault, q *chat.Request) Verdict { return Table{}.Classify(f, q) }

// Classify tells what f means for q. A fault about credentials or rates is
// reported whatever it says.
func (t Table) Classify(f *chat.Fault, q *chat.Request) Verdict {
	unknown := Verdict{Class: Other, Action: Report, Scope: scopeOfTheUnknown}
	if f == nil {
		return unknown
	}
	if class, ok := decisive[f.Status]; ok {
		return Verdict{Class: class, Action: Report, Scope: ScopeThisRequest, Source: byStatus}
	}
	if g, ok := Generated(f); ok {
		return settled(Verdict{Class: OutputRejected, Action: Rescue, Scope: ScopeThisRequest, Source: g.Source}, q)
	}
	h := &hearing{f: f, q: q, said: newSaid(f)}
	for _, rs := range [...][]row{t.own, builtIn} {
		for i := range rs {
			if v, ok := h.fits(&rs[i]); ok {
				return settled(v, q)
			}
		}
	}
	if transient(f) {
		return Verdict{Class: UpstreamTransient, Action: Report, Scope: ScopeThisRequest, Source: byStatus}
	}
	return unknown
}

// byStatus is the Source of a verdict that no words led to.
const byStatus = "status"

// decisive are the statuses that decide alone.
var decisive = map[int]string{401: Auth, 403: Auth, 429: RateLimited}

// settled fits a verdict to the request: one sentence with two causes has one,
// and what is about tools can't be healed where there are none.
func settled(v Verdict, q *chat.Request) Verdict {
	if q == nil {
		return v
	}
	if v.Class == OverflowOrHistory {
		v.Class, v.Action = HistoryRejected, Reshape
		if long(q) {
			v.Class, v.Action = ContextOverflow, Report
		}
	}
	if len(q.Tools) == 0 && (v.Action == Rescue || v.Action == RetryOnce || v.Action == Emulate || v.Action == Redialect) {
		v.Action = Report
	}
	return v
}

// shortest is how many bytes a request has at least that can be too long for a
// model: the smallest windows in use hold 2,048 tokens.
const shortest = 6000

// long tells whether a request can be too long: somebody asks something, and
// there is enough of it.
func long(q *chat.Request) bool {
	n, asked := partsSize(q.System), false
	for _, m := range q.Messages {
		size := partsSize(m.Parts)
		n += size
		asked = asked || m.Role == chat.RoleUser && size > 0
	}
	for _, t := range q.Tools {
		n += len(t.Name) + len(t.Description) + len(t.Schema)
	}
	return asked && n >= shortest
}

func partsSize(ps []chat.Part) (n int) {
	for _, p := range ps {
		switch p := p.(type) {
		case chat.Text:
			n += len(p.Text)
		case chat.Reasoning:
			n += len(p.Text)
		case chat.Call:
			n += len(p.Name) + len(p.Args)
		case chat.Result:
			n += partsSize(p.Parts)
		case chat.Opaque:
			n += len(p.Raw)
		}
	}
	return n
}

// transient tells by the status alone that an upstream is busy or down. A 502
// says so only where the answer is no error of its own: Ferrule itself gives
// that status to errors that came in a 200.
func transient(f *chat.Fault) bool {
	switch f.Status {
	case 503, 504, 529:
		return true
	case 502:
		return f.Wire != nil && wordless(f.Wire.Body)
	}
	return false
}
