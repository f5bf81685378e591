package jsonmend_test

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ferrule/ferrule/jsonmend"
)

// TestReadings runs testdata/readings.jsonl: texts that can be read wrongly,
// each with its one right value, or refused because there is none.
func TestReadings(t *testing.T) {
	b, err := os.ReadFile("testdata/readings.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(b) {
		var c struct {
			Note, In        string
			Want            json.RawMessage
			Refused         bool
			Keys            []string
			Stopped, Object bool
		}
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		o := jsonmend.Options{Stopped: c.Stopped, Object: c.Object, Keys: c.Keys}
		laws(t, []byte(c.In), o)
		r, err := jsonmend.Mend([]byte(c.In), o)
		switch {
		case c.Refused && err == nil:
			t.Errorf("%s: %s gave %s, should be refused", c.Note, c.In, r.Value)
		case c.Refused:
		case err != nil:
			t.Errorf("%s: %s: %v", c.Note, c.In, err)
		case !cmp.Equal(decode(t, r.Value), decode(t, c.Want)):
			t.Errorf("%s: %s gave %s, want %s", c.Note, c.In, r.Value, c.Want)
		}
	}
}
