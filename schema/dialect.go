package schema

import (
	"fmt"
	"slices"
	"strings"
)

// Note is one edit that loses something: where, and what.
type Note struct {
	At   string `json:"at"` // a path like properties.city, "" for the whole
	What string `json:"what"`
}

// dialect is what one family of providers takes of JSON Schema: a row of
// rewrites, made in the order of the list below, and the keywords that may stay.
type dialect struct {
	name     string
	source   string // where it is from
	rewrites []string
	keywords []string // nil: all may stay
	words    []string // keywords that go, and whose values are told of in the description
	names    naming
}

// The keywords that every dialect has which keeps a list of them.
var (
	minimalKeywords = []string{"type", "description", "enum", "items", "properties", "required"}
	geminiKeywords  = append([]string{"nullable", "anyOf", "minItems", "maxItems", "minimum", "maximum"}, minimalKeywords...)
	strictKeywords  = append([]string{"anyOf", "$ref", "$defs", "additionalProperties", "const", "pattern", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems", "maxItems"}, minimalKeywords...)
)

// dialects lists them all. permissive is for those of whom no refusal is known.
var dialects = []dialect{
	{name: "permissive", source: "-", names: letters64},
	{
		name: "gemini", source: "Schema of the Gemini API; pydantic/pydantic-ai#1598, zed-industries/zed#53919, anomalyco/opencode#11889",
		rewrites: []string{"root", "booleans", "inline", "all_of", "root_union", "one_of", "const", "union_of_options", "null", "type_list", "text_options", "options", "union_alone", "typed", "misplaced", "items_text", "required", "empty_properties"},
		keywords: geminiKeywords, words: []string{"default", "const", "pattern", "format"}, names: startsWithLetter64,
	},
	{
		name: "anthropic", source: "anthropics/claude-code#5878",
		rewrites: []string{"root", "root_all_of", "root_union"}, names: letters64,
	},
	{
		name: "openai", source: "campfirein/byterover-cli#42",
		rewrites: []string{"root", "root_all_of", "root_union", "items_any"}, names: letters64,
	},
	{
		name: "openai-strict", source: "kevinwatt/mysql-mcp#5",
		rewrites: []string{"root", "booleans", "all_of", "root_union", "one_of", "const_typed", "typed_strict", "misplaced", "items_text", "strict"},
		keywords: strictKeywords, words: []string{"default", "minLength", "maxLength"}, names: letters64,
	},
	{
		name: "moonshot", source: "MoonshotAI/kimi-cli#2531, earendil-works/pi#5822, anomalyco/opencode#24158",
		rewrites: []string{"root", "booleans_object", "inline", "conditions", "all_of", "root_union", "one_of", "union_alone", "typed"}, names: letters64,
	},
	{
		name: "bedrock", source: "aaif-goose/goose#5064, maximhq/bifrost#1720",
		rewrites: []string{"root", "root_all_of", "root_union"}, names: letters64,
	},
	{name: "mistral", source: "nothing is known but that its root is an object", rewrites: []string{"root", "root_all_of", "root_union", "inline"}, names: letters64},
	{
		name: "lmstudio", source: "lmstudio-ai/lmstudio-bug-tracker#2180",
		rewrites: []string{"root", "booleans", "inline", "reserved"}, names: letters64,
	},
	{
		name: "llamacpp", source: "ggml-org/llama.cpp#17473, #26930, #27580",
		rewrites: []string{"root", "booleans", "any_type", "patterns", "bounds"}, names: letters64,
	},
	{name: "ollama", source: "a tool's type in Ollama's API", rewrites: []string{"root", "booleans", "inline", "root_all_of", "root_union"}, names: letters64},
	{
		name: "minimal", source: "the last resort",
		rewrites: []string{"root", "booleans", "inline", "conditions", "all_of", "root_union", "one_of", "const", "union_of_options", "first_branch", "one_type", "text_options", "options", "typed", "misplaced", "items_text", "required", "empty_nested"},
		keywords: minimalKeywords, words: []string{"default", "const", "pattern", "format", "minimum", "maximum"}, names: startsWithLetter64,
	},
}

// Renaming is the dialect that gives fields other names where templates take
// theirs for methods.
const Renaming = "lmstudio"

// Permissive is the dialect in which a schema stays as it was sent, Minimal the
// one that every provider takes.
const (
	Permissive = "permissive"
	Minimal    = "minimal"
)

// Dialects lists their names.
func Dialects() []string {
	names := make([]string, len(dialects))
	for i, d := range dialects {
		names[i] = d.name
	}
	return names
}

func dialectNamed(name string) (dialect, bool) {
	i := slices.IndexFunc(dialects, func(d dialect) bool { return d.name == name })
	if i < 0 {
		return dialect{}, false
	}
	return dialects[i], true
}

// In returns a tool's schema in a dialect, and what that loses. Values are still
// checked against the schema itself: what a model was told may be wider. A
// schema that the dialect takes as it is comes back byte for byte. An error
// means that there is no such dialect, or that src isn't JSON.
func In(name string, src []byte) ([]byte, []Note, error) {
	d, ok := dialectNamed(name)
	if !ok {
		return nil, nil, fmt.Errorf("schema: there is no dialect %q; there are %s", name, strings.Join(Dialects(), ", "))
	}
	if len(d.rewrites) == 0 {
		return src, nil, nil
	}
	root, err := parse(src)
	if err != nil {
		return nil, nil, fmt.Errorf("schema: %w", err)
	}
	before := string(root.json(nil))
	w := &rewriting{d: d, index: newIndex(root), budget: maxInlined}
	root = w.all(root)
	out := root.json(nil)
	if string(out) == before {
		return src, nil, nil
	}
	return out, w.notes, nil
}
