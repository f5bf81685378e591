package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ferrule/ferrule/catalog"
)

// server answers as it is told to, and counts.
type server struct {
	mu    sync.Mutex
	says  string // "": it fails
	asked atomic.Int32
	hold  chan struct{} // nil: it answers at once
	last  string
}

func (s *server) say(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.says = what
}

func (s *server) Ask(_ context.Context, path string, body []byte) ([]byte, error) {
	s.asked.Add(1)
	if s.hold != nil {
		<-s.hold
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last = path + " " + string(body); s.says == "" {
		return nil, errors.New("no")
	}
	return []byte(s.says), nil
}

const (
	withTools    = `{"capabilities":["completion","tools"]}`
	withoutTools = `{"capabilities":["completion"]}`
)

// clock is a time that tests move.
type clock struct{ at atomic.Int64 }

func (c *clock) now() time.Time       { return time.Unix(c.at.Load(), 0) }
func (c *clock) move(d time.Duration) { c.at.Add(int64(d / time.Second)) }
func newClock() *clock                { c := new(clock); c.at.Store(1_800_000_000); return c }
func can(a catalog.Ability) string {
	if a.Tools == nil {
		return "not known"
	}
	return fmt.Sprint(*a.Tools)
}

// until waits for what happens beside the test.
func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	for range 5000 {
		if done() {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatal(what)
}

// TestLookup: the first question is waited for, each model asked for by itself;
// an answer holds for half an hour, and an old one is given while a fresh one is
// asked for.
func TestLookup(t *testing.T) {
	s, at := &server{says: withoutTools}, newClock()
	l := catalog.For("ollama", s)
	l.Now = at.now
	if got := can(l.Known("m")); got != "not known" || s.asked.Load() != 0 {
		t.Errorf("before it was asked: %s, %d questions", got, s.asked.Load())
	}
	for range 3 {
		if a := l.Of(t.Context(), "m"); can(a) != "false" || a.From != "/api/show" {
			t.Errorf("%+v", a)
		}
	}
	if s.last != `/api/show {"model":"m"}` || s.asked.Load() != 1 {
		t.Errorf("%d questions, the last %s", s.asked.Load(), s.last)
	}
	l.Of(t.Context(), "n")
	if s.asked.Load() != 2 {
		t.Errorf("%d questions for two models", s.asked.Load())
	}
	s.say(withTools)
	at.move(29 * time.Minute)
	if got := can(l.Of(t.Context(), "m")); got != "false" || s.asked.Load() != 2 {
		t.Errorf("after 29 minutes: %s, %d questions", got, s.asked.Load())
	}
	at.move(2 * time.Minute)
	if got := can(l.Of(t.Context(), "m")); got != "false" {
		t.Errorf("an old answer isn't given while a fresh one is asked for: %s", got)
	}
	until(t, "the fresh answer doesn't come", func() bool { return can(l.Known("m")) == "true" })
}

// TestLookupFails: unknown counts as able, and a failure isn't asked again with
// each turn, but after 1, 2, 4 minutes and so on up to half an hour.
func TestLookupFails(t *testing.T) {
	s, at := &server{}, newClock()
	l := catalog.For("llamacpp", s)
	l.Now = at.now
	for range 10 {
		if got := can(l.Of(t.Context(), "m")); got != "not known" {
			t.Error(got)
		}
	}
	if s.asked.Load() != 1 {
		t.Errorf("%d questions", s.asked.Load())
	}
	asked := int32(1)
	for _, minutes := range []int{1, 2, 4, 8, 16, 30, 30} {
		at.move(time.Duration(minutes)*time.Minute - time.Second)
		for range 10 {
			l.Of(t.Context(), "m")
		}
		if s.asked.Load() != asked {
			t.Errorf("asked again before %d minutes", minutes)
		}
		at.move(time.Second)
		asked++
		until(t, fmt.Sprintf("not asked again after %d minutes", minutes), func() bool {
			l.Of(t.Context(), "m")
			return s.asked.Load() == asked
		})
	}
	s.say(`{"default_generation_settings":{"n_ctx":8192}}`)
	at.move(31 * time.Minute)
	until(t, "it isn't known once the server answers", func() bool { return l.Of(t.Context(), "m").Context == 8192 })
}

// TestOneAtATime: fifty requests ask once, and one that gives up waiting goes on
// without an answer.
func TestOneAtATime(t *testing.T) {
	s := &server{says: withTools, hold: make(chan struct{})}
	l := catalog.For("ollama", s)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if got := can(l.Of(gone, "m")); got != "not known" {
		t.Error(got)
	}
	var wait sync.WaitGroup
	var known atomic.Int32
	for range 50 {
		wait.Go(func() {
			if can(l.Of(t.Context(), "m")) == "true" {
				known.Add(1)
			}
		})
	}
	close(s.hold)
	wait.Wait()
	if s.asked.Load() != 1 || known.Load() != 50 {
		t.Errorf("%d questions, %d answers", s.asked.Load(), known.Load())
	}
}

// TestPublic: a list that anybody may read is asked once for all models, which
// are found by their plain names.
func TestPublic(t *testing.T) {
	s := &server{says: `{"data":[{"id":"qwen/qwen3-8b:free","context_length":40960},{"id":"qwen/qwen3-8b","supported_parameters":["tools"]}]}`}
	l := catalog.Public("/models", s)
	for _, name := range []string{"Qwen3-8B", "org/qwen3-8b", "qwen3-8b:q4"} {
		if a := l.Of(t.Context(), name); a.Context != 40960 || can(a) != "true" {
			t.Errorf("%s: %+v", name, a)
		}
	}
	if a := l.Of(t.Context(), "other"); a != (catalog.Ability{}) || s.asked.Load() != 1 {
		t.Errorf("%+v, %d questions", a, s.asked.Load())
	}
	var none *catalog.Lookup
	if a := none.Of(t.Context(), "m"); a != (catalog.Ability{}) || catalog.For("vllm", s) != nil {
		t.Errorf("%+v", a)
	}
}
