package openai

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/ferrule/ferrule/rawjson"
)

const (
	maxEvent   = 4 << 20  // one event of a stream, its lines included
	maxReply   = 64 << 20 // a whole reply, pictures included
	firstBytes = 4 << 10  // what a stream's buffer begins with
)

// errTooLarge is what a framer says of an event above its bound.
var errTooLarge = errors.New("the event is too large")

// framer cuts a body into the events of an event stream. It works on bytes, so
// that no split of the body shows in what it finds.
type framer struct {
	r        io.Reader
	buf      []byte // buf[from:] isn't handed out yet
	from, to int    // the event that was found
	taken    bool   // it was handed out
	started  bool   // the first line's byte order mark and spaces are behind
	err      error  // of the last read, io.EOF included

	// Of the event being looked for:
	line  int // where its next line begins
	seen  int // up to where that line's end was looked for
	event event
}

// event is what stands in the lines of one event.
type event struct {
	data   []byte // the payload; of several data lines, joined
	at, n  int    // where the first data line's payload stands, relative to the event
	lines  int    // data lines
	last   bool   // the last line was a data line
	fields bool   // there is a line that isn't empty
	odd    bool   // a line that no event stream has
	closed bool   // by an empty line
}

// fill reads once. It moves what is buffered, so no earlier slice stays valid.
func (f *framer) fill() {
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

// next finds the next event, reading as far as it must: buf[from:to] is the
// event. The error is io.EOF, a reader's own or errTooLarge.
func (f *framer) next() (event, error) {
	f.advance()
	for {
		ok := f.scan()
		if len(f.buf)-f.from > maxEvent && (!ok || f.to-f.from > maxEvent) {
			return event{}, errTooLarge
		}
		if ok {
			return f.take(), nil
		}
		if f.err != nil {
			return event{}, f.err
		}
		f.fill()
	}
}

// ready reports whether next will find an event without reading.
func (f *framer) ready() bool {
	f.advance()
	return f.scan() || f.err != nil
}

func (f *framer) advance() {
	if f.taken {
		f.from, f.taken = f.to, false
	}
}

func (f *framer) take() event {
	e := f.event
	if e.lines == 1 {
		e.data = f.buf[f.from+e.at : f.from+e.at+e.n]
	}
	f.event, f.taken = event{}, true
	f.line, f.seen = f.to, f.to
	return e
}

// scan looks for the end of the event that begins at from. What it has looked
// at it doesn't look at again.
func (f *framer) scan() bool {
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
			line = trimStart(line)
		}
		switch {
		case len(line) == 0 && next > f.line:
			f.event.closed = true
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
func (f *framer) lineEnd() (end, next int) {
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
func (f *framer) restarts(line []byte) bool {
	e := &f.event
	if !e.last || e.lines != 1 {
		return false
	}
	if name, _, known := field(line); !known || name != "data" {
		return false
	}
	p := f.buf[f.from+e.at : f.from+e.at+e.n]
	return isDone(p) || rawjson.Valid(p, rawjson.MaxDepth) == nil
}

// note takes a line into the event.
func (f *framer) note(line []byte, end int) {
	e := &f.event
	e.fields, e.last = true, false
	name, value, known := field(line)
	switch {
	case !known:
		e.odd = true
	case name == "data":
		if e.lines++; e.lines == 1 {
			e.n = len(value)
			e.at = end - e.n - f.from
		} else {
			if e.lines == 2 {
				e.data = append(e.data, f.buf[f.from+e.at:f.from+e.at+e.n]...)
			}
			e.data = append(append(e.data, '\n'), value...)
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

// isDone reports whether a payload is the protocol's last word.
func isDone(payload []byte) bool {
	return string(bytes.TrimSpace(payload)) == "[DONE]"
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// trimStart drops what may stand before a body: a byte order mark and space.
func trimStart(b []byte) []byte {
	return bytes.TrimLeft(bytes.TrimPrefix(b, byteOrderMark), " \t")
}
