package profile

// estimators says by a model's name, as families has names, whose tokens its
// texts are estimated in. The longest glob that fits counts.
var estimators = []struct{ models, name string }{
	{"gpt-4", "cl100k"},
	{"gpt-4-*", "cl100k"},
	{"gpt-3.5*", "cl100k"},
	{"gpt-*", "o200k"},
	{"o1*", "o200k"},
	{"o3*", "o200k"},
	{"o4*", "o200k"},
	{"llama*", "llama3"},
	{"meta-llama*", "llama3"},
	{"hermes-3*", "llama3"},
	{"hermes-4*", "llama3"},
	{"deepseek-r1-distill-llama*", "llama3"},
	{"llama2*", "llama2"},
	{"llama-2*", "llama2"},
	{"meta-llama-2*", "llama2"},
	{"codellama*", "llama2"},
	{"phi-3*", "llama2"},
	{"phi3*", "llama2"},
	{"mistral-7b*", "llama2"},
	{"mixtral*", "llama2"},
	{"qwen*", "qwen"},
	{"qwq*", "qwen"},
	{"deepseek-r1-distill-qwen*", "qwen"},
	{"deepseek*", "deepseek"},
	{"mistral*", "mistral"},
	{"ministral*", "mistral"},
	{"devstral*", "mistral"},
	{"magistral*", "mistral"},
	{"gemma*", "gemma"},
	{"functiongemma*", "gemma"},
	{"gemini*", "gemma"},
}

// Tokens names the estimator for a model: what the configuration says, else by
// the model's name; "" for one of which nothing is known.
func (p Profile) Tokens(model string) string {
	if p.Estimator != "" {
		return p.Estimator
	}
	best, found := "", ""
	model = plainName(model)
	for _, e := range estimators {
		if len(e.models) > len(best) && Matches(e.models, model) {
			best, found = e.models, e.name
		}
	}
	return found
}
