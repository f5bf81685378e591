package words

import (
	"strconv"
	"strings"

	"github.com/ferrule/ferrule/chat"
)

// kimi heads a call with its id, which holds the name: functions.add:0. Kimi K2
// needs that id back as it stood.
func kimi() Form {
	bars, between := []string{"|", "｜"}, []string{"_", "▁"}
	m := &headMarks{
		section: append(spellings(bars, between, "tool", "calls", "section", "begin"), "<|tool_call_section_begin|>"),
		call:    spellings(bars, between, "tool", "call", "begin"),
		args:    spellings(bars, between, "tool", "call", "argument", "begin"),
		close:   spellings(bars, between, "tool", "call", "end"),
		end:     append(spellings(bars, between, "tool", "calls", "section", "end"), "<|tool_call_section_end|>"),
		name: func(head []headPart) (name, id string) {
			id = head[0].text
			name = id
			if i := strings.LastIndexByte(id, ':'); i > 0 && isCounter(id[i+1:]) {
				name = id[:i]
			}
			return strings.TrimSpace(name), id
		},
	}
	return headResults{headForm{"kimi", anywhere(m.section, m.call), m}, "## Return of functions.", "<|im_end|>"}
}

func isCounter(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// kimiWritten counts the calls of a conversation: results name the call that
// they answer by that.
func kimiWritten() Syntax {
	return written{
		Form: kimi(),
		how: "write its name and its arguments as JSON between these marks, with functions. before the name, " +
			"and behind it the number of the call in this conversation, the first being 0",
		several: "write them one behind the other between the outer marks, and count on",
		calls: func(b []byte, cs []chat.Call, f Frame) []byte {
			b = append(b, "<|tool_calls_section_begin|>"...)
			for i, c := range cs {
				b = appendKimiID(append(b, "<|tool_call_begin|>"...), c.Name, f.First+i)
				b = append(append(b, "<|tool_call_argument_begin|>"...), argsOf(c)...)
				b = append(b, "<|tool_call_end|>"...)
			}
			return append(b, "<|tool_calls_section_end|>"...)
		},
		result: func(b []byte, r Fenced) []byte {
			b = appendKimiID(append(b, "## Return of "...), label(r.Name), r.Index)
			return append(append(b, '\n'), r.Text...)
		},
	}
}

func appendKimiID(b []byte, name string, n int) []byte {
	if b = append(append(b, "functions."...), name...); n < 0 {
		return b
	}
	return strconv.AppendInt(append(b, ':'), int64(n), 10)
}
