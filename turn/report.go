package turn

import (
	"fmt"
	"strings"

	"github.com/ferrule/ferrule/words"
)

// Head prints what is known at the first byte, for the Ferrule-Tools header.
func (r Report) Head() string {
	s := r.Mode
	if r.Syntax != "" {
		s += "; syntax=" + r.Syntax
	}
	if r.Level != "" && r.Level != words.LevelFull.String() {
		s += "; level=" + r.Level
	}
	if r.Dialect != "" {
		s += "; dialect=" + r.Dialect
	}
	return s
}

// Tail prints the rest, for the Ferrule-Tools trailer.
func (r Report) Tail() string {
	repairs := 0
	for _, c := range r.Calls {
		if len(c.Repairs) > 0 {
			repairs++
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "repairs=%d; retries=%d; requests=%d; quoted=%d", repairs, r.Retries, r.Requests, r.Quoted)
	list(&b, "healed", r.Healed)
	list(&b, "dropped", r.Dropped)
	if r.Described > 0 {
		fmt.Fprintf(&b, "; described=%d", r.Described)
	}
	if r.Rescued > 0 {
		fmt.Fprintf(&b, "; rescued=%d", r.Rescued)
	}
	if r.Empty > 0 {
		fmt.Fprintf(&b, "; empty=%d", r.Empty)
	}
	if r.Loop > 0 {
		fmt.Fprintf(&b, "; loop=%d", r.Loop)
	}
	if r.Period > 1 {
		fmt.Fprintf(&b, "; period=%d", r.Period)
	}
	if r.Cuts > 0 {
		fmt.Fprintf(&b, "; cuts=%d", r.Cuts)
	}
	return b.String()
}

// String prints the whole report.
func (r Report) String() string { return r.Head() + "; " + r.Tail() }

func list(b *strings.Builder, name string, vs []string) {
	if len(vs) > 0 {
		fmt.Fprintf(b, "; %s=%s", name, strings.Join(vs, ","))
	}
}
