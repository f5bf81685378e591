// Package sse cuts the body of an answer into the events of an event stream.
// It works on bytes, so that no split of the body shows in what it finds.
package sse

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/ferrule/ferrule/rawjson"
)

// MaxEvent bounds one event in bytes, its lines included.
const MaxEvent = 4 << 20

const firstBytes = 4 << 10 // what a buffer begins with

// ErrTooLarge is what a Reader says of an event above MaxEvent.
var ErrTooLarge = errors.New("the event is too large")

// Reader finds the events of a body. Its zero value is ready for Reset. What it
// returns is valid until the next call that reads.
type Reader struct {
	r        io.Reader
	buf      []byte // buf[from:] isn't handed out yet
	from, to int    // the event that was found
	taken    bool   // it was handed out
	started  bool   // the first line's byte order mark and spaces are behind
	err      error  // of the last read, io.EOF included

	// Of the event being looked for:
	line  int // where its next line begins
	seen  int // up to where that line's end was looked for
	event Event
}

// Event is what stands in the lines of one event.
type Event struct {
	Data   []byte // the payload; of several data lines, joined
	Lines  int    // data lines
	Odd    bool   // a line that no event stream has
	Closed bool   // by an empty line
	at, n  int    // where the first data line's payload stands, relative to the event
	last   bool   // the last line was a data line
}

// Reset readies the Reader for another body. It keeps its room if that isn't
// above keep bytes.
func (f *Reader) Reset(r io.Reader, keep int) {
	buf := f.buf
	if cap(buf) > keep {
		buf = nil
	}
	if f.r != nil {
		clear(buf[:cap(buf)])
	}
	*f = Reader{r: r, buf: buf[:0]}
}

// Source is the body that is being read.
func (f *Reader) Source() io.Reader { return f.r }

// Buffered is what was read and not yet handed out.
func (f *Reader) Buffered() []byte { return f.buf[f.from:] }

// Err is the error of the last read, io.EOF included; nil while there may be more.
func (f *Reader) Err() error { return f.err }

// Raw is the event that Next returned, in the bytes that it came in.
func (f *Reader) Raw() []byte { return f.buf[f.from:f.to:f.to] }

// AtEnd reports whether nothing follows the event that Next returned.
func (f *Reader) AtEnd() bool { return f.err != nil && f.to == len(f.buf) }

// Fill reads once. It moves what is buffered, so no earlier slice stays valid.
func (f *Reader) Fill() {
	if f.from > 0 && cap(f.buf)-len(f.buf) < firstBytes/4 {
		n := copy(f.buf, f.buf[f.from:])
		f.buf, f.line, f.seen, f.to, f.from = f.buf[:n], f.line-f.from, f.seen-f.from, f.to-f.from, 0
	}
	if len(f.buf) == cap(f.buf) {
		f.buf = append(make([]byte, 0, max(firstBytes, 2*cap(f.buf))), f.buf...)
	}
	for range 100 {
		n, err := f.r.Read(f.buf[len(f.buf):cap(f.buf)])
		f.buf = f.buf[:len(f.buf)+n]
		if err != nil {
			f.err = err
			return
		}
		if n > 0 {
			return
		}
	}
	f.err = fmt.Errorf("read the answer: %w", io.ErrNoProgress)
}

// Next finds the next event, reading as far as it must. The error is io.EOF,
// a reader's own or ErrTooLarge.
func (f *Reader) Next() (Event, error) {
	f.advance()
	for {
		ok := f.scan()
		if len(f.buf)-f.from > MaxEvent && (!ok || f.to-f.from > MaxEvent) {
			return Event{}, ErrTooLarge
		}
		if ok {
			return f.take(), nil
		}
		if f.err != nil {
			return Event{}, f.err
		}
		f.Fill()
	}
}

// Ready reports whether Next will find an event without reading.
func (f *Reader) Ready() bool {
	f.advance()
	return f.scan() || f.err != nil
}

func (f *Reader) advance() {
	if f.taken {
		f.from, f.taken = f.to, false
	}
}

func (f *Reader) take() Event {
	e := f.event
	if e.Lines == 1 {
		e.Data = f.buf[f.from+e.at : f.from+e.at+e.n]
	}
	f.event, f.taken = Event{}, true
	f.line, f.seen = f.to, f.to
	return e
}

// scan looks for the end of the event that begins at from. What it has looked
// at it doesn't look at again.
func (f *Reader) scan() bool {
	if f.to > f.from { // found before
		return true
	}
	for {
		end, next := f.lineEnd()
		if next < 0 {
			return false
		}
		line := f.buf[f.line:end]
		if !f.started {
			line = TrimStart(line)
		}
		switch {
		case len(line) == 0 && next > f.line:
			f.event.Closed = true
			f.to = next
		case next == f.line: // nothing follows
			if f.line == f.from {
				return false
			}
			f.to = next
		case f.restarts(line):
			f.to = f.line
		}
		f.started = true
		if f.to > f.from {
			return true
		}
		f.note(line, end)
		f.line, f.seen = next, next
	}
}

// lineEnd returns where the current line ends and the next one begins; next is
// -1 until that is known. A lone CR may still be the first half of a CRLF.
func (f *Reader) lineEnd() (end, next int) {
	tail := f.buf[f.seen:]
	nl := bytes.IndexByte(tail, '\n')
	if nl >= 0 {
		tail = tail[:nl]
	}
	if cr := bytes.IndexByte(tail, '\r'); cr >= 0 {
		end = f.seen + cr
		switch {
		case end+1 < len(f.buf) && f.buf[end+1] == '\n':
			return end, end + 2
		case end+1 < len(f.buf) || f.err != nil:
			return end, end + 1
		}
		f.seen = end
		return 0, -1
	}
	if nl >= 0 {
		return f.seen + nl, f.seen + nl + 1
	}
	f.seen = len(f.buf)
	if f.err != nil {
		return f.seen, f.seen
	}
	return 0, -1
}

// restarts reports whether a line begins a new event although no empty line
// came before it: broken proxies end each event with a single line break.
func (f *Reader) restarts(line []byte) bool {
	e := &f.event
	if !e.last || e.Lines != 1 {
		return false
	}
	if name, _, known := field(line); !known || name != "data" {
		return false
	}
	p := f.buf[f.from+e.at : f.from+e.at+e.n]
	return IsDone(p) || rawjson.Valid(p, rawjson.MaxDepth) == nil
}

// note takes a line into the event.
func (f *Reader) note(line []byte, end int) {
	e := &f.event
	e.last = false
	name, value, known := field(line)
	switch {
	case !known:
		e.Odd = true
	case name == "data":
		if e.Lines++; e.Lines == 1 {
			e.n = len(value)
			e.at = end - e.n - f.from
		} else {
			if e.Lines == 2 {
				e.Data = append(e.Data, f.buf[f.from+e.at:f.from+e.at+e.n]...)
			}
			e.Data = append(append(e.Data, '\n'), value...)
		}
		e.last = true
	}
}

// field reads one line of an event stream. A comment is a field without a name.
func field(line []byte) (name string, value []byte, known bool) {
	i := bytes.IndexByte(line, ':')
	if i < 0 {
		i = len(line)
	} else {
		value = line[i+1:]
		if len(value) > 0 && value[0] == ' ' {
			value = value[1:]
		}
	}
	switch string(line[:i]) {
	case "data":
		return "data", value, true
	case "", "event", "id", "retry":
		return "", value, true
	}
	return "", value, false
}

// IsDone reports whether a payload is the last word of OpenAI's streams, which
// other servers say too.
func IsDone(payload []byte) bool {
	return string(bytes.TrimSpace(payload)) == "[DONE]"
}

// ByteOrderMark may stand before a body.
var ByteOrderMark = []byte("\xef\xbb\xbf")

// TrimStart drops what may stand before a body: a byte order mark and space.
func TrimStart(b []byte) []byte {
	return bytes.TrimLeft(bytes.TrimPrefix(b, ByteOrderMark), " \t")
}
