package history

import "strings"

// refused tells by a provider's words what form it takes of a history. The words
// are in lower case, with one kind of quote.
var refused = []struct{ words, flavour string }{
	{"unexpected role 'user' after role 'tool'", "mistral"},                                                 // F103
	{"0-9, with a length of 9", "mistral"},                                                                  // F104
	{"responding to each 'tool_call_id'", "deepseek"},                                                       // F106
	{"unexpected 'tool_use_id' found in 'tool_result' blocks", "any"},                                       // F107
	{"no tool call found for function call output", "any"},                                                  // F107
	{"function call turn comes immediately after a user turn", "gemini"},                                    // F109
	{"roles must alternate user", "alternating-template"},                                                   // F110
	{"only supports single tool-calls at once", "single-call-template"},                                     // F112
	{"multiple tool calls are not supported", "single-call-template"},                                       // F112
	{"image urls are only allowed for messages with role 'user'", "openai"},                                 // F113
	{"toolconfig field must be defined when using tooluse", "bedrock"},                                      // F118
	{"conversation blocks and tool result blocks cannot be provided in the same turn", "bedrock-nonclaude"}, // F122
}

// Asked names the flavour that a refusal asks for, by what it says.
func Asked(said string) (flavour string, ok bool) {
	said = strings.NewReplacer("`", "'", "’", "'", "\"", "'").Replace(strings.ToLower(said))
	for _, r := range refused {
		if strings.Contains(said, r.words) {
			return r.flavour, true
		}
	}
	return "", false
}
