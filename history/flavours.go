package history

// flavour is what one template or provider takes of a history, under the name
// that a profile has for it.
type flavour struct {
	name  string
	rules Rules
}

// flavours is what profiles may name. Rules that cost nothing where a
// transcript is in order stand in nearly all of them.
var flavours = []flavour{
	{"any", Paired},
	{"openai", Paired | StubArguments | ArgumentsString | IDsPlain | NoPicturesInResults},
	{"anthropic", Paired | SystemFirst | LeadingUser | NoEmpty | StubArguments | IDsPlain | NoCallsWithoutTools},
	{"gemini", Paired | SystemFirst | Alternate | NoEmpty | StubArguments},
	{"gemini-openai", Paired | SystemFirst | NoEmpty | StubArguments | NameResults | LeadingUser},
	{"mistral", Paired | OneSystem | Alternate | BridgeResults | NoEmpty | StubArguments | IDsNine},
	{"deepseek", Paired | SystemFirst},
	{"deepseek-thinking", Paired | SystemFirst | ReasoningBack},
	{"kimi", Paired | IDsFunctions},
	{"bedrock", Paired | Alternate | NoEmpty | StubArguments | IDsPlain | NoCallsWithoutTools},
	{"bedrock-nonclaude", Paired | Alternate | NoEmpty | StubArguments | IDsPlain | NoCallsWithoutTools | BridgeResults},
	{"ollama-native", Paired | ArgumentsObject | ToolNames},
	{"llamacpp", Paired | OneSystem | StubArguments},
	{"lmstudio", Paired | StubArguments | NoPicturesInResults},
	{"alternating-template", Paired | Alternate | NoToolRole | NoSystem | NoEmpty},
	{"single-call-template", Paired | OneCall},
}

// Flavours lists the names that a profile may have.
func Flavours() []string {
	out := make([]string, len(flavours))
	for i, f := range flavours {
		out[i] = f.name
	}
	return out
}
