package turn

import (
	"crypto/sha256"
	"slices"
	"strconv"
	"sync"

	"github.com/ferrule/ferrule/chat"
)

// What is told of a model that goes round in circles. Nothing is blocked:
// polling looks the same.
const (
	loopFrom  = 3   // repeats that are told
	maxPeriod = 4   // answers that one round of a loop has
	maxRounds = 256 // answers that are looked at
	cutsFrom  = 2   // answers in a row, cut at the same limit, that are told
	maxCuts   = 10_000
)

// loopOf looks for the same calls again and again at the end of a conversation.
// It returns how many answers one round of them has, and how often that was
// made; zeros where it isn't three times. What came back isn't compared: a loop
// whose results differ a little is one too. What a user says ends one.
func loopOf(ms []chat.Message) (period, repeats int) {
	answers := answersAtEnd(ms)
	for period = 1; period <= maxPeriod; period++ {
		same := 0
		for same+period < len(answers) && answers[same] == answers[same+period] {
			same++
		}
		if repeats = same/period + 1; repeats >= loopFrom {
			return period, repeats
		}
	}
	return 0, 0
}

// answersAtEnd returns a digest of the calls of each answer since a user spoke,
// the last one first.
func answersAtEnd(ms []chat.Message) [][sha256.Size]byte {
	var out [][sha256.Size]byte
	for i := len(ms) - 1; i >= 0 && len(out) < maxRounds; i-- {
		m := ms[i]
		if m.Role == chat.RoleUser && !slices.ContainsFunc(m.Parts, isResult) {
			break
		}
		var b []byte
		for _, p := range m.Parts {
			if c, ok := p.(chat.Call); ok {
				d := callDigest(c)
				b = append(b, d[:]...)
			}
		}
		if b != nil {
			out = append(out, sha256.Sum256(b))
		}
	}
	return out
}

func isResult(p chat.Part) bool { _, ok := p.(chat.Result); return ok }

// noteLoop puts a loop into the report.
func (x *run) noteLoop() { x.report.Period, x.report.Loop = loopOf(x.q.Messages) }

// cuts counts answers in a row that were cut at the same limit. The history
// doesn't tell why an answer ended, so they are counted as they come. It is
// safe for concurrent use; its zero value is empty.
type cuts struct {
	mu    sync.Mutex
	count map[cutKey]int
	order []cutKey
}

type cutKey [sha256.Size]byte

// add counts an answer and returns how many have been cut since one wasn't.
func (c *cuts) add(k cutKey, cut bool) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !cut {
		// Its place in the order stays until it is forgotten.
		if _, known := c.count[k]; known {
			c.count[k] = 0
		}
		return 0
	}
	if c.count == nil {
		c.count = map[cutKey]int{}
	}
	if _, known := c.count[k]; !known {
		if len(c.order) >= maxCuts {
			delete(c.count, c.order[0])
			c.order = c.order[1:]
		}
		c.order = append(c.order, k)
	}
	c.count[k]++
	return c.count[k]
}

// noteCut counts the last answer of a turn.
func (x *run) noteCut(a answer) {
	limit := 0
	if n := x.q.Sampling.MaxTokens; n != nil {
		limit = *n
	}
	cut := a.finish == chat.FinishLength || x.atLimit(a)
	if n := x.r.cuts.add(x.cutKey(limit), cut); n >= cutsFrom {
		x.report.Cuts = n
	}
}

// cutKey tells conversations of one owner with one model apart, by their
// beginning, and limits.
func (x *run) cutKey(limit int) cutKey {
	var b []byte
	for _, s := range []string{x.t.Owner, x.t.Provider, x.t.Model, strconv.Itoa(limit), firstWords(x.q.Messages)} {
		d := sha256.Sum256([]byte(s))
		b = append(b, d[:]...)
	}
	return sha256.Sum256(b)
}

// firstWords is what the user said first.
func firstWords(ms []chat.Message) string {
	s := ""
	for _, m := range ms {
		if m.Role != chat.RoleUser {
			continue
		}
		for _, p := range m.Parts {
			if t, ok := p.(chat.Text); ok {
				s += t.Text
			}
		}
		if s != "" {
			break
		}
	}
	return s
}
