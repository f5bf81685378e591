package turn

import (
	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/profile"
)

// What an answer that came to nothing is called among what was healed.
const healedEmpty = "empty_turn"

// lostTokens is from how many tokens on an answer with nothing in it has lost
// something: one is what ends an answer.
const lostTokens = 2

// cameEmpty reports whether the model wrote something, by the count of its
// tokens, and nothing of it came: the server's reader of calls dropped it.
func (x *run) cameEmpty(c carrier, a answer) bool {
	whole := a.finish == chat.FinishStop || a.finish == chat.FinishCalls
	return len(x.q.Tools) > 0 && c.silent() && whole && !a.cut && a.fault == nil && !x.atLimit(a) &&
		a.usage.Known && a.usage.Output-a.usage.Reasoning >= lostTokens
}

// afresh returns the carrier for another try after an empty answer, or nil:
// the same once more, then the tools in words.
func (x *run) afresh(c carrier, a answer) (carrier, error) {
	if !x.cameEmpty(c, a) {
		return nil, nil
	}
	x.report.Empty++
	x.empty++
	if x.healed >= maxHealing || x.t.Profile.Wrapper || x.ctx.Err() != nil {
		return nil, nil
	}
	next, err := x.retake(c)
	if next != nil {
		x.report.Healed = append(x.report.Healed, healedEmpty)
	}
	return next, err
}

func (x *run) retake(c carrier) (carrier, error) {
	switch c := c.(type) {
	case *inWords:
		if x.empty == 1 {
			return x.words(c.p)
		}
	case *native:
		if x.empty == 1 {
			return newNative(x, c.p), nil
		}
		if m := c.p.Tools; m == profile.Auto || m == "" {
			x.empty = 0
			if next, err := x.words(c.p); err == nil {
				return next, nil // what can't be put into words stays as it came
			}
		}
	}
	return nil, nil
}
