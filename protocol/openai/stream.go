package openai

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/protocol/faults"
	"github.com/ferrule/ferrule/protocol/sse"
)

// The codes of faults that Client finds in an answer whose status was good.
const (
	codeInvalid  = "upstream_invalid_response"
	codeEvent    = "upstream_event_too_large"
	codeReply    = "upstream_response_too_large"
	codeUpstream = "upstream_error"
)

// Decode reads a 2xx answer: an event stream, or a reply that becomes one
// frame. What the body is decides, before its content type.
//
// Of a stream's frames, each call's CallEnd comes with the first finish by
// which its arguments are complete, or at the end of the stream; a second
// Finish event, which means cut, replaces the first. Several Usage events are
// one growing count: the last one counts. A fault that the upstream wrote into
// its answer is an event, and the stream goes on to its end.
//
// A frame has no Raw if two readers might read its bytes differently: doubled
// keys, several data lines, bytes that aren't UTF-8. It is marked Misread if a
// client that simply follows indices would take its calls for others: an index
// is missing, or arguments aren't a string; or if the calls stand in another
// choice than the first.
//
// What a frame holds is valid until the next call to Next or Close.
//
// The answer ends at [DONE], whether or not the reader does. Words with [DONE]
// behind them and no finish reason are a whole answer; calls aren't.
func (Client) Decode(r io.Reader, contentType string) chat.Stream {
	s := streamPool.Get().(*stream)
	s.contentType = contentType
	s.f.Reset(r, keptBytes)
	return &decoded{s: s}
}

// maxReply bounds a whole reply in bytes, pictures included.
const maxReply = 64 << 20

type stream struct {
	f           sse.Reader
	contentType string
	kind        sse.Kind
	cur         cursor
	ch          chunk
	template    template
	answer      answer
	misread     bool  // of the frame at hand
	calls       bool  // of the frame at hand: it holds a piece of a call
	end         error // what Next returns from now on
}

func (s *stream) ready() bool {
	return s.end != nil || s.kind == sse.Events && s.f.Ready()
}

func (s *stream) next() (chat.Frame, error) {
	s.answer.events = s.answer.events[:0]
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
		s.fault(codeEvent, fmt.Sprintf("The upstream sent an event of more than %d MB.", sse.MaxEvent>>20))
		return s.frame(nil)
	case err != nil:
		return s.last(err)
	}
	raw := s.f.Raw()
	s.misread, s.calls = false, false
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
	return chat.Frame{Protocol: Name, Raw: raw, Whole: s.kind == sse.Whole, Misread: s.misread, Calls: s.calls, Events: a.events}, nil
}

func (s *stream) fault(code, text string) {
	s.answer.fault(&chat.Fault{Code: code, Text: text, Status: http.StatusBadGateway})
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
	case sse.IsDone(payload):
		s.answer.stop()
		s.misread = !s.answer.close()
		s.end = io.ErrUnexpectedEOF
		if s.answer.finish != chat.FinishNone {
			s.end = io.EOF
		}
		return plain
	}
	if text, ok := s.template.text(&s.cur, payload); ok && s.answer.begun {
		s.answer.say(chat.EventText, &s.answer.text, text)
		return plain
	}
	s.cur.reset(payload)
	readChunk(&s.cur, &s.ch)
	switch {
	case s.cur.broken:
		// What the end of the body cut says nothing; next comes ErrUnexpectedEOF.
		if e.Closed || s.f.Err() == nil {
			s.fault(codeInvalid, "The upstream sent an event that can't be read: "+faults.Excerpt(payload))
		}
		return false
	case s.ch.fault != nil || s.ch.message && !s.ch.hasChoices:
		s.answer.fault(bodyFault(payload))
	default:
		s.calls = s.ch.hasCalls()
		s.misread = !s.answer.chunk(&s.ch, false)
		if plain && !s.misread && s.cur.clean() {
			s.template.learn(payload, &s.ch)
		}
	}
	return plain && s.cur.clean()
}

// last ends a stream whose reader has ended.
func (s *stream) last(err error) (chat.Frame, error) {
	s.end = err
	if errors.Is(err, io.EOF) {
		s.end = io.ErrUnexpectedEOF
		if s.answer.finish != chat.FinishNone {
			s.end = io.EOF
			s.misread = !s.answer.close()
			if len(s.answer.events) > 0 {
				return s.frame([]byte{})
			}
		}
	} else if !errors.Is(err, io.ErrUnexpectedEOF) {
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
		s.fault(codeReply, fmt.Sprintf("The upstream's reply has more than %d MB.", maxReply>>20))
		return s.frame(nil)
	case !errors.Is(s.f.Err(), io.EOF):
		return s.last(s.f.Err())
	}
	s.cur.reset(bytes.TrimSpace(bytes.TrimPrefix(body, sse.ByteOrderMark)))
	readChunk(&s.cur, &s.ch)
	isFault := s.ch.object && (s.ch.fault != nil || s.ch.message && !s.ch.hasChoices)
	switch {
	case s.cur.broken || !s.ch.hasChoices && !isFault:
		s.fault(codeInvalid, fmt.Sprintf("The upstream answered with %d bytes of %s that are no chat completion: %s",
			len(body), faults.ContentName(s.contentType), faults.Excerpt(body)))
		return s.frame(nil)
	case isFault:
		s.answer.fault(bodyFault(s.cur.b))
	default:
		s.calls = s.ch.hasCalls()
		s.misread = !s.answer.chunk(&s.ch, true)
		if s.answer.finish != chat.FinishNone {
			s.end = io.EOF
		}
	}
	if !s.cur.clean() {
		body = nil
	}
	return s.frame(body)
}
