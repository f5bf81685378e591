package words

import (
	"bytes"

	"github.com/ferrule/ferrule/chat"
)

// toolTags is a tag named like the tool, with a tag for each argument in it:
// what the prompts of Cline and Roo ask for. Nothing but the tools' names tells
// it from any other markup.
type toolTags struct{}

func (toolTags) Name() string { return "tool-tags" }

func (toolTags) Openers() (os []Opener) {
	for _, o := range nameStarts() {
		os = append(os, Opener{Text: "<" + o.Text, Where: AnswerEnd})
	}
	return os
}

func (f toolTags) Body(o Opener) Body { return f.KnowingBody(o, func(string) bool { return false }) }

func (toolTags) KnowingBody(o Opener, known func(string) bool) Body {
	t := &toolTagsBody{known: known, buf: []byte(o.Text), lead: len(o.Text), step: (*toolTagsBody).name}
	return t
}

type toolTagsBody struct {
	known func(string) bool
	buf   []byte
	lead  int
	pos   int
	end   int
	step  func(t *toolTagsBody) outcome
	call  chat.Written
	param string
	from  int // where its value begins
	shut  int // how far its closer was looked for
	whole bool
}

func (t *toolTagsBody) Feed(b []byte) (int, State) {
	before := len(t.buf)
	t.buf = append(t.buf, b...)
	for {
		switch t.step(t) {
		case wait:
			return len(b), More
		case over:
			return t.end - before, Done
		case refuse:
			return max(t.lead, t.pos) - before, NotACall
		}
	}
}

// opening is the name in the tag at t.pos: <name> or, closed by itself, <name/>.
func (t *toolTagsBody) opening() (name string, shut bool, o outcome) {
	rest := t.buf[t.pos:]
	i := bytes.IndexByte(rest[:min(len(rest), maxTag)], '>')
	n := identifier(rest[1:])
	switch {
	case i < 0 && (1+n == len(rest) || string(rest[1+n:]) == "/" || string(rest[1+n:]) == " ") && len(rest) < maxTag:
		return "", false, wait
	case i < 0 || n == 0:
		return "", false, refuse
	}
	switch string(bytes.TrimSpace(rest[1+n : i])) {
	case "":
	case "/":
		shut = true
	default:
		return "", false, refuse
	}
	name = string(rest[1 : 1+n])
	if t.pos > 0 || t.known(name) {
		t.pos += i + 1
		return name, shut, goOn
	}
	return "", false, refuse
}

func (t *toolTagsBody) name() outcome {
	name, shut, o := t.opening()
	if o != goOn {
		return o
	}
	t.call.Name, t.step = name, (*toolTagsBody).between
	if shut {
		t.end, t.whole = t.pos, true
		return over
	}
	return goOn
}

// between is in front of an argument's tag or of the call's closer.
func (t *toolTagsBody) between() outcome {
	rest := skipBlank(t.buf[t.pos:])
	t.pos = len(t.buf) - len(rest)
	closer := "</" + t.call.Name + ">"
	switch {
	case len(rest) == 0:
		return wait
	case fits(rest, closer, false) == wholly:
		t.end, t.whole = t.pos+len(closer), true
		return over
	case fits(rest, closer, false) == partly, len(rest) < 2:
		return wait
	case rest[0] != '<':
		return refuse
	}
	name, shut, o := t.opening()
	switch {
	case o != goOn:
		return o
	case shut:
		t.call.Params = append(t.call.Params, chat.Param{Name: name})
	default:
		t.param, t.from, t.shut = name, t.pos, t.pos
		t.step = (*toolTagsBody).value
	}
	return goOn
}

// value is in an argument's text: it ends with the closer that another tag follows.
func (t *toolTagsBody) value() outcome {
	closer := "</" + t.param + ">"
	i := bytes.Index(t.buf[t.shut:], []byte(closer))
	if i < 0 {
		t.shut = max(t.shut, len(t.buf)-len(closer)+1)
		t.pos = t.shut
		return wait
	}
	t.shut += i
	behind := t.shut + len(closer)
	rest := skipBlank(t.buf[behind:])
	switch {
	case len(rest) == 0:
		return wait
	case rest[0] != '<':
		t.shut = behind
		return goOn
	}
	t.call.Params = append(t.call.Params, chat.Param{Name: t.param, Text: string(t.buf[t.from:t.shut])})
	t.pos, t.step = behind, (*toolTagsBody).between
	return goOn
}

func (t *toolTagsBody) End(bool) []chat.Written {
	if !t.whole {
		return nil
	}
	return []chat.Written{t.call}
}

func (t *toolTagsBody) Where() Where { return AnswerEnd }

var (
	_ Form    = toolTags{}
	_ Knowing = toolTags{}
	_ Placed  = (*toolTagsBody)(nil)
)
