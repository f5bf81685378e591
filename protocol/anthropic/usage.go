package anthropic

import (
	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
)

// counts are the upstream's own counts, which it gives in parts.
type counts struct{ input, written, read, output, thinking int }

// countPaths is where they stand in a usage object.
var countPaths = []struct {
	path []string
	to   func(*counts) *int
}{
	{[]string{"input_tokens"}, func(c *counts) *int { return &c.input }},
	{[]string{"cache_creation_input_tokens"}, func(c *counts) *int { return &c.written }},
	{[]string{"cache_read_input_tokens"}, func(c *counts) *int { return &c.read }},
	{[]string{"output_tokens"}, func(c *counts) *int { return &c.output }},
	{[]string{"output_tokens_details", "thinking_tokens"}, func(c *counts) *int { return &c.thinking }},
}

// count reads a usage object. A later count replaces an earlier one unless it is
// nothing: some upstreams know the input only at the end, others only at the start.
func (a *answer) count(v []byte) {
	if rawjson.Kind(v) != '{' {
		return
	}
	for _, p := range countPaths {
		if n, ok := integer(member(v, p.path...)); ok && n > 0 {
			*p.to(&a.counts) = n
		}
	}
	c := a.counts
	// The protocol counts what was read from the cache, and written to it, apart.
	u := chat.Usage{Known: true, Input: c.input + c.written + c.read, Cached: c.read, Output: c.output, Reasoning: c.thinking}
	u.Total = u.Input + u.Output
	a.add(chat.Event{Kind: chat.EventUsage, Usage: u})
}
