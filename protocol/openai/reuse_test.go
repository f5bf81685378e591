package openai_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/protocol/openai"
)

// closing counts how often a reader is closed.
type closing struct {
	io.Reader
	times int
}

func (c *closing) Close() error {
	c.times++
	return nil
}

func TestStreamThatIsClosed(t *testing.T) {
	body := wordsPiece("one") + wordsPiece("two") + lastPieces
	for _, c := range []struct {
		name string
		next int   // frames that are read before
		want error // what Next says afterwards
	}{
		{"before a byte", 0, io.ErrUnexpectedEOF},
		{"early", 1, io.ErrUnexpectedEOF},
		{"at its end", 5, io.EOF},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &closing{Reader: strings.NewReader(body)}
			s := openai.Client{}.Decode(r, "text/event-stream")
			for range c.next {
				if _, err := s.Next(); err != nil && err != io.EOF {
					t.Fatal(err)
				}
			}
			for range 2 {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}
			if r.times != 1 {
				t.Errorf("the reader was closed %d times", r.times)
			}
			// Another stream may have the buffers by now.
			other := openai.Client{}.Decode(strings.NewReader(body), "text/event-stream")
			if f, err := s.Next(); err != c.want || f.Raw != nil || f.Events != nil {
				t.Errorf("after Close: %v, %v; want %v", f, err, c.want)
			}
			if got, err := readWords(other); got != "onetwo" || err != nil {
				t.Errorf("the next stream says %q, %v", got, err)
			}
		})
	}
}

// TestStreamsOneAfterTheOther reads many answers at once, most of them given up
// in the middle: none may hold what another said.
func TestStreamsOneAfterTheOther(t *testing.T) {
	var wg sync.WaitGroup
	for n := range 8 {
		wg.Go(func() {
			for i := range 50 {
				word := fmt.Sprintf("%d-%d", n, i)
				if err := converse(word, i%3); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

// converse reads an answer that repeats a word: all of it, its beginning, or
// up to where its reader is cancelled.
func converse(word string, how int) error {
	text := strings.Repeat(word+" ", 100)
	body := wordsPiece(text) + callPiece(word) + lastPieces
	var r io.Reader = strings.NewReader(body)
	if how == 2 {
		r = io.MultiReader(strings.NewReader(body[:len(body)/2]), failing{context.Canceled})
	}
	s := openai.Client{}.Decode(r, "text/event-stream")
	defer s.Close()
	if how == 1 {
		f, err := s.Next()
		if err != nil || !strings.Contains(string(f.Raw), text) {
			return fmt.Errorf("%s: the first frame is %q, %v", word, f.Raw, err)
		}
		return nil
	}
	got, err := readWords(s)
	switch {
	case how == 2 && !errors.Is(err, context.Canceled):
		return fmt.Errorf("%s: the reader was cancelled: %v", word, err)
	case how == 0 && (err != nil || got != text+word):
		return fmt.Errorf("%s: got %q, %v", word, got, err)
	}
	return nil
}

// readWords reads a stream to its end and returns its words and its calls' names.
func readWords(s chat.Stream) (string, error) {
	var b strings.Builder
	for {
		f, err := s.Next()
		if err == io.EOF {
			return b.String(), nil
		}
		if err != nil {
			return b.String(), err
		}
		for _, e := range f.Events {
			b.WriteString(e.Text)
			if e.Kind == chat.EventCallStart {
				b.WriteString(e.Call.Name)
			}
		}
	}
}

func wordsPiece(text string) string {
	return fmt.Sprintf("data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"content\":%q},\"finish_reason\":null}]}\n\n", text)
}

func callPiece(name string) string {
	return fmt.Sprintf("data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"x\",\"function\":{\"name\":%q,\"arguments\":\"\"}}]},\"finish_reason\":null}]}\n\n", name)
}

const lastPieces = "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// TestWholeRepliesOneAfterTheOther checks that an encoder's bytes are its own,
// and that closing it twice writes once.
func TestWholeRepliesOneAfterTheOther(t *testing.T) {
	var wg sync.WaitGroup
	for n := range 8 {
		wg.Go(func() {
			for i := range 50 {
				raw := fmt.Sprintf(`{"choices":[{"message":{"content":"%d-%d"},"finish_reason":"stop"}]}`, n, i)
				var out strings.Builder
				e := openai.Server{}.Encoder(&out, &chat.Request{})
				err := errors.Join(
					e.Frame(chat.Frame{Protocol: openai.Name, Raw: []byte(raw), Whole: true}),
					e.Close(nil), e.Close(nil))
				if err != nil || out.String() != raw {
					t.Errorf("got %q, %v; want %q", out.String(), err, raw)
				}
			}
		})
	}
	wg.Wait()
}
