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

// The actions that a class asks for. Whoever doesn't know one reports the fault.
const (
	Report    = "report"                                       // give the fault to the client
	Emulate   = "emulate"                                      // send the request again with the tools in words
	Unstream  = "retry_native_nonstream_and_synthesise_stream" // send it again unstreamed, and stream what comes
	Redialect = "retry_with_schemas_in_another_dialect"        // send it again with plainer schemas
	Resample  = "retry_once_then_emulated"                     // the request was fine: ask again, then in words
)

// Verdict is what a fault means.
type Verdict struct {
	Class  string
	Action string
	Scope  string // what it holds for: model, endpoint+model, gateway+model, model+stream, request
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
			return Verdict{Class: r.class, Action: r.action, Scope: r.scope, Source: r.source}
		}
	}
	return other
}

// byStatus are the statuses that decide alone.
var byStatus = map[int]string{401: Auth, 403: Auth, 429: RateLimited}
