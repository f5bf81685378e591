package refusal

import "strings"

// row is one way in which providers refuse. match and not are in the form that
// plain gives texts: lower case, one apostrophe, single spaces.
type row struct {
	match  string
	not    string // "": nothing rules it out
	class  string
	action string
	scope  string
	source string
}

func (r row) in(said string) bool {
	return strings.Contains(said, r.match) && (r.not == "" || !strings.Contains(said, r.not))
}

// rows are tried in order: what begins like another row and goes on stands first.
var rows = []row{
	{"doesn't support tool use in streaming mode", "", ToolsUnsupportedStreaming, Unstream, "model+stream", "vercel-labs/fx#900"},
	{"does not support tools", "failed to parse input", ToolsUnsupported, Emulate, "model", "ollama/ollama#14795, louisho5/picobot#6"},
	{"no endpoints found that support tool use", "", ToolsUnsupported, Emulate, "model", "Kilo-Org/kilocode#9006"},
	{"doesn't support tool use", "in streaming mode", ToolsUnsupported, Emulate, "model", "langchain-ai/langchain-aws#447"},
	{"function calling is not enabled for", "", ToolsUnsupported, Emulate, "model", "agno-agi/agno#3505"},
	{"using tool is not supported by this model", "", ToolsUnsupported, Emulate, "model", "deepseek-ai/DeepSeek-R1#662"},
	{"function call is not supported for this model", "", ToolsUnsupported, Emulate, "endpoint+model", "labring/FastGPT#4023"},
	{"tool calling is not supported for model", "", ToolsUnsupported, Emulate, "endpoint+model", "truefoundry/models#944"},
	{"function calling is not supported by", "", ToolsUnsupported, Emulate, "gateway+model", "BerriAI/litellm#1827"},
	{"malformed_function_call", "", OutputRejected, Report, "request", "google-gemini/gemini-cli#12674"},
	{"unexpected_tool_call", "", OutputRejected, Report, "request", "mozilla-ai/any-llm#1202"},
}
