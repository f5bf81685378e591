package provider

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/protocol"
)

// answer is the body of an upstream's reply, bounded in size and time. Its
// errors are io.EOF, the caller's context error, or a *chat.Fault; that a
// connection was cut is one of those.
type answer struct {
	r        io.ReadCloser
	guard    *guard
	left     int64
	err      error
	parent   context.Context // the caller's
	provider *Provider
}

func (a *answer) Read(b []byte) (int, error) {
	if a.err != nil {
		return 0, a.err
	}
	a.guard.begin()
	n, err := a.r.Read(b)
	a.guard.end()
	a.left -= int64(n)
	switch {
	case a.left < 0:
		n += int(a.left) // what is within the bound
		a.err = a.provider.tooLarge()
		a.guard.stop()
		return n, a.err
	case err == nil:
		return n, nil
	case err == io.EOF:
		a.err = io.EOF
	default:
		a.err = a.why(err)
	}
	return n, a.err
}

// why tells what broke the answer.
func (a *answer) why(err error) error {
	if cerr := a.parent.Err(); cerr != nil {
		return fmt.Errorf("provider %s: %w", a.provider.name, cerr)
	}
	if f := a.provider.late(a.guard); f != nil {
		return f
	}
	if errors.Is(err, http.ErrBodyReadAfterClose) {
		return err
	}
	return a.provider.fault(codeCut, http.StatusBadGateway,
		"cut the connection in the middle of its answer. Check the server's log; the request was not sent again.")
}

// close ends the answer. The rest of one that was read to its last event is
// taken off the connection if it comes at once, so that it can be used again.
func (a *answer) close(whole bool) error {
	if whole && a.err == nil {
		a.guard.begin()
		a.guard.rearm(drainTime)
		_, _ = io.CopyN(io.Discard, a.r, drainBytes)
	}
	if a.err == nil {
		a.err = http.ErrBodyReadAfterClose
	}
	a.guard.stop()
	return a.r.Close()
}

// What an upstream may still send behind the last event.
const (
	drainTime  = 100 * time.Millisecond
	drainBytes = 4 << 10
)

// stream is an answer's stream of frames. It isn't safe for concurrent use; to
// end a Next that waits, end the request's context.
type stream struct {
	inner  chat.Stream
	ready  protocol.Readier // nil: the codec can't tell
	body   *answer
	header http.Header // what a client may see
	room   int64       // bytes of words that may still come
	err    error       // the last one; it stays
	closed bool
}

// Next returns the next frame. A stream that the upstream ended without a finish
// ends with io.ErrUnexpectedEOF, as bare clients see it; one whose connection was
// cut, that took too long or grew too large with a *chat.Fault.
func (s *stream) Next() (chat.Frame, error) {
	if s.err != nil {
		return chat.Frame{}, s.err
	}
	f, err := s.inner.Next()
	if err != nil {
		s.err = err
		// The codec may have dressed the reader's error up; its facts count.
		if err != io.EOF && s.body.err != nil && s.body.err != io.EOF {
			s.err = s.body.err
		}
		return f, s.err
	}
	for i := range f.Events {
		e := &f.Events[i]
		s.room -= int64(len(e.Text))
		if e.Kind == chat.EventFault && e.Fault != nil && s.body.provider.hide(e.Fault) {
			f.Raw = nil
		}
	}
	if s.room < 0 {
		s.err = s.body.provider.tooLarge()
		s.body.guard.stop()
		return chat.Frame{}, s.err
	}
	return f, nil
}

// Ready reports whether Next answers without waiting for the network.
func (s *stream) Ready() bool { return s.ready != nil && s.ready.Ready() }

// Header is what a client may see of the upstream's header.
func (s *stream) Header() http.Header { return s.header }

// Close ends the upstream request if it still runs, and frees the connection
// for the next one if the answer was read to its end.
func (s *stream) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	err := s.body.close(s.err == io.EOF)
	if ierr := s.inner.Close(); err == nil {
		err = ierr
	}
	if err != nil {
		return fmt.Errorf("close the answer of provider %s: %w", s.body.provider.name, err)
	}
	return nil
}
