package profile

import "strings"

// Thinks says what a call inside a model's thinking counts for: as configured,
// else as its family has it.
func (p Profile) Thinks(model string) Thinking {
	if p.ThinkingCalls != "" {
		return p.ThinkingCalls
	}
	return About(model).row(ThinkingField).Thinking
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
	known := About(model)
	family = known.syntax()
	if p.Syntax != "" && p.Syntax != AutoSyntax {
		names = append(names, p.Syntax)
	}
	if p.Origin == Proof || p.System == Dropped {
		return names, family
	}
	s := ServerNamed(p.Server)
	if s.Syntax != "" {
		names = append(names, s.Syntax)
	}
	if family != "" && !(known.row(SyntaxField).Special && s.Strips) {
		names = append(names, family)
	}
	return append(names, trained), family
}
