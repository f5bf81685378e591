// Package gemini speaks the Gemini API, v1beta, as a client of an upstream:
// generateContent, and streamGenerateContent as an event stream.
//
// What other protocols have no word for travels in Extra: a call's thought
// signature comes back on the same part of the next request. It is also there
// in the form in which Google's OpenAI endpoint gives it, which clients of that
// protocol send back.
package gemini

import (
	"io"
	"time"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/protocol"
)

// Name is the value of Wire.Protocol and Frame.Protocol for this protocol.
const Name = "gemini"

// Client speaks the Gemini API to an upstream. Its zero value works.
type Client struct {
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

// The members of a call's Extra that hold its thought signature: ours, and the
// one in which Google's OpenAI endpoint and its clients carry it.
const (
	signature     = own + "thoughtSignature"
	compatibility = "openai.extra_content"
)

// Codes of faults that are found here. Those of an answer are the other
// protocols' too.
const (
	codeInvalid  = "upstream_invalid_response"
	codeEvent    = "upstream_event_too_large"
	codeReply    = "upstream_response_too_large"
	codeUpstream = "upstream_error"
	codeBlocked  = "prompt_blocked"
	codeContent  = "content_unsupported"
	codeToolKind = "tool_kind_unsupported"
	codeChoice   = "tool_choice_unknown"
	codeChoices  = "n_unsupported"
)

// ending is what one of the protocol's words for why an answer ended means: a
// finish, or a fault of the status.
type ending struct {
	finish chat.Finish
	status int
	why    string
}

// endings are the protocol's words. Any other one is a filter's: the provider
// ended the answer, and nothing says that it is whole.
var endings = map[string]ending{
	"FINISH_REASON_UNSPECIFIED": {}, // it doesn't say
	"STOP":                      {finish: chat.FinishStop},
	"MAX_TOKENS":                {finish: chat.FinishLength},

	"MALFORMED_FUNCTION_CALL":   {status: 502, why: "The provider couldn't read the model's tool call"},
	"MALFORMED_RESPONSE":        {status: 502, why: "The provider couldn't read the model's answer"},
	"UNEXPECTED_TOOL_CALL":      {status: 502, why: "The model called a tool that the provider didn't expect"},
	"TOO_MANY_TOOL_CALLS":       {status: 502, why: "The model made more tool calls in a row than the provider lets it"},
	"MISSING_THOUGHT_SIGNATURE": {status: 400, why: "The provider misses a thought signature in the conversation"},
}
