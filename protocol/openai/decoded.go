package openai

import (
	"io"
	"sync"

	"github.com/ferrule/ferrule/chat"
)

// decoded is a stream in its caller's hands. Once closed it lets go of the
// stream, so that the buffers serve the next answer and closing twice is safe.
type decoded struct {
	s   *stream
	end error // what Next returns after Close
}

var streamPool = sync.Pool{New: func() any {
	s := new(stream)
	s.answer.events = make([]chat.Event, 0, 8)
	s.cur.keys = make([][]byte, 0, 32)
	return s
}}

func (d *decoded) Next() (chat.Frame, error) {
	if d.s == nil {
		return chat.Frame{}, d.end
	}
	return d.s.next()
}

// Ready reports whether Next will answer without reading.
func (d *decoded) Ready() bool { return d.s == nil || d.s.ready() }

// Close ends the stream, and closes the reader if it can be closed.
func (d *decoded) Close() error {
	s := d.s
	if s == nil {
		return nil
	}
	d.s, d.end = nil, s.end
	if d.end == nil {
		d.end = io.ErrUnexpectedEOF
	}
	r := s.f.Source()
	s.empty()
	streamPool.Put(s)
	if c, ok := r.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// What a buffer may hold, in elements, to be kept for the next answer.
const (
	keptBytes = 32 << 10
	keptItems = 64
)

// empty leaves nothing of the answer but the room that it took.
func (s *stream) empty() {
	f := s.f
	f.Reset(nil, keptBytes)
	*s = stream{
		f:   f,
		cur: cursor{keys: emptied(s.cur.keys, keptItems)},
		ch:  chunk{choices: emptied(s.ch.choices, keptItems)},
		template: template{
			before: emptied(s.template.before, keptBytes),
			behind: emptied(s.template.behind, keptBytes),
		},
		answer: answer{
			events:  emptied(s.answer.events, keptItems),
			scratch: emptied(s.answer.scratch, keptBytes),
		},
	}
}

// emptied returns b without its elements, or nothing where it has grown too
// large to keep.
func emptied[T any](b []T, most int) []T {
	if cap(b) > most {
		return nil
	}
	b = b[:cap(b)]
	clear(b)
	return b[:0]
}
