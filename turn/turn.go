// Package turn is one turn of one model with its tools: prepare, send, heal,
// read, judge, correct. Everything that runs passes its one gate.
package turn

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/refusal"
	"github.com/ferrule/ferrule/schema"
)

// Upstream sends one request to a provider. An error that is a *chat.Fault and
// comes before the first Frame can be healed.
type Upstream interface {
	Send(ctx context.Context, q *chat.Request) (chat.Stream, error)
}

// Target is a model behind an upstream, and what is known of it.
type Target struct {
	Provider, Model string // Model is the upstream's own name
	Upstream        Upstream
	Profile         profile.Profile
	Owner           string // whose request it is; "" where the gateway has no client keys
	// Begin, if not nil, is called once, before the first frame goes out, with
	// what is known by then.
	Begin func(Report)
	// Describe, if not nil, tells what a picture shows, for a model that sees
	// none. It is asked about at most 2 new pictures a request, one by one; where
	// it fails the model is told only that there was a picture.
	Describe Describer
}

// Facts keeps what was learned of models. What one owner's request met changes
// nothing of another's (security.md D2).
type Facts interface {
	// Learned returns what holds at a place: its owner's, and everybody's.
	Learned(at profile.Place) []profile.Fact
	Learn(at profile.Place, f profile.Fact)
	// Unlearn forgets a field, since what was learned of it was seen not to hold.
	Unlearn(at profile.Place, field string)
}

// Memory keeps opaque things by call id; forgetting is harmless.
type Memory interface {
	Get(callID string) map[string][]byte
	Put(callID string, m map[string][]byte)
}

// Limits bound what one request may ask for and one answer may hold. Zero
// fields take the defaults.
type Limits struct {
	Tools       int // emulated tools in a request; 128
	ToolBytes   int // encoded tool definitions; 2 MB
	Calls       int // calls in one answer; 32
	AnswerBytes int // text of one answer; 16 MB

	HeldBytes int           // of calls that wait for the end of their answer; 2 MB
	HeldTime  time.Duration // how long they may wait; 10 min
}

// Runner runs turns. Its fields are set once; it is safe for concurrent use.
type Runner struct {
	Facts  Facts     // nil: nothing is learned
	Memory Memory    // nil: nothing is kept
	Key    []byte    // the master key of the fences
	Keys   []Key     // further ones, each from a time on; the newest that has begun counts
	Rand   io.Reader // nil: crypto/rand
	Limits Limits
	Now    func() time.Time // nil: time.Now
	// Refusals is what providers' faults are held against; the zero table has the built-in rows.
	Refusals refusal.Table

	// Aside, if not nil, does work beside the client's request, once that is
	// answered: Ferrule's own test requests, by which what one owner met comes to
	// count for everybody. ctx ends with the program.
	Aside func(work func(ctx context.Context))

	proved proved

	// thoughts are content, and never outlive the process.
	thoughts LocalMemory

	once  sync.Once
	cache *schema.Cache // compiled schemas
	cuts  cuts

	pictures descriptions
}

// Key is a master key of the fences and when it takes over from the one before.
type Key struct {
	From time.Time
	Key  []byte
}

// key is the master key that holds now.
func (r *Runner) key() []byte {
	key, from, now := r.Key, time.Time{}, r.now()
	for _, k := range r.Keys {
		if !k.From.After(now) && !k.From.Before(from) {
			key, from = k.Key, k.From
		}
	}
	return key
}

func (r *Runner) now() time.Time {
	if r.Now == nil {
		return time.Now()
	}
	return r.Now()
}

func (r *Runner) schemas() *schema.Cache {
	r.once.Do(func() { r.cache = new(schema.Cache) })
	return r.cache
}

// Report says what a turn did: for header, trailer, log, metrics and evaluation alike.
type Report struct {
	Mode, Syntax, Dialect string
	Requests              int
	Retries               int // corrective ones
	Healed, Dropped       []string
	Calls                 []Outcome
	Quoted                int // blocks that were text because they repeat what was shown
	Described             int // pictures that another model was asked about
	Rescued               int // calls that stood in an error
	Empty                 int // answers with tokens and nothing in them
	Usage                 chat.Usage
	Level                 string // in words: how much the model was told of the tools
	Unsized               bool   // in words: all was told, since the window isn't known
	Prompt                Prompt
	// Truncated is what the server read of the prompt, where it cut it without a word.
	Truncated Prompt
	// Loop is how often the same calls stand at the end of the request's history,
	// each time in Period answers; 0 below three times.
	Loop, Period int
	Cuts         int // answers in a row, this one the last, that the same limit cut; 0 for a single one
	// Fault is the class of the upstream's fault that the last request met, "" for
	// none; Sample tells of one that no row knows, without its content.
	Fault, Sample string
}

// Outcome is what became of one call.
type Outcome struct {
	Name, How, Bucket string
	Repairs           []string
}

// How a call ended.
const (
	Clean    = "clean"
	Repaired = "repaired"
	Retried  = "retried"
	Failed   = "failed"
	Passed   = "passed" // native, as written
	Quoted   = "quoted"
)
