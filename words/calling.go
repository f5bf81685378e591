package words

import (
	"bytes"

	"github.com/ferrule/ferrule/chat"
)

// calling is [Calling tool: name({…})]: what Qwen models write for a call when
// a transcript showed them earlier calls like that.
type calling struct{}

func (calling) Name() string { return "calling" }

func (calling) Openers() []Opener { return []Opener{{Text: "[Calling tool: ", Where: Anywhere}} }

func (calling) Body(Opener) Body { return &callingBody{} }

type callingBody struct {
	buf    []byte
	object int // where the arguments begin; 0 before them
	behind int // where they end
	scan   jsonScan
	whole  bool
}

func (t *callingBody) Feed(b []byte) (int, State) {
	before := len(t.buf)
	for i := 0; i < len(b); i++ {
		c := b[i]
		switch {
		case t.object == 0:
			t.buf = append(t.buf, c)
			switch {
			case c == '{' && len(t.name()) > 0:
				t.object, t.scan = len(t.buf)-1, scanBehind("{")
			case c == '\n' || c == '{' || c == '<' || len(t.buf) > maxTag:
				return -before, NotACall
			}
		case t.behind == 0:
			n, done := t.scan.feed(b[i:], false)
			t.buf = append(t.buf, b[i:i+n]...)
			if i += n - 1; done {
				t.behind = len(t.buf)
			}
		default:
			t.buf = append(t.buf, c)
			switch tail := bytes.TrimSpace(t.buf[t.behind:]); {
			case string(tail) == ")]":
				t.whole = true
				return i + 1, Done
			case !bytes.HasPrefix([]byte(")]"), tail) || len(t.buf)-t.behind > maxTag:
				return t.behind - before, NotACall
			}
		}
	}
	return len(b), More
}

// name is the tool's name, once its parenthesis was opened.
func (t *callingBody) name() []byte {
	name, rest, ok := bytes.Cut(t.buf, []byte("("))
	if rest = bytes.TrimSpace(rest); !ok || t.object == 0 && string(rest) != "{" {
		return nil
	}
	name = bytes.TrimSpace(name)
	if identifier(name) != len(name) {
		return nil
	}
	return name
}

func (t *callingBody) End(cut bool) []chat.Written {
	switch {
	case t.object == 0:
		return nil
	case t.behind == 0 || cut && !t.whole:
		return []chat.Written{{Name: string(t.name()), Cut: true}}
	}
	w := chat.Written{Name: string(t.name()), JSON: bytes.Clone(t.buf[t.object:t.behind])}
	if !t.whole {
		w.Repairs = []string{"missing_close"}
	}
	return []chat.Written{w}
}

var _ Form = calling{}
