package anthropic

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"unicode/utf8"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/protocol/faults"
	"github.com/ferrule/ferrule/protocol/sse"
	"github.com/ferrule/ferrule/rawjson"
)

// maxReply bounds a whole reply in bytes, pictures included.
const maxReply = 64 << 20

// Decode reads a 2xx answer: an event stream, or a reply that becomes one
// frame. What the body is decides, before its content type. Both go through the
// same steps, so that they come out alike.
//
// A call's CallEnd comes with the answer's finish, for arguments may come late;
// calls without a finish never end. Several Usage events are one growing count:
// the last one counts. A fault that the upstream wrote into its answer is an
// event, and the stream goes on to its end. The answer ends at message_stop,
// whether or not the reader does.
//
// A frame has no Raw if two readers might read its bytes differently: doubled
// keys, several data lines, bytes that aren't UTF-8, an event line that is
// missing or says something else than the payload. It is marked Misread if a
// client that puts blocks together by their indices would understand something
// else than what the events say. What a frame holds is valid until the next call
// to Next or Close.
func (c Client) Decode(r io.Reader, contentType string) chat.Stream {
	s := &stream{contentType: contentType, answer: answer{rand: c.Rand}}
	s.f.Reset(r, 0)
	return s
}

type stream struct {
	f           sse.Reader
	contentType string
	kind        sse.Kind
	heard       int // events that say something
	answer      answer
	end         error // what Next returns from now on
	closed      bool
}

// Ready reports whether Next will answer without reading.
func (s *stream) Ready() bool {
	return s.end != nil || s.kind == sse.Events && s.f.Ready()
}

// Close ends the stream, and closes the reader if it can be closed.
func (s *stream) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	if s.end == nil {
		s.end = io.ErrUnexpectedEOF
	}
	if c, ok := s.f.Source().(io.Closer); ok {
		return c.Close()
	}
	return nil
}

func (s *stream) Next() (chat.Frame, error) {
	s.answer.next()
	if s.end != nil {
		return chat.Frame{}, s.end
	}
	if s.kind == sse.Unknown {
		s.kind = s.f.Sniff(s.contentType)
	}
	if s.kind == sse.Whole {
		return s.reply()
	}
	e, err := s.f.Next()
	switch {
	case errors.Is(err, sse.ErrTooLarge):
		s.end = io.ErrUnexpectedEOF
		s.answer.refuse(codeEvent, fmt.Sprintf("The upstream sent an event of more than %d MB.", sse.MaxEvent>>20))
		return s.frame(nil)
	case err != nil:
		return s.last(err)
	}
	raw := s.f.Raw()
	if !s.event(e, raw) {
		raw = nil
	}
	return s.frame(raw)
}

// frame returns the events gathered so far as a frame.
func (s *stream) frame(raw []byte) (chat.Frame, error) {
	a := &s.answer
	if len(a.events) == 0 {
		a.add(chat.Event{Kind: chat.EventOther})
	}
	return chat.Frame{Protocol: Name, Raw: raw, Whole: s.kind == sse.Whole, Misread: a.misread, Calls: a.calls, Events: a.events}, nil
}

// event reads one event. It is false where the event can't go out as it came.
func (s *stream) event(e sse.Event, raw []byte) (plain bool) {
	payload := bytes.TrimSpace(e.Data)
	if e.Lines == 0 {
		return !e.Odd
	}
	// An event that no empty line ended is one to its sender, but not to a client.
	plain = e.Lines == 1 && !e.Odd && (e.Closed || s.f.AtEnd())
	switch {
	case len(payload) == 0:
		return plain
	case sse.IsDone(payload): // some gateways end every stream so
		s.finish()
		return false
	case !utf8.Valid(payload):
		payload, plain = bytes.ToValidUTF8(payload, []byte("\ufffd")), false
	}
	if rawjson.Valid(payload, rawjson.MaxDepth) != nil || rawjson.Kind(payload) != '{' {
		// What the end of the body cut says nothing; next comes ErrUnexpectedEOF.
		if e.Closed || s.f.Err() == nil {
			s.answer.refuse(codeInvalid, "The upstream sent an event that can't be read: "+faults.Excerpt(payload))
		}
		return false
	}
	kind := s.answer.event(payload)
	if kind != "ping" {
		s.heard++
	}
	if s.answer.stopped {
		s.finish()
	}
	return plain && named(raw, kind) && isClean(payload)
}

// named reports whether an event's first line names it as its payload does:
// clients pass over an event without a name.
func named(raw []byte, kind string) bool {
	name, ok := bytes.CutPrefix(sse.TrimStart(raw), []byte("event:"))
	if !ok || kind == "" {
		return false
	}
	if end := bytes.IndexAny(name, "\r\n"); end >= 0 {
		name = name[:end]
	}
	return string(bytes.TrimSpace(name)) == kind
}

// isClean reports whether every reader of JSON reads the same in b.
func isClean(b []byte) bool {
	_, doubled := rawjson.Doubled(b)
	return !doubled
}

// finish ends the answer with what it said of its end.
func (s *stream) finish() {
	s.end = io.ErrUnexpectedEOF
	if !s.foreign() && s.answer.end() {
		s.end = io.EOF
	}
}

// foreign tells of a stream that was in some other protocol.
func (s *stream) foreign() bool {
	a := &s.answer
	if s.heard == 0 || a.begun || a.failed || a.said {
		return false
	}
	a.refuse(codeInvalid, "The upstream's stream has no message in it. Check the provider's protocol and url.")
	return true
}

// last ends a stream whose reader has ended.
func (s *stream) last(err error) (chat.Frame, error) {
	switch {
	case errors.Is(err, io.EOF) && s.answer.finish != chat.FinishNone:
		s.end = io.EOF
	case errors.Is(err, io.EOF):
		if s.end = io.ErrUnexpectedEOF; s.foreign() {
			return s.frame([]byte{})
		}
	case errors.Is(err, io.ErrUnexpectedEOF):
		s.end = err
	default:
		s.end = fmt.Errorf("read the answer: %w", err)
	}
	return chat.Frame{}, s.end
}

// reply reads a whole reply.
func (s *stream) reply() (chat.Frame, error) {
	for s.f.Err() == nil && len(s.f.Buffered()) <= maxReply {
		s.f.Fill()
	}
	body := s.f.Buffered()
	s.end = io.ErrUnexpectedEOF
	switch {
	case len(body) > maxReply:
		s.answer.refuse(codeReply, fmt.Sprintf("The upstream's reply has more than %d MB.", maxReply>>20))
		return s.frame(nil)
	case !errors.Is(s.f.Err(), io.EOF):
		return s.last(s.f.Err())
	}
	payload := bytes.TrimSpace(bytes.TrimPrefix(body, sse.ByteOrderMark))
	clean := utf8.Valid(payload)
	if !clean {
		payload = bytes.ToValidUTF8(payload, []byte("\ufffd"))
	}
	if rawjson.Valid(payload, rawjson.MaxDepth) == nil && rawjson.Kind(payload) == '{' {
		s.answer.reply(payload)
	}
	if !s.answer.begun && !s.answer.failed {
		s.answer.refuse(codeInvalid, fmt.Sprintf("The upstream answered with %d bytes of %s that are no message: %s",
			len(body), faults.ContentName(s.contentType), faults.Excerpt(body)))
		return s.frame(nil)
	}
	s.finish()
	if !clean || !isClean(payload) {
		body = nil
	}
	return s.frame(body)
}

// refuse tells of an answer that can't be read.
func (a *answer) refuse(code, text string) {
	a.fault(&chat.Fault{Code: code, Text: text, Status: http.StatusBadGateway})
}
