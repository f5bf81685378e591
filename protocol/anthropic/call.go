package anthropic

import (
	"bytes"
	"fmt"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
)

// What no honest answer exceeds: its calls, and the bytes of those inputs that
// come whole.
const (
	maxCalls  = 1024
	maxInputs = 16 << 20
)

// call is a call that is being put together.
type call struct {
	chat.Call
	index  int    // among the answer's calls
	input  []byte // that came with the block itself
	pieces []byte // of the arguments' text, joined
	ends   []int  // where each piece ends
	joint  joint
	closed bool // its block ended
	ended  bool // CallEnd is out
}

// newCall begins a call. It is nil where there are too many.
func (a *answer) newCall(v []byte) *call {
	a.calls = true
	if len(a.made) == maxCalls {
		a.refuse(codeInvalid, fmt.Sprintf("The upstream sent more than %d tool calls.", maxCalls))
		return nil
	}
	c := &call{index: len(a.made)}
	c.Call = chat.Call{ID: text(member(v, "id")), Name: text(member(v, "name")), Extra: a.thoughts.taken()}
	if c.ID == "" || a.hasID(c.ID) {
		c.ID, a.misread = mint(a.rand), true
	}
	a.made = append(a.made, c)
	a.keepInput(c, member(v, "input"))
	a.add(chat.Event{Kind: chat.EventCallStart, Index: c.index, Call: c.Call})
	return c
}

func (a *answer) hasID(id string) bool {
	for _, c := range a.made {
		if c.ID == id {
			return true
		}
	}
	return false
}

// keepInput keeps arguments that came whole, an object or the text of one; an
// empty object only says that they follow.
func (a *answer) keepInput(c *call, v []byte) {
	v = bytes.TrimSpace(v)
	switch {
	case isText(v):
		v = []byte(text(v))
	case len(v) == 0 || v[0] == 'n' || v[0] == '"' || isEmptyObject(v):
		return
	default:
		v = bytes.Clone(v)
	}
	if a.held += len(v); a.held > maxInputs {
		a.refuse(codeInvalid, fmt.Sprintf("The upstream sent tool calls of more than %d MB.", maxInputs>>20))
		return
	}
	c.input = v
}

func isEmptyObject(v []byte) bool {
	empty := v[0] == '{'
	_ = rawjson.Members(v, func(_, _ []byte) bool {
		empty = false
		return false
	})
	return empty
}

// argument adds a piece of a call's arguments. One that names no call belongs to
// the only one that is open.
func (a *answer) argument(b *block, v []byte) {
	var c *call
	if b != nil {
		c = b.call
	}
	if c == nil {
		if c = a.onlyOpen(); c == nil {
			a.refuse(codeInvalid, "The upstream sent a piece of a tool call that it hadn't begun. None of its tool calls was sent.")
			return
		}
	}
	if c.ended {
		a.refuse(codeInvalid, "The upstream sent more of a tool call that it had ended. None of its tool calls was sent.")
		return
	}
	var s string
	switch {
	case rawjson.Kind(v) == '"':
		s = c.joint.next(v)
	case rawjson.Kind(v) == '{': // the arguments themselves
		s, a.misread = string(v), true
	}
	c.take(a, s)
}

func (c *call) take(a *answer, s string) {
	if s == "" {
		return
	}
	c.pieces = append(c.pieces, s...)
	c.ends = append(c.ends, len(c.pieces))
	a.add(chat.Event{Kind: chat.EventCallArgs, Index: c.index, Text: s})
}

// onlyOpen returns the call that is open, if there is just one.
func (a *answer) onlyOpen() (only *call) {
	for _, c := range a.made {
		if c.closed || c.ended {
			continue
		}
		if only != nil {
			return nil
		}
		only = c
	}
	return only
}

// endCalls says the calls.
func (a *answer) endCalls() {
	for _, c := range a.made {
		if c.ended {
			continue
		}
		c.ended, a.calls = true, true
		c.take(a, c.joint.rest())
		c.Args = c.arguments()
		if len(c.pieces) == 0 {
			a.add(chat.Event{Kind: chat.EventCallArgs, Index: c.index, Text: string(c.Args)})
		} else if !bytes.Equal(c.Args, c.pieces) {
			a.misread = true
		}
		a.add(chat.Event{Kind: chat.EventCallEnd, Index: c.index, Call: c.Call})
	}
}

// arguments decides at the end what the pieces mean: joined; or, where that is
// no JSON and every piece extends the one before, the last one. Without pieces
// it is the block's own input, or nothing, which is an empty object.
func (c *call) arguments() []byte {
	if len(bytes.TrimSpace(c.pieces)) == 0 {
		if c.input != nil {
			return c.input
		}
		return []byte("{}")
	}
	if len(c.ends) < 2 || rawjson.Valid(c.pieces, rawjson.MaxDepth) == nil {
		return bytes.Clone(c.pieces)
	}
	var before []byte
	from := 0
	for _, end := range c.ends {
		piece := c.pieces[from:end]
		if !bytes.HasPrefix(piece, before) {
			return bytes.Clone(c.pieces)
		}
		before, from = piece, end
	}
	return bytes.Clone(before)
}
