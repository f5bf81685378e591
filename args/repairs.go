package args

import (
	"slices"
	"strings"

	"github.com/ferrule/ferrule/jsonmend"
	"github.com/ferrule/ferrule/rawjson"
)

// The names of what is set right in arguments.
const (
	RepairEmpty     = "empty_to_object"       // nothing written: {}
	RepairUnwrap    = "unwrap_double_encoded" // the object came as JSON text
	RepairDuplicate = "duplicate_key_equal"   // a key stood twice with equal values
	RepairPython    = "python_literal"        // True, False, None
	RepairValueTag  = "unwrap_value_tag"      // <value>1</value> where no text is taken
	RepairUnescape  = "unescape_container"    // a list or object escaped once too often

	RepairNumber   = "coerce_number"
	RepairBoolean  = "coerce_boolean"
	RepairText     = "coerce_text"
	RepairNull     = "coerce_null"
	RepairDecode   = "decode_stringified_container"
	RepairWrap     = "wrap_in_list"
	RepairUnlist   = "unwrap_list"
	RepairOption   = "option_spelling"
	RepairKey      = "key_spelling"
	RepairKeyAlias = "key_alias"
	RepairAbsent   = "drop_empty_optional"
	RepairRef      = "unwrap_ref"
	RepairEnvelope = "unwrap_envelope" // followed by : and the wrapper's key

	RepairOwnName   = "drop_own_name" // the tool's name among its arguments
	RepairSameRoots = "merge_identical"
	RepairSplit     = "split_objects" // into several calls
	RepairUnknown   = "drop_unknown_field"
	RepairFirst     = "first_object" // the others are left out
	RepairJoinText  = "join_chunks"
	RepairJoin      = "join_objects"
)

// Repairs lists the names of all that is set right in a call's name and
// arguments, its JSON included. Those of a wrapper stand as "unwrap_envelope".
func Repairs() []string {
	names := []string{
		RepairCase, RepairNamespace, RepairCounter, RepairAlias,
		RepairEmpty, RepairUnwrap, RepairDuplicate, RepairPython, RepairValueTag, RepairUnescape, RepairNumber, RepairBoolean, RepairText, RepairNull, RepairDecode, RepairWrap, RepairUnlist, RepairOption, RepairKey, RepairKeyAlias, RepairAbsent, RepairRef, RepairEnvelope, RepairOwnName, RepairSameRoots, RepairSplit, RepairUnknown, RepairFirst, RepairJoinText, RepairJoin,
	}
	for _, r := range jsonmend.Repairs() {
		if name := string(r); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// class says what a repair does to what the model wrote.
type class uint8

const (
	form     class = iota // how it was written
	retyped               // the same value in the type that is wanted
	lossy                 // something was left out
	joined                // something was put together
	spelling              // a name in the tool's own spelling
)

// classes has those that aren't form; notes what the model is told of them,
// behind the name of the field.
var classes = map[string]struct {
	class class
	note  string
}{
	RepairNumber:   {retyped, " came as text and was read as a number."},
	RepairBoolean:  {retyped, " came as text and was read as true or false."},
	RepairText:     {retyped, " was read as text."},
	RepairNull:     {retyped, " came as text and was read as null."},
	RepairDecode:   {retyped, " came as text and was read as JSON."},
	RepairWrap:     {retyped, " came as one value and was read as a list of one."},
	RepairUnlist:   {retyped, " came as a list of one and was read as its value."},
	RepairOption:   {spelling, " was read in the spelling of the tool's options."},
	RepairKey:      {spelling, " is how the tool spells a field that was named otherwise."},
	RepairKeyAlias: {spelling, " is the tool's own name of a field that was named otherwise."},
	RepairUnknown:  {lossy, " isn't a field of this tool and was left out."},
	RepairFirst:    {lossy, "Several argument objects came where one call may be made: only the first was run."},
	RepairJoinText: {joined, " came in pieces, which were joined."},
	RepairJoin:     {joined, "The arguments came as several objects, which were joined into one."},
}

// made is one thing that was set right.
type made struct {
	repair string
	path   string // of the field; "" is the whole
	lost   []byte // what was left out
}

func (m made) note() string {
	c, ok := classes[m.repair]
	switch {
	case !ok || c.note == "":
		return ""
	case m.path == "" && c.note[0] == ' ':
		return "" // of the whole there is nothing to tell: it came through
	}
	return harmless(m.path) + c.note
}

// refusedWhenWriting reports whether a call to a tool that writes doesn't take
// this: what isn't there any more could have been the point.
func (m made) refusedWhenWriting() bool {
	switch classes[m.repair].class {
	case joined:
		return true
	case lossy:
		return !m.harmless()
	}
	return false
}

// chatter are fields in which models think aloud.
var chatter = []string{"thought", "thoughts", "thinking", "reasoning", "reason", "rationale", "explanation", "justification"}

func (m made) harmless() bool {
	switch string(m.lost) {
	case `null`, `""`, `[]`, `{}`:
		return true
	}
	return m.repair == RepairUnknown && rawjson.Kind(m.lost) == '"' && slices.Contains(chatter, fold(m.path[strings.LastIndexByte(m.path, '.')+1:]))
}
