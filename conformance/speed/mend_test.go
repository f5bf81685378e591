// Package speed measures reading arguments against Go's own reader of JSON and
// against a library that repairs it. Both sides of a ratio run in turns, so that
// whatever else the machine does weighs on both.
package speed

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/kaptinlin/jsonrepair"

	"github.com/ferrule/ferrule/jsonmend"
)

// arguments returns about n bytes of what an editing tool gets.
func arguments(n int) []byte {
	b := []byte(`{"path": "src/main.go", "edits": [`)
	for i := 0; len(b) < n-120; i++ {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = fmt.Appendf(b, `{"line": %d, "old": "\tif err != nil {\n", "new": "\tfor range n {\n\t\tcall(x, %d)\n", "keep": true}`, i, i)
	}
	return append(b, `], "dry_run": false, "why": "the name next is taken"}`...)
}

// broken lists ways in which models break JSON. Each is applied all over the text.
var broken = []struct {
	name string
	do   func([]byte) []byte
}{
	{"bare keys, trailing commas", replace(`"line":`, `line:`, `"keep": true}`, `keep: true,}`)},
	{"single quotes", replace(`"`, `'`)},
	{"missing closer", func(b []byte) []byte { return b[:len(b)-1] }},
	// In the last string: anywhere else there are several readings.
	{"inner quotes", replace(`name next is`, `name "next" is`)},
}

func replace(pairs ...string) func([]byte) []byte {
	return func(b []byte) []byte {
		for i := 0; i < len(pairs); i += 2 {
			b = bytes.ReplaceAll(b, []byte(pairs[i]), []byte(pairs[i+1]))
		}
		return b
	}
}

var sizes = []struct {
	name  string
	bytes int
}{{"1 KB", 1 << 10}, {"64 KB", 64 << 10}}

// versus times ours and theirs in turns and reports both and theirs/ours.
func versus(b *testing.B, ours, theirs func() error) {
	b.Helper()
	const turn = 8
	var spent [2]time.Duration
	n := 0
	for b.Loop() {
		for side, f := range [...]func() error{ours, theirs} {
			start := time.Now()
			for range turn {
				if err := f(); err != nil {
					b.Fatal(err)
				}
			}
			spent[side] += time.Since(start)
		}
		n += turn
	}
	b.ReportMetric(0, "ns/op") // both together mean nothing
	b.ReportMetric(float64(spent[0].Nanoseconds())/float64(n), "ours-ns")
	b.ReportMetric(float64(spent[1].Nanoseconds())/float64(n), "theirs-ns")
	b.ReportMetric(float64(spent[1])/float64(spent[0]), "theirs/ours")
}

func mend(in []byte) func() error {
	return func() error {
		_, err := jsonmend.Mend(in, jsonmend.Options{Stopped: true, Object: true})
		return err
	}
}

func BenchmarkValid(b *testing.B) {
	for _, s := range sizes {
		in := arguments(s.bytes)
		b.Run(s.name+"/Unmarshal", func(b *testing.B) {
			versus(b, mend(in), func() error { var v any; return json.Unmarshal(in, &v) })
		})
		b.Run(s.name+"/Valid", func(b *testing.B) {
			versus(b, mend(in), func() error {
				if !json.Valid(in) {
					return fmt.Errorf("not JSON")
				}
				return nil
			})
		})
	}
}

func BenchmarkBroken(b *testing.B) {
	for _, s := range sizes {
		for _, k := range broken {
			in := k.do(arguments(s.bytes))
			b.Run(s.name+"/"+k.name, func(b *testing.B) {
				versus(b, mend(in), func() error { _, err := jsonrepair.Repair(string(in)); return err })
			})
		}
	}
}

// TestBroken: what is measured is the mending, and it gives back what was broken.
func TestBroken(t *testing.T) {
	for _, s := range sizes {
		for _, k := range broken {
			t.Run(s.name+"/"+k.name, func(t *testing.T) {
				in := k.do(arguments(s.bytes))
				if json.Valid(in) {
					t.Fatal("it isn't broken")
				}
				r, err := jsonmend.Mend(in, jsonmend.Options{Stopped: true, Object: true})
				if err != nil {
					t.Fatal(err)
				}
				whole := arguments(s.bytes)
				if k.name == "inner quotes" {
					whole = replace(`name next is`, `name \"next\" is`)(whole)
				}
				var got, want any
				if json.Unmarshal(r.Value, &got) != nil || json.Unmarshal(whole, &want) != nil || !reflect.DeepEqual(got, want) {
					t.Errorf("it became %.300s", r.Value)
				}
			})
		}
	}
}
