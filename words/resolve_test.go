package words_test

import (
	"slices"
	"testing"

	"github.com/ferrule/ferrule/words"
)

func TestResolve(t *testing.T) {
	for _, c := range []struct {
		names          []string
		syntax, family string
	}{
		{nil, "", ""},
		{[]string{"hermes"}, "hermes", ""},
		{[]string{"hermes-json"}, "hermes", "hermes-json"},
		{[]string{"qwen3-coder-xml", "hermes"}, "qwen-coder", "qwen3-coder-xml"},
		{[]string{"cohere-action", "ferrule", "hermes"}, "ferrule", "cohere-action"},
		{[]string{"envelope", "cohere-action"}, "envelope", "cohere-action"},
		{[]string{"nobody", "hermes"}, "hermes", ""},
	} {
		syntax, family := words.Resolve(c.names...)
		if syntax != c.syntax || family != c.family {
			t.Errorf("%v: %q, %q", c.names, syntax, family)
		}
	}
	known := words.Known()
	for _, name := range append(words.Names(), "hermes-json", "cohere-action") {
		if !slices.Contains(known, name) {
			t.Errorf("%s isn't known", name)
		}
	}
	for i, name := range known {
		if slices.Contains(known[:i], name) {
			t.Errorf("%s is known twice", name)
		}
		if syntax, family := words.Resolve(name); syntax == "" && family == "" && name != "json" {
			t.Errorf("%s leads nowhere", name)
		}
	}
}
