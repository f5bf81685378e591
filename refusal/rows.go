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

// tools reports whether a row tells of tools: then it is none for a request
// without them.
func (r row) tools() bool {
	switch r.class {
	case ContextOverflow, OverflowOrHistory, ModelNotFound, StreamingUnsupported, HistoryRejected:
		return false
	}
	return true
}

// rows are tried in order: what tells of schemas stands before what tells of
// tools, and what begins like another row and goes on stands first.
var rows = []row{
	{"function_declarations[", "", SchemaRefused, Redialect, "toolset", "pydantic/pydantic-ai#1598, mcp-router/mcp-router#176"},
	{"]: cannot be empty", "", SchemaRefused, Redialect, "toolset", "anomalyco/opencode#46676, router-for-me/CLIProxyAPI#4545"},
	{"should be non-empty for object type", "", SchemaRefused, Redialect, "toolset", "browser-use/browser-use#3786"},
	{"schema didn't specify the schema type field", "", SchemaRefused, Redialect, "toolset", "directus/mcp#8"},
	{"not a valid moonshot flavored json schema", "", SchemaRefused, Redialect, "toolset", "MoonshotAI/kimi-cli#2531"},
	{"conflict in schema definitions for key", "", SchemaRefused, Redialect, "toolset", "earendil-works/pi#5822"},
	{"tools.function.parameters", "", SchemaRefused, Redialect, "toolset", "14790897/MiqroForge-Desktop#1165"},
	{"invalid schema for function", "", SchemaRefused, Redialect, "toolset", "campfirein/byterover-cli#42"},
	{"input_schema does not support oneof, allof, or anyof at the top level", "", SchemaRefused, Redialect, "toolset", "anthropics/claude-code#5878"},
	{"input_schema: json schema is invalid", "", SchemaRefused, Redialect, "toolset", "anthropics/claude-code#63673"},
	{".toolspec.inputschema", "", SchemaRefused, Redialect, "toolset", "aaif-goose/goose#5064, maximhq/bifrost#1720"},
	{"failed to parse grammar", "", SchemaRefused, Redialect, "toolset", "ggml-org/llama.cpp#17473"},
	{"error parsing grammar", "", SchemaRefused, Redialect, "toolset", "ggml-org/llama.cpp#17473"},
	{"json schema conversion failed", "", SchemaRefused, Redialect, "toolset", "ggml-org/llama.cpp#26930"},
	{"string does not match pattern. expected a string that matches the pattern '^[a-za-z0-9_-]+$'", "", SchemaRefused, Redialect, "toolset", "openai/codex#8174"},
	{"invalid 'tools': array too long", "", TooManyTools, Report, "request", "musistudio/claude-code-router#686"},

	{"maximum context length", "", ContextOverflow, Report, "request", "nanbingxyz/5ire#268"},
	{"exceed_context_size_error", "", ContextOverflow, Report, "request", "oobabooga/textgen#7257"},
	{"exceeds the available context size", "", ContextOverflow, Report, "request", "oobabooga/textgen#7257"},
	{"not found for account", "", ModelNotFound, Report, "request", "Alishahryar1/free-claude-code#956"},

	{"doesn't support tool use in streaming mode", "", ToolsUnsupportedStreaming, Unstream, "model+stream", "vercel-labs/fx#900"},
	{"'stream' does not support true", "", StreamingUnsupported, Unstream, "model+stream", "github/gh-models#31"},

	{"support the provided 'tool_choice' value", "", ToolChoiceUnsupported, DropChoice, "model+tool_choice", "zed-industries/zed#36094"},
	{"does not support this tool_choice", "", ToolChoiceUnsupported, DropChoice, "model+tool_choice", "deepseek-ai/DeepSeek-V3#1376"},
	{"doesn't support the toolconfig.toolchoice", "", ToolChoiceUnsupported, DropChoice, "model+tool_choice", "strands-agents/harness-sdk#1241"},
	{"unsupported parameter(s):", "", ParamUnsupported, DropParam, "model+param", "Gitlawb/openclaude#1950"},

	{"requires --enable-auto-tool-choice", "", ServerMisconfigured, Emulate, "server", "langchain4j/langchain4j#3475"},
	{"requires --tool-call-parser to be set", "", ServerMisconfigured, Emulate, "server", "vllm-project/vllm#55754"},
	{"requires --jinja flag", "", ServerMisconfigured, Emulate, "server", "defilantech/LLMKube#126"},
	{"error rendering prompt with jinja template", "", TemplateFailed, Emulate, "model", "lmstudio-ai/lmstudio-bug-tracker#2012"},

	{"does not support tools", "failed to parse input", ToolsUnsupported, Emulate, "model", "ollama/ollama#14795, louisho5/picobot#6"},
	{"no endpoints found that support tool use", "", ToolsUnsupported, Emulate, "model", "Kilo-Org/kilocode#9006"},
	{"doesn't support tool use", "in streaming mode", ToolsUnsupported, Emulate, "model", "langchain-ai/langchain-aws#447"},
	{"function calling is not enabled for", "", ToolsUnsupported, Emulate, "model", "agno-agi/agno#3505"},
	{"using tool is not supported by this model", "", ToolsUnsupported, Emulate, "model", "deepseek-ai/DeepSeek-R1#662"},
	{"function call is not supported for this model", "", ToolsUnsupported, Emulate, "endpoint+model", "labring/FastGPT#4023"},
	{"tool calling is not supported for model", "", ToolsUnsupported, Emulate, "endpoint+model", "truefoundry/models#944"},
	{"function calling is not supported by", "", ToolsUnsupported, Emulate, "gateway+model", "BerriAI/litellm#1827"},
	{"'tool calling' is not supported", "", ToolsUnsupported, Emulate, "model", "FerroxLabs/wayland-core#54"},
	{"does not support parameters: {'tools'", "", ToolsUnsupported, Emulate, "gateway+model", "BerriAI/litellm#7785"},
	{"no connected provider supports tool calling for this model", "", ToolsUnsupported, Emulate, "model", "graze-social/cocore#166"},

	{"unexpected role 'user' after role 'tool'", "", HistoryRejected, Reshape, "model", "F103"},
	{"0-9, with a length of 9", "", HistoryRejected, Reshape, "model", "F104"},
	{"responding to each 'tool_call_id'", "", HistoryRejected, Reshape, "request", "F106"},
	{"unexpected 'tool_use_id' found in 'tool_result' blocks", "", HistoryRejected, Reshape, "request", "F107"},
	{"no tool call found for function call output", "", HistoryRejected, Reshape, "request", "earendil-works/pi#4570"},
	{"function call turn comes immediately after a user turn", "", HistoryRejected, Reshape, "request", "F109"},
	{"roles must alternate user", "", HistoryRejected, Reshape, "model", "F110"},
	{"only supports single tool-calls at once", "", HistoryRejected, Reshape, "model", "F112"},
	{"multiple tool calls are not supported", "", HistoryRejected, Reshape, "model", "natefleming/dao-ai#94"},
	{"image urls are only allowed for messages with role 'user'", "", HistoryRejected, Reshape, "model", "F113"},
	{"toolconfig field must be defined when using tooluse", "", HistoryRejected, Reshape, "request", "F118"},
	{"conversation blocks and tool result blocks cannot be provided in the same turn", "", HistoryRejected, Reshape, "model", "F122"},
	{"requested tool does not exist", "", HistoryRejected, Report, "request", "BerriAI/litellm#11001"},
	{"failed to call a function. please adjust your prompt", "", OutputRejected, RetryOnce, "request", "lucagrippa/obsidian-ai-tagger#34"},
	{"tool call validation failed", "", OutputRejected, RetryOnce, "request", "HunorLaczko/ha-groq-cloud-api#20"},
	{"failed to parse input at pos", "", OutputRejected, RetryOnce, "request", "pwilkin/llama.cpp#5"},
	{"malformed_function_call", "", OutputRejected, RetryOnce, "request", "google-gemini/gemini-cli#12674"},
	{"unexpected_tool_call", "", OutputRejected, RetryOnce, "request", "mozilla-ai/any-llm#1202"},
}
