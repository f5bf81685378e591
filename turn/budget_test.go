package turn_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/turn"
)

// TestBudget: the tools count as much as all else (F195).
func TestBudget(t *testing.T) {
	b := turn.Budget{Window: 60000, System: 4000, Tools: 20000, History: 54000}
	if b.Allowed() != 36000 || b.Whole() != 78000 {
		t.Errorf("%d, %d", b.Allowed(), b.Whole())
	}
	if none := (turn.Budget{Window: 100, Tools: 200}).Allowed(); none != 0 {
		t.Errorf("%d", none)
	}
	q := request("one two three")
	q.System = []chat.Part{chat.Text{Text: "Be brief."}}
	got := turn.BudgetOf(q, profile.Profile{Context: 4096}, "m")
	if got.Window != 4096 || got.System == 0 || got.Tools == 0 || got.History == 0 || got.Whole() != got.System+got.Tools+got.History {
		t.Errorf("%+v", got)
	}
}

// faultOf runs a turn and returns the fault that it ended in, an empty one for none.
func faultOf(t *testing.T, p profile.Profile, u *upstream, q *chat.Request) (*chat.Fault, turn.Report) {
	t.Helper()
	rep, err := new(turn.Runner).Run(t.Context(), turn.Target{Provider: "p", Model: "up", Upstream: u, Profile: p}, q, func(chat.Frame) error { return nil })
	f := new(chat.Fault)
	if err != nil && !errors.As(err, &f) {
		t.Fatal(err)
	}
	return f, rep
}

// TestToolsExceedBudget: tools that no part of a window has room for are refused
// before anything is sent, with what would help (F194); a window that may do, or
// that isn't known, is tried.
func TestToolsExceedBudget(t *testing.T) {
	q := request("?")
	q.Tools = nil
	shared := `{"type":"object","properties":{"region":{"type":"string","description":"` + strings.Repeat("where it runs, ", 60) + `"}}}`
	for i := range 741 {
		q.Tools = append(q.Tools, chat.Tool{
			Name: fmt.Sprintf("tool_%d", i), Description: strings.Repeat("It does something to a thing. ", 45+i%7), Kind: chat.ToolFunction,
			Schema: []byte(`{"type":"object","properties":{"at":{"$ref":"#/$defs/place"}},"$defs":{"place":` + shared + `}}`),
		})
	}
	size := turn.BudgetOf(q, profile.Profile{}, "m").Tools
	if size < 350_000 || size > 600_000 {
		t.Fatalf("the tools take %d tokens: the log's took 488,013", size)
	}
	for _, c := range []struct {
		name    string
		mode    profile.Mode
		window  int
		refused bool
	}{
		{"much too small", profile.Auto, 200_000, true},
		{"with a tools API alone", profile.Native, 200_000, true},
		{"too small if the estimate is right", profile.Auto, size * 9 / 10, false},
		{"large", profile.Auto, 1_000_000, false},
		{"not known", profile.Auto, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			u := &upstream{t: t}
			if !c.refused {
				u.script = []say{{text: "Hi.", finish: chat.FinishStop}}
			}
			g, rep := faultOf(t, profile.Profile{Tools: c.mode, Context: c.window}, u, q)
			if !c.refused {
				if g.Status != 0 || rep.Requests != 1 {
					t.Errorf("%+v, %d requests", g, rep.Requests)
				}
				return
			}
			if g.Code != turn.CodeToolsBudget || g.Status != 400 || rep.Requests != 0 {
				t.Fatalf("%+v, %d requests", g, rep.Requests)
			}
			for _, has := range []string{"741 tools", "200000", "The largest: tool_13 (", "definitions that several tools have alike", "Send fewer"} {
				if !strings.Contains(g.Text, has) {
					t.Errorf("no %q in %s", has, g.Text)
				}
			}
		})
	}
}

// TestOverflow: a request that is too long is told of by its own code, with the
// provider's figures, or ours where it gives none.
func TestOverflow(t *testing.T) {
	q := request("?")
	q.Tools[0].Description = strings.Repeat("It tells the weather. ", 300)
	wire := &chat.Wire{Protocol: "other"}
	for _, c := range []struct {
		name, said     string
		status, window int
		limit, prompt  int // 0: some
		code           string
		has            string
	}{
		{"figures", "request (14429 tokens) exceeds the available context size (8192 tokens), try increasing it", 400, 0, 8192, 14429, chat.CodeContext, "exceeds the available context size"},
		{"a window of our own", "Input is too long for requested model.", 400, 4096, 4096, 0, chat.CodeContext, "Of a window of 4096 tokens the system prompt takes about 0 and the tools about 1"},
		{"nothing known", "Input is too long for requested model.", 400, 0, 0, 0, chat.CodeContext, "too long"},
		{"with another status", "the request exceeds the available context size. try increasing it", 500, 0, 0, 0, chat.CodeContext, "exceeds"},
		{"another fault", "The model is busy.", 400, 4096, 0, 0, "x", "busy"},
	} {
		t.Run(c.name, func(t *testing.T) {
			u := &upstream{t: t, script: []say{{refuse: &chat.Fault{Status: c.status, Code: "x", Text: c.said, Wire: wire}}}}
			g, rep := faultOf(t, profile.Profile{Context: c.window}, u, q)
			if g.Code != c.code || g.Status != 400 || !strings.Contains(g.Text, c.has) || rep.Requests != 1 {
				t.Fatalf("%+v, %d requests", g, rep.Requests)
			}
			if g.Window != c.limit || c.prompt != 0 && g.Prompt != c.prompt || (g.Prompt > 0) != (c.code == chat.CodeContext) {
				t.Errorf("%d of %d", g.Prompt, g.Window)
			}
		})
	}
}
