// Package protocol declares what a wire protocol can do, both ways. Each
// protocol is a package below this one. Codecs turn bytes into chat values and
// back; they do no HTTP.
package protocol

import (
	"io"

	"github.com/ferrule/ferrule/chat"
)

// Client speaks a protocol to an upstream.
type Client interface {
	// EncodeRequest returns the path below the provider's base URL and the body.
	// A request that came in the same protocol is edited member by member: what
	// q.Wire.Edited doesn't name goes out as it came, key order and all.
	EncodeRequest(q *chat.Request) (path string, body []byte, err error)
	// Decode reads a 2xx answer. An unstreamed reply is one Frame with Whole set.
	Decode(r io.Reader, contentType string) chat.Stream
	// DecodeFault reads an answer that is an error, whatever its body is.
	DecodeFault(status int, w chat.Wire) *chat.Fault
}

// Server speaks a protocol to a client.
type Server interface {
	DecodeRequest(path string, w chat.Wire) (*chat.Request, *chat.Fault)
	// Encoder writes the answer to q. It collects when !q.Stream and writes at Close.
	Encoder(w io.Writer, q *chat.Request) Encoder
	EncodeFault(f *chat.Fault) (status int, body []byte)
}

// Encoder writes one answer. It isn't safe for concurrent use.
type Encoder interface {
	Frame(f chat.Frame) error
	// Ping writes the protocol's own keep-alive; nothing when the answer isn't streamed.
	Ping() error
	// Close ends the answer; with a fault, in the way that the protocol ends a
	// stream that has failed.
	Close(f *chat.Fault) error
}

// Readier is a Stream that can tell whether Next will answer without waiting
// for the network, so that a writer knows when to flush.
type Readier interface{ Ready() bool }
