// Package probe finds out what a model behind an endpoint can do, by asking it:
// a dozen small requests, one after the other, each with one question.
package probe

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/refusal"
	"github.com/ferrule/ferrule/schema"
	"github.com/ferrule/ferrule/turn"
)

// MaxTokens is the limit of each answer.
const MaxTokens = 256

// Finding is what one question found out.
type Finding struct {
	Question string `json:"question"`
	Answer   Answer `json:"answer"`
	Detail   string `json:"detail,omitempty"` // what was seen
	Requests int    `json:"requests"`
}

// Answer is what a question comes to.
type Answer string

const (
	Yes     Answer = "yes"
	No      Answer = "no"      // the model did something else
	Refused Answer = "refused" // the endpoint did, see Detail
	Skipped Answer = "skipped" // another answer made it needless
)

// Probe asks one model.
type Probe struct {
	Upstream turn.Upstream
	Provider string
	Model    string // as the upstream knows it
	Profile  profile.Profile
	Key      []byte // of the fences

	found map[string]Answer
}

// question is one thing to find out.
type question struct {
	name  string
	after string // a question that must have been answered with yes; "": none
	not   string // one that must not
	most  int    // requests
	ask   func(p *Probe, ctx context.Context) Finding
}

// What is asked, by name.
const (
	AskPlain       = "answers"
	AskStream      = "streams"
	AskCall        = "calls a tool by its own API"
	AskCallStream  = "streams a call"
	AskSeveral     = "makes two calls at once"
	AskRequired    = "obeys tool_choice: required"
	AskResult      = "goes on from a result"
	AskTypes       = "takes several types in a schema"
	AskReference   = "takes references in a schema"
	AskPattern     = "takes a pattern in a schema"
	AskName        = "takes a dot in a tool's name"
	AskFormat      = "holds an answer to a JSON schema"
	AskWords       = "calls a tool in words"
	AskWordsInUser = "calls a tool in words, told in the user's message"
)

func questions() []question {
	return []question{
		{name: AskPlain, most: 1, ask: (*Probe).plain},
		{name: AskStream, after: AskPlain, most: 1, ask: (*Probe).streams},
		{name: AskCall, after: AskPlain, most: 1, ask: (*Probe).call},
		{name: AskCallStream, after: AskCall, most: 1, ask: (*Probe).callStream},
		{name: AskSeveral, after: AskCall, most: 1, ask: (*Probe).several},
		{name: AskRequired, after: AskCall, most: 1, ask: (*Probe).required},
		{name: AskResult, after: AskCall, most: 1, ask: (*Probe).result},
		{name: AskTypes, after: AskCall, most: 1, ask: feature(`{"type":["string","null"]}`)},
		{name: AskReference, after: AskCall, most: 1, ask: feature(`{"$ref":"#/$defs/city"}`)},
		{name: AskPattern, after: AskCall, most: 1, ask: feature(`{"type":"string","pattern":"^[A-Z]"}`)},
		{name: AskName, after: AskCall, most: 1, ask: (*Probe).dottedName},
		{name: AskFormat, after: AskPlain, most: 1, ask: (*Probe).format},
		{name: AskWords, after: AskPlain, most: 4, ask: (*Probe).inWords},
		{name: AskWordsInUser, after: AskPlain, not: AskWords, most: 4, ask: (*Probe).inUsersWords},
	}
}

// Most is the most that Run asks: requests, and tokens in all answers together.
func Most() (requests, tokens int) {
	for _, q := range questions() {
		requests += q.most
	}
	return requests, requests * MaxTokens
}

// Run asks all questions and tells of each answer as it comes. It ends early
// with an error where the endpoint can't be reached, or refuses the credential.
func (p *Probe) Run(ctx context.Context, tell func(Finding)) ([]Finding, error) {
	p.found = map[string]Answer{}
	var all []Finding
	for _, q := range questions() {
		if err := ctx.Err(); err != nil {
			return all, err
		}
		f := Finding{Answer: Skipped}
		if (q.after == "" || p.found[q.after] == Yes) && (q.not == "" || p.found[q.not] != Yes) {
			f = q.ask(p, ctx)
		}
		f.Question = q.name
		p.found[q.name] = f.Answer
		all = append(all, f)
		tell(f)
		if q.name == AskPlain && f.Answer != Yes {
			return all, errors.New("the model doesn't answer: " + f.Detail)
		}
	}
	return all, nil
}

// Settings is what the findings come to, over what is configured.
func Settings(fs []Finding) profile.Profile {
	got := map[string]Answer{}
	for _, f := range fs {
		got[f.Question] = f.Answer
	}
	var p profile.Profile
	switch {
	case got[AskCall] == Yes:
		p.Tools = profile.Native
	case got[AskWords] == Yes || got[AskWordsInUser] == Yes:
		p.Tools = profile.Emulated
	case got[AskCall] == Refused:
		p.Tools = profile.None
	} // a model that was offered tools and called none may call them another time
	if got[AskWords] != Yes && got[AskWordsInUser] == Yes {
		p.System = profile.Dropped
	}
	switch {
	case got[AskStream] != Yes:
		p.Stream = profile.StreamNever
	case got[AskCall] == Yes && got[AskCallStream] == Refused:
		p.Stream = profile.StreamWithoutTools
	}
	for _, q := range []string{AskTypes, AskReference, AskPattern, AskName} {
		if got[q] == Refused {
			p.Dialect = schema.Minimal
		}
	}
	return p
}

// reply is what came back.
type reply struct {
	text  string
	calls []chat.Call
	err   error
}

// send asks once, by the endpoint's own API.
func (p *Probe) send(ctx context.Context, q *chat.Request) reply {
	q.Model = p.Model
	limit := MaxTokens
	q.Sampling.MaxTokens = &limit
	var r reply
	s, err := p.Upstream.Send(ctx, q)
	if err != nil {
		r.err = err
		return r
	}
	defer s.Close()
	for {
		f, err := s.Next()
		if err == io.EOF {
			return r
		}
		if err != nil {
			r.err = err
			return r
		}
		for _, e := range f.Events {
			switch e.Kind {
			case chat.EventText:
				r.text += e.Text
			case chat.EventCallEnd:
				r.calls = append(r.calls, e.Call)
			case chat.EventFault:
				r.err = e.Fault
				return r
			}
		}
	}
}

// finding is what a reply comes to, if good says what was hoped for.
func (r reply) finding(q *chat.Request, good bool) Finding {
	f := Finding{Answer: No, Requests: 1, Detail: clip(r.text)}
	switch {
	case r.err != nil:
		f.Answer, f.Detail = Refused, r.err.Error()
		var fault *chat.Fault
		if errors.As(r.err, &fault) {
			f.Detail = refusal.Classify(fault, q).Class + ": " + fault.Text
		}
		f.Detail = clip(f.Detail)
	case good:
		f.Answer, f.Detail = Yes, ""
	case len(r.calls) > 0:
		f.Detail = clip("called " + r.calls[0].Name + " " + string(r.calls[0].Args))
	}
	return f
}

// clip is the beginning of a text, for a table.
func clip(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 100 {
		return string(r[:99]) + "…"
	}
	return s
}
