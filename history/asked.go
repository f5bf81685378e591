package history

import (
	"strings"

	"github.com/ferrule/ferrule/chat"
)

// maxSaid is how much of an upstream's answer is looked at, in bytes.
const maxSaid = 64 << 10

// asks is a sentence of a refusal and the rules that it asks for. match and not
// are in the form that letters gives texts: lower case, no quotes of any kind,
// single spaces.
type asks struct {
	match  string
	not    string // "": nothing rules it out
	rules  Rules
	source string
}

var asked = []asks{
	{"unexpected role user after role tool", "", BridgeResults, "F103 zed-industries/zed#37021"},
	{"unexpected role system", "", SystemFirst, "swarmauri/swarmauri-sdk#162, Maol-1997/cursor-claude-connector#3"},
	{"unexpected role user after role user", "", Alternate, "Mistral API"},
	{"unexpected role assistant after role assistant", "", Alternate, "Mistral API"},
	{"unexpected role tool after role", "", Paired, "Mistral API"},
	{"0-9, with a length of 9", "", IDsNine, "F104 anomalyco/opencode#1680"},
	{"must be followed by tool messages", "", Paired | SystemFirst, "F106 gptme/gptme#3421"},
	{"must be a response to a prece", "", Paired, "autohandai/code-cli#250"},
	{"tool_use ids were found without tool_result blocks", "", Paired, "MoonshotAI/kosong#45"},
	{"unexpected tool_use_id found in tool_result blocks", "", Paired, "F107 datakurre/graph-agent#85"},
	{"no tool call found for function call output", "", Paired, "F107 earendil-works/pi#4570"},
	{"function call turn comes immediately after a user turn", "", Paired | Alternate, "F109 diegosouzapw/OmniRoute#13573"},
	{"number of function response parts", "", Paired, "google-gemini/gemini-cli#24904"},
	{"first message must use the user role", "", LeadingUser, "Anthropic API"},
	{"no user query found in messages", "", LeadingUser, "openclaw/openclaw#51615"},
	{"roles must alternate between user and assistant", "", Alternate, "Anthropic API"},
	{"conversation roles must alternate", "after the optional system message", Alternate | NoToolRole | NoSystem, "F110 idiap/sdialog#122, EricLBuehler/mistral.rs#45"},
	{"after the optional system message, conversation roles must alternate", "", Alternate | NoToolRole, "F110 idiap/sdialog#122"},
	{"only user and assistant roles are supported", "", NoSystem | NoToolRole, "mlc-ai/mlc-llm#1681"},
	{"system role not supported", "", NoSystem, "sgl-project/sglang#1342"},
	{"system message must be at the beginning", "", OneSystem, "moltis-org/moltis#317"},
	{"supports single tool-calls at once", "", OneCall, "F112 unslothai/unsloth#7426"},
	{"multiple tool calls are not supported", "", OneCall, "F112 natefleming/dao-ai#94"},
	{"does not support more than one tool call at this time", "", OneCall, "F149 deepseek-ai/DeepSeek-R1#662"},
	{"image urls are only allowed for messages with role user", "", NoPicturesInResults, "F113 QwenLM/qwen-code#3616"},
	{"invalid messages in payload", "", NoPicturesInResults, "F113 QwenLM/qwen-code#3616"},
	{"missing a thought_signature", "", SignaturesBack, "F115 Gitlawb/openclaude#76"},
	{"in the thinking mode must be passed back", "", ReasoningBack, "F116 earendil-works/pi#3636"},
	{"missing reasoning_content field", "", ReasoningBack, "F116 earendil-works/pi#3636"},
	{"reasoning is not supported with this model", "", NoReasoning, "vercel/ai#8056"},
	{"property reasoning_content is unsupported", "", NoReasoning, "janhq/jan#8136, tashfeenahmed/freellmapi#1070"},
	{"toolconfig field must be defined when using tooluse", "", NoCallsWithoutTools, "F118 langgenius/dify#17545"},
	{"requested tool does not exist", "", OnlyOfferedCalls, "F146 BerriAI/litellm#11001"},
	{"tool_calls.function.arguments of type", "", ArgumentsObject | ToolNames, "F119 neuron-core/neuron-ai#219"},
	{"of type api.toolcallfunctionarguments", "", ArgumentsObject | ToolNames, "F119 neuron-core/neuron-ai#219"},
	{"value looks like object, but cant find closing", "", StubArguments, "F119 openclaw/openclaw#50749"},
	{"failed to parse tool call arguments as json", "", StubArguments, "ggml-org/llama.cpp#25510"},
	{"function.arguments: expected a string, but got an object", "", ArgumentsString, "OpenAI API"},
	{"tool result blocks cannot be provided in the same turn", "", BridgeResults, "F122 browser-use/browser-use#710"},
	{"messages must have non-empty content", "", NoEmpty, "anthropics/claude-code#6774"},
	{"text content blocks must be non-empty", "", NoEmpty, "Anthropic API"},
	{"text content blocks must contain non-whitespace text", "", NoEmpty, "Anthropic API"},
	{"the text field in the contentblock object", "", NoEmpty, "Bedrock Converse"},
	{"must have either content or tool_calls", "", NoEmpty, "OpenHands/OpenHands#8685"},
	{"tool_use.id: string should match pattern", "", IDsPlain, "maximhq/bifrost#5097"},
	{"tool_use_id: string should match pattern", "", IDsPlain, "maximhq/bifrost#5097"},
	{"tool_use ids must be unique", "", IDsPlain, "Anthropic API"},
	{"].id: string too long", "", IDsPlain, "Portkey-AI/gateway#1062, langmanus/langmanus#119"},
	{"tool_call_id: string too long", "", IDsPlain, "Portkey-AI/gateway#1062"},
	{"tooluse.tooluseid failed to satisfy constraint", "", IDsPlain, "Bedrock Converse"},
	{"function_response.name: name cannot be empty", "", NameResults, "router-for-me/CLIProxyAPI#1903"},
}

// Asked returns the rules that a refusal's text asks for, 0 where it asks for
// none that there is. It is for faults that are about the history: another's
// text may well repeat such a sentence out of the request.
func Asked(f *chat.Fault) Rules {
	if f == nil {
		return 0
	}
	said := f.Text
	if f.Wire != nil {
		said += "\n" + string(f.Wire.Body[:min(len(f.Wire.Body), maxSaid)])
	}
	said = letters(said)
	var rules Rules
	for i := range asked {
		a := &asked[i]
		if strings.Contains(said, a.match) && (a.not == "" || !strings.Contains(said, a.not)) {
			rules |= a.rules
		}
	}
	return rules
}

// letters puts a text into the form in which the rows are written. Quotes and
// backslashes go, so that JSON need not be told from plain text.
func letters(s string) string {
	s = strings.NewReplacer(`\n`, " ", `\t`, " ", `\`, "", `"`, "", "'", "", "`", "", "’", "", "‘", "", "“", "", "”", "").Replace(strings.ToLower(s))
	return strings.Join(strings.Fields(s), " ")
}
