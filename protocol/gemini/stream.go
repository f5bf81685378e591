package gemini

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
// frame, also where it is the list that a stream without events would be. What
// the body is decides, before its content type.
//
// A call's three events come together, as calls come whole. The finish comes at
// the end of the stream, for some upstreams say one with every event; calls
// make it FinishCalls. Several Usage events are one growing count: the last one
// counts. What the model wrote and the provider couldn't read is a fault that
// carries it.
//
// A frame has no Raw if two readers might read its bytes differently: doubled
// keys, several data lines, bytes that aren't UTF-8. What a frame holds is valid
// until the next call to Next or Close.
func (c Client) Decode(r io.Reader, contentType string) chat.Stream {
	s := &stream{contentType: contentType, answer: answer{rand: c.Rand, clock: c.Now}}
	s.f.Reset(r, 0)
	return s
}

type stream struct {
	f           sse.Reader
	contentType string
	kind        sse.Kind
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
	s.answer.events, s.answer.calls = s.answer.events[:0], false
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
	if !s.event(e) {
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
	return chat.Frame{Protocol: Name, Raw: raw, Whole: s.kind == sse.Whole, Calls: a.calls, Events: a.events}, nil
}

// event reads one event. It is false where the event can't go out as it came.
func (s *stream) event(e sse.Event) (plain bool) {
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
		return plain
	case rawjson.Valid(payload, rawjson.MaxDepth) != nil || rawjson.Kind(payload) != '{' && rawjson.Kind(payload) != '[':
		// What the end of the body cut says nothing; next comes ErrUnexpectedEOF.
		if e.Closed || s.f.Err() == nil {
			s.answer.refuse(codeInvalid, "The upstream sent an event that can't be read: "+faults.Excerpt(payload))
		}
		return false
	}
	s.answer.chunks(payload)
	return plain && clean(payload)
}

// clean reports whether every reader of JSON reads the same in b.
func clean(b []byte) bool {
	_, doubled := rawjson.Doubled(b)
	return !doubled && utf8.Valid(b)
}

// finish ends the answer with what it said of its end.
func (s *stream) finish() {
	s.end = io.ErrUnexpectedEOF
	if s.answer.end() {
		s.end = io.EOF
	}
}

// last ends a stream whose reader has ended.
func (s *stream) last(err error) (chat.Frame, error) {
	switch {
	case errors.Is(err, io.EOF):
		if s.finish(); len(s.answer.events) > 0 {
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
	if rawjson.Valid(payload, rawjson.MaxDepth) == nil {
		s.answer.chunks(payload)
	}
	if !s.answer.said {
		s.answer.refuse(codeInvalid, fmt.Sprintf("The upstream answered with %d bytes of %s that are no answer of a model: %s",
			len(body), faults.ContentName(s.contentType), faults.Excerpt(body)))
		return s.frame(nil)
	}
	if s.answer.ending == chat.FinishNone && len(s.answer.made) == 0 {
		s.answer.ending = chat.FinishStop // the reply is all there, and nothing runs
	}
	s.finish()
	if !clean(payload) {
		body = nil
	}
	return s.frame(body)
}

// refuse tells of an answer that can't be read.
func (a *answer) refuse(code, text string) {
	a.fault(&chat.Fault{Code: code, Text: text, Status: http.StatusBadGateway})
}
