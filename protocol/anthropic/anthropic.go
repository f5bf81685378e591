// Package anthropic speaks Anthropic's Messages API as a client of an upstream.
//
// What other protocols have no word for travels in Extra. Thinking that the
// provider signed must come back, as it came, with the calls that followed it:
// it hangs on the call as a list of blocks, and stands before it in the next
// request. Thinking without a signature proves nothing to the provider and
// stays behind.
package anthropic

import (
	"io"
	"net/http"
	"time"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/protocol"
)

// Name is the value of Wire.Protocol and Frame.Protocol for this protocol.
const Name = "anthropic"

// DefaultMaxTokens is the limit on output tokens of a request that has none:
// the protocol wants one. Every model that the provider serves takes it.
const DefaultMaxTokens = 8192

// Client speaks the Messages API to an upstream. Its zero value works.
type Client struct {
	// MaxTokens is the limit of a request that has none; 0: DefaultMaxTokens.
	MaxTokens int
	// Rand makes the ids of calls that come without one; nil: crypto/rand.
	Rand io.Reader
	// Now is what a Retry-After date is compared with where the upstream's
	// answer has no Date; nil: time.Now.
	Now func() time.Time
}

var (
	_ protocol.Client  = Client{}
	_ protocol.Readier = (*stream)(nil)
)

// own is the prefix of this protocol's members in a chat.Extra.
const own = Name + "."

// The members of an Extra that are more than members of the same name.
const (
	thinking  = own + "thinking"  // of a call: the signed blocks of thinking before it, a list
	signature = own + "signature" // of reasoning
	redacted  = own + "data"      // of reasoning that nobody can read
	rawTool   = own + "tool"      // of a tool that isn't a client's: the tool as it stands
)

// Codes of faults that are found here. Those of an answer are the other
// protocols' too.
const (
	codeInvalid  = "upstream_invalid_response"
	codeEvent    = "upstream_event_too_large"
	codeReply    = "upstream_response_too_large"
	codeUpstream = "upstream_error"
	codeContent  = "content_unsupported"
	codeFormat   = "format_unsupported"
	codeToolKind = "tool_kind_unsupported"
	codeChoice   = "tool_choice_unknown"
	codeChoices  = "n_unsupported"
)

// finishes are the protocol's words for why an answer ended. Others are kept as
// they are.
var finishes = map[string]chat.Finish{
	"end_turn":      chat.FinishStop,
	"stop_sequence": chat.FinishStop,
	"tool_use":      chat.FinishCalls,
	"max_tokens":    chat.FinishLength,
	"refusal":       chat.FinishFilter,

	"model_context_window_exceeded": chat.FinishLength,
}

// statuses are those that go with the protocol's types of errors, for an error
// within an answer has none of its own.
var statuses = map[string]int{
	"invalid_request_error": http.StatusBadRequest,
	"authentication_error":  http.StatusUnauthorized,
	"billing_error":         http.StatusPaymentRequired,
	"permission_error":      http.StatusForbidden,
	"not_found_error":       http.StatusNotFound,
	"conflict_error":        http.StatusConflict,
	"request_too_large":     http.StatusRequestEntityTooLarge,
	"rate_limit_error":      http.StatusTooManyRequests,
	"api_error":             http.StatusInternalServerError,
	"timeout_error":         http.StatusGatewayTimeout,
	"overloaded_error":      529,
}
