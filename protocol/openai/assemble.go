package openai

import (
	"bytes"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
)

// call is a call that is being put together.
type call struct {
	index    int // as events say it
	wire     int // as the upstream says it; noIndex, or legacyIndex for function_call
	id, name string
	args     []byte // every piece so far, joined
	ends     []int  // where each piece ends in args
	told     int    // how much of args events have said
	custom   bool
	half     half // of a pair that the border of two pieces cut
	extra    chat.Extra
	started  bool // CallStart is out
	ended    bool // CallEnd is out
	touched  int  // the chunk that last gave a piece
}

const (
	noIndex     = -1
	legacyIndex = -2
)

// assembler puts the calls of one choice together from their pieces.
type assembler struct {
	calls []*call
	last  *call
	chunk int // counts chunks
}

// take adds a piece. plain reports that a client which simply follows indices
// would read the same calls from the piece as it came. c is nil where the piece
// would be one call too many.
func (a *assembler) take(d *delta) (c *call, plain bool) {
	id, name := str(d.id), str(d.name)
	text, isString := argsText(d.args)
	c, follows := a.find(d, id, name, text)
	plain = follows && isString
	if c == nil {
		if len(a.calls) == maxCalls {
			return nil, false
		}
		plain = plain && name != "" && (d.legacy || id != "" && a.byID(id) == nil)
		c = a.add(d)
		plain = plain && (d.legacy || c.index == d.index)
	} else {
		plain = plain && id == "" && name == "" && !c.ended
	}
	if c.id == "" {
		c.id = id
	}
	if c.name == "" {
		c.name = name
	}
	c.add(text)
	if d.extra != nil {
		c.extra = withExtra(c.extra, "extra_content", d.extra)
	}
	c.custom = c.custom || d.custom
	c.touched, a.last = a.chunk, c
	return c, plain
}

// add joins a piece of the arguments to the others.
func (c *call) add(text []byte) {
	if text = c.half.whole(text); len(text) > 0 {
		c.args = append(c.args, text...)
		c.ends = append(c.ends, len(c.args))
	}
}

// find returns the call that a piece belongs to, nil for a new one. follows is
// false where an index alone wouldn't have told.
func (a *assembler) find(d *delta, id, name string, text []byte) (c *call, follows bool) {
	if d.legacy {
		return a.byIndex(legacyIndex), true
	}
	if d.hasIndex {
		if c = a.byIndex(d.index); c == nil {
			if c = a.byID(id); c != nil && c.wire == noIndex && name == "" {
				c.wire = d.index
				return c, false
			}
			return nil, true
		}
		if c.another(id, name, text) {
			return nil, false
		}
		return c, true
	}
	switch {
	case id != "":
		if c = a.byID(id); c == nil && a.last != nil && a.last.id == "" && name == "" {
			c = a.last
		}
	default:
		c = a.last
	}
	// Two elements of one list are two calls.
	if c != nil && (c.touched == a.chunk || c.another(id, name, text)) {
		c = nil
	}
	return c, false
}

// another reports whether a piece that would continue c begins a call of its
// own: it names a tool, and c is complete and not part of what the piece says,
// or is plainly a different call.
func (c *call) another(id, name string, text []byte) bool {
	if name == "" || c.name == "" {
		return false
	}
	otherID := id != "" && c.id != "" && id != c.id
	if otherID && name != c.name {
		return true
	}
	if !complete(c.args) {
		return false
	}
	if otherID || name != c.name {
		return true
	}
	return id == "" && c.id == "" && len(text) > 0 && !bytes.HasPrefix(text, c.args)
}

func complete(args []byte) bool {
	return rawjson.Kind(args) == '{' && rawjson.Valid(args, rawjson.MaxDepth) == nil
}

func (a *assembler) byIndex(i int) *call {
	for n := len(a.calls) - 1; n >= 0; n-- {
		if a.calls[n].wire == i {
			return a.calls[n]
		}
	}
	return nil
}

func (a *assembler) byID(id string) *call {
	if id == "" {
		return nil
	}
	for n := len(a.calls) - 1; n >= 0; n-- {
		if a.calls[n].id == id {
			return a.calls[n]
		}
	}
	return nil
}

// add opens a call under the upstream's index where that is free.
func (a *assembler) add(d *delta) *call {
	c := &call{wire: noIndex}
	for _, o := range a.calls {
		c.index = max(c.index, o.index+1)
	}
	switch {
	case d.legacy:
		c.wire = legacyIndex
	case d.hasIndex:
		c.wire = d.index
		free := true
		for _, o := range a.calls {
			free = free && o.index != d.index
		}
		if free {
			c.index = d.index
		}
	}
	a.calls = append(a.calls, c)
	return c
}

// arguments decides at the end what the pieces mean: joined; or, where that is
// no JSON and every piece extends the one before, the last one. Nothing means {}.
func (c *call) arguments() []byte {
	if c.custom {
		return rawjson.AppendString(nil, string(c.args))
	}
	if len(bytes.TrimSpace(c.args)) == 0 {
		return []byte("{}")
	}
	if len(c.ends) < 2 || rawjson.Valid(c.args, rawjson.MaxDepth) == nil {
		return bytes.Clone(c.args)
	}
	var before []byte
	from := 0
	for _, end := range c.ends {
		piece := c.args[from:end]
		if !bytes.HasPrefix(piece, before) {
			return bytes.Clone(c.args)
		}
		before, from = piece, end
	}
	return bytes.Clone(before)
}

// whole returns the call as its CallEnd says it. same is false where the
// arguments aren't what the pieces said one after the other.
func (c *call) whole() (w chat.Call, same bool) {
	c.args = append(c.args, c.half.rest()...)
	w = c.head()
	w.Args = c.arguments()
	return w, c.custom || bytes.Equal(w.Args, c.args)
}

// head returns the call as its CallStart says it.
func (c *call) head() chat.Call {
	if c.custom {
		c.extra = withExtra(c.extra, "type", []byte(`"custom"`))
	}
	return chat.Call{ID: c.id, Name: c.name, Extra: c.extra}
}

// argsText returns the text of arguments, which some upstreams send as a value
// instead of a string.
func argsText(v []byte) (text []byte, isString bool) {
	if v == nil {
		return nil, true
	}
	if v[0] != '"' {
		return v, false
	}
	return appendText(nil, v), true
}
