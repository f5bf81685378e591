package words_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/words"
)

// tagPieces are what a hostile answer in tags is made of.
var tagPieces = []string{
	"<tool_call>", "</tool_call>", "<function=weather>", "</function>", "<parameter=city>", "</parameter>",
	"<function_calls>", "<invoke name=\"weather\">", "<parameter name=\"city\">", "</invoke>",
	"<｜DSML｜invoke name=\"weather\">", "</｜DSML｜parameter>", "<｜tool_call_begin｜>", "<｜tool_calls_begin｜>",
	"]<]minimax[>[", "<![CDATA[", "]]>", "[Calling tool: weather({", "}", ")]", " to=self<|message|>",
	"<|start|>assistant", "<atem:function_calls>", "<city>", "</city>", "{", "\n", " ", "x", "<", "=",
}

// FuzzTaggedText: however an answer is cut, it is the same; what isn't a call is
// there to the byte; a value that breaks off is no call.
func FuzzTaggedText(f *testing.F) {
	for _, c := range readerCases(f) {
		if strings.HasSuffix(c.file, "reader_tags.jsonl") {
			f.Add(c.Text, []byte{}, uint64(1))
		}
	}
	f.Fuzz(func(t *testing.T, text string, pieces []byte, seed uint64) {
		var b strings.Builder
		b.WriteString(text)
		for _, p := range pieces {
			b.WriteString(tagPieces[int(p)%len(tagPieces)])
		}
		text = b.String()
		if len(text) > 1<<14 {
			return
		}
		get := func(fin chat.Finish, chunks ...string) heard {
			return read(t, "auto", words.Frame{}, isWeather, nil, fin, chunks...)
		}
		for _, fin := range []chat.Finish{chat.FinishStop, chat.FinishLength} {
			whole := get(fin, text)
			for _, chunks := range [][]string{cuts(text, seed), bytewise(text)} {
				if again := get(fin, chunks...); !reflect.DeepEqual(whole, again) {
					t.Fatalf("%q in pieces %q\n-whole +pieces:\n%s", text, chunks, cmp.Diff(whole, again))
				}
			}
			if len(whole.calls()) == 0 && whole.lost(text) {
				t.Fatalf("%q came out as %q", text, whole.text())
			}
		}
	})
}

// A long answer of openers, closers and halves of tags takes time in proportion.
func TestTaggedTextIsLinear(t *testing.T) {
	for _, unit := range []string{
		"<tool_call>", "</tool_call>", "<function=weather>", "<function=weather><parameter=city>", "<tool_call><function=",
		"<tool_call><function=weather><parameter=a>1</parameter>", "<function=weather><parameter=city>x</function> ",
		"<parameter=city></function>", "<｜tool_call_begin｜>", "<｜tool_calls_begin｜>", "<invoke name=\"weather\"/>",
		"[Calling tool: weather({", "<|start|>assistant to=self<|message|>", "<function=weather>{", "]<]minimax[>[<a>", "<a", "</", "<![CDATA[",
	} {
		for _, head := range []string{"", "<tool_call><function=weather><parameter=city>", "to=self<|message|>"} {
			n := 1 << 15 / len(unit)
			work := func(n int) int {
				text := head + strings.Repeat(unit, n)
				r := newReader(t, "auto", words.Frame{}, isWeather, nil)
				for len(text) > 0 {
					k := min(len(text), 97)
					r.Write([]byte(text[:k]), func(words.Item) {})
					text = text[k:]
				}
				r.Close(chat.FinishStop, func(words.Item) {})
				return r.Work()
			}
			half, full := work(n/2), work(n)
			if full > 3*half+4096 {
				t.Errorf("%q behind %q: %d bytes of work for half of it, %d for all", unit, head, half, full)
			}
		}
	}
}
