// Package profile holds what is known of a model: how it takes tools, how it
// calls them, what its endpoint does to a prompt. Values come from a table,
// from what was learned, and from the configuration; the last wins.
package profile

import (
	"cmp"
	"slices"
)

// Mode is how a model gets its tools.
type Mode string

const (
	Auto     Mode = "auto"     // native until the provider refuses
	Native   Mode = "native"   // the provider's own tools API
	Emulated Mode = "emulated" // tools in words
	None     Mode = "none"     // no tools at all
)

// Modes lists what a configuration may say.
var Modes = []Mode{Auto, Native, Emulated, None}

// System says what becomes of a system prompt.
type System string

const (
	Honoured System = "honoured"
	Dropped  System = "dropped" // the endpoint drops it: everything stands in user turns
)

// Origin says what makes a call in words the model's own.
type Origin string

const (
	Reading Origin = "reading" // whatever can be read and isn't quoted
	Proof   Origin = "proof"   // only what carries this request's nonce
)

// Profile is one merged value. Its zero value is the safest guess for an
// unknown model behind an unknown endpoint.
type Profile struct {
	Tools   Mode
	Unable  bool   // the provider says that the model takes no tools
	Syntax  string // call syntax for tools in words, or a family of models; "" and "auto": see Asked
	System  System // "": honoured
	Context int    // context window in tokens; 0: unknown
	// Estimator says which family's tokens a text is estimated in; "": see Tokens.
	Estimator string
	Origin    Origin // "": reading
	Wrapper   bool   // the upstream acts by itself: never send a request twice
	Server    string // what serves the models, by a name of ServerNames; "": not known

	Dialect string // what the provider takes of JSON Schema; "": whatever comes, until it refuses
	History string // what its template takes of a conversation, as histories have flavours; "": whatever comes, until it refuses
	Stream  Stream // when the upstream is asked to stream; "": asked

	Constrain Constrain // when an answer in words is held to the form of a call; "": forced

	Sees     *bool  // pictures; nil: not said
	Describe string // provider/model that tells in words what a picture shows; "": none

	Descriptions Descriptions    // how much of the tools the model is told; "": all
	Arguments    Arguments       // when native calls leave; "": held
	Repairs      map[string]bool // by name: false switches one off
	Tags         []string        // opener and closer of the model's thinking, beside those that are known
	Examples     *bool           // whether a worked example stands in the contract; nil: no

	Corrections   Corrections // how much a model is told of a bad call; "": by its window
	ThinkingCalls Thinking    // what a call inside thinking counts for; "": last
	Opened        *bool       // the prompt's template opens the thinking that an answer begins in; nil: it doesn't

	OnInvalid OnInvalid        // native calls that can't be mended; "": retry
	Leaks     Leaks            // calls in the text of native answers; "": on
	Notes     Notes            // where the model is told what was mended; "": emulated
	Unknown   Unknown          // fields that a schema doesn't speak of; "": keep
	Aliases   map[string]Alias // what the model calls tools, by exact name
	Rules     []ToolRule       // what is known of tools; later ones win
}

// Words reports whether tools go in words from the start.
func (p Profile) Words() bool {
	return p.Tools == Emulated || p.Unable && (p.Tools == Auto || p.Tools == "")
}

// OnInvalid says what becomes of a native call that can't be mended.
type OnInvalid string

const (
	Retry OnInvalid = "retry" // the model is asked once more
	Pass  OnInvalid = "pass"  // the client gets what the model wrote
	Fail  OnInvalid = "fail"  // the client gets an error
)

// Stream says when the upstream is asked to stream. A client that asks for a
// stream gets one whatever the upstream sends.
type Stream string

const (
	StreamAsked        Stream = "asked"         // when the client asks for it
	StreamWithoutTools Stream = "without_tools" // the same, but not where the provider's own tools API is used
	StreamNever        Stream = "never"
)

// Constrain says when an answer in words is held to the form of a call by what
// the server can be told.
type Constrain string

const (
	ConstrainAlways Constrain = "always" // wherever tools are offered, if words stay free
	ConstrainForced Constrain = "forced" // where a call must come
	ConstrainNever  Constrain = "never"
)

// Descriptions says how much of the tools a model is told.
type Descriptions string

const (
	DescribeFull  Descriptions = "full"  // as the client sent them
	DescribeShort Descriptions = "short" // of each description the first sentence
	DescribeTerse Descriptions = "terse" // names and arguments
)

// Arguments says when the calls of native answers leave.
type Arguments string

const (
	ArgumentsHeld     Arguments = "held"     // once all are known to be good
	ArgumentsStreamed Arguments = "streamed" // as they come, good or bad: nothing is mended
)

// Corrections says how much a model is told of a call that can't be run.
type Corrections string

const (
	CorrectFull  Corrections = "full"  // each field, the tool's signature, an example
	CorrectShort Corrections = "short" // the first fields, and an example
	CorrectTerse Corrections = "terse" // one line
)

// Thinking says what becomes of a call that stands inside a model's thinking.
type Thinking string

const (
	ThinkingLast  Thinking = "last"  // it counts where nothing but blank space follows it
	ThinkingEnds  Thinking = "ends"  // it ends the thinking
	ThinkingNever Thinking = "never" // it is no call
)

// Leaks says whether calls are looked for in the text of native answers.
type Leaks string

const (
	LeaksOn  Leaks = "on"
	LeaksOff Leaks = "off"
)

// Notes says where a model is told what was mended in its calls.
type Notes string

const (
	NotesEmulated Notes = "emulated" // where tools travel in words
	NotesAlways   Notes = "always"   // natively too
)

// Unknown says what becomes of fields that a schema neither names nor rules out.
type Unknown string

const (
	Keep Unknown = "keep"
	Drop Unknown = "drop"
)

// Alias is what a model calls a tool, where that isn't the tool's own name.
type Alias struct {
	Tool string
	Keys map[string]string // the model's names of fields → the tool's
}

// ToolRule is what is known of some tools beyond their schemas.
type ToolRule struct {
	Tools   string // a name, or a glob with * for any text
	Effects Effects
	Lenient *bool             // only plain mistakes are checked; nil: not said
	Keys    map[string]string // other names of fields → the tool's
	Refs    []string          // fields that are references
	Join    []string          // text fields that may come in chunks
	Guards  map[string]string // field → guard
}

// Effects says whether a tool changes anything.
type Effects string

const (
	Reads  Effects = "read"
	Writes Effects = "write"
)

// Merge returns p with every field that q sets. Aliases win name by name, rules
// come behind p's. Neither p nor q is changed.
func (p Profile) Merge(q Profile) Profile {
	p.Tools = cmp.Or(q.Tools, p.Tools)
	p.Unable = p.Unable || q.Unable
	p.Syntax = cmp.Or(q.Syntax, p.Syntax)
	p.System = cmp.Or(q.System, p.System)
	p.Origin = cmp.Or(q.Origin, p.Origin)
	p.Context = cmp.Or(q.Context, p.Context)
	p.Estimator = cmp.Or(q.Estimator, p.Estimator)
	p.Wrapper = p.Wrapper || q.Wrapper
	p.Server = cmp.Or(q.Server, p.Server)
	p.Dialect = cmp.Or(q.Dialect, p.Dialect)
	p.History = cmp.Or(q.History, p.History)
	p.Stream = cmp.Or(q.Stream, p.Stream)
	p.Constrain = cmp.Or(q.Constrain, p.Constrain)
	p.Describe = cmp.Or(q.Describe, p.Describe)
	p.Sees = cmp.Or(q.Sees, p.Sees)
	p.Descriptions = cmp.Or(q.Descriptions, p.Descriptions)
	p.Arguments = cmp.Or(q.Arguments, p.Arguments)
	p.Repairs = over(p.Repairs, q.Repairs)
	if q.Tags != nil {
		p.Tags = q.Tags
	}
	p.Examples = cmp.Or(q.Examples, p.Examples)
	p.Corrections = cmp.Or(q.Corrections, p.Corrections)
	p.ThinkingCalls = cmp.Or(q.ThinkingCalls, p.ThinkingCalls)
	p.Opened = cmp.Or(q.Opened, p.Opened)
	p.OnInvalid = cmp.Or(q.OnInvalid, p.OnInvalid)
	p.Leaks = cmp.Or(q.Leaks, p.Leaks)
	p.Notes = cmp.Or(q.Notes, p.Notes)
	p.Unknown = cmp.Or(q.Unknown, p.Unknown)
	p.Aliases = over(p.Aliases, q.Aliases)
	p.Rules = append(slices.Clip(p.Rules), q.Rules...)
	return p
}

// Fact is one thing learned of a model by using it.
type Fact struct {
	Field string // the Profile field that it sets, as the configuration spells it
	Value string
	Why   string // the refusal class that taught it
	// Tools is the digest of the tools that it was learned with, where it may
	// hang on them; "": it holds for any.
	Tools string
}

// Place is where a fact was learned.
type Place struct {
	Owner           string // whose request met it; "": it holds for everybody
	Provider, Model string
}

// Learn returns p with the facts applied. A fact fills only what the
// configuration left open: a mode of "auto" or "", a constraint that nobody spoke of.
func (p Profile) Learn(fs []Fact) Profile {
	for _, f := range fs {
		if f.Field == "tools" && (p.Tools == "" || p.Tools == Auto) {
			p.Tools = Mode(f.Value)
		}
		if f.Field == "constrain" && p.Constrain == "" {
			p.Constrain = Constrain(f.Value)
		}
		if f.Field == "system" && p.System == "" {
			p.System = System(f.Value)
		}
		if f.Field == "history" && p.History == "" {
			p.History = f.Value
		}
		if f.Field == "dialect" && p.Dialect == "" {
			p.Dialect = f.Value
		}
		if f.Field == "stream" && p.Stream == "" {
			p.Stream = Stream(f.Value)
		}
	}
	return p
}
