package words

import (
	"strings"

	"github.com/ferrule/ferrule/chat"
)

// harmony is a message to a tool, with the recipient in its head: gpt-oss.
func harmony() Form {
	m := &headMarks{
		call:  []string{"<|start|>assistant", "<|channel|>"},
		sep:   []string{"<|channel|>", "<|constrain|>"},
		args:  []string{"<|message|>"},
		trail: []string{"<|call|>", "<|end|>", "<|return|>"},
		right: 3,
		name:  recipient,
	}
	openers := append(anywhere(m.call), Opener{Text: "to=functions.", Where: AnswerStart})
	form := headResults{headForm{"harmony", openers, m}, "<|start|>functions.", "<|end|>"}
	return channelForm{form, []channel{harmonyChannel(true, "analysis"), harmonyChannel(false, "commentary", "final")}}
}

// harmonyChannel is a message to nobody but the user, or to the model itself.
func harmonyChannel(thought bool, names ...string) channel {
	c := channel{thought: thought, closers: []string{"<|end|>", "<|return|>"}, borders: []string{"<|start|>assistant", "<|channel|>"}}
	for _, name := range names {
		for _, kind := range []string{"", " <|constrain|>json", " to=user"} {
			opener := "<|channel|>" + name + kind + "<|message|>"
			c.openers = append(c.openers, opener, "<|start|>assistant"+opener)
		}
	}
	return c
}

// recipient finds to=name in a head. What goes to a person is no call.
func recipient(head []headPart) (name, id string) {
	for _, p := range head {
		for _, word := range strings.Fields(p.text) {
			to, ok := strings.CutPrefix(word, "to=")
			if ok && to != "user" && to != "assistant" && to != "all" {
				return to, ""
			}
		}
	}
	return "", ""
}

func harmonyWritten() Syntax {
	return written{
		Form:    harmony(),
		how:     "write a message to it in the commentary channel, with its arguments as JSON",
		several: "write one such message for each, with <|start|>assistant before all but the first",
		calls: func(b []byte, cs []chat.Call, _ Frame) []byte {
			for i, c := range cs {
				if i > 0 {
					b = append(b, "<|start|>assistant"...)
				}
				b = append(append(b, "<|channel|>commentary to=functions."...), c.Name...)
				b = append(append(b, " <|constrain|>json<|message|>"...), argsOf(c)...)
				b = append(b, "<|call|>"...)
			}
			return b
		},
		result: func(b []byte, r Fenced) []byte {
			b = append(append(b, "<|start|>functions."...), label(r.Name)...)
			b = append(append(b, " to=assistant<|channel|>commentary<|message|>\n"...), r.Text...)
			return append(b, "\n<|end|>"...)
		},
	}
}
