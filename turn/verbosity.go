package turn

import (
	"github.com/ferrule/ferrule/args"
	"github.com/ferrule/ferrule/profile"
)

// How small a context window is, in tokens, for a correction to say less.
const (
	terseWindow = 2 << 10
	shortWindow = 8 << 10
)

var verbosities = map[profile.Corrections]args.Verbosity{
	profile.CorrectFull:  args.Full,
	profile.CorrectShort: args.Short,
	profile.CorrectTerse: args.Terse,
}

// verbosityOf is how much a model is told of a bad call. An unknown window is
// taken for a large one.
func verbosityOf(p profile.Profile) args.Verbosity {
	if v, ok := verbosities[p.Corrections]; ok {
		return v
	}
	switch c := p.Context; {
	case c > 0 && c <= terseWindow:
		return args.Terse
	case c > 0 && c <= shortWindow:
		return args.Short
	}
	return args.Full
}
