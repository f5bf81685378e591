package openai_test

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/protocol/openai"
)

// longStream is a stream of n content chunks as a large provider sends them.
// padded, each has a different filler, as one provider sends it against eavesdroppers.
func longStream(n int, padded bool) []byte {
	var b bytes.Buffer
	filler := "aB3dE5fG"
	const head = `data: {"id":"chatcmpl-9f3a","object":"chat.completion.chunk","created":1764500000,"model":"some-model-2026","service_tier":"default","system_fingerprint":"fp_44709d6fcb","choices":[{"index":0,"delta":`
	b.WriteString(head + `{"role":"assistant","content":"","refusal":null},"logprobs":null,"finish_reason":null}],"obfuscation":"x1"}` + "\n\n")
	for i := range n {
		if padded {
			filler = fmt.Sprintf("aB3dE%d", i)
		}
		fmt.Fprintf(&b, head+`{"content":" word%d"},"logprobs":null,"finish_reason":null}],"obfuscation":%q}`+"\n\n", i, filler)
	}
	b.WriteString(head + `{},"logprobs":null,"finish_reason":"stop"}],"obfuscation":"q"}` + "\n\ndata: [DONE]\n\n")
	return b.Bytes()
}

func BenchmarkDecodeStream(b *testing.B) {
	b.Run("alike", func(b *testing.B) { benchmarkDecode(b, false) })
	b.Run("padded", func(b *testing.B) { benchmarkDecode(b, true) })
}

func benchmarkDecode(b *testing.B, padded bool) {
	const n = 200
	body := longStream(n, padded)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		s := openai.Client{}.Decode(bytes.NewReader(body), "text/event-stream")
		for {
			_, err := s.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(n+3), "ns/event")
}

func BenchmarkEncodeStream(b *testing.B) {
	const n = 200
	words := chat.Frame{Events: []chat.Event{{Kind: chat.EventText, Text: " word"}}}
	end := chat.Frame{Events: []chat.Event{{Kind: chat.EventFinish, Finish: chat.FinishStop}}}
	q := &chat.Request{Model: "m", Stream: true}
	b.ReportAllocs()
	for b.Loop() {
		e := openai.Server{}.Encoder(io.Discard, q)
		for range n {
			if err := e.Frame(words); err != nil {
				b.Fatal(err)
			}
		}
		if err := e.Frame(end); err != nil {
			b.Fatal(err)
		}
		if err := e.Close(nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/event")
}

func BenchmarkDecodeRequest(b *testing.B) {
	body := []byte(`{"model":"m","messages":[{"role":"system","content":"` + string(bytes.Repeat([]byte("rule "), 120)) +
		`"},{"role":"user","content":"` + string(bytes.Repeat([]byte("word "), 200)) +
		`"}],"tools":[{"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}}}],"stream":true}`)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		q, fault := openai.Server{}.DecodeRequest("/v1/chat/completions", chat.Wire{Body: body})
		if fault != nil {
			b.Fatal(fault)
		}
		if _, _, err := (openai.Client{}).EncodeRequest(q); err != nil {
			b.Fatal(err)
		}
	}
}
