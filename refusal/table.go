package refusal

import (
	"fmt"
	"slices"
	"strings"
)

// Row is a way of refusing that somebody adds to the built-in ones.
type Row struct {
	Match  string // what the provider says, in any case; … stands for anything on the same line
	Class  string // one of Classes
	Action string // one of Actions; "" takes the class's own
}

// Table is the rows that faults are held against: those that were added, then
// the built-in ones. The zero Table has only these.
type Table struct{ own []row }

// NewTable returns a table with rows added, tried in their order and before the
// built-in ones. An error says which row can't be used, and why.
func NewTable(rows []Row) (Table, error) {
	var t Table
	for i, x := range rows {
		if err := x.Check(); err != nil {
			return Table{}, fmt.Errorf("refusal %d: %w", i+1, err)
		}
		c := classes[x.class()]
		own := r(x.pattern(), x.Class, x.Action, c.scope, ownRow)
		if own.action == "" {
			own.action = c.action
		}
		t.own = append(t.own, own)
	}
	return t, nil
}

// ownRow is the Source of a row that was added.
const ownRow = "configuration"

// fewestLetters is how many a match must have: less than a few words of a
// sentence would fit what nobody meant.
const fewestLetters = 8

// Check says why a row can't be used.
func (x Row) Check() error {
	i := x.class()
	if i < 0 {
		return fmt.Errorf("class is %q: it must be one of %s", x.Class, strings.Join(Classes(), ", "))
	}
	if c := classes[i]; x.Action != "" && !slices.Contains(c.may, x.Action) {
		if slices.Contains(Actions(), x.Action) {
			return fmt.Errorf("a fault of the class %s can't be met with %s: it takes %s", x.Class, x.Action, strings.Join(c.may, ", "))
		}
		return fmt.Errorf("action is %q: it must be one of %s", x.Action, strings.Join(Actions(), ", "))
	}
	letters := 0
	eachWord(x.pattern(), func(word string) bool {
		letters += len(word)
		return true
	})
	if letters < fewestLetters {
		return fmt.Errorf("match is %q: a few words of what the provider says are wanted, %d letters at least", x.Match, fewestLetters)
	}
	return nil
}

func (x Row) pattern() string {
	// A gap of a name isn't for people: < stands for itself.
	words := strings.ReplaceAll(strings.ToLower(plain([]string{x.Match})), "<", "…")
	return strings.Trim(words, "\n …")
}

func (x Row) class() int {
	return slices.IndexFunc(classes, func(c class) bool { return c.name == x.Class })
}

// class is what there is to know of a class.
type class struct {
	name   string
	action string // what is done where a row doesn't say
	scope  string
	may    []string // what a row may ask for
}

var (
	reportOnly = []string{Report}
	withTools  = []string{Report, Emulate, Redialect, Unstream, DropChoice, DropParam, Reshape, RetryOnce}
)

// classes are all classes that a fault may be of. What no other request would
// change, or is the client's to see, is only reported.
var classes = []class{
	{SchemaRefused, Redialect, ScopeTools, withTools},
	{ToolsUnsupported, Emulate, ScopeModel, withTools},
	{ToolsUnsupportedStreaming, Unstream, ScopeModelStream, withTools},
	{StreamingUnsupported, Unstream, ScopeModelStream, withTools},
	{ToolChoiceUnsupported, DropChoice, ScopeModelChoice, withTools},
	{CombinationUnsupported, Report, ScopeThisRequest, withTools},
	{ParamUnsupported, Report, ScopeModelParam, withTools},
	{ServerMisconfigured, Emulate, ScopeServer, withTools},
	{OutputRejected, RetryOnce, ScopeThisRequest, withTools},
	{HistoryRejected, Reshape, ScopeThisRequest, withTools},
	{TemplateFailed, Emulate, ScopeModel, withTools},
	{ContextOverflow, Report, ScopeThisRequest, reportOnly},
	{OverflowOrHistory, Report, ScopeThisRequest, reportOnly},
	{TooManyTools, Report, ScopeTools, withTools},
	{ToolsExceedBudget, Report, ScopeTools, withTools},
	{ModelNotFound, Report, ScopeModel, reportOnly},
	{UpstreamTransient, Report, ScopeThisRequest, reportOnly},
	{Auth, Report, ScopeThisRequest, reportOnly},
	{RateLimited, Report, ScopeThisRequest, reportOnly},
	{Other, Report, ScopeThisRequest, reportOnly},
}

// Classes are the names of the classes.
func Classes() []string {
	names := make([]string, len(classes))
	for i, c := range classes {
		names[i] = c.name
	}
	return names
}

// Actions are the names of the actions.
func Actions() []string {
	return []string{Report, Emulate, Redialect, Unstream, DropChoice, DropParam, Reshape, Rescue, RetryOnce}
}
