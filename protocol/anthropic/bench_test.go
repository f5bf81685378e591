package anthropic_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/ferrule/ferrule/protocol/anthropic"
)

// BenchmarkDecode reads a stream of 500 pieces and a call.
func BenchmarkDecode(b *testing.B) {
	payloads := []string{start, open(0, textBlock)}
	for range 500 {
		payloads = append(payloads, says(0, "some twenty letters."))
	}
	body := events(append(payloads, shut(0), open(1, callBlock), args(1, `{"x":1}`), shut(1), ended("tool_use"), over)...)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		s := anthropic.Client{}.Decode(bytes.NewReader(body), "text/event-stream")
		for {
			if _, err := s.Next(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				b.Fatal(err)
			}
		}
		_ = s.Close()
	}
}
