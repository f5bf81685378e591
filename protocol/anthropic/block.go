package anthropic

import (
	"fmt"
	"strings"

	"github.com/ferrule/ferrule/chat"
)

// maxBlocks is what no honest answer exceeds.
const maxBlocks = 1 << 14

// block is one block of an answer's content.
type block struct {
	kind  string // its type
	call  *call  // of a tool_use
	ended bool
}

// open begins a block. Blocks without an index stand where they come.
func (a *answer) open(index, v []byte) {
	a.settle()
	if a.opened == maxBlocks {
		a.refuse(codeInvalid, fmt.Sprintf("The upstream sent more than %d blocks in one answer.", maxBlocks))
		return
	}
	n, ok := integer(index)
	if !ok || n != a.opened {
		a.misread = true // clients put it where it comes, and look for it there
	}
	if !ok {
		n = a.opened
	}
	b := &block{kind: text(member(v, "type"))}
	if a.blocks == nil {
		a.blocks = map[int]*block{}
	}
	a.opened++
	a.blocks[n], a.last = b, b
	switch b.kind {
	case "text":
		a.say(chat.EventText, &a.words, member(v, "text"))
	case "thinking":
		a.thoughts.begin()
		a.thought(a.thoughts.joint.next(member(v, "thinking")))
		a.thoughts.sign(member(v, "signature"))
	case "redacted_thinking":
		if data := member(v, "data"); isText(data) {
			a.thoughts.keep(redactedBlock(data))
		}
	case "tool_use":
		b.call = a.newCall(v)
	}
}

// pieceOf is the kind of block that a kind of piece belongs to.
var pieceOf = map[string]string{
	"text_delta":       "text",
	"thinking_delta":   "thinking",
	"signature_delta":  "thinking",
	"input_json_delta": "tool_use",
}

// piece reads a piece of a block. What it says counts, even where it names a
// block that isn't there or is of another kind.
func (a *answer) piece(index, v []byte) {
	b := a.find(index)
	kind := text(member(v, "type"))
	of := pieceOf[kind]
	if of == "" || b != nil && strings.HasSuffix(b.kind, "_tool_use") {
		return // a citation, or a call that the provider makes by itself
	}
	if b == nil || b.kind != of || b.ended {
		a.misread = true
	}
	switch kind {
	case "text_delta":
		a.say(chat.EventText, &a.words, member(v, "text"))
	case "thinking_delta":
		if !a.thoughts.open {
			a.thoughts.begin()
		}
		a.thought(a.thoughts.joint.next(member(v, "thinking")))
	case "signature_delta":
		if a.thoughts.open { // else nobody knows what it signs
			a.thoughts.sign(member(v, "signature"))
		}
	default:
		a.calls = true
		a.argument(b, member(v, "partial_json"))
	}
}

// find returns the block of an index; without one, the latest; nil for none.
func (a *answer) find(index []byte) *block {
	n, ok := integer(index)
	if !ok {
		a.misread = true
		return a.last
	}
	return a.blocks[n]
}

// close ends a block, which some upstreams repeat whole then. A call goes on
// until the answer ends, for its arguments may come late.
func (a *answer) close(index, v []byte) {
	a.settle()
	b := a.find(index)
	if b == nil || b.ended {
		a.misread = true
		return
	}
	b.ended = true
	if c := b.call; c != nil {
		c.closed, a.calls = true, true
		if len(c.pieces) == 0 && c.input == nil && v != nil {
			a.keepInput(c, member(v, "input"))
			a.misread = a.misread || c.input != nil
		}
	}
}
