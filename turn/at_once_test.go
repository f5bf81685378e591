package turn_test

import (
	"context"
	"strings"
	"testing"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/turn"
	"github.com/ferrule/ferrule/words"
)

// watched is an upstream whose stream, whenever it is asked for more, reports
// how much it has said so far.
type watched struct {
	chunks []string
	asked  func(said string)
}

func (w *watched) Send(context.Context, *chat.Request) (chat.Stream, error) {
	var fs []chat.Frame
	for _, c := range w.chunks {
		fs = append(fs, chat.Frame{Events: []chat.Event{{Kind: chat.EventText, Text: c}}})
	}
	fs = append(fs, chat.Frame{Events: []chat.Event{{Kind: chat.EventFinish, Finish: chat.FinishStop}}})
	return &watchedStream{stream: stream{fs: fs}, up: w}, nil
}

type watchedStream struct {
	stream
	up   *watched
	next int
}

func (s *watchedStream) Next() (chat.Frame, error) {
	if s.next <= len(s.up.chunks) {
		s.up.asked(strings.Join(s.up.chunks[:s.next], ""))
	}
	s.next++
	return s.stream.Next()
}

// Before the next chunk is read, the words of this one have gone out, but for
// blank space at its end and what may yet open a call: the first word waits for
// no second chunk.
func TestWordsGoOutWithTheirChunk(t *testing.T) {
	const prose = "I looked at 3 files. If a < b, then x[i] is 1 (see {note} and `go vet`).\n\nNext: *run* the tests; #2 > #1.\n- a [link](x)\n"
	profiles := map[string]profile.Profile{"native": {Tools: profile.Native}}
	for _, name := range words.Names() {
		profiles[name] = profile.Profile{Tools: profile.Emulated, Syntax: name}
	}
	for name, p := range profiles {
		for _, size := range []int{1, 4, 7, 64} {
			var chunks []string
			for rest := prose; rest != ""; {
				n := min(size, len(rest))
				chunks, rest = append(chunks, rest[:n]), rest[n:]
			}
			most := 8
			if p.Tools == profile.Native {
				most += size // an event goes out as it came, or waits whole
			}
			var out strings.Builder
			late := 0
			up := &watched{chunks: chunks, asked: func(said string) {
				said = strings.TrimRight(said, " \n")
				if held := len(said) - out.Len(); held > 0 {
					late++
					if held > most {
						t.Errorf("%s, chunks of %d: %q is still held behind %q", name, size, said[out.Len():], out.String())
					}
				}
			}}
			r := &turn.Runner{Key: []byte("k")}
			_, err := r.Run(t.Context(), turn.Target{Upstream: up, Profile: p}, request("?"), func(f chat.Frame) error {
				for _, e := range f.Events {
					if e.Kind == chat.EventText {
						out.WriteString(e.Text)
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if out.String() != prose {
				t.Errorf("%s, chunks of %d: out came %q", name, size, out.String())
			}
			if size == 64 && late > 1 || late > len(prose)/8 {
				t.Errorf("%s: of %d chunks of %d bytes, %d had words held", name, len(chunks), size, late)
			}
		}
	}
}
