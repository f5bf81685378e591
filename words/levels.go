package words

import (
	"fmt"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/schema"
	"github.com/ferrule/ferrule/tokens"
)

// Level is how much a contract tells of the tools.
type Level uint8

const (
	LevelFull  Level = iota // what the client sent
	LevelShort              // of each description the first sentence
	LevelNames              // names and arguments
	levels
)

// levelRows lists the levels: a contract on one may take this much of the
// context window, in hundredths.
var levelRows = [levels]struct {
	name  string
	share int
}{
	LevelFull:  {"full", 15},
	LevelShort: {"short", 25},
	LevelNames: {"names", 40},
}

func (l Level) String() string { return levelRows[l].name }

// Levels lists them all, the one that tells most first.
func Levels() []Level { return []Level{LevelFull, LevelShort, LevelNames} }

// LevelNamed finds a level by its name.
func LevelNamed(name string) (Level, bool) {
	for _, l := range Levels() {
		if l.String() == name {
			return l, true
		}
	}
	return 0, false
}

// fits reports whether a contract of so many tokens may stand in a window.
func (l Level) fits(size, window int) bool {
	return int64(size)*100 <= int64(window)*int64(levelRows[l].share)
}

// Sizes are the estimated tokens of a contract on each level.
type Sizes [levels]int

// TooLargeError says that the tools leave no room in the window on any level.
type TooLargeError struct {
	Sizes  Sizes
	Window int // tokens
	Tools  int // how many there are
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%d tools take about %d tokens of a context window of %d (%d with first sentences only, %d with names and arguments only); at most %d %% may go to them, so that there is room to work",
		e.Tools, e.Sizes[LevelFull], e.Window, e.Sizes[LevelShort], e.Sizes[LevelNames], levelRows[LevelNames].share)
}

// Contract is the text that tells a model of all of these tools and how to call
// them, on a level. Hosted tools aren't told of.
func Contract(s Syntax, tools []chat.Tool, l Level, parallel bool) string {
	return l.contract(s, tools, Docs{Toolset: Toolset(tools), Parallel: parallel})
}

func (l Level) contract(s Syntax, tools []chat.Tool, d Docs) string {
	for _, t := range tools {
		if t.Kind != chat.ToolHosted {
			d.Tools = append(d.Tools, l.Brief(t))
		}
	}
	return string(s.WriteContract(nil, d))
}

// Fit returns the level on which the contract of these tools fits a context
// window, in tokens; 0 for one that isn't known, in which everything fits. It
// depends on nothing of the conversation, so that it is the same in all its
// turns. The sizes are those of the levels that were looked at. The error is a
// *TooLargeError.
func Fit(s Syntax, tools []chat.Tool, window int, e tokens.Estimator) (Level, Sizes, error) {
	var sizes Sizes
	if window <= 0 {
		return LevelFull, sizes, nil
	}
	// Whether several calls are allowed may change from turn to turn.
	d := Docs{Toolset: Toolset(tools), Parallel: true}
	for _, l := range Levels() {
		sizes[l] = e.Count(l.contract(s, tools, d))
		if l.fits(sizes[l], window) {
			return l, sizes, nil
		}
	}
	return 0, sizes, &TooLargeError{Sizes: sizes, Window: window, Tools: len(tools)}
}

// Brief is a tool as the level tells of it.
func (l Level) Brief(t chat.Tool) chat.Tool {
	detail := schema.Sentences
	switch l {
	case LevelFull:
		return t
	case LevelShort:
		t.Description = schema.FirstSentence(t.Description)
	case LevelNames:
		t.Description, detail = "", schema.Shape
	}
	if b, err := schema.Brief(t.Schema, detail); err == nil {
		t.Schema = b
	}
	return t
}
