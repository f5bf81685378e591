package words

import (
	"bytes"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
)

// gemmaTags spells what stands around calls in Gemma's language.
type gemmaTags struct {
	open, close string // "" where nothing does
	quotes      []string
}

const (
	gemmaCall    = "call:"
	repairPrefix = "missing_prefix" // the word before the name
	repairParens = "parentheses"    // in place of braces
	repairBare   = "bare"
	repairExtra  = "extra_closers"
)

type gemmaState uint8

const (
	gemmaName   gemmaState = iota // before the arguments
	gemmaValue                    // where a value stands or goes on
	gemmaKey                      // where a key is due
	gemmaString                   // between two tokens
	gemmaQuoted                   // in quotes
	gemmaGap                      // behind a call
	gemmaTail                     // behind the closing tag
	gemmaSettled
)

// gemmaBody reads call:name{key:value,…}: keys are bare, strings stand between
// two tokens of their own, all else is as in JSON. It gives out JSON, or what
// is almost JSON where the model's own was.
type gemmaBody struct {
	tags gemmaTags
	weak bool

	buf    []byte
	at     int // buf before it was read
	mark   int // where the name, key or string being read begins
	end    int // behind the last call, or behind the tag that closed the block
	state  gemmaState
	object *taggedJSON // reads the block if it is JSON

	call   chat.Written
	began  int    // where it begins
	json   []byte // the arguments as far as they were read
	stack  []byte // open brackets
	quote  string // the token, or the mark, that ends the string being read
	esc    bool
	fresh  bool // a value may begin here
	closed int  // behind the first closing tag in that string
	calls  []chat.Written
}

func newGemma(tags gemmaTags) *gemmaBody { return &gemmaBody{tags: tags, weak: tags.open == ""} }

func (g *gemmaBody) Feed(b []byte) (int, State) {
	if g.object != nil {
		return g.object.Feed(b)
	}
	fed := len(g.buf)
	g.buf = append(g.buf, b...)
	for {
		s, on := g.step()
		switch {
		case g.object != nil:
			n, s := g.object.Feed(g.buf)
			return n - fed, s
		case s == NotACall && len(g.calls) > 0, s == Done:
			g.state = gemmaSettled
			return g.end - fed, Done
		case s == NotACall:
			return -fed, NotACall
		case !on:
			return len(b), More
		}
	}
}

// step goes on by one piece. on is false if it needs more bytes.
func (g *gemmaBody) step() (s State, on bool) {
	if g.state == gemmaName {
		return g.inName()
	}
	if g.at == len(g.buf) {
		return More, false
	}
	switch g.state {
	case gemmaKey:
		return g.inKey()
	case gemmaString:
		return g.inString()
	case gemmaQuoted:
		return g.inQuoted()
	case gemmaGap, gemmaTail:
		return g.behindCall()
	}
	return g.inValue()
}

// inName reads as far as the bracket behind the name.
func (g *gemmaBody) inName() (State, bool) {
	head := g.buf[g.at:]
	i := len(head) - len(skipBlank(head))
	prefixed := g.weak && len(g.calls) == 0
	if !prefixed {
		switch fits(head[i:], gemmaCall, false) {
		case partly:
			return More, false
		case wholly:
			prefixed = true
			i += len(gemmaCall)
			i += len(head[i:]) - len(skipBlank(head[i:]))
		}
	}
	name := i
	for i < len(head) && nameByte(head[i]) {
		i++
	}
	j := i + len(head[i:]) - len(skipBlank(head[i:]))
	switch {
	case j > maxPairHead:
		return NotACall, false
	case j == len(head):
		return More, false
	case i == name && !prefixed && len(g.calls) == 0 && (head[j] == '{' || head[j] == '['):
		g.object = newTaggedJSON(g.tags.open, g.tags.close)
		return More, false
	case i == name || head[j] != '{' && head[j] != '(' || !prefixed && (j > i || len(g.calls) > 0):
		return NotACall, false
	}
	g.call = chat.Written{Name: string(head[name:i])}
	if !prefixed {
		g.repair(repairPrefix)
	}
	if head[j] == '(' {
		g.repair(repairParens)
	}
	g.began = g.at
	g.at += j + 1
	g.json, g.stack = []byte{'{'}, append(g.stack[:0], head[j])
	g.state, g.mark = gemmaKey, g.at
	return More, true
}

// inKey reads a bare key, up to the sign behind it.
func (g *gemmaBody) inKey() (State, bool) {
	for ; g.at < len(g.buf); g.at++ {
		switch c := g.buf[g.at]; {
		case c == ':' || c == '=':
			g.json = rawjson.AppendString(g.json, string(bytes.TrimSpace(g.buf[g.mark:g.at])))
			g.json = append(g.json, ':')
			g.at++
			g.state, g.fresh = gemmaValue, true
			return More, true
		case blank(c) && g.mark == g.at:
			g.mark = g.at + 1
		case bytes.IndexByte([]byte(`,{}[]()"'<`), c) >= 0:
			// No bare key: what stands here is read as a value is.
			g.json = append(g.json, g.buf[g.mark:g.at]...)
			g.state, g.fresh = gemmaValue, g.mark == g.at
			return More, true
		}
	}
	return More, false
}

// inValue reads one byte, or one token, where values stand.
func (g *gemmaBody) inValue() (State, bool) {
	c := g.buf[g.at]
	switch c {
	case '<':
		return g.token()
	case '"', '\'':
		if !g.fresh {
			break
		}
		g.quote, g.esc, g.mark, g.state = string(c), false, g.at, gemmaQuoted
		g.at++
		return More, true
	case '{', '[', '(':
		return g.push(c), true
	case '}', ']', ')':
		return g.pop(c), true
	case ',':
		g.take(c)
		g.fresh = true
		if g.inObject() {
			g.state, g.mark = gemmaKey, g.at
		}
		return More, true
	case '=':
		if g.inObject() && g.behindKey() {
			c = ':'
		}
	}
	g.fresh = c == ':' || g.fresh && blank(c)
	if c == ':' && g.buf[g.at] == '=' {
		g.at++
		g.json = append(g.json, c)
		return More, true
	}
	g.take(c)
	return More, true
}

// behindKey reports whether a string that may be a key was the last thing read.
func (g *gemmaBody) behindKey() bool {
	b := bytes.TrimRight(g.json, " \n\r\t")
	return b[len(b)-1] == '"'
}

func (g *gemmaBody) take(c byte) {
	g.json = append(g.json, c)
	g.at++
}

func (g *gemmaBody) inObject() bool {
	top := g.stack[len(g.stack)-1]
	return top == '{' || top == '(' && len(g.stack) == 1
}

func (g *gemmaBody) push(c byte) State {
	g.stack = append(g.stack, c)
	g.take(c)
	g.fresh = true
	if g.inObject() {
		g.state, g.mark = gemmaKey, g.at
	}
	return More
}

// pop closes a bracket, and with it those within it that were left open.
func (g *gemmaBody) pop(c byte) State {
	g.fresh = false
	n := bytes.LastIndexByte(g.stack, map[byte]byte{'}': '{', ']': '[', ')': '('}[c])
	if n != 0 {
		g.take(c)
		if n > 0 {
			g.stack = g.stack[:n]
		}
		return More
	}
	g.take('}')
	g.leave()
	return More
}

// leave puts the call to the others.
func (g *gemmaBody) leave() {
	g.call.JSON, g.call.Raw = bytes.Clone(g.json), bytes.Clone(g.buf[g.began:g.at])
	g.calls = append(g.calls, g.call)
	g.call = chat.Written{}
	g.state, g.end = gemmaGap, g.at
}

func (g *gemmaBody) repair(name string) { addRepair(&g.call, name) }
