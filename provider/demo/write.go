package demo

import (
	"fmt"
	"net/http"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/ferrule/ferrule/rawjson"
)

// answer is a reply as it goes out.
type answer struct {
	reply
	id     string
	finish string
	usage  string // JSON
}

// charsPerToken is how the demo counts: roughly as tokenisers do.
const charsPerToken = 4

// limit cuts the reply where it must end, and counts it.
func (r reply) limit(q request) answer {
	a := answer{reply: r, finish: "stop"}
	if len(r.calls) > 0 {
		a.finish = "tool_calls"
	}
	room := a.size()
	if r.cut {
		room = r.callAt + (a.size()-r.callAt)/2
	}
	if q.maxTokens > 0 {
		room = min(room, q.maxTokens*charsPerToken)
	}
	if room < a.size() {
		a.finish = "length"
		a.shorten(room)
	}
	in := 0
	for _, m := range q.messages {
		in += tokens(m.text)
	}
	out := tokens(a.text)
	for _, c := range a.calls {
		out += tokens(c.name + c.args)
	}
	if q.maxTokens > 0 {
		out = min(out, q.maxTokens)
	}
	a.usage = fmt.Sprintf(`{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d}`, in, out, in+out)
	return a
}

// size is the length of all that the reply says, in bytes.
func (r reply) size() int {
	n := len(r.text)
	for _, c := range r.calls {
		n += len(c.args)
	}
	return n
}

func (r *reply) shorten(room int) {
	r.text, room = head(r.text, room)
	calls := r.calls
	r.calls = nil
	for _, c := range calls {
		if room <= 0 {
			return
		}
		c.args, room = head(c.args, room)
		r.calls = append(r.calls, c)
	}
}

// head returns the first n bytes of s, whole runes, and what is left of n.
func head(s string, n int) (string, int) {
	if len(s) <= n {
		return s, n - len(s)
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:max(n, 0)], 0
}

func tokens(s string) int { return (len(s) + charsPerToken - 1) / charsPerToken }

func (a answer) callID(i int) string { return "call_" + a.id + strconv.Itoa(i) }

// whole writes an unstreamed reply.
func (a answer) whole(out *pacer, q request) {
	b := a.open(nil, "chat.completion", q)
	b = append(b, `{"index":0,"message":{"role":"assistant","content":`...)
	if a.text == "" && len(a.calls) > 0 {
		b = append(b, "null"...)
	} else {
		b = rawjson.AppendString(b, a.text)
	}
	for i, c := range a.calls {
		b = append(b, [...]string{`,"tool_calls":[`, `,`}[min(i, 1)]...)
		b = rawjson.AppendString(append(b, `{"id":`...), a.callID(i))
		b = rawjson.AppendString(append(b, `,"type":"function","function":{"name":`...), c.name)
		b = rawjson.AppendString(append(b, `,"arguments":`...), c.args)
		b = append(b, `}}`...)
	}
	if len(a.calls) > 0 {
		b = append(b, ']')
	}
	b = append(b, `},"finish_reason":"`+a.finish+`"}],"usage":`+a.usage+`}`...)
	h := out.w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(b)))
	half := len(b) / 2
	if out.piece(b[:half], out.hangUpAt) {
		out.piece(b[half:], 0)
	}
}

// open writes the members that begin each object, up to the choices.
func (a answer) open(b []byte, object string, q request) []byte {
	b = fmt.Appendf(b, `{"id":"chatcmpl-%s","object":"%s","created":%d,"model":`, a.id, object, time.Now().Unix())
	return append(rawjson.AppendString(b, q.model), `,"choices":[`...)
}

// stream writes the reply in pieces of a few characters.
func (a answer) stream(out *pacer, q request) {
	out.w.Header().Set("Content-Type", "text/event-stream")
	chunk := func(delta, finish string, said int) bool {
		b := a.open([]byte("data: "), "chat.completion.chunk", q)
		b = append(b, `{"index":0,"delta":{`+delta+`},"finish_reason":`+finish+`}]}`+"\n\n"...)
		return out.piece(b, said)
	}
	ok := chunk(`"role":"assistant","content":""`, "null", 0)
	for i, s := 0, a.text; ok && s != ""; i++ {
		var p string
		p, s = bite(s, i)
		ok = chunk(`"content":`+string(rawjson.AppendString(nil, p)), "null", len(p))
	}
	for n := 0; ok && n < len(a.calls); n++ {
		c := a.calls[n]
		b := rawjson.AppendString(fmt.Appendf(nil, `"tool_calls":[{"index":%d,"id":"%s","type":"function","function":{"name":`, n, a.callID(n)), c.name)
		ok = chunk(string(b)+`,"arguments":""}}]`, "null", 0)
		for i, s := 0, c.args; ok && s != ""; i++ {
			var p string
			p, s = bite(s, i)
			b := rawjson.AppendString(fmt.Appendf(nil, `"tool_calls":[{"index":%d,"function":{"arguments":`, n), p)
			ok = chunk(string(b)+`}}]`, "null", len(p))
		}
	}
	if !ok || !chunk("", `"`+a.finish+`"`, 0) {
		return
	}
	if q.usage {
		b := a.open([]byte("data: "), "chat.completion.chunk", q)
		out.piece(append(b, `],"usage":`+a.usage+"}\n\n"...), 0)
	}
	out.piece([]byte("data: [DONE]\n\n"), 0)
}

// bites are the lengths of a stream's pieces, in characters: never the same
// twice, so that tags and names are cut at every place sooner or later.
var bites = [...]int{3, 7, 2, 5, 11, 1, 4}

func bite(s string, i int) (piece, rest string) {
	n := 0
	for range bites[i%len(bites)] {
		_, size := utf8.DecodeRuneInString(s[n:])
		n += size
	}
	return s[:n], s[n:]
}

// pacer writes pieces at the pace that the user asked for.
type pacer struct {
	w        http.ResponseWriter
	done     <-chan struct{} // the client went away
	pause    time.Duration
	hangUpAt int // hang up when that many bytes of the answer are said; 0: never
	said     int
	hungUp   bool
	begun    bool
}

// piece writes and flushes one piece, which says that much of the answer. It
// returns false when nothing more can be written.
func (p *pacer) piece(b []byte, said int) bool {
	if p.begun && p.pause > 0 {
		t := time.NewTimer(p.pause)
		defer t.Stop()
		select {
		case <-t.C:
		case <-p.done:
			return false
		}
	}
	p.begun = true
	if _, err := p.w.Write(b); err != nil {
		return false
	}
	_ = http.NewResponseController(p.w).Flush()
	if p.said += said; p.hangUpAt > 0 && p.said >= p.hangUpAt {
		p.hungUp = true
		return false
	}
	return true
}
