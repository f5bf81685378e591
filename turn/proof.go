package turn

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/profile"
)

// What bounds the test requests.
const (
	proofTime   = time.Minute // for each
	proofPause  = time.Hour   // between two of the same
	proofFrames = 256         // of an answer that are looked at
	maxProofs   = 1_000       // whose time is remembered
)

// proofs are Ferrule's own fixed requests, by the field that one bears out:
// what they meet hangs on nobody's words, so that it may count for everybody
// (security.md D2).
var proofs = map[string]func() *chat.Request{
	"tools":  func() *chat.Request { return proofRequest(false) },
	"stream": func() *chat.Request { return proofRequest(true) },
}

func proofRequest(stream bool) *chat.Request {
	few := 16
	return &chat.Request{
		Messages: []chat.Message{{Role: chat.RoleUser, Parts: []chat.Part{chat.Text{Text: "Say hello."}}}},
		Tools: []chat.Tool{{
			Name: "tell_time", Description: "Tells the time.", Kind: chat.ToolFunction,
			Schema: []byte(`{"type":"object","properties":{}}`),
		}},
		Sampling: chat.Sampling{MaxTokens: &few},
		Stream:   stream,
	}
}

// proved remembers when the test requests were made.
type proved struct {
	mu sync.Mutex
	at map[proof]time.Time
}

type proof struct{ provider, model, field string }

// due reports whether a test request may be made now, and notes that it was.
func (p *proved) due(of proof, now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if last, ok := p.at[of]; ok && now.Sub(last) < proofPause {
		return false
	}
	if p.at == nil || len(p.at) >= maxProofs {
		p.at = map[proof]time.Time{}
	}
	p.at[of] = now
	return true
}

// prove asks once more, beside the client's request, with a request of
// Ferrule's own: what one owner's request met is everybody's if that meets the
// same.
func (x *run) prove(f profile.Fact) {
	make, ok := proofs[f.Field]
	if !ok || x.r.Aside == nil || x.t.Owner == "" || x.t.Profile.Wrapper {
		return
	}
	if !x.r.proved.due(proof{x.t.Provider, x.t.Model, f.Field}, x.r.now()) {
		return
	}
	q := make()
	q.Model = x.t.Model
	r, up := x.r, x.t.Upstream
	everybody := profile.Place{Provider: x.t.Provider, Model: x.t.Model}
	r.Aside(func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, proofTime)
		defer cancel()
		if fault := refusedBy(ctx, up, q); fault != nil && r.Refusals.Classify(fault, q).Class == f.Why {
			r.Facts.Learn(everybody, f)
		}
	})
}

// refusedBy returns the fault that a request meets before it is answered; nil
// where it is answered, or fails in another way.
func refusedBy(ctx context.Context, up Upstream, q *chat.Request) *chat.Fault {
	var fault *chat.Fault
	s, err := up.Send(ctx, q)
	if err != nil {
		errors.As(err, &fault)
		return fault
	}
	defer s.Close()
	for range proofFrames {
		f, err := s.Next()
		if errors.As(err, &fault) {
			return fault
		}
		if err != nil {
			return nil
		}
		for i := range f.Events {
			switch e := &f.Events[i]; e.Kind {
			case chat.EventFault:
				return e.Fault
			case chat.EventText, chat.EventReasoning, chat.EventCallStart, chat.EventFinish:
				return nil
			}
		}
	}
	return nil
}
