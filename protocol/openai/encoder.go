package openai

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"sync"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/protocol"
	"github.com/ferrule/ferrule/protocol/sse"
	"github.com/ferrule/ferrule/rawjson"
)

// Encoder writes the answer to q.
//
// Streamed, a frame of this protocol goes out as its Raw; others are made from
// their events. The encoder follows the events of both, so that it can end a
// stream that began with an upstream's own bytes. A finish made from an event
// waits for Close or for the next data that is forwarded, since calls may still
// come. Every id of a call that it makes is there and is given once.
//
// Unstreamed, a single whole frame goes out as its bytes, those of a changed one
// edited; anything else is collected into one reply at Close. Close with a fault
// then writes nothing: EncodeFault has the answer.
func (s Server) Encoder(w io.Writer, q *chat.Request) protocol.Encoder {
	return &encoder{answered: answered{q: q, functions: usesFunctions(q)}, w: w, server: s}
}

type encoder struct {
	answered
	w      io.Writer
	server Server
	buf    []byte // of the frame at hand
	head   []byte // what each chunk that is made begins with

	made      bool // a chunk was made here: the stream isn't the upstream's alone
	roleOut   bool
	finishOut bool
	usageOut  bool
	faultOut  bool
	doneOut   bool
	open      bool // the last bytes that were forwarded don't end their event

	frames int
	whole  *[]byte // the only frame, if it is a whole reply; from wholePool
}

func (e *encoder) Frame(f chat.Frame) error {
	e.buf = e.buf[:0]
	e.frames++
	isRaw := f.Protocol == Name && f.Raw != nil
	switch {
	case !e.q.Stream:
		e.collect(f, isRaw)
		return nil
	case e.doneOut:
		return nil
	case isRaw && !f.Whole && !f.Changed:
		return e.forward(f)
	case isRaw && !f.Whole:
		if raw, ok := e.editChunk(f); ok {
			f.Raw = raw
			return e.forward(f)
		}
	}
	for i := range f.Events {
		if err := e.event(&f.Events[i]); err != nil {
			return err
		}
	}
	return e.flush()
}

// collect takes a frame of an answer that goes out at Close.
func (e *encoder) collect(f chat.Frame, isRaw bool) {
	for i := range f.Events {
		e.follow(&f.Events[i], true)
	}
	e.whole = nil
	if !isRaw || !f.Whole || e.frames != 1 {
		return
	}
	raw := f.Raw
	if f.Changed {
		edited, ok := e.editReply(raw)
		if !ok {
			return
		}
		raw = edited
	}
	e.whole = wholePool.Get().(*[]byte)
	*e.whole = append((*e.whole)[:0], raw...)
}

// forward writes a frame as it came.
func (e *encoder) forward(f chat.Frame) error {
	line := sse.TrimStart(f.Raw)
	data, isData := bytes.CutPrefix(line, []byte("data:"))
	if isData && e.finish != chat.FinishNone {
		e.endChoice()
	}
	for i := range f.Events {
		switch ev := &f.Events[i]; ev.Kind {
		case chat.EventOther:
		case chat.EventFault:
			e.faultOut = true
		case chat.EventUsage:
			e.usageOut = true
			e.follow(ev, false)
		case chat.EventFinish:
			e.follow(ev, false)
			e.finishOut = true
		default:
			e.roleOut = true
			e.follow(ev, false)
		}
	}
	if e.doneOut = isData && sse.IsDone(data); e.doneOut {
		e.endUsage()
	}
	if len(e.buf) > 0 || e.open {
		e.separate()
		if err := e.flush(); err != nil {
			return err
		}
	}
	if len(f.Raw) == 0 {
		return nil
	}
	e.open = !endsEvent(f.Raw)
	return e.write(f.Raw)
}

// endsEvent reports whether raw ends with an empty line.
func endsEvent(raw []byte) bool {
	line := bytes.TrimSuffix(raw, []byte("\n"))
	line = bytes.TrimSuffix(line, []byte("\r"))
	return len(line) < len(raw) && (len(line) == 0 || line[len(line)-1] == '\n' || line[len(line)-1] == '\r')
}

// separate ends the event that forwarded bytes left open.
func (e *encoder) separate() {
	if e.open {
		e.buf = append([]byte("\n\n"), e.buf...)
		e.open = false
	}
}

func (e *encoder) event(ev *chat.Event) error {
	switch ev.Kind {
	case chat.EventText:
		if ev.Text != "" {
			e.begin()
			e.text(`{"content":`, ev.Text)
		}
	case chat.EventReasoning:
		if ev.Text != "" {
			e.begin()
			e.text(`{"reasoning_content":`, ev.Text)
		}
	case chat.EventCallStart, chat.EventCallArgs, chat.EventCallEnd:
		return e.callEvent(ev)
	case chat.EventFault:
		e.fault(ev.Fault)
	default:
		e.follow(ev, false)
	}
	return nil
}

// begin writes the chunk that says who speaks, once.
func (e *encoder) begin() {
	if e.roleOut {
		return
	}
	e.roleOut = true
	e.chunk(`{"role":"assistant","content":""}`, "")
}

func (e *encoder) text(key, text string) {
	e.openChunk()
	e.buf = append(e.buf, key...)
	e.buf = append(rawjson.AppendString(e.buf, text), '}')
	e.closeChunk("")
}

func (e *encoder) chunk(delta, finish string) {
	e.openChunk()
	e.buf = append(e.buf, delta...)
	e.closeChunk(finish)
}

func (e *encoder) openChunk() {
	e.appendHead()
	e.buf = append(e.buf, `[{"index":0,"delta":`...)
}

func (e *encoder) closeChunk(finish string) {
	e.buf = append(e.buf, `,"finish_reason":`...)
	e.buf = appendOrNull(e.buf, finish)
	e.buf = append(e.buf, "}]}\n\n"...)
}

func (e *encoder) appendHead() {
	e.made = true
	if e.head == nil {
		e.head = append(e.head, "data: "...)
		e.head = e.appendSelf(e.head, "chat.completion.chunk")
		e.head = append(e.head, `,"choices":`...)
	}
	e.buf = append(e.buf, e.head...)
}

// callEvent writes what an event adds to a call.
func (e *encoder) callEvent(ev *chat.Event) error {
	known := e.find(ev.Index)
	if ev.Kind == chat.EventCallArgs && known == nil {
		return nil // its end says it whole
	}
	if e.functions && known == nil && len(e.calls) > 0 {
		return e.tooMany(ev.Index)
	}
	c, args := known, ev.Text
	if known == nil {
		c = e.newCall(ev)
	}
	if ev.Kind == chat.EventCallEnd {
		tail, err := c.tail(argumentsOf(ev.Call))
		if err != nil {
			return err
		}
		args = tail
	}
	c.sent = append(c.sent, args...)
	if known != nil && args == "" {
		return nil
	}
	e.begin()
	e.openChunk()
	e.appendPiece(c, known == nil, args)
	e.closeChunk("")
	return nil
}

func (e *encoder) tooMany(index int) error {
	return fmt.Errorf("encode call %d: an answer in the older form has room for one call", index)
}

// appendPiece writes the delta of a call; the first one says whose it is.
func (e *encoder) appendPiece(c *madeCall, first bool, args string) {
	b := e.buf
	argument := "arguments"
	switch {
	case e.functions:
		b = append(b, `{"function_call":{`...)
	default:
		b = append(b, `{"tool_calls":[{"index":`...)
		b = append(strconv.AppendInt(b, int64(c.index), 10), ',')
		if first {
			e.buf = append(appendCallBody(b, c.Call, args), "}]}"...)
			return
		}
		key := `"function":{`
		if isCustom(c.Call) {
			key, argument = `"custom":{`, "input"
		}
		b = append(b, key...)
	}
	if first {
		b = append(b, `"name":`...)
		b = append(rawjson.AppendString(b, c.Name), ',')
	}
	b = append(append(append(b, '"'), argument...), `":`...)
	b = append(rawjson.AppendString(b, args), "}}"...)
	if !e.functions {
		b[len(b)-1] = '}'
		b = append(b, "]}"...)
	}
	e.buf = b
}

// endChoice writes the finish that was held back.
func (e *encoder) endChoice() {
	if e.finishOut || e.finish == chat.FinishNone {
		return
	}
	e.begin()
	e.finishOut = true
	e.chunk("{}", e.finishWord())
}

// endUsage writes the counts that were held back, if the client asked for them.
func (e *encoder) endUsage() {
	if !e.q.Usage || !e.usage.Known || e.usageOut {
		return
	}
	e.usageOut = true
	e.appendHead()
	e.buf = append(e.buf, `[],"usage":`...)
	e.buf = append(appendUsage(e.buf, e.usage), "}\n\n"...)
}

func (e *encoder) fault(f *chat.Fault) {
	if e.faultOut || f == nil {
		return
	}
	e.faultOut = true
	e.buf = append(e.buf, "data: "...)
	e.buf = append(appendError(e.buf, f), "\n\n"...)
}

// Ping writes a comment, which every reader of event streams drops.
func (e *encoder) Ping() error {
	if !e.q.Stream || e.doneOut {
		return nil
	}
	e.buf = append(e.buf[:0], ": ping\n\n"...)
	return e.flush()
}

func (e *encoder) Close(f *chat.Fault) error {
	e.buf = e.buf[:0]
	switch {
	case !e.q.Stream && f != nil:
		return nil
	case !e.q.Stream && e.whole != nil:
		return e.writeWhole()
	case !e.q.Stream && e.functions && len(e.calls) > 1:
		return e.tooMany(e.calls[1].index)
	case !e.q.Stream:
		return e.write(e.appendReply(nil))
	case e.doneOut:
		return nil
	case f != nil:
		e.fault(f)
	case !e.faultOut:
		e.endChoice()
		e.endUsage()
		if e.made || e.frames == 0 {
			// Else it ends as the upstream ended it.
			e.buf = append(e.buf, "data: [DONE]\n\n"...)
		}
	}
	e.doneOut = true
	return e.flush()
}

// wholePool holds the bytes of whole replies between Frame and Close.
var wholePool = sync.Pool{New: func() any { return new([]byte) }}

func (e *encoder) writeWhole() error {
	err := e.write(*e.whole)
	if cap(*e.whole) <= keptBytes {
		wholePool.Put(e.whole)
	}
	e.whole = new([]byte) // closing again writes nothing
	return err
}

func (e *encoder) flush() error {
	if len(e.buf) == 0 {
		return nil
	}
	e.separate()
	return e.write(e.buf)
}

func (e *encoder) write(b []byte) error {
	if _, err := e.w.Write(b); err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	return nil
}
