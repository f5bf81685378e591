package profile

import "strings"

// family is which syntax the models are trained on whose names fit a glob.
type family struct {
	models string
	name   string   // of a syntax, or of a family of models that one is read for
	tokens bool     // its markers are special tokens
	thinks Thinking // what a call inside its thinking counts for; "": not known
}

// families is asked for the longest glob that fits. Names are in lower case,
// without what stands before the last slash and behind a colon.
var families = []family{
	{models: "qwen*", name: "hermes", thinks: ThinkingEnds},
	{models: "qwq*", name: "hermes", thinks: ThinkingEnds},
	{models: "qwen3-coder*", name: "qwen-coder", thinks: ThinkingEnds},
	{models: "qwen3.5*", name: "qwen-coder", thinks: ThinkingEnds},
	{models: "qwen3.6*", name: "qwen-coder", thinks: ThinkingEnds},
	{models: "nemotron-3*", name: "qwen-coder"},
	{models: "nvidia-nemotron-3*", name: "qwen-coder"},
	{models: "step-3.5*", name: "qwen-coder"},
	{models: "mimo-v2*", name: "qwen-coder"},
	{models: "k-exaone*", name: "qwen-coder"},
	{models: "hermes*", name: "hermes"},
	{models: "nous-hermes*", name: "hermes"},
	{models: "deephermes*", name: "hermes"},
	{models: "granite-4*", name: "hermes"},
	{models: "granite4*", name: "hermes"},
	{models: "smollm3*", name: "hermes"},
	{models: "mimo-vl*", name: "hermes"},
	{models: "ernie-4.5*", name: "hermes"},
	{models: "glm-4-9b*", name: "hermes"},
	{models: "llama-3*", name: "llama"},
	{models: "llama3*", name: "llama"},
	{models: "meta-llama-3*", name: "llama"},
	{models: "llama-4*", name: "pythonic"},
	{models: "llama4*", name: "pythonic"},
	{models: "toolace*", name: "pythonic"},
	{models: "watt-tool*", name: "pythonic"},
	{models: "xlam*", name: "json"},
	{models: "hammer*", name: "json"},
	{models: "mistral*", name: "mistral", tokens: true},
	{models: "ministral*", name: "mistral", tokens: true},
	{models: "devstral*", name: "mistral", tokens: true},
	{models: "magistral*", name: "mistral", tokens: true},
	{models: "codestral*", name: "mistral", tokens: true},
	{models: "deepseek-v3*", name: "deepseek", tokens: true},
	{models: "deepseek-r1*", name: "deepseek", tokens: true},
	{models: "deepseek-r1-distill*"}, // of other families, and trained on none
	{models: "cogito*", name: "deepseek", tokens: true},
	{models: "deepseek-v3.2*", name: "deepseek-dsml", tokens: true},
	{models: "deepseek-v4*", name: "deepseek-dsml", tokens: true},
	{models: "deepseek-chat*", name: "deepseek-dsml", tokens: true},
	{models: "deepseek-reasoner*", name: "deepseek-dsml", tokens: true},
	{models: "kimi*", name: "kimi", tokens: true, thinks: ThinkingEnds},
	{models: "glm-4.5*", name: "glm"},
	{models: "glm-4.6*", name: "glm"},
	{models: "glm-4.7*", name: "glm"},
	{models: "glm-5*", name: "glm"},
	{models: "laguna*", name: "laguna-arg-key"},
	{models: "gemma-4*", name: "gemma", tokens: true},
	{models: "gemma4*", name: "gemma", tokens: true},
	{models: "minimax-m1*", name: "minimax-m1", thinks: ThinkingNever},
	{models: "minimax-m2*", name: "minimax"},
	{models: "minimax-m3*", name: "minimax-m3", tokens: true},
	{models: "gpt-oss*", name: "harmony", tokens: true},
	{models: "granite-3*", name: "granite", tokens: true},
	{models: "granite3*", name: "granite", tokens: true},
	{models: "command-r*", name: "cohere-action", tokens: true},
	{models: "command-a*", name: "cohere-action", tokens: true},
	{models: "c4ai-command*", name: "cohere-action", tokens: true},
	{models: "phi-4-mini*", name: "phi4-mini"},
	{models: "phi4-mini*", name: "phi4-mini"},
	{models: "firefunction*", name: "firefunction"},
	{models: "internlm*", name: "internlm2", tokens: true},
	{models: "intern-s1*", name: "internlm2", tokens: true},
	{models: "apertus*", name: "apertus", tokens: true},
	{models: "gigachat3*", name: "gigachat3", tokens: true},
	{models: "nvidia-nemotron-nano*v2*", name: "nemotron-toolcall"},
	{models: "step-3*", name: "step3", tokens: true},
	{models: "step3*", name: "step3", tokens: true},
	{models: "seed-oss*", name: "seed-oss-xml", tokens: true},
	{models: "lfm2*", name: "lfm2", tokens: true},
	{models: "olmo-3*", name: "olmo3"},
	{models: "olmo3*", name: "olmo3"},
	{models: "hunyuan-a13b*", name: "hunyuan-a13b", thinks: ThinkingNever},
	{models: "jamba*", name: "jamba"},
	{models: "apriel*", name: "apriel"},
	{models: "solar-open*", name: "solar-open", tokens: true},
	{models: "minicpm5*", name: "minicpm5"},
}

// familyOf returns the family of a model by its name.
func familyOf(model string) (best family) {
	model = plainName(model)
	for _, f := range families {
		if len(f.models) > len(best.models) && Matches(f.models, model) {
			best = f
		}
	}
	return best
}

// Thinks says what a call inside a model's thinking counts for: as configured,
// else as its family has it (llama.cpp's and Ollama's parsers for Qwen, vLLM's
// for Kimi, MiniMax-M1 and Hunyuan).
func (p Profile) Thinks(model string) Thinking {
	if p.ThinkingCalls != "" {
		return p.ThinkingCalls
	}
	return familyOf(model).thinks
}

// plainName is a model's name as the tables have names.
func plainName(model string) string {
	model = strings.ToLower(model)
	model = model[strings.LastIndexAny(model, `/\`)+1:]
	model, _, _ = strings.Cut(model, ":")
	return model
}

// AutoSyntax is what a configuration says for the rule that Asked follows.
const AutoSyntax = "auto"

// Asked says how a model is asked to write its calls: names of syntaxes or of
// families, of which the first counts that can be asked for; none means the
// syntax that needs the least of the endpoint, or proves where a call is from.
// family is whose own forms are read beside it; "" where that isn't known.
func (p Profile) Asked(model string) (names []string, family string) {
	f := familyOf(model)
	if p.Syntax != "" && p.Syntax != AutoSyntax {
		names = append(names, p.Syntax)
	}
	if p.Origin == Proof || p.System == Dropped {
		return names, f.name
	}
	s := ServerNamed(p.Server)
	if s.Syntax != "" {
		names = append(names, s.Syntax)
	}
	if f.name != "" && !(f.tokens && s.Strips) {
		names = append(names, f.name)
	}
	return append(names, trained), f.name
}
