package anthropic

import (
	"strings"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
)

// maxThoughts bounds in bytes the signed thinking that is kept with a call.
// Longer thinking isn't kept at all: a part of it would be refused.
const maxThoughts = 384 << 10

// thoughts is the thinking since the last call.
type thoughts struct {
	open      bool // a block is being written
	joint     joint
	text      strings.Builder
	signature strings.Builder
	kept      blocks // those that are signed
	tooLong   bool
}

// begin begins a block of thinking.
func (t *thoughts) begin() {
	t.open = true
	t.text.Reset()
	t.signature.Reset()
}

// fits makes room for more bytes. It is false for thinking that is too long.
func (t *thoughts) fits(more int) bool {
	if t.tooLong || t.text.Len()+t.signature.Len()+len(t.kept)+more > maxThoughts {
		t.tooLong, t.kept = true, nil
		t.text.Reset()
		t.signature.Reset()
	}
	return !t.tooLong
}

// keep keeps a block for the call that follows.
func (t *thoughts) keep(block []byte) {
	if t.fits(len(block)) {
		t.kept.add(block)
	}
}

// seal ends the block of thinking that is open. Only one that is signed is kept.
func (t *thoughts) seal() {
	if t.open && t.signature.Len() > 0 {
		block := thinkingBlock(t.text.String(), rawjson.AppendString(nil, t.signature.String()))
		t.begin()
		t.keep(block)
	}
	t.open = false
}

// taken returns what a call's Extra holds of the thinking before it.
func (t *thoughts) taken() chat.Extra {
	kept := t.kept
	t.kept, t.tooLong = nil, false
	if len(kept) == 0 {
		return nil
	}
	return chat.Extra{thinking: kept.close()}
}

// thought adds a piece of thinking.
func (a *answer) thought(s string) {
	if s == "" {
		return
	}
	a.add(chat.Event{Kind: chat.EventReasoning, Text: s})
	if a.thoughts.fits(len(s)) {
		a.thoughts.text.WriteString(s)
	}
}

// sign adds a piece of the signature of the block that is open.
func (t *thoughts) sign(quoted []byte) {
	if s := text(quoted); t.fits(len(s)) {
		t.signature.WriteString(s)
	}
}
