package words

import (
	"bytes"
	"strings"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
)

// envelope is one JSON object that names its protocol, the list of tools it was
// written for, and a nonce that proves which request it answers.
type envelope struct{}

const envelopeProtocol = "ferrule.tool-call.v1"

func (envelope) Name() string { return "envelope" }

func (envelope) Framed() bool { return true }

func (envelope) Openers() []Opener { return []Opener{{Text: "{", Where: LineStart}} }

func (envelope) Body(o Opener) Body {
	return &envelopeBody{buf: []byte(o.Text), scan: scanBehind(o.Text)}
}

func (envelope) WriteContract(b []byte, d Docs) []byte {
	return appendPrompt(b, "envelope_contract", docsOf(d))
}

func (envelope) WriteTail(b []byte, t Tail) []byte {
	p := policyOf(t)
	name := p.Named
	if name == "" {
		name = "<name from the list>"
	}
	shape := chat.Call{Name: name, Args: []byte(`{"<argument>":"<value>"}`)}
	p.Shape = string(envelope{}.WriteCalls(nil, []chat.Call{shape}, t.Frame))
	return appendPrompt(b, "envelope_tail", p)
}

func (envelope) WriteCalls(b []byte, cs []chat.Call, f Frame) []byte {
	b = rawjson.AppendString(append(b, `{"protocol":`...), envelopeProtocol)
	b = rawjson.AppendString(append(b, `,"toolset":`...), f.Toolset)
	b = rawjson.AppendString(append(b, `,"nonce":`...), f.Nonce)
	b = append(b, `,"calls":[`...)
	for i, c := range cs {
		if i > 0 {
			b = append(b, ',')
		}
		b = rawjson.AppendString(append(b, `{"name":`...), c.Name)
		b = append(append(b, `,"arguments":`...), argsOf(c)...)
		b = append(b, '}')
	}
	return append(b, "]}"...)
}

func (envelope) WriteResults(b []byte, rs []Fenced) []byte {
	for i, r := range rs {
		if i > 0 {
			b = append(b, "\n\n"...)
		}
		b = append(b, r.Text...)
	}
	return b
}

// envelopeGrace is how far an object that isn't JSON is followed for the name
// of the protocol: a first key in other quotes or none, and the name.
const envelopeGrace = 64

// envelopeBody follows one object. As long as that is JSON it may be an
// envelope with its members in any order. Once it isn't, only the protocol's
// name makes it a bad envelope.
type envelopeBody struct {
	buf    []byte
	scan   jsonScan
	broken int  // where JSON ended, if above 0
	named  bool // broken, and the protocol's name was seen
	done   bool
	weak   bool
}

func (e *envelopeBody) Feed(b []byte) (int, State) {
	fed := 0
	for fed < len(b) {
		if e.broken == 0 || e.named {
			n, done := e.scan.feed(b[fed:], !e.named)
			e.buf = append(e.buf, b[fed:fed+n]...)
			fed += n
			if done {
				e.done = true
				return fed, Done
			}
			if fed == len(b) {
				return fed, More
			}
			e.broken = len(e.buf)
			e.named = bytes.Contains(e.buf, []byte(envelopeProtocol))
			continue
		}
		n := min(len(b)-fed, e.broken+envelopeGrace-len(e.buf))
		at := len(e.buf)
		e.buf = append(e.buf, b[fed:fed+n]...)
		if i := bytes.Index(e.buf, []byte(envelopeProtocol)); i >= 0 {
			// The rest is only followed for its end.
			e.named = true
			end := max(i+len(envelopeProtocol), at)
			fed += end - at
			e.buf = e.buf[:end]
			e.scan.lenient(e.buf[e.broken:])
			continue
		}
		fed += n
		if len(e.buf) == e.broken+envelopeGrace {
			return fed - envelopeGrace, NotACall
		}
	}
	return fed, More
}

func (e *envelopeBody) Where() Where {
	if e.weak {
		return AnswerEnd
	}
	return Anywhere
}

func (e *envelopeBody) End(cut bool) []chat.Written {
	bad := chat.Written{Why: "its JSON isn't closed"}
	if e.done {
		fs, err := fieldsOf(e.buf)
		if err == "" {
			return e.read(fs)
		}
		if value, repairs, ok := mended(e.buf); ok && bytes.Contains(e.buf, []byte(envelopeProtocol)) {
			fs, _ = fieldsOf(value)
			fs.repairs = repairs
			return e.read(fs)
		}
		bad.Why = err
	}
	if !bytes.Contains(e.buf, []byte(envelopeProtocol)) {
		return nil
	}
	if !e.done && cut {
		bad = chat.Written{Cut: true}
	}
	bad.Key, bad.Toolset = looseString(e.buf, "nonce"), looseString(e.buf, "toolset")
	return []chat.Written{bad}
}

// read takes an object that is JSON. It is an envelope if it says so or if it
// has a nonce; without either, a list of calls is one only at an answer's end.
func (e *envelopeBody) read(fs *fields) []chat.Written {
	protocol := fs.takeString("protocol")
	key := fs.takeString("nonce")
	toolset := fs.takeString("toolset")
	list, ok := fs.takeList()
	maker, _, _ := strings.Cut(envelopeProtocol, ".")
	strong := strings.HasPrefix(protocol, maker) || key != "" && (ok || fs.has(nameKeys...))
	if !strong && !ok {
		return nil
	}
	e.weak = !strong
	if protocol != envelopeProtocol {
		fs.repair("protocol")
	}
	var calls []chat.Written
	switch {
	case ok:
		calls = elementCalls(list, 1)
		if rawjson.Kind(list) == '{' {
			fs.repair("list")
		}
		if fs.left() > 0 {
			fs.repair("extra_fields")
		}
		if len(calls) == 0 {
			calls = []chat.Written{{Why: `"calls" holds no call`}}
		}
	case fs.has(nameKeys...) || fs.has(wrapperKeys...):
		calls = fs.call(1)
		fs.repair("list")
	default:
		calls = []chat.Written{{Why: `it has no "calls"`}}
	}
	for i := range calls {
		calls[i].Key, calls[i].Toolset = key, toolset
		calls[i].Repairs = append(append([]string(nil), fs.repairs...), calls[i].Repairs...)
		if calls[i].Why == "" {
			calls[i].Why = fs.why
		}
	}
	return calls
}

var (
	_ Syntax = envelope{}
	_ Framed = envelope{}
	_ Placed = (*envelopeBody)(nil)
)
