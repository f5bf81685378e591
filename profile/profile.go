// Package profile holds what is known of a model: how it takes tools, how it
// calls them, what its endpoint does to a prompt. Values come from a table,
// from what was learned, and from the configuration; the last wins.
package profile

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
	Syntax  string // call syntax for tools in words; "": the default
	System  System // "": honoured
	Context int    // context window in tokens; 0: unknown
	Origin  Origin // "": reading
	Wrapper bool   // the upstream acts by itself: never send a request twice
}

// Merge returns p with every field that q sets.
func (p Profile) Merge(q Profile) Profile {
	if q.Tools != "" {
		p.Tools = q.Tools
	}
	if q.Syntax != "" {
		p.Syntax = q.Syntax
	}
	if q.System != "" {
		p.System = q.System
	}
	if q.Origin != "" {
		p.Origin = q.Origin
	}
	if q.Context != 0 {
		p.Context = q.Context
	}
	p.Wrapper = p.Wrapper || q.Wrapper
	return p
}

// Fact is one thing learned of a model by using it.
type Fact struct {
	Field string // the Profile field that it sets, as the configuration spells it
	Value string
	Why   string // the refusal class that taught it
}

// Learn returns p with the facts applied. A fact fills only what the
// configuration left open: a mode of "auto" or "".
func (p Profile) Learn(fs []Fact) Profile {
	for _, f := range fs {
		if f.Field == "tools" && (p.Tools == "" || p.Tools == Auto) {
			p.Tools = Mode(f.Value)
		}
	}
	return p
}
