package turn

import (
	"bytes"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/words"
)

// leaks finds the calls that an endpoint with a tools API left in its text.
// Only what nobody could take for text counts: a marker of a call syntax, a
// known tool, nothing that repeats what was shown.
type leaks struct {
	reader *words.Reader
	ahead  int          // bytes that went out and that the reader still holds: blank ones
	text   []chat.Event // what the reader let out of the frames that wait
	calls  []chat.Written
}

// newLeaks returns nil where leaks aren't looked for.
func (x *run) newLeaks(known func(string) bool) *leaks {
	if x.t.Profile.Leaks == profile.LeaksOff || x.q.Choice.Mode == chat.ChoiceNone {
		return nil
	}
	r := words.NewLeakReader(known, x.quotes)
	r.Thinks(thinkings[x.t.Profile.Thinks(x.t.Model)], false)
	return &leaks{reader: r}
}

// read takes a frame's words. It reports whether the frame must wait: something
// in it, or before it, may be a call.
func (l *leaks) read(f chat.Frame) (wait bool) {
	for i := range f.Events {
		if e := &f.Events[i]; e.Kind == chat.EventText {
			l.reader.Write([]byte(e.Text), l.take)
		}
	}
	held := l.reader.Held()
	if len(l.calls) > 0 || len(bytes.TrimSpace(held)) > 0 {
		return true
	}
	l.text, l.ahead = nil, len(held)
	return false
}

func (l *leaks) take(i words.Item) {
	switch i.Kind {
	case words.ItemCall:
		w := *i.Call
		w.Repairs = append(w.Repairs, RepairLeak)
		l.calls, l.ahead = append(l.calls, w), 0
	case words.ItemText:
		gone := min(l.ahead, len(i.Text))
		l.ahead -= gone
		if text := string(i.Text[gone:]); text != "" {
			l.text = append(l.text, chat.Event{Kind: chat.EventText, Text: text})
		}
	}
}

// end ends the answer; what it leaves in calls are its leaked calls.
func (l *leaks) end(f chat.Finish) {
	l.reader.Close(f, l.take)
	if f.Cut() {
		l.calls = nil // the words go out as they came
	}
}

// found reports whether there was a call in the words.
func (l *leaks) found() bool { return l != nil && len(l.calls) > 0 }

// out takes the calls out of the words of held frames.
func (l *leaks) out(fs []chat.Frame) []chat.Frame {
	text := l.text
	var out []chat.Frame
	for _, f := range fs {
		var es []chat.Event
		speaks := false
		for _, e := range f.Events {
			if e.Kind != chat.EventText {
				es = append(es, e)
				continue
			}
			speaks = true
			es = append(es, text...)
			text = nil
		}
		switch {
		case !speaks:
			out = append(out, f)
		case len(es) > 0:
			out = append(out, chat.Frame{Protocol: f.Protocol, Events: es})
		}
	}
	return out
}
