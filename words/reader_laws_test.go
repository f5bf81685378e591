package words_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/words"
)

// hostile are texts that mean something to one of the readers.
var hostile = []string{
	"</tool_call>", "<tool_call>", "<tool_response>", "</tool_response>", "```", "`", "\n", "\r\n", "\t", `"`, `\`, `\"`, "{", "}", "[", "]",
	`{"name":"weather","arguments":{}}`, `{"protocol":"ferrule.tool-call.v1"`, "[result ", "[end of result ", "<think>", "</think>",
	"😀", "\u2028", "\u0000", "ü", "]]>", "<!--", "//", "/*", "'", ",", ";", ":", " ", "~~~", "function", "null",
}

func genValue() *rapid.Generator[any] {
	text := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(hostile), rapid.StringN(0, 6, 12)), 0, 6).Draw(t, "text"), "")
	})
	leaf := rapid.OneOf(
		rapid.Map(text, func(s string) any { return strings.ToValidUTF8(s, "?") }),
		rapid.Map(rapid.IntRange(-1e9, 1e9), func(n int) any { return float64(n) }),
		rapid.Map(rapid.Bool(), func(b bool) any { return b }),
		rapid.Just(any(nil)),
	)
	return rapid.OneOf(leaf,
		rapid.Map(rapid.SliceOfN(leaf, 0, 3), func(vs []any) any { return vs }),
		rapid.Map(rapid.MapOfN(rapid.Map(text, func(s string) string { return strings.ToValidUTF8(s, "?") }), leaf, 0, 3),
			func(m map[string]any) any { return m }))
}

// What a syntax writes it reads back, in any split, with words around it.
func TestWrittenCallsAreReadBack(t *testing.T) {
	for _, name := range words.Names() {
		s, _ := words.Lookup(name)
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				var calls []chat.Call
				for range rapid.IntRange(1, 3).Draw(t, "calls") {
					args, err := json.Marshal(rapid.MapOfN(rapid.StringMatching(`[a-z]{1,8}`), genValue(), 0, 4).Draw(t, "args"))
					if err != nil {
						t.Fatal(err)
					}
					calls = append(calls, chat.Call{Name: rapid.StringMatching(`[A-Za-z0-9_-]{1,12}`).Draw(t, "name"), Args: args})
				}
				before := rapid.SampledFrom([]string{"", "Let me look.\n", "\n\n", "a\n"}).Draw(t, "before")
				behind := rapid.SampledFrom([]string{"", "\n", "\nSo far."}).Draw(t, "behind")
				text := before + string(s.WriteCalls(nil, calls, liveFrame)) + behind
				a := read(t, name, liveFrame, func(string) bool { return true }, nil, chat.FinishStop,
					cuts(text, rapid.Uint64().Draw(t, "seed"))...)
				got := a.calls()
				if len(got) != len(calls) {
					t.Fatalf("%d calls of %d in %q: %v", len(got), len(calls), text, a.outline())
				}
				for i, w := range got {
					if w.Name != calls[i].Name || !bytes.Equal(w.JSON, calls[i].Args) || w.Why != "" || w.Cut || len(w.Repairs) > 0 || w.Index != i {
						t.Fatalf("%s: call %d of %q came back as %+v", name, i, text, w)
					}
				}
				if want := strings.TrimSpace(before) + strings.TrimRight(behind, "\n"); strings.TrimSpace(before)+strings.TrimSpace(behind) == "" {
					if a.text() != "" {
						t.Fatalf("text %q where none was", a.text())
					}
				} else if a.text() != want {
					t.Fatalf("text %q, want %q", a.text(), want)
				}
			})
		})
	}
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
		{"hermes", "use `x` and {y} [z]", ""},
		{"hermes", "\n{ x", ""},
		{"hermes", "a\n[link", ""},
		{"hermes", "a\n{\"name", "\n{\"name"},
		{"hermes", "a\n{\"age\"", ""},
		{"hermes", "a\n```go\nx", ""},
		{"hermes", "a\n```go\n", "\n```go\n"},
		{"hermes", "gr\xc3", "\xc3"},
		{"envelope", "a < b {", ""},
		{"envelope", "a\n{\"x\":1}", ""},
		{"envelope", "a <tool_call>", ""},
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
	const size = 1 << 18
	for _, unit := range []string{
		"<tool_call>", "<tool_call>{", "<tool_call>{\"a\":\"", "{\"name\":", "{\"name\":\n", "[", "[{\"name\":\"weather\",", "{\n", "`", "`<tool_call>{}</tool_call>",
		"```\n", "```json\n{\"name\":\"weather\",\"arguments\":{}}\n", " ", "\n", "a", "\"", "{\"protocol\":\"ferrule.tool-call.v1\",", "<tool_call>{}</tool_call>",
		"<tool_call>{\"name\":\"weather\",\"arguments\":{}}</tool_call><tool_response>", "[end of result ", "<think>", "</tool", "~~~~", "<tool_call>{}\n\n\n\n\n\n\n\n",
	} {
		for _, chunk := range []int{1, 64, 1 << 18} {
			for _, name := range words.Names() {
				text := strings.Repeat(unit, size/len(unit)/(1+63*btoi(chunk == 1)))
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

// readLong reads a long answer in chunks of 64 bytes.
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
	for _, c := range cuts64(text) {
		r.Write([]byte(c), take)
	}
	r.Close(chat.FinishStop, take)
	return b.String(), calls
}

func cuts64(text string) []string {
	var out []string
	for len(text) > 0 {
		n := min(64, len(text))
		out = append(out, text[:n])
		text = text[n:]
	}
	return out
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
