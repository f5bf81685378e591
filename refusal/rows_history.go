package refusal

// historyRows: the transcript isn't in the form that the model's template or
// the API takes. The texts are deterministic: the same again is refused again.
var historyRows = []row{
	r("unexpected role '…' after role '", HistoryRejected, Reshape, ScopeThisRequest, "F103 zed-industries/zed#37021"),
	r("invalid_request_message_order", HistoryRejected, Reshape, ScopeThisRequest, "F103 zed-industries/zed#37021"),
	r("tool call id was … but must be", HistoryRejected, Reshape, ScopeThisRequest, "F104 anomalyco/opencode#1680"),
	r("must be followed by tool messages", HistoryRejected, Reshape, ScopeThisRequest, "F106 gptme/gptme#3421"),
	r("must be a response to a preceding message with 'tool_calls'", HistoryRejected, Reshape, ScopeThisRequest, "autohandai/code-cli#250"),
	r("unexpected 'tool_use_id' found in", HistoryRejected, Reshape, ScopeThisRequest, "F107 datakurre/graph-agent#85"),
	r("must have a corresponding 'tool_use' block", HistoryRejected, Reshape, ScopeThisRequest, "F107 datakurre/graph-agent#85"),
	r("no tool call found for function call output", HistoryRejected, Reshape, ScopeThisRequest, "F107 earendil-works/pi#4570"),
	r("function call turn comes immediately after", HistoryRejected, Reshape, ScopeThisRequest, "F109 diegosouzapw/OmniRoute#13573"),
	r("conversation roles must alternate", HistoryRejected, Reshape, ScopeThisRequest, "F110 idiap/sdialog#122"),
	r("only supports single tool-calls at once", HistoryRejected, Reshape, ScopeThisRequest, "F112 unslothai/unsloth#7426"),
	r("multiple tool calls are not supported", HistoryRejected, Reshape, ScopeThisRequest, "F112 natefleming/dao-ai#94"),
	r("image urls are only allowed for messages with role", HistoryRejected, Reshape, ScopeThisRequest, "F113 QwenLM/qwen-code#3616"),
	r("invalid 'messages' in payload", HistoryRejected, Reshape, ScopeThisRequest, "F113 QwenLM/qwen-code#3616"),
	r("missing a thought_signature", HistoryRejected, Reshape, ScopeThisRequest, "F115 Gitlawb/openclaude#76"),
	r("in the thinking mode must be passed back", HistoryRejected, Reshape, ScopeThisRequest, "F116 earendil-works/pi#3636"),
	r("missing 'reasoning_content' field", HistoryRejected, Reshape, ScopeThisRequest, "F116 earendil-works/pi#3636"),
	r("toolconfig field must be defined when using tooluse", HistoryRejected, Reshape, ScopeThisRequest, "F118 langgenius/dify#17545"),
	r("messages.tool_calls.function.arguments of type", HistoryRejected, Reshape, ScopeThisRequest, "F119 neuron-core/neuron-ai#219"),
	r("of type api.toolcallfunctionarguments", HistoryRejected, Reshape, ScopeThisRequest, "F119 neuron-core/neuron-ai#219"),
	r("value looks like object, but can't find closing", HistoryRejected, Reshape, ScopeThisRequest, "F119 openclaw/openclaw#50749"),
	r("toolresult.content.<n>.json is invalid", HistoryRejected, Reshape, ScopeThisRequest, "F121 sigoden/aichat#1542"),
	r("tool result blocks cannot be provided in the same turn", HistoryRejected, Reshape, ScopeThisRequest, "F122 browser-use/browser-use#710"),
	r("requested tool does not exist", HistoryRejected, Reshape, ScopeThisRequest, "F146 BerriAI/litellm#11001"),
	r("messages must have non-empty content", HistoryRejected, Reshape, ScopeThisRequest, "anthropics/claude-code#6774"),
	r("contents is required", HistoryRejected, Reshape, ScopeThisRequest, "QuantumNous/new-api#3509"),
	r("contents are required", HistoryRejected, Reshape, ScopeThisRequest, "QuantumNous/new-api#3509"),
}
