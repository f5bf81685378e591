package refusal

import (
	"slices"
	"strings"

	"github.com/ferrule/ferrule/chat"
)

// constraintNames are what servers call the ways to hold an answer to a form.
var constraintNames = []string{
	"response_format", "response format", "json_schema", "json schema", "json mode", "structured output", "structured_output",
	"structural_tag", "structural tag", "grammar", "guided", "schema",
}

// withoutIt are the words in which a server says that it has no such thing, and
// ofThis those about one schema that it can't do.
var (
	withoutIt = []string{
		"not support", "n't support", "unsupported", "unknown", "unrecognized", "unavailable", "not available", "not permitted",
		"extra inputs", "not allowed", "not enabled", "not implemented", "must be",
	}
	ofThis = []string{"invalid schema", "invalid json schema", "in context=", "failed to parse grammar", "json schema error at", "keyword", "schema is not valid", "schema is invalid"}
)

// Constraint tells whether a fault may be about the form that an answer was held
// to; lasting means that the server takes no such form at all. It is for
// requests that had one: a wrong yes costs one more request.
func Constraint(f *chat.Fault) (refused, lasting bool) {
	if f == nil || decisive[f.Status] != "" {
		return false, false
	}
	said := strings.ToLower(plain(append(texts(f), f.Param)))
	holds := func(part string) bool { return strings.Contains(said, part) }
	if !slices.ContainsFunc(constraintNames, holds) {
		return false, false
	}
	return true, slices.ContainsFunc(withoutIt, holds) && !slices.ContainsFunc(ofThis, holds)
}
