package gateway

import (
	"github.com/ferrule/ferrule/protocol"
	"github.com/ferrule/ferrule/protocol/anthropic"
	"github.com/ferrule/ferrule/protocol/openai"
)

// Surface is a protocol that clients speak, and where.
type Surface struct {
	Name     string   // in metrics and logs
	Protocol string   // as chat.Wire.Protocol spells it
	Paths    []string // below the root, exact
	Server   protocol.Server
	Count    string // where the tokens of a request are counted; "": nowhere
	Stream   string // content type of a streamed answer
	Whole    string // content type of any other
}

// Surfaces are those that the gateway has. The first words the errors of
// requests that reach none of them.
func Surfaces() []Surface {
	return []Surface{
		{
			Name: "chat", Protocol: openai.Name,
			Paths:  []string{"/v1/chat/completions", "/chat/completions"},
			Server: openai.Server{},
			Stream: "text/event-stream", Whole: "application/json",
		},
		{
			Name: "messages", Protocol: anthropic.Name,
			Paths: []string{"/v1/messages"}, Count: "/v1/messages/count_tokens",
			Server: anthropic.Server{},
			Stream: "text/event-stream", Whole: "application/json",
		},
	}
}
