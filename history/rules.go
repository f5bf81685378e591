package history

import (
	"fmt"
	"strings"
)

// Rules is a set of rules. Its zero value asks for nothing.
type Rules uint32

// The rules, in the order in which the table has them.
const (
	NoSystem Rules = 1 << iota
	SystemFirst
	OneSystem
	DropOrphans
	ResultsFirst
	AnswerCalls
	OneCall
	NoCallsWithoutTools
	OnlyOfferedCalls
	NoToolRole
	StubArguments
	ArgumentsObject
	ArgumentsString
	IDsNine
	IDsToolu
	IDsFunctions
	IDsPlain
	NameResults
	ToolNames
	NoPicturesInResults
	NoEmpty
	BridgeResults
	Alternate
	LeadingUser
	NoReasoning
	ReasoningBack
	SignaturesBack
)

// Paired is what every provider with a tools API asks for: each call has its
// result, right behind it, and each result its call.
const Paired = DropOrphans | ResultsFirst | AnswerCalls

// Passing is what a refusal asks for since something is odd about the one
// transcript that met it, not since the model takes no other.
const Passing = Paired | OnlyOfferedCalls | StubArguments

// row is one rewrite: what switches it on, what it does, why, and where that
// was learned.
type row struct {
	rule    Rules
	name    string
	implies Rules
	rewrite func(*talk)
	source  string
}

// table is gone through in order. Rewrites that make messages of parts stand
// before those that look at messages alone; ids stand behind whatever adds or
// takes away calls.
var table = []row{
	{NoSystem, "no-system", SystemFirst, (*talk).foldSystem, "sgl-project/sglang#1342"},
	{SystemFirst, "system-first", 0, (*talk).systemFirst, "F106 gptme/gptme#3421, swarmauri/swarmauri-sdk#162"},
	{OneSystem, "one-system", SystemFirst, (*talk).oneSystem, "moltis-org/moltis#317"},
	{DropOrphans, "drop-orphans", 0, (*talk).dropOrphans, "F107 datakurre/graph-agent#85"},
	{ResultsFirst, "results-first", 0, (*talk).resultsFirst, "F106 gptme/gptme#3421"},
	{AnswerCalls, "answer-calls", 0, (*talk).answerCalls, "MoonshotAI/kosong#45"},
	{OneCall, "one-call", ResultsFirst | AnswerCalls, (*talk).splitCalls, "F112 unslothai/unsloth#7426"},
	{NoCallsWithoutTools, "no-calls-without-tools", Paired, (*talk).callsNeedTools, "F118 langgenius/dify#17545"},
	{OnlyOfferedCalls, "only-offered-calls", Paired, (*talk).callsOffered, "F146 BerriAI/litellm#11001"},
	{NoToolRole, "no-tool-role", Paired, (*talk).noToolRole, "F110 idiap/sdialog#122"},
	{StubArguments, "stub-arguments", 0, (*talk).stubArguments, "ggml-org/llama.cpp#25510"},
	{ArgumentsObject, "arguments-object", StubArguments, (*talk).argumentsObject, "F119 neuron-core/neuron-ai#219"},
	{ArgumentsString, "arguments-string", 0, (*talk).argumentsString, "OpenAI Chat Completions reference"},
	{IDsNine, "ids-nine", 0, mapIDs(nineForm), "F104 anomalyco/opencode#1680"},
	{IDsToolu, "ids-toolu", 0, mapIDs(tooluForm), "maximhq/bifrost#5097"},
	{IDsFunctions, "ids-functions", 0, mapIDs(functionsForm), "ml-explore/mlx-lm#821, vybestack/llxprt-code#713"},
	{IDsPlain, "ids-plain", 0, mapIDs(plainForm), "maximhq/bifrost#5097, Portkey-AI/gateway#1062"},
	{NameResults, "name-results", 0, nameResults(wireName), "router-for-me/CLIProxyAPI#1903, ollama/ollama#14214"},
	{ToolNames, "tool-names", 0, nameResults(wireToolName), "F119 neuron-core/neuron-ai#219"},
	{NoPicturesInResults, "no-pictures-in-results", 0, (*talk).picturesOut, "F113 QwenLM/qwen-code#3616"},
	{NoEmpty, "no-empty", 0, (*talk).noEmpty, "anthropics/claude-code#6774"},
	{BridgeResults, "bridge-results", ResultsFirst, (*talk).bridgeResults, "F103 zed-industries/zed#37021, F122 browser-use/browser-use#710"},
	{Alternate, "alternate", SystemFirst | LeadingUser, (*talk).alternate, "F110 idiap/sdialog#122"},
	{LeadingUser, "leading-user", 0, (*talk).leadingUser, "F109 diegosouzapw/OmniRoute#13573"},
	{NoReasoning, "no-reasoning", 0, (*talk).noReasoning, "janhq/jan#8136, tashfeenahmed/freellmapi#1070"},
	{ReasoningBack, "reasoning-back", 0, (*talk).reasoningBack, "F116 earendil-works/pi#3636"},
	{SignaturesBack, "signatures-back", 0, (*talk).signaturesBack, "F115 Gitlawb/openclaude#76"},
}

// rivals are rules that ask for opposite things. Of each set the first that is
// on counts, so that no two undo each other's work for ever.
var rivals = [][]Rules{
	{IDsNine, IDsToolu, IDsFunctions, IDsPlain},
	{ArgumentsObject, ArgumentsString},
	{NoReasoning, ReasoningBack},
}

// whole returns the rules with what they imply, less the rivals that lose.
func (r Rules) whole() Rules {
	for before := Rules(0); r != before; {
		before = r
		for i := range table {
			if r&table[i].rule != 0 {
				r |= table[i].implies
			}
		}
	}
	for _, set := range rivals {
		won := false
		for _, rule := range set {
			if won {
				r &^= rule
			}
			won = won || r&rule != 0
		}
	}
	return r
}

// Has reports whether all of the other rules are among these, said or implied.
func (r Rules) Has(other Rules) bool { return r.whole()&other == other }

// String returns the names, separated by commas, as Parse reads them.
func (r Rules) String() string {
	var names []string
	for i := range table {
		if r&table[i].rule != 0 {
			names = append(names, table[i].name)
		}
	}
	return strings.Join(names, ",")
}

// Parse reads names of flavours and of rules, separated by commas or spaces.
// No name at all asks for nothing.
func Parse(text string) (Rules, error) {
	var rules Rules
	for _, name := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' }) {
		r, ok := named(name)
		if !ok {
			return 0, fmt.Errorf("there is no history flavour or rule %.64q; the flavours are %s; the rules are %s",
				name, strings.Join(Flavours(), ", "), strings.Join(Names(), ", "))
		}
		rules |= r
	}
	return rules, nil
}

func named(name string) (Rules, bool) {
	for _, f := range flavours {
		if f.name == name {
			return f.rules, true
		}
	}
	for i := range table {
		if table[i].name == name {
			return table[i].rule, true
		}
	}
	return 0, false
}

// Names lists the rules in the order of the table.
func Names() []string {
	out := make([]string, len(table))
	for i := range table {
		out[i] = table[i].name
	}
	return out
}

// Source says where a rule was learned: an id of the field log, a report, a
// reference; "" for a rule that there isn't.
func Source(name string) string {
	for i := range table {
		if table[i].name == name {
			return table[i].source
		}
	}
	return ""
}

// nameOf returns the name of one rule.
func nameOf(r Rules) string { return r.String() }
