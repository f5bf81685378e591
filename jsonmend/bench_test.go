package jsonmend_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/ferrule/ferrule/jsonmend"
)

// arguments returns about n bytes of what an editing tool gets.
func arguments(n int, broken bool) []byte {
	b := []byte(`{"path": "src/main.go", "edits": [`)
	for i := 0; len(b) < n-60; i++ {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = fmt.Appendf(b, `{"line": %d, "old": "\tif err != nil {\n", "new": "\tfor range n {\n\t\tcall(\"x\", %d)\n", "keep": true}`, i, i)
	}
	b = append(b, `], "dry_run": false}`...)
	if broken {
		b = bytes.ReplaceAll(b, []byte(`"keep": true}`), []byte(`keep: True,}`))
		b = append(append([]byte("```json\n"), b...), "\n```"...)
	}
	return b
}

func BenchmarkMend(b *testing.B) {
	for _, c := range []struct {
		name   string
		size   int
		broken bool
	}{{"valid 1 KB", 1 << 10, false}, {"broken 1 KB", 1 << 10, true}, {"broken 64 KB", 64 << 10, true}} {
		in := arguments(c.size, c.broken)
		if json.Valid(in) == c.broken {
			b.Fatal(c.name)
		}
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := jsonmend.Mend(in, jsonmend.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkStandard is what BenchmarkMend's first is held against.
func BenchmarkStandard(b *testing.B) {
	in := arguments(1<<10, false)
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		if !json.Valid(in) || len(bytes.Clone(in)) == 0 {
			b.Fatal("not JSON")
		}
	}
}
