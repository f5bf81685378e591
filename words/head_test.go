package words_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/words"
)

// headNames are the forms that write a head and one JSON value.
func headNames(t testing.TB) []string {
	var names []string
	for _, c := range readerCases(t) {
		if c.file == "testdata/reader_head.jsonl" && (len(names) == 0 || names[len(names)-1] != c.Syntax) {
			names = append(names, c.Syntax)
		}
	}
	return names
}

// Hostile openers, heads and values are read in time that grows with them alone.
func TestWorkOnHeadsIsLinear(t *testing.T) {
	const size = 1 << 14
	for _, unit := range []string{
		"[TOOL_CALLS]", "[TOOL_CALLS]a", "[TOOL_CALLS]a[ARGS]", "[TOOL_CALLS]a{", "[TOOL_CALLS]a{}", "[TOOL_CALLS][{", "[TOOL_CALLS]a{\"b\":\"",
		"<|tool_call_begin|>", "<|tool_call_begin|>a", "<|tool_call_begin|>a<|tool_call_argument_begin|>", "<|tool_call_begin|>a<|tool_call_argument_begin|>x",
		"<|tool_calls_section_begin|><|tool_call_begin|>a:0<|tool_call_argument_begin|>{}<|tool_call_end|>", "<|tool_calls_section_begin|>\n\n\n\n\n\n",
		"<｜tool▁call▁begin｜>function<｜tool▁sep｜>", "<｜tool▁call▁begin｜>function<｜tool▁sep｜>a\n```json\n", "<｜tool▁sep｜>", "<｜tool▁calls｜>{",
		"<|START_ACTION|>[", "<|START_ACTION|>[{\"tool_name\":", "<|function_call|>{", "<|channel|>", "<|channel|>to=a<|message|>", "<|start|>assistant",
		"function", "functiona\n", "\nfunctiona\n```json\n{", ">>>", ">>>a", ">>>a\n{", ">>>a\n{\"b\":\"", "<|tool_call:begin|>", "<", "[", "<|",
	} {
		for _, chunk := range []int{1, 64, size} {
			text := strings.Repeat(unit, size/len(unit)/(1+7*btoi(chunk == 1)))
			r := newReader(t, "auto", words.Frame{}, isWeather, nil)
			for rest := []byte(text); len(rest) > 0; {
				n := min(chunk, len(rest))
				r.Write(rest[:n], func(words.Item) {})
				rest = rest[n:]
			}
			r.Close(chat.FinishStop, func(words.Item) {})
			if limit := 80*len(text) + 1000; r.Work() > limit {
				t.Errorf("%q in chunks of %d: %d bytes looked at for %d", unit, chunk, r.Work(), len(text))
			}
		}
	}
}

// A word that could begin a form that looks like text doesn't hold up the text.
func TestHeadsThatLookLikeTextGoOutAtOnce(t *testing.T) {
	for _, c := range []struct{ chunk, held string }{
		{"function ", " "},
		{"function calls", ""},
		{"function weather(", ""},
		{"functions", "functions"},
		{"functions\nare ", " "},
		{"functionweather\n```json\n{", "functionweather\n```json\n{"},
		{"a >>> b", ""},
		{"a >>", " >>"},
		{">>>weather\n{", ">>>weather\n{"},
		{"[TOOL", "[TOOL"},
		{"[TOOLS] a", ""},
		{"to=functions", "to=functions"},
		{"so to=functions.x", ""},
	} {
		var a heard
		r := newReader(t, "auto", words.Frame{}, isWeather, nil)
		r.Write([]byte(c.chunk), a.take)
		if want := strings.TrimSuffix(c.chunk, c.held); a.text() != want {
			t.Errorf("of %q went out %q, want %q", c.chunk, a.text(), want)
		}
		r.Close(chat.FinishStop, a.take)
		if a.text() != c.chunk {
			t.Errorf("%q came out as %q", c.chunk, a.text())
		}
	}
}

// Every way to cut an answer gives the same answer, and what holds no call
// comes out as it went in.
func FuzzHeads(f *testing.F) {
	names := headNames(f)
	for i, c := range readerCases(f) {
		if c.file == "testdata/reader_head.jsonl" {
			f.Add([]byte(c.Text), uint64(i), c.Finish == nil)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte, seed uint64, stop bool) {
		finish := chat.FinishLength
		if stop {
			finish = chat.FinishStop
		}
		name := names[seed%uint64(len(names))]
		one := func(chunks ...string) heard {
			return read(t, name, words.Frame{}, isWeather, nil, finish, chunks...)
		}
		want := one(string(text))
		for s := range uint64(3) {
			if got := one(cuts(string(text), seed+s)...); !reflect.DeepEqual(want, got) {
				t.Fatalf("%s: %q\nwhole: %q\nin pieces: %q", name, text, want.outline(), got.outline())
			}
		}
		if got := one(bytewise(string(text))...); !reflect.DeepEqual(want, got) {
			t.Fatalf("%s: %q\nwhole: %q\nby byte: %q", name, text, want.outline(), got.outline())
		}
		if len(want.calls()) == 0 && want.lost(string(text)) {
			t.Fatalf("%s: the text %q came out as %q", name, text, want.text())
		}
	})
}
