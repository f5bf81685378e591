// Package openai speaks OpenAI Chat Completions, both ways: as a client of an
// upstream and as the server of a client.
//
// Bytes are kept. A request that came in this protocol is edited member by
// member; a reply's frames carry the bytes they came in. What is read is read
// with exact keys and in one pass, doubled keys seen; what can't be forwarded
// as it came, because another reader could read something else in it, has no
// Raw and is written anew from its events.
package openai

import (
	"time"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/protocol"
)

// Name is the value of Wire.Protocol and Frame.Protocol for this protocol.
const Name = "openai"

// Client speaks Chat Completions to an upstream. Its zero value works.
type Client struct {
	// Now is what a Retry-After date is compared with where the upstream's
	// answer has no Date; nil: time.Now.
	Now func() time.Time
}

// Server speaks Chat Completions to a client. Its zero value works.
type Server struct {
	// Now dates the replies whose upstream didn't say when they were made; nil: time.Now.
	Now func() time.Time
}

var (
	_ protocol.Client  = Client{}
	_ protocol.Server  = Server{}
	_ protocol.Encoder = (*encoder)(nil)
	_ protocol.Readier = (*decoded)(nil)
)

// own is the prefix of this protocol's members in a chat.Extra.
const own = Name + "."

// finishes are the protocol's words for why an answer ended. Others are kept as they are.
var finishes = map[string]chat.Finish{
	"stop":           chat.FinishStop,
	"tool_calls":     chat.FinishCalls,
	"function_call":  chat.FinishCalls,
	"length":         chat.FinishLength,
	"content_filter": chat.FinishFilter,
}

func now(f func() time.Time) time.Time {
	if f == nil {
		return time.Now()
	}
	return f()
}
