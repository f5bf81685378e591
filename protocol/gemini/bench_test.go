package gemini_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/ferrule/ferrule/protocol/gemini"
)

// BenchmarkDecode reads a stream of 500 pieces and a call.
func BenchmarkDecode(b *testing.B) {
	var payloads []string
	for range 500 {
		payloads = append(payloads, piece(`{"text":"some twenty letters."}`))
	}
	body := events(append(payloads, last(`{"functionCall":{"name":"f","args":{"x":1}}}`, "STOP"))...)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		s := gemini.Client{}.Decode(bytes.NewReader(body), "text/event-stream")
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
