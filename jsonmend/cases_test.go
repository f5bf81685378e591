package jsonmend_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ferrule/ferrule/internal/cases"
	"github.com/ferrule/ferrule/jsonmend"
)

type outside struct {
	Suite, Case, Input string
	Expect             map[string]json.RawMessage
	Note               string
}

// TestOutsideCases runs every outside case that is the mender's. The cases
// don't say how the answer ended: once nothing is known of it, as the program
// has it by default, and once those that aren't cut are told to have ended by
// themselves. Types are compared strictly.
func TestOutsideCases(t *testing.T) {
	for _, told := range []bool{false, true} {
		n, exact, right, refused := 0, 0, 0, 0
		for line := range cases.Lines(t, "data/arguments/cases.jsonl") {
			var c outside
			if err := json.Unmarshal(line, &c); err != nil {
				t.Fatal(err)
			}
			if c.Suite == "slip" {
				continue
			}
			n++
			cut := c.Case == "truncated" || strings.Contains(c.Note, "truncation")
			r, err := jsonmend.Mend([]byte(c.Input), jsonmend.Options{Stopped: told && !cut, Object: true})
			want, mendable := c.Expect["value"]
			switch {
			case err != nil && !mendable:
				exact++
				right++
			case err != nil:
				refused++
				t.Logf("refused: %s %s: %v", c.Suite, c.Case, err)
			case !mendable:
				t.Errorf("wrong: %s %s: %q gave %s, should be refused", c.Suite, c.Case, c.Input, r.Value)
			case !cmp.Equal(decode(t, r.Value), decode(t, want)):
				t.Errorf("wrong: %s %s: %q gave %s, want %s", c.Suite, c.Case, c.Input, r.Value, want)
			default:
				exact++
			}
		}
		t.Logf("finish told: %v: %d cases, %d exact (%.1f %%, %d of them right refusals), %d refused", told, n, exact, 100*float64(exact)/float64(n), right, refused)
		if 100*exact < 80*n {
			t.Errorf("%d of %d exact, want 80 %%", exact, n)
		}
	}
}

func decode(t *testing.T, b []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	return v
}
