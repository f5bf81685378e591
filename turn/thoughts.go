package turn

import (
	"bytes"
	"strings"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/words"
)

// thinkings are what the configuration says of calls inside thinking.
var thinkings = map[profile.Thinking]words.Thinking{
	profile.ThinkingLast:  words.ThinkingLast,
	profile.ThinkingEnds:  words.ThinkingEnds,
	profile.ThinkingNever: words.ThinkingNever,
}

// thoughts reads thinking that an endpoint tells apart from the answer, for the
// calls that a model made before it had ended its thinking. One counts where it
// ends the reply; whatever comes behind it makes it a draft, and that is
// thinking (security.md Q6). Where a call ends the thinking, it counts at once.
type thoughts struct {
	as     words.Thinking
	open   func() *words.Reader
	reader *words.Reader // nil: no thinking is under way
	spoke  bool          // there was some

	drafts []chat.Written
	behind string // blank space behind the last of them
}

// read takes a piece of thinking.
func (t *thoughts) read(text string, sink func(words.Item)) {
	t.spoke = t.spoke || strings.TrimSpace(text) != ""
	if t.as == words.ThinkingNever {
		sink(words.Item{Kind: words.ItemReasoning, Text: []byte(text)})
		return
	}
	if t.reader == nil {
		t.reader = t.open()
	}
	t.reader.Write([]byte(text), func(i words.Item) { t.take(i, sink) })
}

func (t *thoughts) take(i words.Item, sink func(words.Item)) {
	switch {
	case i.Kind == words.ItemCall && t.as == words.ThinkingEnds && i.Call.Why == "" && !i.Call.Cut:
		t.draft(sink)
		sink(i)
	case i.Kind == words.ItemCall:
		t.drafts = append(t.drafts, *i.Call)
	case len(t.drafts) > 0 && len(bytes.TrimSpace(i.Text)) == 0:
		t.behind += string(i.Text)
	default:
		t.draft(sink)
		sink(words.Item{Kind: words.ItemReasoning, Text: i.Text})
	}
}

// draft lets out what turned out to be no call, as the thinking that it is.
func (t *thoughts) draft(sink func(words.Item)) {
	var last []byte
	for _, w := range t.drafts {
		if len(last) == 0 || &last[0] != &w.Raw[0] { // several calls of one block share it
			sink(words.Item{Kind: words.ItemReasoning, Text: w.Raw})
		}
		last = w.Raw
	}
	if t.behind != "" {
		sink(words.Item{Kind: words.ItemReasoning, Text: []byte(t.behind)})
	}
	t.drafts, t.behind = nil, ""
}

// interrupt ends the thinking because an answer begins.
func (t *thoughts) interrupt(sink func(words.Item)) {
	t.close(chat.FinishNone, sink)
	t.draft(sink)
}

// end ends the thinking with the reply; what still stands at its end is calls.
func (t *thoughts) end(f chat.Finish, sink func(words.Item)) {
	t.close(f, sink)
	if f.Cut() {
		t.draft(sink)
		return
	}
	for i := range t.drafts {
		sink(words.Item{Kind: words.ItemCall, Call: &t.drafts[i]})
	}
	t.drafts, t.behind = nil, ""
}

func (t *thoughts) close(f chat.Finish, sink func(words.Item)) {
	if t.reader != nil {
		t.reader.Close(f, func(i words.Item) { t.take(i, sink) })
		t.reader = nil
	}
}
