package turn

import (
	"bytes"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/words"
)

// leaks finds the calls that an endpoint with a tools API left in its text.
// Only what nobody could take for text counts: a marker of a call syntax or
// nothing but the call's JSON, a known tool, nothing that repeats what was
// shown. In thinking that the endpoint tells apart, a call counts where it ends
// the reply (security.md Q6).
type leaks struct {
	words    leak
	thoughts leak
	drafted  bool // calls in the thinking are drafts: it goes out as it came
}

// leak is what is looked for in one kind of text.
type leak struct {
	kind   chat.Kind
	reader *words.Reader
	ahead  int          // bytes that went out and that the reader still holds: blank ones
	text   []chat.Event // what the reader let out of the frames that wait
	calls  []chat.Written
	behind bool // words stand behind a call
}

// newLeaks returns nil where leaks aren't looked for.
func (x *run) newLeaks(known func(string) bool) *leaks {
	if x.t.Profile.Leaks == profile.LeaksOff || x.q.Choice.Mode == chat.ChoiceNone {
		return nil
	}
	as := thinkings[x.t.Profile.Thinks(x.t.Model)]
	// Who asked for JSON gets JSON.
	l := &leaks{
		words:    leak{kind: chat.EventText, reader: words.NewLeakReader(known, x.quotes, x.q.Format == nil)},
		thoughts: leak{kind: chat.EventReasoning, reader: words.NewLeakReader(known, x.quotes, false)},
		drafted:  as == words.ThinkingNever,
	}
	l.words.reader.Thinks(as, false)
	return l
}

// read takes a frame's words. It reports whether the frame must wait: something
// in it, or before it, may be a call.
func (l *leaks) read(f chat.Frame) (wait bool) {
	for i := range f.Events {
		switch e := &f.Events[i]; e.Kind {
		case chat.EventText:
			l.drafted = l.drafted || len(bytes.TrimSpace([]byte(e.Text))) > 0
			l.words.read(e.Text)
		case chat.EventReasoning:
			if !l.drafted {
				l.thoughts.read(e.Text)
				l.drafted = l.thoughts.behind
			}
		case chat.EventCallStart, chat.EventCallArgs, chat.EventCallEnd:
			l.drafted = true
		}
	}
	wait = l.words.waits()
	return !l.drafted && l.thoughts.waits() || wait
}

func (l *leak) read(text string) {
	l.reader.Write([]byte(text), l.take)
}

// waits reports whether there is a call, or what may become one. If not, what
// was held so far goes out.
func (l *leak) waits() bool {
	if len(l.calls) > 0 || len(bytes.TrimSpace(l.reader.Held())) > 0 {
		return true
	}
	l.text, l.ahead = nil, len(l.reader.Held())
	return false
}

func (l *leak) take(i words.Item) {
	switch i.Kind {
	case words.ItemCall:
		w := *i.Call
		w.Repairs = append(w.Repairs, RepairLeak)
		l.calls, l.ahead = append(l.calls, w), 0
	case words.ItemText:
		l.behind = l.behind || len(l.calls) > 0 && len(bytes.TrimSpace(i.Text)) > 0
		gone := min(l.ahead, len(i.Text))
		l.ahead -= gone
		if text := string(i.Text[gone:]); text != "" {
			l.text = append(l.text, chat.Event{Kind: l.kind, Text: text})
		}
	}
}

// end ends the answer; what it leaves in calls are its leaked calls.
func (l *leaks) end(f chat.Finish) {
	l.words.reader.Close(f, l.words.take)
	l.thoughts.reader.Close(f, l.thoughts.take)
	if f.Cut() {
		l.words.calls = nil // the words go out as they came
	}
	if f.Cut() || l.drafted || l.thoughts.behind || len(l.words.calls) > 0 {
		l.thoughts.calls = nil
	}
}

// calls are those that were found.
func (l *leaks) calls() []chat.Written { return append(l.words.calls, l.thoughts.calls...) }

// found reports whether there was a call in the words.
func (l *leaks) found() bool { return l != nil && len(l.calls()) > 0 }

// out takes the calls out of the words of held frames.
func (l *leaks) out(fs []chat.Frame) []chat.Frame {
	for _, k := range [...]*leak{&l.words, &l.thoughts} {
		if len(k.calls) > 0 {
			fs = k.out(fs)
		}
	}
	return fs
}

// out puts what the reader let out in the place of what held frames say.
func (l *leak) out(fs []chat.Frame) []chat.Frame {
	text := l.text
	var out []chat.Frame
	for _, f := range fs {
		var es []chat.Event
		speaks := false
		for _, e := range f.Events {
			if e.Kind != l.kind {
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
