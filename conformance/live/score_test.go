package live_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/ferrule/ferrule/args"
	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/conformance/live"
)

func tasks(t *testing.T) ([]live.Task, map[string]json.RawMessage) {
	t.Helper()
	ts, err := live.Tasks()
	if err != nil {
		t.Fatal(err)
	}
	tools, err := live.Tools()
	if err != nil {
		t.Fatal(err)
	}
	return ts, tools
}

// compile makes the gate of a group's tools.
func compile(t *testing.T, raw json.RawMessage) *args.Set {
	t.Helper()
	var list []struct {
		Function struct {
			Name       string
			Parameters json.RawMessage
		}
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		t.Fatal(err)
	}
	if len(list) != 3 {
		t.Fatalf("%d tools in a group; want 3", len(list))
	}
	var tools []chat.Tool
	for _, f := range list {
		tools = append(tools, chat.Tool{Name: f.Function.Name, Schema: f.Function.Parameters})
	}
	set, err := args.Compile(tools, args.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// answer is a right answer to a task, with the n-th value of each argument where
// there are so many.
func answer(task live.Task, n int) []live.Call {
	var calls []live.Call
	for _, w := range task.Want {
		a := map[string]any{}
		for name, values := range w.Arguments {
			a[name] = values[min(n, len(values)-1)]
		}
		b, _ := json.Marshal(a)
		calls = append(calls, live.Call{Name: w.Name, Arguments: string(b)})
	}
	return calls
}

// TestTasks: what counts as right passes the gate, so that a right answer can come.
func TestTasks(t *testing.T) {
	ts, tools := tasks(t)
	if len(ts) != 30 {
		t.Fatalf("%d tasks; want 30", len(ts))
	}
	for _, task := range ts {
		set := compile(t, tools[task.Group])
		for n := range 3 {
			calls := answer(task, n)
			for _, c := range calls {
				if p := set.Read(chat.Written{Name: c.Name, JSON: []byte(c.Arguments)}).Problems; p != nil {
					t.Errorf("%s: %v doesn't pass: %v", task.ID, c, p)
				}
			}
			if got := task.Judge(calls); got != live.Right {
				t.Errorf("%s: %v is %s", task.ID, calls, got)
			}
		}
	}
}

func TestJudge(t *testing.T) {
	task := live.Task{Want: []live.Want{
		{Name: "f", Arguments: map[string][]any{"a": {"New York"}}},
		{Name: "g", Arguments: map[string][]any{"n": {5.0}}},
	}}
	f, g := live.Call{Name: "f", Arguments: `{"a":"new york."}`}, live.Call{Name: "g", Arguments: `{"n":5}`}
	for i, c := range []struct {
		calls []live.Call
		want  live.Verdict
	}{
		{nil, live.None},
		{[]live.Call{f, g}, live.Right},
		{[]live.Call{g, f}, live.Right},
		{[]live.Call{f}, live.Wrong},
		{[]live.Call{f, f}, live.Wrong},
		{[]live.Call{f, g, g}, live.Wrong},
		{[]live.Call{f, {Name: "g", Arguments: `{"n":"5"}`}}, live.Wrong},
		{[]live.Call{f, {Name: "g", Arguments: `{"n":5,"m":1}`}}, live.Wrong},
		{[]live.Call{f, {Name: "g", Arguments: `{"n":5`}}, live.Wrong},
		{[]live.Call{f, {Name: "h", Arguments: `{"n":5}`}}, live.Wrong},
	} {
		if got := task.Judge(c.calls); got != c.want {
			t.Errorf("%d: %v is %s; want %s", i, c.calls, got, c.want)
		}
	}
}

func ExampleTable() {
	r := live.Row{Name: "some syntax"}
	r.Count(live.Right, 1, 1)
	r.Count(live.Wrong, 1, 2)
	r.Count(live.None, 0, 2)
	r.Fail("tool_call_missing")
	fmt.Print(live.Table([]live.Row{r}))
	// Output:
	// | how | well-formed at first | right calls | wrong calls | no call | requests | time |
	// |---|---|---|---|---|---|---|
	// | some syntax | 1/3 | 1/3 | 1/3 | 1/3 (1 tool_call_missing) | 5 | 0s |
}
