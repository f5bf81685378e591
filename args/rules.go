package args

// Alias is what a model calls a tool, where that isn't the tool's own name.
type Alias struct {
	Tool string            // the offered tool's name
	Keys map[string]string // its own names of fields → the tool's
}

// Rule is what is known of a tool beyond its schema. The zero value is nothing.
type Rule struct {
	// Writes says that the tool changes something that can't be taken back.
	// A call to it that would lose a part or be joined from several is refused.
	Writes bool
	// Lenient says that the schema isn't to be trusted: only plain mistakes count.
	Lenient bool
	Keys    map[string]string // other names of fields → the tool's: {file: path}
	Refs    []string          // fields that are references: [ref=e12] means e12
	Join    []string          // text fields that may come in chunks
	Guards  map[string]Guard  // by field
}

// Guard is a check of a field's payload that no schema can make.
type Guard string

const (
	GuardCutID   Guard = "cut_id"  // an id that was cut short
	GuardElision Guard = "elision" // a content with a part left out
)

// Guards lists what a configuration may say.
var Guards = []Guard{GuardCutID, GuardElision}
