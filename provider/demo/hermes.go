package demo

import "strings"

// hermesStyle: calls stand between <tool_call> tags.
type hermesStyle struct{}

const callOpen, callClose = "<tool_call>\n", "\n</tool_call>"

func (hermesStyle) offer(p prompt) (offer, bool) {
	tools, rules, ok := p.listed()
	// Without an example of a call the model doesn't know how to write one.
	ok = ok && strings.Contains(rules, callOpen) && strings.Contains(rules, callClose)
	return offer{tools: tools, rules: rules}, ok
}

func (hermesStyle) write(_ offer, cs []call) string {
	blocks := make([]string, len(cs))
	for i, c := range cs {
		blocks[i] = callOpen + string(c.object()) + callClose
	}
	return strings.Join(blocks, "\n")
}

func (hermesStyle) attempted(said string) bool { return strings.Contains(said, callOpen) }
