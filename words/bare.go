package words

import (
	"slices"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
)

// bareJSON is the drift of models that leave out whatever should stand around
// a call: one object or a list of them, and nothing else. It counts only where
// it ends the answer.
type bareJSON struct{}

func (bareJSON) Name() string { return "json" }

func (bareJSON) Openers() []Opener {
	return []Opener{{Text: "{", Where: LineStart}, {Text: "[", Where: LineStart}}
}

func (bareJSON) Body(o Opener) Body {
	return &bareBody{buf: []byte(o.Text), scan: scanBehind(o.Text)}
}

// bareHead is how many bytes may pass until the first key has shown whether
// this can be a call.
const bareHead = 96

type bareBody struct {
	buf    []byte
	scan   jsonScan
	judged bool
	loose  bool // its arguments aren't JSON: only the answer's end tells
	done   bool
}

func (t *bareBody) Feed(b []byte) (int, State) {
	fed := 0
	for fed < len(b) {
		piece := b[fed:]
		if t.loose {
			t.buf = append(t.buf, piece...)
			return len(b), More
		}
		if !t.judged {
			piece = piece[:1]
		}
		n, done := t.scan.feed(piece, true)
		t.buf = append(t.buf, piece[:n]...)
		fed += n
		if done {
			t.done = true
			return fed, Done
		}
		if n < len(piece) {
			if _, _, ok := callHead(t.buf); !ok {
				return fed, NotACall
			}
			t.loose = true
			continue
		}
		if !t.judged {
			switch may, known := bareStart(t.buf); {
			case known && may:
				t.judged = true
			case known || len(t.buf) >= bareHead:
				return fed - (len(t.buf) - 1), NotACall
			}
		}
	}
	return fed, More
}

// bareStart tells by the first key whether an object can be a call; known is
// false while that key isn't whole.
func bareStart(b []byte) (may, known bool) {
	if b[0] == '[' {
		if b = skipBlank(b[1:]); len(b) == 0 {
			return false, false
		}
		if b[0] != '{' {
			return false, true
		}
	}
	if b = skipBlank(b[1:]); len(b) == 0 {
		return false, false
	}
	if b[0] != '"' {
		return false, true
	}
	key, _, err := rawjson.Prefix(b)
	if err != nil {
		return false, false
	}
	k, _ := rawjson.String(key)
	for _, keys := range [][]string{nameKeys, argKeys, wrapperKeys, idKeys, listKeys, {"type"}} {
		if slices.Contains(keys, k) {
			return true, true
		}
	}
	return false, true
}

func skipBlank(b []byte) []byte {
	for len(b) > 0 && blank(b[0]) {
		b = b[1:]
	}
	return b
}

func (t *bareBody) End(cut bool) []chat.Written {
	if t.loose && !cut {
		if w, ok := headed(t.buf); ok {
			w.Repairs = []string{"bare"}
			return []chat.Written{w}
		}
	}
	if !t.done {
		return nil
	}
	cs := callsOf(t.buf, 0)
	for i := range cs {
		if cs[i].Why != "" || cs[i].JSON == nil {
			return nil
		}
		cs[i].Repairs = append([]string{"bare"}, cs[i].Repairs...)
	}
	return cs
}

func (t *bareBody) Where() Where { return AnswerEnd }

var (
	_ Form   = bareJSON{}
	_ Placed = (*bareBody)(nil)
)
