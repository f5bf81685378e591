package provider_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
)

// benchUpstream serves a 2 KB reply, or 200 events to a streamed request.
func benchUpstream(b *testing.B) string {
	big := strings.Replace(reply, "Hi", strings.Repeat("word ", 380), 1)
	events := strings.Repeat(chunk("word "), 200) + finish + done
	return serve(b, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if strings.Contains(string(body), `"stream":true`) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, events)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, big)
	}).URL + "/v1"
}

func BenchmarkSend(b *testing.B) {
	url := benchUpstream(b)
	for name, stream := range map[string]bool{"json": false, "stream": true} {
		b.Run(name, func(b *testing.B) {
			p := open(b, url)
			b.ReportAllocs()
			for b.Loop() {
				s, err := p.Send(context.Background(), request(stream))
				if err != nil {
					b.Fatal(err)
				}
				for err == nil {
					_, err = s.Next()
				}
				if err != io.EOF {
					b.Fatal(err)
				}
				_ = s.Close()
			}
		})
		// The same bytes over Go's own transport, looked at by nobody.
		b.Run(name+"/bare", func(b *testing.B) {
			t := &http.Transport{DisableCompression: true}
			defer t.CloseIdleConnections()
			b.ReportAllocs()
			for b.Loop() {
				r, err := http.NewRequest(http.MethodPost, url+"/chat/completions", strings.NewReader(string(request(stream).Wire.Body)))
				if err != nil {
					b.Fatal(err)
				}
				resp, err := t.RoundTrip(r)
				if err != nil {
					b.Fatal(err)
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
			}
		})
	}
}
