package history

import "strings"

// refused tells by a provider's words what form it takes of a history. The words
// are in lower case, with one kind of quote.
var refused = []struct {
	words, flavour string
	lasting        bool // it says what the template takes, and not what is odd about this conversation
}{
	{"unexpected role 'user' after role 'tool'", "mistral", true},                                                 // F103
	{"0-9, with a length of 9", "mistral", true},                                                                  // F104
	{"responding to each 'tool_call_id'", "deepseek", false},                                                      // F106
	{"unexpected 'tool_use_id' found in 'tool_result' blocks", "any", false},                                      // F107
	{"no tool call found for function call output", "any", false},                                                 // F107
	{"function call turn comes immediately after a user turn", "gemini", false},                                   // F109
	{"roles must alternate user", "alternating-template", true},                                                   // F110
	{"only supports single tool-calls at once", "single-call-template", true},                                     // F112
	{"multiple tool calls are not supported", "single-call-template", true},                                       // F112
	{"image urls are only allowed for messages with role 'user'", "openai", true},                                 // F113
	{"toolconfig field must be defined when using tooluse", "bedrock", false},                                     // F118
	{"conversation blocks and tool result blocks cannot be provided in the same turn", "bedrock-nonclaude", true}, // F122
}

// Asked names the flavour that a refusal asks for, by what it says; lasting
// says that any conversation with results would meet the same.
func Asked(said string) (flavour string, lasting, ok bool) {
	said = strings.NewReplacer("`", "'", "’", "'", "\"", "'").Replace(strings.ToLower(said))
	for _, r := range refused {
		if strings.Contains(said, r.words) {
			return r.flavour, r.lasting, true
		}
	}
	return "", false, false
}
