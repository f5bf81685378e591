package words

import (
	"bytes"
	"strings"

	"github.com/ferrule/ferrule/chat"
)

// kimi3 is calls in nested elements whose marks are tokens, each argument with
// its type: Kimi K3. Words and thinking stand in elements of the same kind.
type kimi3 struct{}

const (
	kimi3Open  = "<|open|>"
	kimi3Close = "<|close|>"
	kimi3Sep   = "<|sep|>"
)

func (kimi3) Name() string { return "kimi-k3" }

func (kimi3) Openers() []Opener {
	return []Opener{{Text: kimi3Open + "tools" + kimi3Sep, Where: Anywhere}, {Text: kimi3Open + "call ", Where: Anywhere}}
}

func (kimi3) Channels() []channel {
	shut := func(name string) string { return kimi3Close + name + kimi3Sep }
	return []channel{{
		openers: []string{kimi3Open + "response" + kimi3Sep},
		closers: []string{shut("response"), shut("message"), "<|end_of_msg|>"},
		borders: []string{kimi3Open + "tools" + kimi3Sep},
		late:    true,
	}}
}

func (kimi3) Body(o Opener) Body {
	t := &kimi3Body{buf: []byte(o.Text), lead: len(o.Text), step: (*kimi3Body).between}
	if t.framed = !strings.HasSuffix(o.Text, " "); t.framed {
		t.pos = len(o.Text)
	}
	return t
}

type kimi3Body struct {
	buf    []byte
	lead   int // the opener's bytes
	pos    int
	end    int // behind the last whole call
	framed bool
	step   func(t *kimi3Body) outcome
	calls  []chat.Written
	kind   string // of the element whose text is read
	key    string
	typed  string
	value  bool // in a value
	from   int  // where it begins
	inside bool // in a call
}

func (t *kimi3Body) Feed(b []byte) (int, State) {
	before := len(t.buf)
	t.buf = append(t.buf, b...)
	for {
		switch t.step(t) {
		case wait:
			return len(b), More
		case over:
			return t.end - before, Done
		case refuse:
			return t.lead - before, NotACall
		}
	}
}

// element reads the mark at t.pos, behind blank space: the element's name and
// its attributes; shut says that it ends there.
func (t *kimi3Body) element() (name, attrs string, shut bool, o outcome) {
	rest := skipBlank(t.buf[t.pos:])
	t.pos = len(t.buf) - len(rest)
	f := fits(rest, kimi3Open, false)
	mark := kimi3Open
	if f == not {
		f, mark, shut = fits(rest, kimi3Close, false), kimi3Close, true
	}
	if len(rest) == 0 || f == partly {
		return "", "", false, wait
	}
	if f == not {
		return "", "", false, refuse
	}
	inner, _, ok := bytes.Cut(rest[len(mark):min(len(rest), maxTag)], []byte(kimi3Sep))
	switch {
	case !ok && len(rest) >= maxTag:
		return "", "", false, refuse
	case !ok:
		return "", "", false, wait
	}
	t.pos += len(mark) + len(inner) + len(kimi3Sep)
	name, attrs, _ = strings.Cut(string(inner), " ")
	return name, attrs, shut, goOn
}

// attributeOf is the value of a named attribute.
func attributeOf(attrs, name string) string {
	for attrs = strings.TrimSpace(attrs); attrs != ""; {
		key, value, rest, ok := attribute(attrs)
		if !ok {
			break
		}
		if key == name {
			return strings.NewReplacer("&quot;", `"`, "&amp;", "&").Replace(value)
		}
		attrs = rest
	}
	return ""
}

// between is outside of any call.
func (t *kimi3Body) between() outcome {
	at := t.pos
	name, attrs, shut, o := t.element()
	switch {
	case o == wait:
		return wait
	case o == goOn && name == "call" && !shut:
		tool := attributeOf(attrs, "tool")
		if len(t.calls) > 0 && !t.framed {
			t.pos = at
			return over
		}
		if t.calls = append(t.calls, chat.Written{Name: tool}); !wordLike(tool) {
			t.calls[len(t.calls)-1] = chat.Written{Why: "it has no name"}
		}
		t.inside, t.step = true, (*kimi3Body).inCall
		return goOn
	case len(t.calls) == 0:
		return refuse
	case o == goOn && name == "tools" && shut:
		t.end, t.framed = t.pos, false
		return over
	}
	t.missing()
	return over
}

func (t *kimi3Body) last() *chat.Written { return &t.calls[len(t.calls)-1] }

// missing notes that the end of the block wasn't written.
func (t *kimi3Body) missing() {
	if t.framed && len(t.calls) > 0 {
		addRepair(t.last(), "missing_close")
		t.framed = false
	}
}

// inCall is in a call and in none of its arguments.
func (t *kimi3Body) inCall() outcome {
	at := t.pos
	name, attrs, shut, o := t.element()
	w := t.last()
	switch {
	case o == wait:
		return wait
	case o == goOn && shut && name == "call":
		t.end = t.pos
	case o == goOn && !shut && (name == "argument" || name == "json"):
		t.kind, t.key, t.typed = name, attributeOf(attrs, "key"), attributeOf(attrs, "type")
		if name == "argument" && t.key == "" {
			w.Why = "an argument has no name"
		}
		t.value, t.from, t.step = true, t.pos, (*kimi3Body).inValue
		return goOn
	default: // the call's closer is missing
		t.pos = at
		t.end = at
		addRepair(w, "missing_close")
		if o == refuse {
			t.inside = false
			t.missing()
			return over
		}
	}
	t.inside, t.step = false, (*kimi3Body).between
	return goOn
}

// inValue is in an argument: it ends with its own closer alone.
func (t *kimi3Body) inValue() outcome {
	closer := kimi3Close + t.kind + kimi3Sep
	i := bytes.Index(t.buf[t.pos:], []byte(closer))
	if i < 0 {
		t.pos = max(t.pos, len(t.buf)-len(closer)+1)
		return wait
	}
	w, text := t.last(), t.buf[t.from:t.pos+i]
	if t.kind == "json" {
		w.JSON = bytes.Clone(bytes.TrimSpace(text))
	} else {
		literal := t.typed != "" && t.typed != "string"
		w.Params = append(w.Params, chat.Param{Name: t.key, Text: string(text), Literal: literal})
	}
	if w.JSON != nil && w.Params != nil {
		w.Why = "it has both a JSON object and arguments of their own"
	}
	t.pos += i + len(closer)
	t.end, t.value, t.step = t.pos, false, (*kimi3Body).inCall
	return goOn
}

// Spare is what stands behind the last thing that was read whole.
func (t *kimi3Body) Spare() int { return len(t.buf) - t.end }

func (t *kimi3Body) End(cut bool) []chat.Written {
	if len(t.calls) == 0 {
		return nil
	}
	w := t.last()
	if t.value || cut && (t.inside || t.framed) {
		*w = chat.Written{Name: w.Name, Cut: true}
		return t.calls
	}
	if t.inside {
		addRepair(w, "missing_close")
	}
	t.missing()
	return t.calls
}

var (
	_ Form       = kimi3{}
	_ Channelled = kimi3{}
	_ Sparing    = (*kimi3Body)(nil)
)
