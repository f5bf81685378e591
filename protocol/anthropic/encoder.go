package anthropic

import (
	"bytes"
	"fmt"
	"io"
	"strconv"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/protocol"
	"github.com/ferrule/ferrule/protocol/sse"
	"github.com/ferrule/ferrule/rawjson"
)

// Encoder writes the answer to q.
//
// Streamed, a frame of this protocol goes out as its Raw; others are made from
// their events. The encoder follows both, so that blocks are numbered without a
// gap, one at a time is open, and it can end a stream that began with an
// upstream's own bytes. A call goes out whole when its CallEnd comes. The counts
// and the reason go out at Close, unless the upstream's own did.
//
// Unstreamed, a single whole frame goes out as its bytes, unless it was changed;
// anything else is collected into one message at Close. Close with a fault then
// writes nothing: EncodeFault has the answer.
func (Server) Encoder(w io.Writer, q *chat.Request) protocol.Encoder {
	return &encoder{w: w, q: q}
}

type encoder struct {
	w   io.Writer
	q   *chat.Request
	buf []byte

	meta   chat.Meta
	parts  []chat.Part  // of an answer that is collected
	calls  []chat.Call  // that went out, or will
	passed map[int]bool // calls of which the upstream's own bytes went out
	usage  chat.Usage
	finish chat.Finish

	begun   bool   // message_start is out
	open    string // the kind of the block that is open; "": none is
	next    int    // the index of the next block
	reason  bool   // message_delta is out
	over    bool   // message_stop or an error is out
	pending bool   // the last bytes that were forwarded don't end their event

	frames int
	whole  []byte // the only frame, if it is a whole message
}

func (e *encoder) Frame(f chat.Frame) error {
	e.buf = e.buf[:0]
	e.frames++
	isRaw := f.Protocol == Name && f.Raw != nil
	switch {
	case !e.q.Stream:
		e.collect(f, isRaw)
		return nil
	case e.over:
		return nil
	case isRaw && !f.Whole && !f.Changed && !f.Misread:
		return e.forward(f)
	}
	for i := range f.Events {
		e.event(&f.Events[i])
	}
	return e.flush()
}

// collect takes a frame of an answer that goes out at Close.
func (e *encoder) collect(f chat.Frame, isRaw bool) {
	for i := range f.Events {
		switch ev := &f.Events[i]; ev.Kind {
		case chat.EventText:
			e.words(ev.Text)
		case chat.EventReasoning:
			e.thinks(ev.Text)
		case chat.EventCallEnd:
			e.parts = append(e.parts, ev.Call)
			e.calls = append(e.calls, ev.Call)
		default:
			e.follow(ev)
		}
	}
	e.whole = nil
	if isRaw && f.Whole && e.frames == 1 && !f.Changed {
		e.whole = bytes.Clone(f.Raw)
	}
}

func (e *encoder) words(s string) {
	if n := len(e.parts); n > 0 {
		if t, ok := e.parts[n-1].(chat.Text); ok {
			t.Text += s
			e.parts[n-1] = t
			return
		}
	}
	e.parts = append(e.parts, chat.Text{Text: s})
}

func (e *encoder) thinks(s string) {
	if n := len(e.parts); n > 0 {
		if r, ok := e.parts[n-1].(chat.Reasoning); ok {
			r.Text += s
			e.parts[n-1] = r
			return
		}
	}
	e.parts = append(e.parts, chat.Reasoning{Text: s})
}

// follow takes in what an event says of the whole answer.
func (e *encoder) follow(ev *chat.Event) {
	switch ev.Kind {
	case chat.EventStart:
		if ev.Meta != nil && e.meta == (chat.Meta{}) {
			e.meta = *ev.Meta
		}
	case chat.EventUsage:
		e.usage = ev.Usage
	case chat.EventFinish:
		e.finish = ev.Finish
	}
}

// forward writes a frame as it came, and notes what it opens and ends.
func (e *encoder) forward(f chat.Frame) error {
	payload := payloadOf(f.Raw)
	m := readParts(payload)
	switch kind := text(m.kind); kind {
	case "message_start":
		if e.begun {
			return nil
		}
		e.begun = true
	case "content_block_start":
		// What the upstream numbers otherwise is made anew.
		if n, ok := integer(m.index); !ok || n != e.next || e.open != "" || !e.begun {
			return e.anew(f)
		}
		e.open, e.next = text(member(m.block, "type")), e.next+1
	case "content_block_delta", "content_block_stop":
		if n, ok := integer(m.index); !ok || n != e.next-1 || e.open == "" {
			return e.anew(f)
		}
		if kind == "content_block_stop" {
			e.open = ""
		}
	case "message_delta":
		if e.open != "" || e.reason {
			return e.anew(f)
		}
		e.reason = true
	case "message_stop", "error":
		if e.open != "" && kind == "message_stop" {
			return e.anew(f)
		}
		e.over = true
	}
	for i := range f.Events {
		switch ev := &f.Events[i]; ev.Kind {
		case chat.EventCallStart:
			if e.passed == nil {
				e.passed = map[int]bool{}
			}
			e.passed[ev.Index] = true
		case chat.EventCallEnd:
			e.calls = append(e.calls, ev.Call)
		default:
			e.follow(ev)
		}
	}
	e.separate()
	e.buf = append(e.buf, f.Raw...)
	e.pending = !endsEvent(f.Raw)
	return e.flushed()
}

// anew makes a frame from its events.
func (e *encoder) anew(f chat.Frame) error {
	for i := range f.Events {
		e.event(&f.Events[i])
	}
	return e.flush()
}

// payloadOf is what stands behind the data: of an event's bytes.
func payloadOf(raw []byte) []byte {
	for line := range bytes.Lines(raw) {
		if data, ok := bytes.CutPrefix(sse.TrimStart(line), []byte("data:")); ok {
			return bytes.TrimSpace(data)
		}
	}
	return nil
}

// endsEvent reports whether raw ends with an empty line.
func endsEvent(raw []byte) bool {
	line := bytes.TrimSuffix(raw, []byte("\n"))
	line = bytes.TrimSuffix(line, []byte("\r"))
	return len(line) < len(raw) && (len(line) == 0 || line[len(line)-1] == '\n' || line[len(line)-1] == '\r')
}

// separate ends the event that forwarded bytes left open.
func (e *encoder) separate() {
	if e.pending {
		e.buf = append([]byte("\n\n"), e.buf...)
		e.pending = false
	}
}

func (e *encoder) event(ev *chat.Event) {
	switch ev.Kind {
	case chat.EventText:
		if ev.Text != "" {
			e.say("text", `{"type":"text","text":""}`, `{"type":"text_delta","text":`, ev.Text)
		}
	case chat.EventReasoning:
		if ev.Text != "" {
			e.say("thinking", `{"type":"thinking","thinking":"","signature":""}`, `{"type":"thinking_delta","thinking":`, ev.Text)
		}
	case chat.EventCallEnd:
		if e.passed[ev.Index] {
			e.calls = append(e.calls, ev.Call)
			return
		}
		e.call(ev.Call)
	case chat.EventFault:
		e.fault(ev.Fault)
	default:
		e.follow(ev)
	}
}

// send writes one event.
func (e *encoder) send(kind string, payload func()) {
	e.buf = append(append(append(e.buf, "event: "...), kind...), "\ndata: "...)
	payload()
	e.buf = append(e.buf, "\n\n"...)
}

func (e *encoder) add(s string) { e.buf = append(e.buf, s...) }

func (e *encoder) addString(s string) { e.buf = rawjson.AppendString(e.buf, s) }

func (e *encoder) addInt(n int) { e.buf = strconv.AppendInt(e.buf, int64(n), 10) }

// begin writes what an answer says of itself, once.
func (e *encoder) begin() {
	if e.begun {
		return
	}
	e.begun = true
	e.send("message_start", func() {
		e.add(`{"type":"message_start","message":`)
		e.self(nil)
		e.add(`}`)
	})
}

// self writes a message with its content; nil for one that is only begun.
func (e *encoder) self(content []byte) {
	id, model := e.meta.ID, e.meta.Model
	if id == "" {
		id = "msg_" + derived(e.q)
	}
	if model == "" {
		model = e.q.Model
	}
	e.add(`{"id":`)
	e.addString(id)
	e.add(`,"type":"message","role":"assistant","model":`)
	e.addString(model)
	e.add(`,"content":`)
	if content == nil {
		e.add(`[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":`)
		e.addInt(e.usage.Input - e.usage.Cached)
		e.add(`,"output_tokens":0}}`)
		return
	}
	e.buf = append(e.buf, content...)
	e.add(`,"stop_reason":`)
	e.addString(e.stopReason())
	e.add(`,"stop_sequence":null,"usage":`)
	e.counts()
	e.add(`}`)
}

// counts writes what the answer took: all of it that is known, 0 for the rest.
func (e *encoder) counts() {
	u := e.usage
	e.add(`{"input_tokens":`)
	e.addInt(max(0, u.Input-u.Cached))
	e.add(`,"cache_creation_input_tokens":0,"cache_read_input_tokens":`)
	e.addInt(u.Cached)
	e.add(`,"output_tokens":`)
	e.addInt(u.Output)
	if u.Reasoning > 0 {
		e.add(`,"output_tokens_details":{"thinking_tokens":`)
		e.addInt(u.Reasoning)
		e.add(`}`)
	}
	e.add(`}`)
}

// stopReason is the protocol's word for why the answer ended. Calls decide it,
// unless the answer was cut.
func (e *encoder) stopReason() string {
	switch f := e.finish; {
	case f == chat.FinishLength:
		return "max_tokens"
	case f == chat.FinishFilter:
		return "refusal"
	case len(e.calls) > 0:
		return "tool_use"
	case f == chat.FinishCalls || f == chat.FinishStop || f == chat.FinishNone:
		return "end_turn"
	default:
		return string(f)
	}
}

// block opens a block, and ends the one before.
func (e *encoder) block(kind string, start func()) {
	e.begin()
	e.end()
	e.open = kind
	e.send("content_block_start", func() {
		e.add(`{"type":"content_block_start","index":`)
		e.addInt(e.next)
		e.add(`,"content_block":`)
		start()
		e.add(`}`)
	})
	e.next++
}

func (e *encoder) delta(of, words string) {
	e.send("content_block_delta", func() {
		e.add(`{"type":"content_block_delta","index":`)
		e.addInt(e.next - 1)
		e.add(`,"delta":`)
		e.add(of)
		e.addString(words)
		e.add(`}}`)
	})
}

// end ends the block that is open.
func (e *encoder) end() {
	if e.open == "" {
		return
	}
	e.open = ""
	e.send("content_block_stop", func() {
		e.add(`{"type":"content_block_stop","index":`)
		e.addInt(e.next - 1)
		e.add(`}`)
	})
}

// say adds words to a block of a kind.
func (e *encoder) say(kind, start, of, words string) {
	if e.open != kind {
		e.block(kind, func() { e.add(start) })
	}
	e.delta(of, words)
}

// call writes a whole call.
func (e *encoder) call(c chat.Call) {
	e.calls = append(e.calls, c)
	e.block("tool_use", func() {
		e.add(`{"type":"tool_use","id":`)
		e.addString(e.idOf(c))
		e.add(`,"name":`)
		e.addString(c.Name)
		e.add(`,"input":{}}`)
	})
	e.delta(`{"type":"input_json_delta","partial_json":`, string(appendInput(nil, c.Args)))
	e.end()
}

// idOf is a call's id. One that has none gets one by its place.
func (e *encoder) idOf(c chat.Call) string {
	if c.ID != "" {
		return c.ID
	}
	return "toolu_" + derived(e.q, strconv.Itoa(len(e.calls)))
}

// ending writes why the answer ended and what it took, and that it is over.
func (e *encoder) ending() {
	e.begin()
	e.end()
	if !e.reason {
		e.reason = true
		e.send("message_delta", func() {
			e.add(`{"type":"message_delta","delta":{"stop_reason":`)
			e.addString(e.stopReason())
			e.add(`,"stop_sequence":null},"usage":`)
			e.counts()
			e.add(`}`)
		})
	}
	e.send("message_stop", func() { e.add(`{"type":"message_stop"}`) })
	e.over = true
}

func (e *encoder) fault(f *chat.Fault) {
	if e.over || f == nil {
		return
	}
	e.over = true
	e.send("error", func() { e.buf = appendFault(e.buf, f) })
}

// Ping writes the protocol's own keep-alive.
func (e *encoder) Ping() error {
	if !e.q.Stream || e.over {
		return nil
	}
	e.buf = e.buf[:0]
	e.send("ping", func() { e.add(`{"type":"ping"}`) })
	return e.flush()
}

func (e *encoder) Close(f *chat.Fault) error {
	e.buf = e.buf[:0]
	switch {
	case !e.q.Stream && f != nil:
		return nil
	case !e.q.Stream && e.whole != nil:
		e.buf = e.whole
		return e.flushed()
	case !e.q.Stream:
		content, err := e.content()
		if err != nil {
			return err
		}
		e.self(content)
		return e.flushed()
	case e.over:
		return nil
	case f != nil:
		e.fault(f)
	default:
		e.ending()
	}
	return e.flush()
}

// content is what was collected, as blocks. Thinking that the provider signed
// hangs on the call behind it, and stands before that.
func (e *encoder) content() ([]byte, error) {
	signed := thoughtsOf(e.parts)
	var list blocks
	calls := 0
	for _, p := range e.parts {
		switch p := p.(type) {
		case chat.Text:
			list.add(append(rawjson.AppendString([]byte(`{"type":"text","text":`), p.Text), '}'))
		case chat.Reasoning:
			if signed == nil {
				list.add(thinkingBlock(p.Text, []byte(`""`)))
			}
		case chat.Call:
			if signed != nil {
				list.raw(signed[calls])
			}
			calls++
			b := rawjson.AppendString([]byte(`{"type":"tool_use","id":`), e.idOf(p))
			b = rawjson.AppendString(append(b, `,"name":`...), p.Name)
			list.add(append(appendInput(append(b, `,"input":`...), p.Args), '}'))
		}
	}
	if len(list) == 0 {
		return []byte("[]"), nil
	}
	return list.close(), nil
}

func (e *encoder) flush() error {
	if len(e.buf) == 0 {
		return nil
	}
	e.separate()
	return e.flushed()
}

func (e *encoder) flushed() error {
	if _, err := e.w.Write(e.buf); err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	return nil
}
