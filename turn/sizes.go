package turn

import (
	"errors"
	"fmt"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/tokens"
	"github.com/ferrule/ferrule/words"
)

// CodeContextTools: the model's window has no room for the tools in words.
const CodeContextTools = "context_tools_too_large"

const (
	offBy       = 20  // hundredths by which an estimate may be off unremarked
	leastPrompt = 512 // tokens; in a smaller prompt the template's own words count for too much
	messageCost = 4   // tokens that a template puts around a message
)

// Prompt is what the first request in words took of the context window, in
// tokens. Both are 0 where they can't be compared.
type Prompt struct {
	Estimated, Counted int
}

// Off reports whether the estimate is wrong by more than 20 %.
func (p Prompt) Off() bool {
	diff := p.Estimated - p.Counted
	return max(diff, -diff)*100 > offBy*p.Counted
}

func estimator(p profile.Profile, model string) tokens.Estimator {
	e, _ := tokens.Named(p.Tokens(model))
	return e
}

// planned notes how much of the tools the model is told of.
func (x *run) planned(p profile.Profile, level words.Level) {
	x.report.Level = level.String()
	x.report.Unsized = p.Context <= 0 && len(x.q.Tools) > 0
}

// planFault is what the client gets where the tools can't be put into words.
func planFault(err error) error {
	var e *words.TooLargeError
	if !errors.As(err, &e) {
		return fmt.Errorf("put the tools into words: %w", err)
	}
	return &chat.Fault{
		Code: CodeContextTools, Status: 400, Param: "tools",
		Text: e.Error() + ". Send fewer tools, or take a model with a larger window.",
	}
}

// weigh compares what a request was thought to take with what the server counted.
func (w *inWords) weigh(u chat.Usage) {
	if w.x.report.Prompt.Counted > 0 || !u.Known || u.Input < leastPrompt {
		return
	}
	size, ok := promptSize(w.next, estimator(w.p, w.x.t.Model))
	// Some servers don't count what they had in their cache.
	if ok && u.Input > size/3 {
		w.x.report.Prompt = Prompt{Estimated: size, Counted: u.Input}
	}
}

// promptSize estimates a request in words; false if it holds what has no text.
func promptSize(q *chat.Request, e tokens.Estimator) (size int, ok bool) {
	add := func(ps []chat.Part) bool {
		for _, p := range ps {
			t, isText := p.(chat.Text)
			if !isText {
				return false
			}
			size += e.Count(t.Text)
		}
		size += messageCost
		return true
	}
	if !add(q.System) {
		return 0, false
	}
	for _, m := range q.Messages {
		if !add(m.Parts) {
			return 0, false
		}
	}
	return size, true
}
