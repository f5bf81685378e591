package turn

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/rawjson"
	"github.com/ferrule/ferrule/refusal"
	"github.com/ferrule/ferrule/tokens"
)

// CodeToolsBudget: the tools alone are larger than the model's window.
const CodeToolsBudget = "tools_exceed_budget"

// Budget is how a context window is shared, in tokens as they are estimated.
type Budget struct {
	Window  int // 0: not known
	System  int
	Tools   int // names, descriptions and schemas
	History int
}

// BudgetOf estimates what a request takes of the window of a model.
func BudgetOf(q *chat.Request, p profile.Profile, model string) Budget {
	e := estimator(p, model)
	b := Budget{Window: p.Context, System: partsSize(q.System, e)}
	for i := range q.Tools {
		b.Tools += toolSize(&q.Tools[i], e)
	}
	for _, m := range q.Messages {
		b.History += partsSize(m.Parts, e) + messageCost
	}
	return b
}

// Allowed is what a window leaves for the conversation and the answer to it:
// never less than 0.
func (b Budget) Allowed() int { return max(0, b.Window-b.System-b.Tools) }

// Whole is all that the model has to read.
func (b Budget) Whole() int { return b.System + b.Tools + b.History }

func (b Budget) String() string {
	return fmt.Sprintf("Of a window of %d tokens the system prompt takes about %d and the tools about %d, which leaves %d to the conversation. It has about %d.",
		b.Window, b.System, b.Tools, b.Allowed(), b.History)
}

func partsSize(ps []chat.Part, e tokens.Estimator) (size int) {
	for _, p := range ps {
		switch p := p.(type) {
		case chat.Text:
			size += e.Count(p.Text)
		case chat.Call:
			size += e.Count(p.Name) + e.Count(string(p.Args))
		case chat.Result:
			size += partsSize(p.Parts, e)
		}
	}
	return size
}

func toolSize(t *chat.Tool, e tokens.Estimator) int {
	return e.Count(t.Name) + e.Count(t.Description) + e.Count(string(t.Schema))
}

// surely is by how much an estimate may be too high, as a part of it: what is
// refused unsent must be too large for certain.
const (
	surelyOf = 4
	surely   = 3
)

// tooLarge refuses tools that fit into no part of the model's window: the
// provider would fail, or cut them without a word.
func (x *run) tooLarge(p profile.Profile) *chat.Fault {
	size := 0
	for i := range x.q.Tools {
		size += len(x.q.Tools[i].Schema) + len(x.q.Tools[i].Description)
	}
	if p.Context <= 0 || size < p.Context { // no token is shorter than a byte
		return nil
	}
	b := BudgetOf(&chat.Request{Tools: x.q.Tools}, p, x.t.Model)
	if b.Tools/surelyOf*surely <= b.Window {
		return nil
	}
	return &chat.Fault{
		Code: CodeToolsBudget, Status: 400, Param: "tools", Window: b.Window, Prompt: b.Tools,
		Text: fmt.Sprintf("The %d tools take about %d tokens, and the model's window has %d. Nothing was sent. %sSend fewer tools, or take a model with a larger window.",
			len(x.q.Tools), b.Tools, b.Window, largest(x.q.Tools, estimator(p, x.t.Model))),
	}
}

// largest names the tools that take most, and what they hold in common.
func largest(ts []chat.Tool, e tokens.Estimator) string {
	type sized struct {
		name string
		size int
	}
	all := make([]sized, len(ts))
	for i := range ts {
		all[i] = sized{clip(ts[i].Name, 80), toolSize(&ts[i], e)}
	}
	slices.SortStableFunc(all, func(a, b sized) int { return cmp.Compare(b.size, a.size) })
	var names []string
	for _, t := range all[:min(3, len(all))] {
		names = append(names, fmt.Sprintf("%s (%d)", t.name, t.size))
	}
	s := "The largest: " + strings.Join(names, ", ") + ". "
	if n := repeated(ts, e); n > 0 {
		s += fmt.Sprintf("About %d of it are definitions that several tools have alike. ", n)
	}
	return s
}

// repeated is how much of the tools are definitions that stood in one before.
func repeated(ts []chat.Tool, e tokens.Estimator) (size int) {
	seen := map[string]bool{}
	for i := range ts {
		for _, key := range []string{"$defs", "definitions"} {
			defs, _ := rawjson.Get(ts[i].Schema, key)
			if rawjson.Kind(defs) != '{' {
				continue
			}
			_ = rawjson.Members(defs, func(_, v []byte) bool {
				def := string(bytes.TrimSpace(v))
				if seen[def] {
					size += e.Count(def)
				}
				seen[def] = true
				return true
			})
		}
	}
	return size
}

// worthATalk is the part of a window from which on the tools and the system
// prompt are a reason of their own why it is full.
const worthATalk = 4

func (x *run) overflows(f *chat.Fault) bool {
	return x.classify(f).Class == refusal.ContextOverflow
}

// overflow turns a provider's word that the request is too long into what tells
// every client so, with the figures: clients shorten their history by them.
func (x *run) overflow(err error) error {
	var f *chat.Fault
	if !errors.As(err, &f) || f.Wire == nil || !x.overflows(f) {
		return err
	}
	out := *f
	if out.Code, out.Retryable = chat.CodeContext, false; out.Status >= 500 {
		out.Status = 400
	}
	said := refusal.FiguresOf(f)
	b := BudgetOf(x.q, x.t.Profile, x.t.Model)
	b.Window = cmp.Or(said.Limit, b.Window)
	out.Window, out.Prompt = b.Window, cmp.Or(said.Prompt, said.Requested, b.Whole())
	if b.Window > 0 && (b.System+b.Tools)*worthATalk > b.Window {
		out.Text = strings.TrimRight(out.Text, ". \n") + ". " + b.String()
	}
	return &out
}
