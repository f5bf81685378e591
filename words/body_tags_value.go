package words

import (
	"bytes"
	"strings"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
)

// openValue is the value that is being read. It ends with its own closer. A
// value may hold tags like those around it, of an example, say: such as are
// opened and closed in it are its own.
type openValue struct {
	taggedParam
	word     string // of its tag
	plain    bool   // its tag is called like the parameter
	nameless bool   // its name stood as text before it: it ends with the next tag

	nested []byte // tags opened in it: a parameter's, a call's
	inner  int    // the calls of these
	frames int
	calls  bool // it holds a call's tag
	marks  []valueMark
	cdata  [2]int // what it holds if it begins with a CDATA section
	behind int    // the section's end
}

const (
	nestedParam = 'p'
	nestedCall  = 'c'
)

// valueMark is a parameter's tag within a value.
type valueMark struct {
	start, end int
	opens      bool
	name       string
	typed      string
}

const (
	cdataOpen  = "<![CDATA["
	cdataClose = "]]>"
)

func (t *taggedText) beginValue(tg tag) {
	name := tg.name
	if tg.kind == tagPlain {
		name = tg.word
	}
	t.value = openValue{taggedParam: taggedParam{name: name, typed: tg.typed, start: t.pos}, word: tg.word, plain: tg.kind == tagPlain}
	c := t.call()
	switch {
	case tg.whole:
		t.take(t.value.taggedParam, t.pos)
		t.end = t.pos
	case tg.kind == tagParam && name == "":
		t.inside, t.step = true, (*taggedText).nameOfValue
	default:
		if tg.loose {
			c.repair("bad_tag")
		}
		t.inside, t.step = true, (*taggedText).inValue
	}
}

// nameOfValue reads <parameter>a</parameter>1 as the value of a.
func (t *taggedText) nameOfValue(final bool) outcome {
	name, tg, o := t.inner(tagParamEnd, final)
	if o != goOn {
		return o
	}
	if name == "" {
		t.call().why = "a parameter has no name"
	} else {
		t.pos += tg.size
		t.value.name, t.value.nameless, t.value.start = name, true, t.pos
		t.call().repair("name_as_text")
	}
	t.step = (*taggedText).inValue
	return goOn
}

// inValue is in a parameter's value.
func (t *taggedText) inValue(final bool) outcome {
	i := bytes.IndexByte(t.buf[t.pos:], t.s.startByte())
	if i < 0 {
		t.pos = len(t.buf)
		return wait
	}
	t.pos += i
	v := &t.value
	if v.behind == 0 && len(bytes.TrimSpace(t.buf[v.start:min(t.pos, v.start+maxTag)])) == 0 {
		switch fits(t.buf[t.pos:], cdataOpen, final) {
		case partly:
			return wait
		case wholly:
			t.pos += len(cdataOpen)
			v.cdata[0] = t.pos
			t.step = (*taggedText).inSection
			return goOn
		}
	}
	tg, f := t.tag(final)
	switch {
	case f == partly:
		return wait
	case f == not || tg.loose:
		t.pos++
		return goOn
	case v.nameless:
		return t.tagBehindNameless(tg)
	}
	return t.tagInValue(tg, final)
}

// inSection is in the CDATA section with which a value begins.
func (t *taggedText) inSection(bool) outcome {
	v := &t.value
	i := bytes.Index(t.buf[t.pos:], []byte(cdataClose))
	if i < 0 {
		t.pos = max(t.pos, len(t.buf)-len(cdataClose)+1)
		return wait
	}
	v.cdata[1] = t.pos + i
	t.pos += i + len(cdataClose)
	v.behind, t.step = t.pos, (*taggedText).inValue
	return goOn
}

func (t *taggedText) tagInValue(tg tag, final bool) outcome {
	v := &t.value
	at := t.pos
	opener, closer := tagParam, tagParamEnd
	if v.plain {
		opener, closer = tagPlain, tagPlainEnd
	}
	switch {
	case tg.word == v.word && tg.kind == closer:
		if i := bytes.LastIndexByte(v.nested, nestedParam); i >= 0 {
			v.unnest(i)
			v.marks = append(v.marks, valueMark{start: at, end: at + tg.size})
			break
		}
		t.pos += tg.size
		t.end = t.pos
		t.take(v.taggedParam, at)
		t.closeValue()
		return goOn
	case tg.word == v.word && tg.kind == opener:
		v.nested = append(v.nested, nestedParam)
		v.marks = append(v.marks, valueMark{at, at + tg.size, true, tg.name, tg.typed})
	case tg.kind == tagCall:
		v.nested, v.calls = append(v.nested, nestedCall), true
		v.inner++
	case tg.kind == tagFrame:
		v.frames++
	case tg.kind == tagCallEnd && v.inner > 0:
		v.unnest(bytes.LastIndexByte(v.nested, nestedCall))
	case tg.kind == tagFrameEnd && v.frames > 0:
		v.frames--
	case tg.kind == tagCallEnd || tg.kind == tagFrameEnd:
		ends, o := t.endsCall(at+tg.size, final)
		if o != goOn {
			return o
		}
		if ends {
			t.valueUnclosed(at)
			return goOn
		}
	}
	t.pos += tg.size
	return goOn
}

// unnest closes the i-th of the tags that are open in a value, and what was
// opened behind it.
func (v *openValue) unnest(i int) {
	v.inner -= bytes.Count(v.nested[i:], []byte{nestedCall})
	v.nested = v.nested[:i]
}

// endsCall tells whether a closer is the call's own by what stands behind it:
// nothing, or what may follow a call.
func (t *taggedText) endsCall(behind int, final bool) (ends bool, o outcome) {
	i := max(behind, t.ahead)
	for i < len(t.buf) && blank(t.buf[i]) {
		i++
	}
	if t.ahead = i; i == len(t.buf) {
		if final {
			return true, goOn
		}
		return false, wait
	}
	switch tg, f := t.s.read(t.buf[i:], final); {
	case f == partly:
		return false, wait
	case f == wholly:
		k := tg.kind
		return k == tagFrame || k == tagFrameEnd || k == tagCall || k == tagCallEnd || k == tagMark, goOn
	}
	return false, goOn
}

// tagBehindNameless ends a value that has no closer of its own.
func (t *taggedText) tagBehindNameless(tg tag) outcome {
	switch tg.kind {
	case tagParamEnd, tagParam, tagCallEnd, tagFrameEnd:
		if len(bytes.TrimSpace(t.buf[t.value.start:t.pos])) == 0 && t.call().why == "" {
			t.call().why = "a parameter has no name"
		}
		t.take(t.value.taggedParam, t.pos)
		if tg.kind == tagParamEnd {
			t.pos += tg.size
		}
		t.end = t.pos
		t.closeValue()
	default:
		t.pos += tg.size
	}
	return goOn
}

func (t *taggedText) closeValue() {
	t.value, t.inside, t.step = openValue{}, false, (*taggedText).inCall
}

// take adds a parameter whose text ends at end.
func (t *taggedText) take(p taggedParam, end int) {
	p.end = end
	if v := &t.value; v.behind > 0 && v.start == p.start && len(bytes.TrimSpace(t.buf[v.behind:end])) == 0 {
		p.section = v.cdata
		t.call().repair("cdata")
	}
	t.call().params = append(t.call().params, p)
}

// valueUnclosed ends a value that the call's closer ended, at end. Tags of
// parameters in it are then parameters of the call, the closer before which is
// missing; tags of a call in it could be anything.
func (t *taggedText) valueUnclosed(end int) {
	v, c := &t.value, t.call()
	if v.calls {
		c.why = "a value that holds tags of a call isn't closed"
	}
	c.repair("missing_param_close")
	open, p := true, v.taggedParam
	for _, m := range v.marks {
		switch {
		case m.opens:
			if open {
				t.take(p, m.start)
			}
			open, p = true, taggedParam{name: m.name, typed: m.typed, start: m.end}
		case open:
			t.take(p, m.start)
			open = false
		default:
			c.why = "it can't be told where its values end"
		}
	}
	if open {
		t.take(p, end)
	}
	t.end = end
	t.closeValue()
}

// shutAgain takes a parameter's closer where no parameter is open: the text
// before it belongs to the last value, which then holds a closer.
func (t *taggedText) shutAgain(tg tag) {
	c := t.call()
	if n := len(c.params); n > 0 && c.stray {
		c.params[n-1].end, c.stray = t.pos, false
		c.params[n-1].section = [2]int{}
		c.repair("inner_close")
	} else if n > 0 {
		c.repair("stray_close_tag") // the closer before it, doubled
	} else if c.why == "" {
		c.why = "a parameter is closed that isn't open"
	}
	t.pos += tg.size
	t.end = t.pos
}

func (t *taggedText) written() []chat.Written {
	out := make([]chat.Written, len(t.calls))
	for i := range t.calls {
		c := &t.calls[i]
		w := &out[i]
		w.Name, w.Why = c.name, c.why
		w.JSON = bytes.Clone(c.json)
		if c.json == nil {
			w.Params = t.params(c)
		}
		w.Repairs = c.repairs
		end := t.end
		if i+1 < len(t.calls) {
			end = t.calls[i+1].at
		}
		w.Raw = bytes.Clone(t.buf[c.at:max(c.at, end)])
	}
	return out
}

// params are a call's parameters. One that stands several times is a list,
// unless it says the same each time.
func (t *taggedText) params(c *taggedCall) []chat.Param {
	out := make([]chat.Param, 0, len(c.params))
	at := map[string]int{}
	texts := map[string][]string{}
	for _, p := range c.params {
		text := string(t.buf[p.start:p.end])
		said := texts[p.name]
		switch {
		case said == nil:
			at[p.name] = len(out)
			out = append(out, t.param(p))
		case len(said) == 1 && text == said[0]:
			c.repair("duplicate_key")
			continue
		}
		texts[p.name] = append(said, text)
	}
	for name, said := range texts {
		if len(said) > 1 {
			out[at[name]] = chat.Param{Name: name, Text: listOf(said), Literal: true}
			c.repair("repeated_key")
		}
	}
	return out
}

func listOf(texts []string) string {
	b := []byte{'['}
	for i, text := range texts {
		if i > 0 {
			b = append(b, ',')
		}
		b = rawjson.AppendString(b, strings.TrimSuffix(strings.TrimPrefix(text, "\n"), "\n"))
	}
	return string(append(b, ']'))
}

// param is one parameter. Where its tag says what it is, the schema has no say.
func (t *taggedText) param(p taggedParam) chat.Param {
	text := string(t.buf[p.start:p.end])
	switch {
	case p.section[0] > 0:
		text = string(t.buf[p.section[0]:p.section[1]])
		return chat.Param{Name: p.name, Text: string(rawjson.AppendString(nil, text)), Literal: true}
	case p.typed == "true":
		return chat.Param{Name: p.name, Text: string(rawjson.AppendString(nil, text)), Literal: true}
	}
	if t.s.inline && strings.HasSuffix(text, "\n") && !strings.HasPrefix(text, "\n") {
		text += "\n" // its last line end is its own, and one is taken for layout
	}
	return chat.Param{Name: p.name, Text: text, Literal: p.typed == "false"}
}
