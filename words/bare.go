package words

import (
	"bytes"
	"slices"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
)

// bareJSON is the drift of models that leave out whatever should stand around
// a call: one object or a list of them, or several on one line, and nothing
// else. It counts only where it ends the answer.
type bareJSON struct{}

func (bareJSON) Name() string { return "json" }

func (bareJSON) Openers() []Opener {
	return []Opener{{Text: "{", Where: LineStart}, {Text: "[", Where: LineStart}}
}

func (bareJSON) Alone() bool { return true }

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
	loose  bool  // its arguments aren't JSON: only the answer's end tells
	ends   []int // where its values end; the first begins buf
	begin  int   // where the open value begins
	gap    bareGap
}

func (t *bareBody) Feed(b []byte) (int, State) {
	fed := 0
	for fed < len(b) {
		switch {
		case t.loose:
			t.buf = append(t.buf, b[fed:]...)
			return len(b), More
		case len(t.ends) > 0:
			n, s := t.more(b[fed:])
			if fed += n; s == Done {
				return fed, Done
			}
		default:
			n, s := t.first(b[fed:])
			if fed += n; s == NotACall {
				return fed, NotACall
			}
		}
	}
	return fed, More
}

// first feeds the first value.
func (t *bareBody) first(b []byte) (int, State) {
	if !t.judged {
		b = b[:1]
	}
	n, done := t.scan.feed(b, true)
	t.buf = append(t.buf, b[:n]...)
	switch {
	case done:
		t.ends = append(t.ends, len(t.buf))
		t.gap = bareGap{}
	case n < len(b):
		if _, _, ok := callHead(t.buf); !ok {
			return n, NotACall
		}
		t.loose = true
	case !t.judged:
		switch may, known := bareStart(t.buf); {
		case known && may:
			t.judged = true
		case known || len(t.buf) >= bareHead:
			return n - (len(t.buf) - 1), NotACall
		}
	}
	return n, More
}

// more feeds what stands behind a whole value: another one on the same line, or
// the end of the block, before what was fed or with it.
func (t *bareBody) more(b []byte) (int, State) {
	if t.gap.value {
		n, done := t.scan.feed(b, true)
		t.buf = append(t.buf, b[:n]...)
		switch {
		case done && hasCallKey(t.buf[t.begin:]):
			t.ends, t.gap = append(t.ends, len(t.buf)), bareGap{}
		case done || n < len(b):
			return n - t.behind(), Done
		}
		return n, More
	}
	t.buf = append(t.buf, b[0])
	switch t.gap.next(b[0]) {
	case gapValue:
		t.scan, t.begin = scanBehind(string(b[:1])), len(t.buf)-1
	case gapTaken:
		t.ends[len(t.ends)-1] = len(t.buf)
	case gapEnd:
		return 1 - t.behind(), Done
	}
	return 1, More
}

// behind is how many bytes of buf stand behind the last value.
func (t *bareBody) behind() int { return len(t.buf) - t.ends[len(t.ends)-1] }

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
	return isCallKey(k), true
}

// isCallKey reports whether a key is one of those that calls are written with.
func isCallKey(k string) bool {
	return slices.ContainsFunc([][]string{nameKeys, argKeys, wrapperKeys, idKeys, listKeys, {"type"}}, func(keys []string) bool {
		return slices.Contains(keys, k)
	})
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
	if len(t.ends) == 0 || t.gap.value {
		return nil
	}
	var cs []chat.Written
	from := 0
	for _, end := range t.ends {
		cs = append(cs, each(t.buf[from:end], t.calls(from, end))...)
		from = end
	}
	for i := range cs {
		if declares(cs[i].Raw) || cs[i].Why != "" || cs[i].JSON == nil || slices.ContainsFunc(cs[i].Repairs, guessed) {
			return nil
		}
		cs[i].Repairs = append([]string{"bare"}, cs[i].Repairs...)
	}
	return cs
}

// calls reads the value in buf[from:end], which separators may stand before and
// stray brackets or a closing tag behind.
func (t *bareBody) calls(from, end int) []chat.Written {
	v := t.buf[from:end]
	v = v[max(0, bytes.IndexAny(v, "{[")):]
	if whole, n, err := rawjson.Prefix(v); err == nil {
		cs := callsOf(whole, 0)
		for i := range cs {
			if n < len(v) {
				cs[i].Repairs = append(cs[i].Repairs, "stray_close")
			}
			if len(t.ends) > 1 {
				cs[i].Repairs = append(cs[i].Repairs, "several_objects")
			}
		}
		return cs
	}
	return callsOf(v, 0)
}

// declares reports whether a value tells of a tool and calls none: a
// declaration has what its tool is for.
func declares(v []byte) bool {
	for _, path := range [...][]string{{"description"}, {"function", "description"}} {
		if d, ok := rawjson.Get(v, path...); ok && rawjson.Kind(d) == '"' {
			return true
		}
	}
	return false
}

// guessed reports whether a repair takes for a call what without a frame is as
// likely an answer in JSON.
func guessed(repair string) bool { return repair == repairFlat || repair == repairNamed }

func (t *bareBody) Where() Where { return AnswerEnd }

var (
	_ Form   = bareJSON{}
	_ Placed = (*bareBody)(nil)
)
