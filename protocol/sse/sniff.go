package sse

import (
	"bytes"
	"strings"
)

// Kind says what a body is.
type Kind uint8

const (
	Unknown Kind = iota // nothing that tells was read yet
	Events
	Whole // one reply
)

// Sniff reads as far as it must to tell what the body is. What it holds
// decides, before its content type.
func (f *Reader) Sniff(contentType string) Kind {
	for {
		if k := sniff(f.Buffered(), contentType, f.err != nil); k != Unknown {
			return k
		}
		f.Fill()
	}
}

// sniff tells what a body is; Unknown while more of it is needed.
func sniff(b []byte, contentType string, all bool) Kind {
	isEvents := strings.HasPrefix(strings.ToLower(strings.TrimSpace(contentType)), "text/event-stream")
	rest := bytes.TrimLeft(bytes.TrimPrefix(b, ByteOrderMark), " \t\r\n")
	switch {
	case len(rest) == 0 || bytes.HasPrefix(ByteOrderMark, rest):
		if !all {
			return Unknown
		}
	case rest[0] == '{' || rest[0] == '[' || rest[0] == '<':
		return Whole
	case isEvents:
		return Events
	}
	for _, lead := range []string{":", "data:", "event:", "id:", "retry:"} {
		switch {
		case bytes.HasPrefix(rest, []byte(lead)):
			return Events
		case !all && strings.HasPrefix(lead, string(rest)):
			return Unknown
		}
	}
	if isEvents {
		return Events
	}
	return Whole
}
