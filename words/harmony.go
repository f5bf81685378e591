package words

import "strings"

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
	return headForm{"harmony", openers, m}
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
