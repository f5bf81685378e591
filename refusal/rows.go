package refusal

import "slices"

// builtIn are the rows that Ferrule brings, tried in order: what a model wrote
// before what was sent to it, missing models and schemas before tools, and what
// says more before what says less.
var builtIn = slices.Concat(
	outputRows, lengthRows, schemaRows, modelRows, serverRows, choiceRows, combinationRows, streamRows, toolRows,
	historyRows, templateRows, paramRows, accountRows,
)

// outputRows: the server couldn't read what its model wrote. Where the fault
// carries that, it is read before any row is looked at.
var outputRows = []row{
	r("parameters for tool <tool> did not match schema", OutputRejected, RetryOnce, ScopeThisRequest, "F145 HunorLaczko/ha-groq-cloud-api#20"),
	r("tool call validation failed", OutputRejected, RetryOnce, ScopeThisRequest, "F145 HunorLaczko/ha-groq-cloud-api#20"),
	r("tool_use_failed", OutputRejected, RetryOnce, ScopeThisRequest, "F143 lucagrippa/obsidian-ai-tagger#34"),
	r("failed to call a function", OutputRejected, RetryOnce, ScopeThisRequest, "F143 lucagrippa/obsidian-ai-tagger#34"),
	r("failed to parse input", OutputRejected, RetryOnce, ScopeThisRequest, "F161 pwilkin/llama.cpp#5"),
	r("error parsing tool call", OutputRejected, RetryOnce, ScopeThisRequest, "ollama/ollama#12884, ollama/ollama#17638"),
	r("unexpected_tool_call", OutputRejected, RetryOnce, ScopeThisRequest, "mozilla-ai/any-llm#1202"),
	r("malformed_function_call", OutputRejected, RetryOnce, ScopeThisRequest, "googleapis/python-genai#430"),
}

// lengthRows: too much was sent, or nothing.
var lengthRows = []row{
	r("exceed_context_size_error", ContextOverflow, Report, ScopeThisRequest, "F192 oobabooga/textgen#7257"),
	r("exceeds the available context size", ContextOverflow, Report, ScopeThisRequest, "F192 oobabooga/textgen#7257"),
	r("context_length_exceeded", ContextOverflow, Report, ScopeThisRequest, "F191 nanbingxyz/5ire#268"),
	r("maximum context length", ContextOverflow, Report, ScopeThisRequest, "F191 nanbingxyz/5ire#268, earendil-works/pi#5677"),
	r("longer than the model's context length", ContextOverflow, Report, ScopeThisRequest, "CherryHQ/cherry-studio#5538"),
	r("prompt is too long: <n>", ContextOverflow, Report, ScopeThisRequest, "anthropics/claude-code#12186"),
	r("input token count … exceeds the maximum number of tokens", ContextOverflow, Report, ScopeThisRequest, "google-gemini/gemini-cli#4692"),
	r("input is too long for requested model", ContextOverflow, Report, ScopeThisRequest, "aws-samples/bedrock-chat#95, continuedev/continue#9592"),
	r("cannot truncate prompt with n_keep", ContextOverflow, Report, ScopeThisRequest, "anomalyco/opencode#11141"),
	r("tokens when context the overflows", ContextOverflow, Report, ScopeThisRequest, "lmstudio-ai/lmstudio-bug-tracker#546"),
	r("reached context length of <n>", ContextOverflow, Report, ScopeThisRequest, "lmstudio-ai/lmstudio-bug-tracker#1251"),
	r("context size has been exceeded", ContextOverflow, Report, ScopeThisRequest, "lmstudio-ai/lmstudio-bug-tracker#2201"),
	// The same words for a prompt that is too long and for one that is empty.
	r("range of input length should be", OverflowOrHistory, Report, ScopeThisRequest, "anomalyco/opencode#45834"),
	// The question was cut off, or never stood where the template looks for it.
	r("no user query found in messages", OverflowOrHistory, Report, ScopeThisRequest, "openclaw/openclaw#51615"),
	r("invalid 'tools': array too long", TooManyTools, Report, ScopeTools, "F060 musistudio/claude-code-router#686"),
	r("may not include more than <n> tools", TooManyTools, Report, ScopeTools, "F060 musistudio/claude-code-router#686"),
}

// modelRows: there is no such model, in words that may sound like tools.
var modelRows = []row{
	r("function '…': not found for account", ModelNotFound, Report, ScopeModel, "F130 Alishahryar1/free-claude-code#956"),
	r("model '…' not found", ModelNotFound, Report, ScopeModel, "ollama/ollama#718, netease-youdao/QAnything#555"),
	r("model not found", ModelNotFound, Report, ScopeModel, "ollama/ollama#11401"),
	r("model_not_found", ModelNotFound, Report, ScopeModel, "platform.openai.com error codes"),
	r("the model '…' does not exist", ModelNotFound, Report, ScopeModel, "vllm-project/vllm#3485, continuedev/continue#11567"),
	r("is not found for api version", ModelNotFound, Report, ScopeModel, "openclaw/openclaw#14036"),
	r("is not a valid model id", ModelNotFound, Report, ScopeModel, "maxnowack/anthropic-proxy#4"),
	r("no endpoints found for <param>", ModelNotFound, Report, ScopeModel, "langgenius/dify-official-plugins#1531, infiniflow/ragflow#2359"),
	r("the provided model identifier is invalid", ModelNotFound, Report, ScopeModel, "tombii/better-ccflare#49"),
}

// serverRows: the server was started without its tools.
var serverRows = []row{
	r("requires --enable-auto-tool-choice", ServerMisconfigured, Emulate, ScopeServer, "F131 langchain4j/langchain4j#3475"),
	r("tool_choice=… requires --tool-call-parser", ServerMisconfigured, DropChoice, ScopeServer, "F133 vllm-project/vllm#55754"),
	r("requires --tool-call-parser to be set", ServerMisconfigured, Emulate, ScopeServer, "F133 vllm-project/vllm#55754"),
	r("requires --jinja flag", ServerMisconfigured, Emulate, ScopeServer, "F140 defilantech/LLMKube#126"),
}

// templateRows: the model's own template can't render the request.
var templateRows = []row{
	// A field of a tool is named like a method of the template's language.
	r("error rendering prompt with jinja template… got objectvalue", TemplateFailed, Redialect, ScopeTools, "F063 lmstudio-ai/lmstudio-bug-tracker#2180"),
	r("error rendering prompt with jinja template", TemplateFailed, Emulate, ScopeModel, "F160 lmstudio-ai/lmstudio-bug-tracker#2012"),
	r("jinja exception:", TemplateFailed, Emulate, ScopeModel, "F110 idiap/sdialog#122"),
	r("unable to generate parser for this template", TemplateFailed, Emulate, ScopeModel, "ggml-org/llama.cpp common/chat.cpp"),
}

// paramRows: a parameter isn't taken. Which one tells what to do.
var paramRows = []row{
	r("unsupported parameter(s): '<param>'", ParamUnsupported, DropParam, ScopeModelParam, "F158 Gitlawb/openclaude#1950"),
	r("unsupported parameter: '<param>'", ParamUnsupported, DropParam, ScopeModelParam, "langchain-ai/langchain#29416"),
	r("unsupported value: '<param>' does not support", ParamUnsupported, DropParam, ScopeModelParam, "langchain-ai/open-swe#628"),
	r("unrecognized request argument supplied: <param>", ParamUnsupported, DropParam, ScopeModelParam, "open-webui/open-webui#13617, openinterpreter/openinterpreter#298"),
	r("unrecognized request arguments supplied: …functions", ToolsUnsupported, Emulate, ScopeModel, "langchain-ai/langchain#8593"),
	r("unrecognized request arguments supplied: <param>", ParamUnsupported, DropParam, ScopeModelParam, "langchain-ai/langchain#8593"),
	r("unknown name '<param>' at '<param>': cannot find field", ParamUnsupported, DropParam, ScopeModelParam, "googleapis/js-genai#1746"),
	r("unknown name '<param>': cannot find field", ParamUnsupported, DropParam, ScopeModelParam, "googleapis/js-genai#1746"),
	r("extra inputs are not permitted, field: '<param>'", ParamUnsupported, DropParam, ScopeModelParam, "mitsuhiko/agent-stuff#19, earendil-works/pi#4514"),
	r("'<param>'), 'msg': 'extra inputs are not permitted'", ParamUnsupported, DropParam, ScopeModelParam, "1Panel-dev/MaxKB#2912"),
	r("body\n<param>\nextra inputs are not permitted", ParamUnsupported, DropParam, ScopeModelParam, "partITech/php-mistral#76"),
	r("<param>: extra inputs are not permitted", ParamUnsupported, DropParam, ScopeModelParam, "decolua/9router#1468, anthropics/claude-code#4378"),
	r("doesn't support the <param> field", ParamUnsupported, DropParam, ScopeModelParam, "F139 strands-agents/harness-sdk#1241"),
	r("does not support parameters: ['<param>'", ParamUnsupported, DropParam, ScopeGateway, "F155 BerriAI/litellm#7785"),
	r("does not support parameters: {'<param>'", ParamUnsupported, DropParam, ScopeGateway, "F155 BerriAI/litellm#7785"),
	r("unsupported_parameter", ParamUnsupported, DropParam, ScopeModelParam, "langchain-ai/langchain#29416"),
}

// accountRows: nothing about the request, and never healed.
var accountRows = []row{
	r("invalid_api_key", Auth, Report, ScopeThisRequest, "platform.openai.com error codes"),
	r("incorrect api key provided", Auth, Report, ScopeThisRequest, "platform.openai.com error codes"),
	r("authentication_error", Auth, Report, ScopeThisRequest, "docs.anthropic.com errors"),
	r("api key not valid", Auth, Report, ScopeThisRequest, "ai.google.dev troubleshooting"),
	r("rate_limit_exceeded", RateLimited, Report, ScopeThisRequest, "platform.openai.com error codes"),
	r("rate_limit_error", RateLimited, Report, ScopeThisRequest, "docs.anthropic.com errors"),
	r("resource has been exhausted", RateLimited, Report, ScopeThisRequest, "google-gemini/gemini-cli#1844"),
	r("resource_exhausted", RateLimited, Report, ScopeThisRequest, "google-gemini/gemini-cli#14831"),
	r("insufficient_quota", RateLimited, Report, ScopeThisRequest, "platform.openai.com error codes"),
	r("overloaded_error", UpstreamTransient, Report, ScopeThisRequest, "anthropics/anthropic-sdk-typescript#616"),
	r("model is overloaded", UpstreamTransient, Report, ScopeThisRequest, "google-gemini/gemini-cli#7392"),
	r("currently overloaded with other requests", UpstreamTransient, Report, ScopeThisRequest, "agi-merge/waggle-dance#53"),
	r("provider_unavailable", UpstreamTransient, Report, ScopeThisRequest, "F086 diegosouzapw/OmniRoute#8210"),
	r("request limit reached", UpstreamTransient, Report, ScopeThisRequest, "F086 diegosouzapw/OmniRoute#8210"),
}
