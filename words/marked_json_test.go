package words_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/words"
)

// jsonOpeners begin the blocks of calls that are JSON.
var jsonOpeners = []string{
	"", "<tool_call>", "<tool_calls>", "<|tool_call|>", "<function_call>", "functools[", "<|python_tag|>",
	"<|tools_prefix|>", "<|action_start|><|plugin|>", "<TOOLCALL>", "[weather(",
}

// A long answer of halves of calls takes time in proportion.
func TestMarkedJSONIsLinear(t *testing.T) {
	call := `{"name": "weather", "arguments": {"city": "Oslo"}}`
	units := []string{
		call, call + ";", call + "</tool_call>", "{", "[{", `"`, "'", "/*", `{"name": "`, "}", "</", "</x>", "<", "```json\n", "\n",
		`{"weather": {`, "weather({}),", `"{\"`,
	}
	for _, o := range jsonOpeners {
		for _, unit := range append(units, o+call, o) {
			if unit == "" {
				continue
			}
			n := 1 << 15 / len(unit)
			work := func(n int) int {
				r := newReader(t, "auto", words.Frame{}, isWeather, nil)
				for text := o + strings.Repeat(unit, n); len(text) > 0; {
					k := min(len(text), 97)
					r.Write([]byte(text[:k]), func(words.Item) {})
					text = text[k:]
				}
				r.Close(chat.FinishStop, func(words.Item) {})
				return r.Work()
			}
			if half, full := work(n/2), work(n); full > 3*half+4096 {
				t.Errorf("%q behind %q: %d bytes of work for half of it, %d for all", unit, o, half, full)
			}
		}
	}
}

// What every form of a call has in common: an example in inline code and one
// with words about it are text.
func TestExamplesOfMarkedJSONAreText(t *testing.T) {
	for _, o := range jsonOpeners[1:] {
		body := `{"name": "weather", "arguments": {"city": "Oslo"}}`
		text := fmt.Sprintf("For example `%s%s` is a call.", o, body)
		if a := read(t, "auto", words.Frame{}, isWeather, nil, chat.FinishStop, text); len(a.calls()) > 0 || a.text() != text {
			t.Errorf("%q: %q", text, a.outline())
		}
		text = fmt.Sprintf("The form:\n```\n%s%s\n```\nThat is it.", o, body)
		if a := read(t, "auto", words.Frame{}, isWeather, nil, chat.FinishStop, text); len(a.calls()) > 0 || a.text() != text {
			t.Errorf("%q: %q", text, a.outline())
		}
	}
}

func FuzzMarkedJSON(f *testing.F) {
	call := `{"name": "weather", "arguments": {"city": "Oslo"}}`
	for i := range jsonOpeners {
		f.Add(byte(i), call)
		f.Add(byte(i), "["+call+"; "+call+"]</tool_call> x")
		f.Add(byte(i), `{'weather': {"a": /* " */ "5" tall"}}}`)
		f.Add(byte(i), "```json\n"+call[:len(call)-1]+"</think></tool_calls>")
	}
	f.Fuzz(func(t *testing.T, opener byte, body string) {
		text := jsonOpeners[int(opener)%len(jsonOpeners)] + body
		whole := read(t, "auto", words.Frame{}, isWeather, nil, chat.FinishStop, text)
		if again := read(t, "auto", words.Frame{}, isWeather, nil, chat.FinishStop, bytewise(text)...); !reflect.DeepEqual(whole, again) {
			t.Errorf("%q\nwhole  %q\npieces %q", text, whole.outline(), again.outline())
		}
		if len(whole.calls()) == 0 && whole.lost(text) {
			t.Errorf("%q came out as %q", text, whole.text())
		}
		for _, w := range read(t, "auto", words.Frame{}, isWeather, nil, chat.FinishLength, text).calls() {
			if !w.Cut && strings.HasSuffix(text, string(w.Raw)) && w.Why == "" && !strings.ContainsAny(text[len(text)-1:], "}>])`|") {
				t.Errorf("%q was cut, and its last block is a call: %+v", text, w)
			}
		}
	})
}
