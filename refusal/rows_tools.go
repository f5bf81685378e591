package refusal

// schemaRows: tools are taken, these schemas or names aren't.
var schemaRows = []row{
	r("invalid schema for function '<tool>'", SchemaRefused, Redialect, ScopeTools, "F050 campfirein/byterover-cli#42, F051 kevinwatt/mysql-mcp#5"),
	r("invalid_function_parameters", SchemaRefused, Redialect, ScopeTools, "nspady/google-calendar-mcp#39"),
	r("function_declarations[<index>]", SchemaRefused, Redialect, ScopeTools, "F035 pydantic/pydantic-ai#1598, F042 anomalyco/opencode#11889, F059 mcp-router/mcp-router#176"),
	r("'<tool>' functiondeclaration '", SchemaRefused, Redialect, ScopeTools, "F047 directus/mcp#8"),
	r("schema didn't specify the schema type field", SchemaRefused, Redialect, ScopeTools, "F047 directus/mcp#8"),
	r("must be specified when not using one_of, any_of or all_of", SchemaRefused, Redialect, ScopeTools, "F047 danny-avila/LibreChat#6971"),
	r("only allowed for object type", SchemaRefused, Redialect, ScopeTools, "F042 anomalyco/opencode#11889"),
	r("should be non-empty for object type", SchemaRefused, Redialect, ScopeTools, "F048 browser-use/browser-use#3786"),
	r("enum[…]: cannot be empty", SchemaRefused, Redialect, ScopeTools, "F044 anomalyco/opencode#46676, F045 router-for-me/CLIProxyAPI#4545"),
	r("is not a valid moonshot flavored json schema", SchemaRefused, Redialect, ScopeTools, "F053 MoonshotAI/kimi-cli#2531, F054 can1357/oh-my-pi#5952"),
	r("conflict in schema definitions for key", SchemaRefused, Redialect, ScopeTools, "F056 earendil-works/pi#5822"),
	r("invalid 'tools[<index>].name'", SchemaRefused, Redialect, ScopeTools, "F057 openai/codex#8174"),
	r("invalid 'tools[<index>].function.name'", SchemaRefused, Redialect, ScopeTools, "F057 openai/codex#8174"),
	r("tools.<index>.custom.input_schema", SchemaRefused, Redialect, ScopeTools, "anthropics/claude-code#5319"),
	r("input_schema does not support", SchemaRefused, Redialect, ScopeTools, "anthropics/claude-code#5319"),
	r("toolconfig.tools.<index>.toolspec.inputschema", SchemaRefused, Redialect, ScopeTools, "F065 maximhq/bifrost#1720, F066 aaif-goose/goose#5064"),
	r("failed to parse grammar", SchemaRefused, Redialect, ScopeTools, "F062 ggml-org/llama.cpp#17473"),
	r("json schema error at", SchemaRefused, Redialect, ScopeTools, "ggml-org/llama.cpp common/json-schema-to-grammar.cpp"),
}

// choiceRows: tools are taken, this tool_choice isn't.
var choiceRows = []row{
	r("support the provided 'tool_choice' value", ToolChoiceUnsupported, DropChoice, ScopeModelChoice, "F128 zed-industries/zed#36094"),
	r("does not support this tool_choice", ToolChoiceUnsupported, DropChoice, ScopeModelChoice, "F148 deepseek-ai/DeepSeek-V3#1376"),
	r("tool_choice parameter does not support being set to", ToolChoiceUnsupported, DropChoice, ScopeModelChoice, "cloudwego/eino#994"),
	r("tool_choice '…' is not supported", ToolChoiceUnsupported, DropChoice, ScopeModelChoice, "F149 deepseek-ai/DeepSeek-R1#662"),
	r("when tool_choice forces tool use", ToolChoiceUnsupported, DropChoice, ScopeModelChoice, "llm-exe/llm-exe#720"),
}

// combinationRows: tools are taken, but not beside something else. What else the
// client asked for bends to nothing, so all of them are reported.
var combinationRows = []row{
	r("tool use with function calling is unsupported", CombinationUnsupported, Report, ScopeThisRequest, "snailyp/gemini-balance#17, symfony/ai#803"),
	r("cannot be combined in the same request", CombinationUnsupported, Report, ScopeThisRequest, "lbjlaq/Antigravity-Manager#2241"),
	r("include_server_side_tool_invocations", CombinationUnsupported, Report, ScopeThisRequest, "lobehub/lobehub#13465"),
	r("multiple tools are supported only when they are all search tools", CombinationUnsupported, Report, ScopeThisRequest, "googleapis/dotnet-genai#248"),
	r("cannot be combined with tool/function calling", CombinationUnsupported, Report, ScopeThisRequest, "agno-agi/agno#1065, vercel/ai#16540"),
	r("function calling … with a response mime type", CombinationUnsupported, Report, ScopeThisRequest, "vercel/ai#16540"),
	r("function calling with a response mime type", CombinationUnsupported, Report, ScopeThisRequest, "symfony/ai#803"),
	r("cannot use custom grammar constraints with tools", CombinationUnsupported, Report, ScopeThisRequest, "ggml-org/llama.cpp tools/server"),
}

// streamRows: not while streaming, with tools or at all.
var streamRows = []row{
	r("doesn't support tool use in streaming mode", ToolsUnsupportedStreaming, Unstream, ScopeModelStream, "F136 vercel-labs/fx#900"),
	r("cannot use tools with stream", ToolsUnsupportedStreaming, Unstream, ScopeModelStream, "simonw/llm-llama-server#3, abetlen/llama-cpp-python#1883"),
	r("must be verified to stream this model", StreamingUnsupported, Unstream, ScopeModelStream, "charmbracelet/crush#1216"),
	r("'stream' does not support true", StreamingUnsupported, Unstream, ScopeModelStream, "animalnots/BetterChatGPT-PLUS#62"),
	r("'stream' is not supported for this model", StreamingUnsupported, Unstream, ScopeModelStream, "huggingface/chat-ui#296"),
	r("streaming completion is not support", StreamingUnsupported, Unstream, ScopeModelStream, "stulzq/azure-openai-proxy#63"),
}

// toolRows: no tools at all. What begins like another row and goes on stands first.
var toolRows = []row{
	r("does not support tools", ToolsUnsupported, Emulate, ScopeModel, "F124 ollama/ollama#14795, F125 louisho5/picobot#6"),
	r("no endpoints found that support tool use", ToolsUnsupported, Emulate, ScopeModel, "F127 Kilo-Org/kilocode#9006"),
	r("doesn't support tool use", ToolsUnsupported, Emulate, ScopeModel, "F137 langchain-ai/langchain-aws#447"),
	r("function calling is not enabled for", ToolsUnsupported, Emulate, ScopeModel, "F134 agno-agi/agno#3505"),
	r("using tool is not supported by this model", ToolsUnsupported, Emulate, ScopeModel, "F149 deepseek-ai/DeepSeek-R1#662"),
	r("function call is not supported for this model", ToolsUnsupported, Emulate, ScopeEndpoint, "F151 labring/FastGPT#4023"),
	r("tool calling is not supported for model", ToolsUnsupported, Emulate, ScopeEndpoint, "F152 truefoundry/models#944"),
	r("function calling is not supported by", ToolsUnsupported, Emulate, ScopeGateway, "F154 BerriAI/litellm#1827"),
	r("does not support parameters: {'tools'", ToolsUnsupported, Emulate, ScopeGateway, "F155 BerriAI/litellm#7785"),
	r("'tool calling' is not supported", ToolsUnsupported, Emulate, ScopeModel, "F142 FerroxLabs/wayland-core#54"),
	r("provider supports tool calling for this model", ToolsUnsupported, Emulate, ScopeModel, "F157 graze-social/cocore#166"),
	r("does not support more than one tool call", HistoryRejected, Reshape, ScopeThisRequest, "F149 deepseek-ai/DeepSeek-R1#662"),
	// By itself: with more words behind it, it means three other things.
	r("request included unsupported tool use", ToolsUnsupported, Emulate, ScopeModel, "F149 deepseek-ai/DeepSeek-R1#662"),
}
