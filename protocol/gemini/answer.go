package gemini

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/protocol/faults"
	"github.com/ferrule/ferrule/rawjson"
)

// maxCalls is what no honest answer exceeds.
const maxCalls = 1024

// answer turns the pieces of an answer into events: the same for one whole
// reply as for a stream of them. It follows candidate 0.
type answer struct {
	rand   io.Reader
	clock  func() time.Time
	events []chat.Event
	calls  bool // the frame at hand holds a call

	begun  bool // EventStart is out
	said   bool // something was an answer's
	failed bool // it told of an error
	made   []chat.Call
	ending chat.Finish
}

func (a *answer) add(e chat.Event) { a.events = append(a.events, e) }

func (a *answer) fault(f *chat.Fault) {
	a.failed = true
	a.add(chat.Event{Kind: chat.EventFault, Fault: f})
}

// chunks reads a payload: one piece of an answer, or a list of them.
func (a *answer) chunks(payload []byte) {
	if rawjson.Kind(payload) == '{' {
		a.chunk(payload)
		return
	}
	_ = rawjson.Elements(payload, func(v []byte) bool {
		if rawjson.Kind(v) == '{' {
			a.chunk(v)
		}
		return true
	})
}

// chunk reads one piece. Of doubled keys the last counts, as it does for most
// readers.
func (a *answer) chunk(b []byte) {
	m := members(b, "candidates", "usageMetadata", "promptFeedback", "modelVersion", "responseId", "error")
	if fault := m["error"]; rawjson.Kind(fault) == '{' || isText(fault) {
		a.said = true
		a.fault(bodyFault(b))
		return
	}
	reason := text(member(m["promptFeedback"], "blockReason"))
	isList := rawjson.Kind(m["candidates"]) == '['
	if !isList && reason == "" && m["usageMetadata"] == nil && m["responseId"] == nil {
		return
	}
	if !a.begun {
		a.begun = true
		a.add(chat.Event{Kind: chat.EventStart, Meta: &chat.Meta{ID: text(m["responseId"]), Model: text(m["modelVersion"])}})
	}
	if isList {
		_ = rawjson.Elements(m["candidates"], func(v []byte) bool {
			a.candidate(v, b)
			return true
		})
	}
	if reason != "" && !a.said {
		a.said = true
		a.fault(blocked(reason, text(member(m["promptFeedback"], "blockReasonMessage")), b))
	}
	if rawjson.Kind(m["usageMetadata"]) == '{' {
		a.add(chat.Event{Kind: chat.EventUsage, Usage: readUsage(m["usageMetadata"])})
	}
}

func blocked(reason, message string, b []byte) *chat.Fault {
	says := "The provider blocked the prompt: " + reason
	if message != "" {
		says += ": " + message
	}
	return &chat.Fault{
		Code: codeBlocked, Status: http.StatusBadRequest, Text: faults.Bound(strings.TrimRight(says, ".") + "."),
		Wire: &chat.Wire{Protocol: Name, Body: bytes.Clone(b)},
	}
}

// candidate reads one of the answers.
func (a *answer) candidate(v, whole []byte) {
	m := members(v, "index", "content", "finishReason", "finishMessage")
	if a.failed || rawjson.Kind(v) != '{' || m["index"] != nil && integer(m["index"]) != 0 {
		return
	}
	a.said = true
	if parts := member(m["content"], "parts"); rawjson.Kind(parts) == '[' {
		_ = rawjson.Elements(parts, func(v []byte) bool {
			a.part(v)
			return !a.failed
		})
	}
	word := text(m["finishReason"])
	if word == "" {
		return
	}
	e, known := endings[word]
	switch {
	case !known:
		e.finish = chat.FinishFilter
	case e.status != 0:
		a.fault(outputFault(word, e, text(m["finishMessage"]), whole))
		return
	}
	// Of several the first counts, unless a later one means cut.
	if a.ending == chat.FinishNone || !a.ending.Cut() && e.finish != chat.FinishNone && e.finish.Cut() {
		a.ending = e.finish
	}
}

// outputFault is the fault of an answer that the provider gave up. What it says
// of what the model wrote stands in it.
func outputFault(word string, e ending, message string, whole []byte) *chat.Fault {
	says := e.why + " (" + word + ")."
	if message != "" {
		says = e.why + " (" + word + "): " + message
	}
	return &chat.Fault{
		Code: strings.ToLower(word), Status: e.status, Text: faults.Bound(says),
		Wire: &chat.Wire{Protocol: Name, Body: bytes.Clone(whole)},
	}
}

// part reads one part of the content.
func (a *answer) part(v []byte) {
	m := members(v, "text", "thought", "thoughtSignature", "functionCall")
	if call := m["functionCall"]; rawjson.Kind(call) == '{' {
		a.call(call, m["thoughtSignature"])
		return
	}
	if !isText(m["text"]) {
		return
	}
	kind := chat.EventText
	if string(m["thought"]) == "true" {
		kind = chat.EventReasoning
	}
	a.add(chat.Event{Kind: kind, Text: text(m["text"])})
}

// call reads a call, which comes whole.
func (a *answer) call(v, sig []byte) {
	a.calls = true
	m := members(v, "id", "name", "args", "partialArgs", "willContinue")
	if rawjson.Kind(m["partialArgs"]) == '[' || string(m["willContinue"]) == "true" {
		a.refuse(codeInvalid, "The upstream sent a tool call in pieces, which nobody asked it for. None of its tool calls was sent.")
		return
	}
	c := chat.Call{ID: text(m["id"]), Name: text(m["name"]), Args: arguments(m["args"]), Extra: withSignature(sig)}
	if c.ID == "" {
		c.ID = a.mint()
	} else if a.repeated(&c) {
		return
	}
	if len(a.made) == maxCalls {
		a.refuse(codeInvalid, fmt.Sprintf("The upstream sent more than %d tool calls.", maxCalls))
		return
	}
	index := len(a.made)
	a.made = append(a.made, c)
	head := c
	head.Args = nil
	a.add(chat.Event{Kind: chat.EventCallStart, Index: index, Call: head})
	a.add(chat.Event{Kind: chat.EventCallArgs, Index: index, Text: string(c.Args)})
	a.add(chat.Event{Kind: chat.EventCallEnd, Index: index, Call: c})
}

// repeated reports whether a call came before, under its id.
func (a *answer) repeated(c *chat.Call) bool {
	for i := range a.made {
		if o := &a.made[i]; o.ID == c.ID && o.Name == c.Name && rawjson.Same(o.Args, c.Args) {
			return true
		}
	}
	return false
}

// arguments returns a call's arguments: an object, the text of one, or nothing,
// which is an empty one.
func arguments(v []byte) []byte {
	if isText(v) {
		return []byte(text(v))
	}
	if v == nil || rawjson.Kind(v) == 'n' || rawjson.Kind(v) == '"' {
		return []byte("{}")
	}
	return bytes.Clone(v)
}

// mint makes an id that every provider takes: nine letters and digits.
func (a *answer) mint() string {
	const alphabet = "abcdefghijklmnopqrstuvwxyz234567"
	src := a.rand
	if src == nil {
		src = rand.Reader
	}
	var id [9]byte
	if _, err := io.ReadFull(src, id[:]); err != nil {
		_, _ = rand.Read(id[:]) // never fails
	}
	for i := range id {
		id[i] = alphabet[id[i]%byte(len(alphabet))]
	}
	return string(id[:])
}

// end says the finish. It is false where the answer gave none, or failed.
func (a *answer) end() bool {
	if a.ending == chat.FinishNone || a.failed {
		return false
	}
	f := a.ending
	if f == chat.FinishStop && len(a.made) > 0 {
		f = chat.FinishCalls
	}
	a.add(chat.Event{Kind: chat.EventFinish, Finish: f})
	return true
}

// counts is where the counts of tokens stand. Thoughts are part of what was
// written, and are counted apart.
var counts = []struct {
	key string
	add func(*chat.Usage, int)
}{
	{"promptTokenCount", func(u *chat.Usage, n int) { u.Input += n }},
	{"toolUsePromptTokenCount", func(u *chat.Usage, n int) { u.Input += n }},
	{"candidatesTokenCount", func(u *chat.Usage, n int) { u.Output += n }},
	{"thoughtsTokenCount", func(u *chat.Usage, n int) { u.Output, u.Reasoning = u.Output+n, n }},
	{"cachedContentTokenCount", func(u *chat.Usage, n int) { u.Cached = n }},
	{"totalTokenCount", func(u *chat.Usage, n int) { u.Total = n }},
}

func readUsage(v []byte) chat.Usage {
	u := chat.Usage{Known: true}
	for _, c := range counts {
		if n, ok := rawjson.Get(v, c.key); ok {
			c.add(&u, integer(n))
		}
	}
	return u
}

// members returns the named members of an object, as they stand.
func members(v []byte, names ...string) map[string][]byte {
	m := make(map[string][]byte, len(names))
	_ = rawjson.Members(v, func(k, v []byte) bool {
		for _, n := range names {
			if string(k) == n {
				m[n] = v
			}
		}
		return true
	})
	return m
}

// member returns one member of what may be an object; nil where it isn't there.
func member(v []byte, name string) []byte {
	m, _ := rawjson.Get(v, name)
	return m
}
