package openai

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
)

// answered is what an answer has said so far.
type answered struct {
	q          *chat.Request
	functions  bool // in the older form, with function_call
	meta       chat.Meta
	introduced bool     // meta is there
	words      []string // of a reply that is collected
	thoughts   []string
	calls      []*madeCall
	finish     chat.Finish
	usage      chat.Usage
}

// madeCall is a call as the client gets it.
type madeCall struct {
	chat.Call
	index int
	sent  []byte // of the arguments, so far
}

// follow takes an event in. Only a reply that is collected keeps its words.
func (a *answered) follow(ev *chat.Event, keep bool) {
	switch ev.Kind {
	case chat.EventStart:
		if !a.introduced && ev.Meta != nil {
			a.meta, a.introduced = *ev.Meta, true
		}
	case chat.EventText:
		if keep {
			a.words = append(a.words, ev.Text)
		}
	case chat.EventReasoning:
		if keep {
			a.thoughts = append(a.thoughts, ev.Text)
		}
	case chat.EventCallStart, chat.EventCallEnd:
		c := a.find(ev.Index)
		if c == nil {
			c = a.newCall(ev)
		}
		if ev.Kind == chat.EventCallEnd {
			c.sent = append(c.sent[:0], argumentsOf(ev.Call)...)
			c.Extra = ev.Call.Extra
		}
	case chat.EventCallArgs:
		if c := a.find(ev.Index); c != nil {
			c.sent = append(c.sent, ev.Text...)
		}
	case chat.EventUsage:
		a.usage = ev.Usage
	case chat.EventFinish:
		a.finish = ev.Finish
	}
}

func (a *answered) find(index int) *madeCall {
	for _, c := range a.calls {
		if c.index == index {
			return c
		}
	}
	return nil
}

// newCall adds the call that an event tells of. Its id is the upstream's, unless
// that is missing or another call of the answer has it.
func (a *answered) newCall(ev *chat.Event) *madeCall {
	c := &madeCall{Call: ev.Call, index: ev.Index}
	c.Args = nil
	taken := c.ID == ""
	for _, o := range a.calls {
		taken = taken || o.ID == c.ID
	}
	if taken {
		c.ID = "call_" + a.digest(c.ID, strconv.Itoa(ev.Index))
	}
	a.calls = append(a.calls, c)
	return c
}

// digest derives an id from the request, so that the same answer has the same ids.
func (a *answered) digest(more ...string) string {
	h := sha256.New()
	if a.q.Wire != nil {
		h.Write(a.q.Wire.Body)
	}
	for _, m := range more {
		fmt.Fprintf(h, "\x00%s", m)
	}
	return hex.EncodeToString(h.Sum(nil))[:24]
}

// tail returns what is missing of the arguments. What went out can't be taken back.
func (c *madeCall) tail(args string) (string, error) {
	if rest, ok := strings.CutPrefix(args, string(c.sent)); ok {
		return rest, nil
	}
	if len(bytes.TrimSpace(c.sent)) == 0 {
		return args, nil
	}
	return "", fmt.Errorf("encode call %d: its arguments aren't those that went out", c.index)
}

// finishWord is the protocol's word for why the answer ended.
func (a *answered) finishWord() string { return a.wordFor(a.finish) }

// wordFor is the protocol's word for a finish. Calls decide it, unless the
// answer was cut.
func (a *answered) wordFor(f chat.Finish) string {
	switch {
	case f == chat.FinishLength:
		return "length"
	case f == chat.FinishFilter:
		return "content_filter"
	case len(a.calls) > 0 && a.functions:
		return "function_call"
	case len(a.calls) > 0:
		return "tool_calls"
	case f == chat.FinishCalls: // none of them went out
		return "stop"
	}
	return string(f)
}

// appendSelf begins an object with what an answer says of itself.
func (e *encoder) appendSelf(b []byte, object string) []byte {
	m := e.meta
	if m.Model == "" {
		m.Model = e.q.Model
	}
	if m.ID == "" {
		m.ID = "chatcmpl-" + e.digest()
	}
	if m.Created == 0 {
		m.Created = now(e.server.Now).Truncate(time.Second).Unix()
	}
	b = append(b, `{"id":`...)
	b = rawjson.AppendString(b, m.ID)
	b = append(append(append(b, `,"object":"`...), object...), `","created":`...)
	b = strconv.AppendInt(b, m.Created, 10)
	b = append(b, `,"model":`...)
	return rawjson.AppendString(b, m.Model)
}

// appendReply writes a whole reply.
func (e *encoder) appendReply(b []byte) []byte {
	b = e.appendSelf(b, "chat.completion")
	b = append(b, `,"choices":[{"index":0,"message":{"role":"assistant","content":`...)
	words, thoughts := strings.Join(e.words, ""), strings.Join(e.thoughts, "")
	if words == "" && len(e.calls) > 0 {
		b = append(b, "null"...)
	} else {
		b = rawjson.AppendString(b, words)
	}
	if thoughts != "" {
		b = append(b, `,"reasoning_content":`...)
		b = rawjson.AppendString(b, thoughts)
	}
	switch {
	case len(e.calls) == 0:
	case e.functions:
		c := e.calls[0]
		b = appendCallFunction(append(b, `,"function_call":`...), c.Call, "arguments", string(c.sent))
	default:
		b = append(b, `,"tool_calls":[`...)
		for i, c := range e.calls {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(b, '{')
			b = append(appendCallBody(b, c.Call, string(c.sent)), '}')
		}
		b = append(b, ']')
	}
	b = append(b, `},"finish_reason":`...)
	b = appendOrNull(b, e.finishWord())
	b = append(b, "}]"...)
	if e.usage.Known {
		b = append(b, `,"usage":`...)
		b = appendUsage(b, e.usage)
	}
	return append(b, '}')
}

func appendUsage(b []byte, u chat.Usage) []byte {
	total := u.Total
	if total == 0 {
		total = u.Input + u.Output
	}
	b = fmt.Appendf(b, `{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d`, u.Input, u.Output, total)
	if u.Cached > 0 {
		b = fmt.Appendf(b, `,"prompt_tokens_details":{"cached_tokens":%d}`, u.Cached)
	}
	if u.Reasoning > 0 {
		b = fmt.Appendf(b, `,"completion_tokens_details":{"reasoning_tokens":%d}`, u.Reasoning)
	}
	return append(b, '}')
}
