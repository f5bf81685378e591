package demo

import (
	"sort"

	"github.com/ferrule/ferrule/rawjson"
)

const (
	proseOnly    = "prose-only"
	fumbledProse = "Let me think about which tool would help here."
)

// fumbles spoil a call in the ways in which small models do.
var fumbles = map[string]func(call) call{
	"truncated-json": func(c call) call { c.args, _ = head(c.args, (len(c.args)+1)/2); return c },
	"unknown-tool":   func(c call) call { c.name = "consult_the_oracle"; return c },
	"wrong-type":     wrongType,
	"missing-field":  func(c call) call { c.args = "{}"; return c },
	proseOnly:        nil,
}

// Fumbles are the kinds of mistakes that a user can ask for.
func Fumbles() []string {
	kinds := make([]string, 0, len(fumbles))
	for k := range fumbles {
		kinds = append(kinds, k)
	}
	sort.Strings(kinds)
	return kinds
}

// wrongType puts a list of lists where the first field's value was: no reader
// can take it for anything else.
func wrongType(c call) call {
	var first string
	_ = rawjson.Members([]byte(c.args), func(k, _ []byte) bool { first = string(k); return false })
	if out, err := rawjson.Edit([]byte(c.args), rawjson.Change{Key: first, Value: []byte(`[[1],[2]]`)}); err == nil {
		c.args = string(out)
	}
	return c
}
