package words

import (
	"crypto/rand"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/tokens"
)

// maxReplay is how much of a rejected answer a correction shows again, in bytes.
const maxReplay = 8 << 10

// Settings are what a plan needs to know beside the request.
type Settings struct {
	Syntax  string    // "": the default
	Dropped bool      // the endpoint drops system prompts
	Proof   bool      // only blocks that carry the nonce count, and no other form is read
	Key     []byte    // the owner's fence key, from FenceKey
	Rand    io.Reader // nil: crypto/rand
	// Family is the one whose own forms are read next to the syntax; "": none is known.
	Family   string
	Thinking Thinking // what a call inside thinking counts for
	Opened   bool     // the prompt's template opens thinking, so that an answer begins in it
	// Notes are what the model is told in front of each result, by the result's
	// place among all of the request's, the first being 0.
	Notes map[int][]string
	// Window is the model's context window in tokens, and Tokens what a text takes
	// of it: the tool list is told of on a level that fits. 0: not known.
	Window int
	Tokens tokens.Estimator
	Level  Level // more than this isn't told, whatever fits
	// Example has a worked example of a call stand in the contract.
	Example bool
	// ThinkTags are opener and closer of the model's thinking, beside those of
	// the families that are known; nil: none.
	ThinkTags []string
	// Shown is what the model is shown. Where it holds what reads as a call, the
	// model is given a key to tell its own calls by; nil: it isn't looked at.
	Shown *Shown
}

// Plan is how one request with tools is asked in words. It isn't safe for
// concurrent use.
type Plan struct {
	syntax  Syntax
	dropped bool
	proof   bool
	family  string
	choice  chat.Choice
	several bool
	live    string // the argument for the live key; "": none is needed

	thinking Thinking
	opened   bool
	tag      thinkTag // the model's own; empty: none is known

	tools   []chat.Tool // those that the choice permits
	toolset string
	level   Level
	tail    bool // there are tools to tell of, or calls behind us
	calls   int  // those behind us

	base   *chat.Request // rendered, without the tail
	texts  []string      // all that stands in the request; no nonce is in it
	seed   []byte
	number uint64 // of the nonce in use
}

// NewPlan prepares a request. It fails for a syntax that isn't there, without a
// fence key, if the source of randomness does, and with a *TooLargeError for
// tools that the window has no room for.
func NewPlan(q *chat.Request, s Settings) (*Plan, error) {
	syntax, err := s.syntax()
	if err != nil {
		return nil, err
	}
	if len(s.Key) == 0 {
		return nil, fmt.Errorf("plan tools in words: the fence key is missing")
	}
	source := s.Rand
	if source == nil {
		source = rand.Reader
	}
	p := &Plan{
		syntax: syntax, dropped: s.Dropped, proof: s.Proof, choice: q.Choice,
		several: q.Parallel == nil || *q.Parallel,
		family:  s.Family, thinking: s.Thinking, opened: s.Opened,
		toolset: Toolset(q.Tools), seed: make([]byte, 32),
	}
	if len(s.ThinkTags) == 2 {
		p.tag = thinkTag{s.ThinkTags[0], s.ThinkTags[1]}
	}
	if _, err := io.ReadFull(source, p.seed); err != nil {
		return nil, fmt.Errorf("draw a nonce: %w", err)
	}
	for _, t := range q.Tools {
		if t.Kind != chat.ToolHosted && q.Choice.Permits(t.Name) {
			p.tools = append(p.tools, t)
		}
	}
	contract, err := p.contract(q, s)
	if err != nil {
		return nil, err
	}
	r := newRendering(syntax, p.toolset, s)
	p.base = r.request(q, contract)
	p.texts = append(r.texts, toolTexts(q.Tools)...)
	p.tail = len(p.tools) > 0 || r.called
	p.calls = r.calls
	if s.Shown != nil && len(p.tools) > 0 && !isFramed(syntax) && s.Shown.HoldsCall() {
		p.live = liveFieldOf(p.tools)
	}
	p.number = p.fresh(0)
	return p, nil
}

// syntax is the one to ask for.
func (s Settings) syntax() (Syntax, error) {
	name := s.Syntax
	switch {
	case name == "" && s.Proof:
		name = Proving()
	case name == "":
		name = Default(s.Dropped)
	}
	syntax, ok := Lookup(name)
	if !ok {
		return nil, fmt.Errorf("no call syntax is named %q; there are %s", name, strings.Join(Names(), ", "))
	}
	if s.Proof && !isFramed(syntax) {
		return nil, fmt.Errorf("the call syntax %s carries no nonce, so it can't prove where a call is from; leave it out or take %s", name, Proving())
	}
	return syntax, nil
}

// contract is "" where no tool may be called at all.
func (p *Plan) contract(q *chat.Request, s Settings) (text string, err error) {
	if len(q.Tools) == 0 || q.Choice.Mode == chat.ChoiceNone {
		return "", nil
	}
	if p.level, _, err = Fit(p.syntax, q.Tools, s.Window, s.Tokens); err != nil {
		return "", err
	}
	p.level = max(p.level, s.Level)
	d := Docs{Toolset: p.toolset, Parallel: p.several}
	if s.Example {
		d.Example = workedCall(q.Tools)
	}
	return p.level.contract(p.syntax, q.Tools, d), nil
}

func toolTexts(tools []chat.Tool) []string {
	var texts []string
	for _, t := range tools {
		texts = append(texts, t.Name, t.Description, string(t.Schema))
	}
	return texts
}

// fresh is the number of the first nonce from n on that doesn't stand in the request.
func (p *Plan) fresh(n uint64) uint64 {
	for ; ; n++ {
		key := p.frame(n).liveKey()
		if !slices.ContainsFunc(p.texts, func(t string) bool { return strings.Contains(t, key) }) {
			return n
		}
	}
}

func (p *Plan) frame(number uint64) Frame {
	return Frame{Toolset: p.toolset, Nonce: nonce(p.seed, "live", number), First: p.calls}
}

// Syntax names the syntax that the model is asked to write.
func (p *Plan) Syntax() string { return p.syntax.Name() }

// Level is how much the model is told of the tools.
func (p *Plan) Level() Level { return p.level }

// Toolset is the digest of the request's tools.
func (p *Plan) Toolset() string { return p.toolset }

// Nonce is the one that the prompt of the last Request or Correct shows.
func (p *Plan) Nonce() string { return p.frame(p.number).Nonce }

// Tools are those that the client's choice permits.
func (p *Plan) Tools() []chat.Tool { return p.tools }

// Request is the request in words. It says the same however often it is asked for.
func (p *Plan) Request() *chat.Request { return p.finish(p.base.Messages) }

// Correct is the request for another try: the rejected answer as it was
// written, then why it was rejected. From here on a new nonce is the live one.
func (p *Plan) Correct(said []byte, why string) *chat.Request {
	p.number = p.next()
	messages := slices.Clone(p.base.Messages)
	if text := strings.TrimSpace(replay(said)); text != "" {
		messages = addSaid(messages, reserve(text))
	}
	return p.finish(addUser(messages, why))
}

// next is the number of the nonce that a correction will show.
func (p *Plan) next() uint64 { return p.fresh(p.number + 1) }

// replay cuts what the model said to what a correction shows of it.
func replay(said []byte) string {
	text := strings.ToValidUTF8(string(said), "\uFFFD")
	if len(text) > maxReplay {
		text = strings.ToValidUTF8(text[:maxReplay], "")
	}
	return text
}

// finish adds the tail.
func (p *Plan) finish(messages []chat.Message) *chat.Request {
	q := *p.base
	q.Messages = messages
	if tail := p.tailText(); tail != "" {
		q.Messages = addTail(messages, tail, p.dropped, isFramed(p.syntax))
	}
	return &q
}

func (p *Plan) tailText() string {
	switch {
	case !p.tail:
		return ""
	case len(p.tools) == 0:
		return string(appendPrompt(nil, "none", nil))
	}
	tail := p.syntax.WriteTail(nil, Tail{
		Frame: p.frame(p.number), Tools: p.tools, Choice: p.choice, Parallel: p.several, Dropped: p.dropped,
	})
	if p.live == "" {
		return string(tail)
	}
	if len(tail) > 0 {
		tail = append(tail, '\n')
	}
	key := p.frame(p.number).liveKey()
	shape := withLive(placeholder(p.syntax), p.live, key)
	return string(appendPrompt(tail, "live", map[string]string{
		"Field": p.live, "Key": key, "Shape": string(p.syntax.WriteCalls(nil, []chat.Call{shape}, p.frame(p.number))),
	}))
}

// Reader reads the answer to the last Request or Correct. known tells the names
// of the tools that may be called; quoted tells what only repeats.
func (p *Plan) Reader(known func(string) bool, quoted func(chat.Written) bool) *Reader {
	var x *openers
	switch {
	case len(p.tools) == 0: // the answer is all text
		x = newOpeners(nil, 0)
	case p.proof:
		x = newOpeners([]Form{p.syntax}, 1)
	default:
		x = reading(asking{p.syntax.Name(), p.family, p.tag})
	}
	if known == nil {
		known = func(string) bool { return false }
	}
	r := newReader(x, p.frame(p.number), known, quoted)
	r.proof = p.proof
	if p.live != "" {
		r.liveKey, r.liveField = p.frame(p.number).liveKey(), p.live
	}
	r.Thinks(p.thinking, p.opened)
	return r
}

// Write writes calls as the prompt of the last Request or Correct asks for them.
func (p *Plan) Write(cs []chat.Call) string {
	return string(p.syntax.WriteCalls(nil, cs, p.frame(p.number)))
}

// Live is the argument that tells a call of the model's own and what it holds
// in the last Request or Correct; "" where none is asked for.
func (p *Plan) Live() (field, key string) {
	if p.live == "" {
		return "", ""
	}
	return p.live, p.frame(p.number).liveKey()
}

// Prove has the next prompt ask for the live key, whatever was shown.
func (p *Plan) Prove() {
	if p.live == "" && len(p.tools) > 0 && !isFramed(p.syntax) {
		p.live = liveFieldOf(p.tools)
	}
}

// Show writes a call as the next correction wants to see it.
func (p *Plan) Show(c chat.Call) string {
	f := p.frame(p.next())
	if p.live != "" {
		c = withLive(c, p.live, f.liveKey())
	}
	return string(p.syntax.WriteCalls(nil, []chat.Call{c}, f))
}
