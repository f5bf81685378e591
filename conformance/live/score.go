package live

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Verdict is what became of a task.
type Verdict string

const (
	Right Verdict = "right" // the wanted calls and no other, in any order
	Wrong Verdict = "wrong" // calls, but other ones
	None  Verdict = "none"  // words, or an error
)

// Judge compares the calls that came with those that were wanted.
func (t Task) Judge(calls []Call) Verdict {
	if len(calls) == 0 {
		return None
	}
	if len(calls) != len(t.Want) {
		return Wrong
	}
	taken := make([]bool, len(calls))
next:
	for _, w := range t.Want {
		for i, c := range calls {
			if !taken[i] && w.fits(c) {
				taken[i] = true
				continue next
			}
		}
		return Wrong
	}
	return Right
}

func (w Want) fits(c Call) bool {
	var args map[string]any
	if c.Name != w.Name || json.Unmarshal([]byte(c.Arguments), &args) != nil || len(args) != len(w.Arguments) {
		return false
	}
	for name, values := range w.Arguments {
		if got, ok := args[name]; !ok || !among(got, values) {
			return false
		}
	}
	return true
}

func among(got any, values []any) bool {
	for _, v := range values {
		if plain(got) == plain(v) {
			return true
		}
	}
	return false
}

// plain leaves out of a text what doesn't matter for these tasks: case, spaces,
// quotes and the dot at the end. A text is never equal to a number.
func plain(v any) string {
	s, ok := v.(string)
	if !ok {
		return fmt.Sprintf("%T %v", v, v)
	}
	s = strings.ToLower(strings.Join(strings.Fields(s), ""))
	return `"` + strings.TrimRight(strings.Trim(s, `"'`), ".!?")
}

// Row is how one way to call tools did.
type Row struct {
	Name     string // the syntax, or what else was tried
	Tasks    int
	First    int // tasks with a call that passed in the model's first answer
	Verdicts map[Verdict]int
	Requests int // to the server, for all tasks
	Errors   map[string]int
	Took     time.Duration
}

// Count adds a task's outcome.
func (r *Row) Count(v Verdict, calls, requests int) {
	if r.Verdicts == nil {
		r.Verdicts = map[Verdict]int{}
	}
	r.Tasks++
	r.Verdicts[v]++
	r.Requests += requests
	if calls > 0 && requests <= 1 {
		r.First++
	}
}

// Fail notes an answer that was an error.
func (r *Row) Fail(code string) {
	if r.Errors == nil {
		r.Errors = map[string]int{}
	}
	r.Errors[code]++
}
