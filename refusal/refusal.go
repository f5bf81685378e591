// Package refusal tells what a provider's fault means for a request's tools.
//
// A status is no guide: the same refusal comes with 400, 404, 405 and 500, in
// an error's body, in a 200 body or in a stream. What counts is what the
// provider says, less what it only repeats of the request: a model may well be
// named "does not support tools".
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
	OverflowOrHistory         = "context_overflow_or_history_rejected"
	TooManyTools              = "too_many_tools"
	ToolsExceedBudget         = "tools_exceed_budget"
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
	Redialect  = "redialect"   // with schemas in another dialect, then in words
	Unstream   = "unstream"    // unstreamed; the client gets its stream made of the whole
	DropChoice = "drop_choice" // with the choice left to the model, the answer checked against what was asked for
	DropParam  = "drop_param"  // without Verdict.Param
	Reshape    = "reshape"     // with the history in the form that the provider takes, then with the tools in words
	RetryOnce  = "retry_once"  // once more as it was, then in words
)

// Verdict is what a fault means.
type Verdict struct {
	Class  string
	Action string
	Scope  string // what it holds for: model, endpoint+model, gateway+model, model+stream, request
	Param  string // the member of the request that it names
	Source string // where the row that matched was learned
}

// Classify tells what f means for q. A fault about credentials or rates is
// reported whatever it says.
func Classify(f *chat.Fault, q *chat.Request) Verdict {
	other := Verdict{Class: Other, Action: Report, Scope: "request"}
	if f == nil {
		return other
	}
	if class, ok := byStatus[f.Status]; ok {
		return Verdict{Class: class, Action: Report, Scope: "request", Source: "status"}
	}
	if q == nil {
		return other
	}
	said := plain(texts(f))
	var own *words
	for _, r := range rows {
		if !r.in(said) || r.tools() && len(q.Tools) == 0 {
			continue // where there are no tools, nothing about them can be meant
		}
		if own == nil {
			own = wordsOf(q)
		}
		if r.in(own.mask(said)) && !own.hold(r.match) {
			v := Verdict{Class: r.class, Action: r.action, Scope: r.scope, Source: r.source}
			if r.action == DropParam {
				v.Param = paramBehind(said, r.match)
			}
			return v
		}
	}
	return other
}

// byStatus are the statuses that decide alone.
var byStatus = map[int]string{401: Auth, 403: Auth, 429: RateLimited}
