package gateway_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ferrule/ferrule/gateway"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/protocol/openai"
	"github.com/ferrule/ferrule/provider"
	"github.com/ferrule/ferrule/turn"
)

// loadOf says how many streams run at once and how many events each has, 20 a
// second. $FERRULE_LOAD sets it by hand, like 1000x60s.
func loadOf(t *testing.T) (streams, events int) {
	const perSecond = 20
	say := os.Getenv("FERRULE_LOAD")
	switch {
	case say != "":
	case os.Getenv("CI") == "true":
		say = "200x10s"
	default:
		say = "40x1s"
	}
	var seconds int
	if _, err := fmt.Sscanf(say, "%dx%ds", &streams, &seconds); err != nil {
		t.Fatalf("$FERRULE_LOAD is %q; it is written like 1000x60s", say)
	}
	return streams, seconds * perSecond
}

// ticking streams words at 20 events a second and then writes a call.
func ticking(events int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		rc := http.NewResponseController(w)
		tick := time.NewTicker(time.Second / 20)
		defer tick.Stop()
		for i := range events {
			select {
			case <-tick.C:
			case <-r.Context().Done():
				return
			}
			fmt.Fprintf(w, "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"w%d \"},\"finish_reason\":null}]}\n\n", i)
			_ = rc.Flush()
		}
		last := `{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]}`
		if !strings.Contains(string(body), `"tools":`) {
			last = `{"content":"<tool_call>\n{\"name\": \"f\", \"arguments\": {}}\n</tool_call>"}`
		}
		fmt.Fprintf(w, "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":%s,\"finish_reason\":null}]}\n\n"+
			"data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n", last)
	})
}

// TestManyStreams: many streams at once, none loses an event or its call, and
// nothing of them stays behind.
func TestManyStreams(t *testing.T) {
	streams, events := loadOf(t)
	before := runtime.NumGoroutine()
	back := httptest.NewServer(ticking(events))
	up, err := provider.New(provider.Config{Name: "p", URL: back.URL + "/v1", Protocol: openai.Name, Client: openai.Client{}})
	if err != nil {
		t.Fatal(err)
	}
	g, err := gateway.New(gateway.Options{
		Providers: []gateway.Provider{{Name: "p", Upstream: up, Models: map[string]profile.Profile{
			"native":   {Tools: profile.Native},
			"emulated": {Tools: profile.Emulated, Syntax: "hermes"},
		}}},
		Runner: &turn.Runner{Key: []byte("a key for tests")},
	})
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewServer(g)
	transport := &http.Transport{MaxIdleConnsPerHost: streams}
	client := &http.Client{Transport: transport}
	var wg sync.WaitGroup
	for i := range streams {
		wg.Go(func() {
			model := []string{"native", "emulated"}[i%2]
			if err := readStream(client, front.URL, model, events); err != nil {
				t.Errorf("stream %d, %s: %v", i, model, err)
			}
		})
	}
	wg.Wait()
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	t.Logf("%d streams of %d events; memory from the system %d MiB, client and upstream included", streams, events, mem.Sys>>20)
	transport.CloseIdleConnections()
	front.Close()
	up.Close()
	back.Close()
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	buf := make([]byte, 1<<16)
	t.Errorf("%d goroutines before, %d after:\n%s", before, runtime.NumGoroutine(), buf[:runtime.Stack(buf, true)])
}

// readStream checks that every word and the call come, in order, to the end.
func readStream(c *http.Client, url, model string, events int) error {
	body := `{"model":"p/` + model + `","stream":true,"messages":[{"role":"user","content":"go"}],"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}]}`
	r, err := c.Post(url+chatPath, "application/json", strings.NewReader(body))
	if err != nil {
		return err
	}
	defer r.Body.Close()
	var words strings.Builder
	calls, done, finish := 0, false, ""
	lines := bufio.NewScanner(r.Body)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		switch {
		case !ok:
			continue
		case data == "[DONE]":
			done = true
			continue
		}
		var chunk struct {
			Choices []struct {
				Delta struct {
					Content   string
					ToolCalls []json.RawMessage `json:"tool_calls"`
				}
				FinishReason string `json:"finish_reason"`
			}
		}
		if err := json.Unmarshal([]byte(data), &chunk); err != nil {
			return fmt.Errorf("%s: %w", data, err)
		}
		for _, ch := range chunk.Choices {
			words.WriteString(ch.Delta.Content)
			calls += len(ch.Delta.ToolCalls)
			finish += ch.FinishReason
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	got := strings.Fields(words.String())
	for i, w := range got {
		if w != fmt.Sprintf("w%d", i) {
			return fmt.Errorf("word %d is %q", i, w)
		}
	}
	if len(got) != events || calls != 1 || !done || finish == "" {
		return fmt.Errorf("%d words of %d, %d calls, done %v, finish %q", len(got), events, calls, done, finish)
	}
	return nil
}
