package anthropic

import (
	"io"
	"strconv"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
)

// answer turns the events of a stream, or the blocks of one whole reply, into
// chat events.
type answer struct {
	rand    io.Reader
	events  []chat.Event
	calls   bool // the frame at hand holds a piece of a call
	misread bool // of the frame at hand

	begun    bool // EventStart is out
	said     bool // it said a word
	failed   bool // it told of an error
	stopped  bool // it said that it is over
	words    joint
	blocks   map[int]*block // by the upstream's index, the latest of several
	opened   int            // how many there were
	last     *block         // the latest
	made     []*call
	thoughts thoughts
	held     int // bytes of inputs that came whole
	counts   counts
	finish   chat.Finish
}

// next readies the answer for the next frame.
func (a *answer) next() { a.events, a.calls, a.misread = a.events[:0], false, false }

func (a *answer) add(e chat.Event) { a.events = append(a.events, e) }

func (a *answer) fault(f *chat.Fault) {
	a.failed = true
	a.add(chat.Event{Kind: chat.EventFault, Fault: f})
}

// parts are the members of an event that count.
type parts struct{ kind, index, message, block, delta, usage, fault []byte }

// readParts reads them. Of doubled keys the last counts, as it does for most readers.
func readParts(b []byte) (m parts) {
	_ = rawjson.Members(b, func(k, v []byte) bool {
		switch string(k) {
		case "type":
			m.kind = v
		case "index":
			m.index = v
		case "message":
			m.message = v
		case "content_block":
			m.block = v
		case "delta":
			m.delta = v
		case "usage":
			m.usage = v
		case "error":
			m.fault = v
		}
		return true
	})
	return m
}

// event reads the payload of an event and returns its type. Nothing counts
// behind an error.
func (a *answer) event(b []byte) (kind string) {
	m := readParts(b)
	kind = text(m.kind)
	if a.failed {
		return kind
	}
	switch kind {
	case "message_start":
		a.start(m.message)
		a.count(member(m.message, "usage"))
	case "content_block_start":
		a.open(m.index, m.block)
	case "content_block_delta":
		a.piece(m.index, m.delta)
	case "content_block_stop":
		a.close(m.index, m.block)
	case "message_delta":
		a.count(m.usage)
		a.ending(text(member(m.delta, "stop_reason")))
	case "message_stop":
		a.stopped = true
	case "message": // an upstream that doesn't stream, within a stream
		a.reply(b)
	default:
		if kind == "error" || isFault(m.fault) {
			a.fault(bodyFault(b))
		}
	}
	return kind
}

func isFault(v []byte) bool { return rawjson.Kind(v) == '{' || isText(v) }

// reply reads a whole message, or the error that came in its place.
func (a *answer) reply(b []byte) {
	content := member(b, "content")
	isMessage := rawjson.Kind(content) == '[' || isText(content)
	if !isMessage {
		if isFault(member(b, "error")) {
			a.fault(bodyFault(b))
		}
		return
	}
	a.start(b)
	if isText(content) {
		a.say(chat.EventText, &a.words, content)
	}
	_ = rawjson.Elements(content, func(v []byte) bool {
		a.open(strconv.AppendInt(nil, int64(a.opened), 10), v)
		return !a.failed
	})
	if a.stopped = true; !a.failed {
		a.count(member(b, "usage"))
		a.ending(text(member(b, "stop_reason")))
	}
}

// start reads what an answer says of itself.
func (a *answer) start(message []byte) {
	if a.begun {
		return
	}
	a.begun = true
	a.add(chat.Event{Kind: chat.EventStart, Meta: &chat.Meta{ID: text(member(message, "id")), Model: text(member(message, "model"))}})
}

// say adds a piece of words.
func (a *answer) say(kind chat.Kind, j *joint, quoted []byte) {
	if s := j.next(quoted); s != "" {
		a.said = a.said || kind == chat.EventText
		a.add(chat.Event{Kind: kind, Text: s})
	}
}

// settle ends what a block of words or thinking may have left open.
func (a *answer) settle() {
	if s := a.words.rest(); s != "" {
		a.add(chat.Event{Kind: chat.EventText, Text: s})
	}
	a.thought(a.thoughts.joint.rest())
	a.thoughts.seal()
}

// ending reads why the answer ended. Of several reasons the first counts, unless
// a later one means that it was cut.
func (a *answer) ending(word string) {
	if word == "" {
		return
	}
	f, known := finishes[word]
	if !known {
		f = chat.Finish(word)
	}
	if a.finish != chat.FinishNone && (a.finish.Cut() || !f.Cut()) {
		return
	}
	a.settle()
	a.endCalls()
	if f == chat.FinishStop && len(a.made) > 0 {
		f, a.misread = chat.FinishCalls, true
	}
	a.finish = f
	a.add(chat.Event{Kind: chat.EventFinish, Finish: f})
}

// end ends an answer whose upstream says that it is over. Words without a reason
// are a whole answer; calls aren't. It is false where it isn't whole.
func (a *answer) end() bool {
	if a.finish == chat.FinishNone && a.said && !a.failed && len(a.made) == 0 {
		a.ending("end_turn")
	}
	return a.finish != chat.FinishNone
}
