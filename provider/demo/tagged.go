package demo

import (
	"regexp"
	"strings"

	"github.com/ferrule/ferrule/rawjson"
)

// taggedStyle: calls are JSON between two tags, which the contract shows.
type taggedStyle struct{}

// In a contract, and in what the model says.
var (
	shownTags = regexp.MustCompile(`(?m)^<(\w+)>\n\{.*\}\n</(\w+)>$`)
	saidTag   = regexp.MustCompile(`<\w+>\n\{?`)
	liveKey   = regexp.MustCompile(`give each call in this answer one more argument, "(\w+)", with the value "(\w+)"`)
)

func (taggedStyle) offer(p prompt) (offer, bool) {
	tools, rules, ok := p.listed()
	o := offer{tools: tools, rules: rules}
	// Without an example of a call the model doesn't know how to write one.
	m := shownTags.FindStringSubmatch(rules)
	if !ok || m == nil || m[1] != m[2] {
		return o, false
	}
	o.tag = m[1]
	if live := liveKey.FindStringSubmatch(p.last); live != nil {
		o.live = [2]string{live[1], live[2]}
	}
	return o, true
}

func (taggedStyle) write(o offer, cs []call) string {
	blocks := make([]string, len(cs))
	for i, c := range cs {
		if o.live[0] != "" {
			live := rawjson.Change{Key: o.live[0], Value: rawjson.AppendString(nil, o.live[1])}
			if args, err := rawjson.Edit([]byte(c.args), live); err == nil {
				c.args = string(args)
			}
		}
		blocks[i] = "<" + o.tag + ">\n" + string(c.object()) + "\n</" + o.tag + ">"
	}
	return strings.Join(blocks, "\n")
}

func (taggedStyle) attempted(said string) bool { return saidTag.MatchString(said) }
