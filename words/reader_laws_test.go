package words_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/words"
)

// hostile are texts that mean something to one of the readers.
var hostile = []string{
	"</tool_call>", "<tool_call>", "<tool_response>", "</tool_response>", "```", "`", "\n", "\r\n", "\t", `"`, `\`, `\"`, "{", "}", "[", "]",
	`{"name":"weather","arguments":{}}`, `{"protocol":"ferrule.tool-call.v1"`, "[result ", "[end of result ", "<think>", "</think>",
	"😀", "\u2028", "\u0000", "ü", "]]>", "<!--", "//", "/*", "'", ",", ";", ":", " ", "~~~", "function", "null",
}

// Every way to cut an answer gives the same answer, and an answer without calls
// comes out as it went in.
func FuzzReader(f *testing.F) {
	for i, c := range readerCases(f) {
		f.Add([]byte(c.Text), uint64(i), c.Quoted, true)
	}
	f.Add([]byte("a\xff\xe4b<tool_call>\xf0\x9f"), uint64(1), false, false)
	f.Add([]byte("```json\n{\"name\":\"weather\",\"arguments\":{}}\n```\n<tool_response>"), uint64(2), false, true)
	f.Fuzz(func(t *testing.T, text []byte, seed uint64, quoted, stop bool) {
		finish := chat.FinishLength
		if stop {
			finish = chat.FinishStop
		}
		for _, name := range words.Names() {
			one := func(chunks ...string) heard {
				return read(t, name, liveFrame, isWeather, func(chat.Written) bool { return quoted }, finish, chunks...)
			}
			want := one(string(text))
			for s := range uint64(3) {
				if got := one(cuts(string(text), seed+s)...); !reflect.DeepEqual(want, got) {
					t.Fatalf("%s: %q\nwhole: %q\nin pieces: %q", name, text, want.outline(), got.outline())
				}
			}
			if len(want.calls()) == 0 && want.lost(string(text)) {
				t.Fatalf("%s: the text %q came out as %q", name, text, want.text())
			}
		}
		words.ReadAll(text, isWeather)
	})
}

// Words go out with the chunk that brings them; only what may open a call, and
// blank space that may stand before one, waits.
func TestWordsGoOutAtOnce(t *testing.T) {
	for _, c := range []struct{ syntax, chunk, held string }{
		{"hermes", "a < b", ""},
		{"hermes", "a <", " <"},
		{"hermes", "a <tool_", " <tool_"},
		{"hermes", "a <tool_x", ""},
		{"hermes", "a \n", " \n"},
		{"hermes", "use `x` and {y} [z].", ""},
		{"hermes", "and [z]", "]"}, // a token of a model may begin so
		{"hermes", "\n{ x", ""},
		{"hermes", "a\n[a link", ""},
		{"hermes", "a\n[link", "\n[link"}, // a call as Python writes it
		{"hermes", "a\n{\"name", "\n{\"name"},
		{"hermes", "a\n{\"age\"", ""},
		{"hermes", "a\n```go\nx :", ""},
		{"hermes", "a\n```go\n", "\n```go\n"},
		{"hermes", "so gr\xc3", "\xc3"},
		{"envelope", "a < b {", ""},
		{"envelope", "a\n{\"x\":1}", ""},
		{"envelope", "a <tool> b", ""},
	} {
		var a heard
		r := newReader(t, c.syntax, liveFrame, isWeather, nil)
		r.Write([]byte(c.chunk), a.take)
		if want := strings.TrimSuffix(c.chunk, c.held); a.text() != want {
			t.Errorf("%s: of %q went out %q, want %q", c.syntax, c.chunk, a.text(), want)
		}
		r.Close(chat.FinishStop, a.take)
		if a.text() != c.chunk {
			t.Errorf("%s: %q came out as %q", c.syntax, c.chunk, a.text())
		}
	}
}

// The bytes that the Reader looks at grow with the input alone, whatever the
// input is and however it is cut.
func TestWorkIsLinear(t *testing.T) {
	const size = 1 << 14 // square work would be 20 times the limit
	for _, unit := range []string{
		"<tool_call>", "<tool_call>{", "<tool_call>{\"a\":\"", "{\"name\":", "{\"name\":\n", "[", "[{\"name\":\"weather\",", "{\n", "`", "`<tool_call>{}</tool_call>",
		"```\n", "```json\n{\"name\":\"weather\",\"arguments\":{}}\n", " ", "\n", "a", "\"", "{\"protocol\":\"ferrule.tool-call.v1\",", "<tool_call>{}</tool_call>",
		"<tool_call>{\"name\":\"weather\",\"arguments\":{}}</tool_call><tool_response>", "[end of result ", "<think>", "</tool", "~~~~", "<tool_call>{}\n\n\n\n\n\n\n\n",
	} {
		for _, chunk := range []int{1, 64, size} {
			for _, name := range words.Names() {
				text := strings.Repeat(unit, size/len(unit)/(1+7*btoi(chunk == 1)))
				r := newReader(t, name, liveFrame, isWeather, nil)
				for rest := []byte(text); len(rest) > 0; {
					n := min(chunk, len(rest))
					r.Write(rest[:n], func(words.Item) {})
					rest = rest[n:]
				}
				r.Close(chat.FinishStop, func(words.Item) {})
				if limit := 80*len(text) + 1000; r.Work() > limit {
					t.Errorf("%s: %q in chunks of %d: %d bytes looked at for %d", name, unit, chunk, r.Work(), len(text))
				}
			}
		}
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// A block that is too long is a call with a reason where it says that it is
// one, and text where it doesn't.
func TestLongBlocks(t *testing.T) {
	long := strings.Repeat("x", 3<<20)
	text, calls := readLong(t, "hermes", `<tool_call>{"name":"weather","arguments":{"city":"`+long+`"}}</tool_call> more`)
	if text != "" || len(calls) != 1 || calls[0].Why != "it is longer than 2 MB" {
		t.Errorf("a call of 3 MB: %d bytes of text, %d calls", len(text), len(calls))
	}
	for name, text := range map[string]string{
		"a JSON answer":     `{"text":"` + long + `"}`,
		"bare JSON":         `{"name":"weather","arguments":{"city":"` + long + `"}}`,
		"words":             long,
		"blank space":       strings.Repeat(" \n", 2<<20) + "x",
		"an unclosed fence": "```\n" + long,
	} {
		for _, syntax := range words.Names() {
			if got, calls := readLong(t, syntax, text); got != text || len(calls) != 0 {
				t.Errorf("%s in %s isn't text: %d bytes of %d, %d calls", name, syntax, len(got), len(text), len(calls))
			}
		}
	}
	// Its twin just below the limit is a call.
	short := `<tool_call>{"name":"weather","arguments":{"city":"` + long[:2<<20-100] + `"}}</tool_call>`
	if _, calls := readLong(t, "hermes", short); len(calls) != 1 || calls[0].Why != "" {
		t.Errorf("a call just below the limit: %d", len(calls))
	}
}

// readLong reads a long answer in chunks of 1 KB.
func readLong(t *testing.T, syntax, text string) (string, []chat.Written) {
	t.Helper()
	var b strings.Builder
	var calls []chat.Written
	take := func(i words.Item) {
		b.Write(i.Text)
		if i.Call != nil {
			calls = append(calls, *i.Call)
		}
	}
	r := newReader(t, syntax, liveFrame, isWeather, nil)
	for c := range slices.Chunk([]byte(text), 1<<10) {
		r.Write(c, take)
	}
	r.Close(chat.FinishStop, take)
	return b.String(), calls
}

func BenchmarkReader(b *testing.B) {
	prose := strings.Repeat("The quick brown fox jumps over the lazy dog, and it isn't 2 < 3 that it thinks of (nor x[i]).\nThen it rests. ", 600)
	for _, name := range words.Names() {
		for _, chunk := range []int{64, 16 << 10} {
			b.Run(fmt.Sprintf("%s/%d", name, chunk), func(b *testing.B) {
				r := newReader(b, name, liveFrame, isWeather, nil)
				n := 0
				out := func(i words.Item) { n += len(i.Text) }
				text := []byte(prose)
				r.Write(text, out)
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				for b.Loop() {
					for rest := text; len(rest) > 0; {
						k := min(chunk, len(rest))
						r.Write(rest[:k], out)
						rest = rest[k:]
					}
				}
			})
		}
	}
}

// BenchmarkHostile reads streams that open much and close nothing. Four times
// the bytes take four times the time: the figures of a line pair are alike.
func BenchmarkHostile(b *testing.B) {
	for _, unit := range []string{"<tool_call>{\"a\":\"", "[{\"name\":\"weather\",", "```json\n{\"name\":", "[[[[((((", "{\"\\\"'`"} {
		for _, mb := range []int{1, 4} {
			b.Run(fmt.Sprintf("%q/%dMB", unit, mb), func(b *testing.B) {
				text := []byte(strings.Repeat(unit, mb<<20/len(unit)))
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					r := newReader(b, "auto", liveFrame, isWeather, nil)
					for c := range slices.Chunk(text, 64) {
						r.Write(c, func(words.Item) {})
					}
					r.Close(chat.FinishStop, func(words.Item) {})
				}
			})
		}
	}
}
