package profile

import "strings"

// Server is what is known of a kind of server, by the name that a configuration
// gives it. The zero value stands for one that isn't known.
type Server struct {
	Name string
	// Host is where it answers, for one that only its owner runs.
	Host string
	// Syntax is asked of all models, whatever they were trained on: the server
	// may act by itself on the markers that it knows. "": the model's own.
	Syntax string
	// Strips says that special tokens don't come through, so that a syntax made
	// of them is of no use.
	Strips bool
	// Words are the members that a request has where tools travel in words, by
	// "protocol.member".
	Words map[string]string
	// Dialect is what it takes of JSON Schema, as the dialects of schemas have
	// names, where that is known; "": the plainest, once it refuses one.
	Dialect string
	// Forms are the ways to constrain an answer that it takes, the best first.
	Forms []Form
}

// Form is one way to tell a server what an answer may look like, and what this
// server asks of it.
type Form struct {
	Kind   FormKind
	Strict bool // it holds an answer to a schema only where every object is closed and all its fields are required
	Object bool // the schema's root must be one object, no choice between several
	Whole  bool // it doesn't stream such an answer
}

// FormKind is how a constraint stands in a request.
type FormKind string

const (
	JSONSchema    FormKind = "json_schema"    // response_format with a JSON Schema, as OpenAI has it
	JSONValue     FormKind = "json_value"     // response_format with a JSON Schema, as TGI has it
	StructuralTag FormKind = "structural_tag" // response_format with XGrammar's tags: words stay free
	Grammar       FormKind = "grammar"        // a GBNF grammar in a member of its own
	GrammarFormat FormKind = "grammar_format" // response_format with a GBNF grammar
)

// ownMark is asked for where any other mark may be acted on. trained is asked
// for where no other rule names a syntax.
const (
	ownMark = "ferrule"
	trained = "hermes"
)

// shown are the members that make vLLM and SGLang show special tokens, which
// they do by themselves only for requests with tools.
var shown = map[string]string{"openai.skip_special_tokens": "false"}

var (
	schemaForm  = Form{Kind: JSONSchema}
	strictForm  = Form{Kind: JSONSchema, Strict: true, Object: true}
	grammarForm = Form{Kind: Grammar}
	tagForms    = []Form{{Kind: StructuralTag}, schemaForm}
)

// servers lists what is known, people's own servers first.
var servers = []Server{
	// A schema leaves thinking free there and a grammar doesn't.
	{Name: "llamacpp", Strips: true, Dialect: "llamacpp", Forms: []Form{schemaForm, grammarForm}},
	{Name: "vllm", Words: shown, Forms: tagForms},
	{Name: "sglang", Words: shown, Forms: tagForms},
	{Name: "ollama", Syntax: ownMark, Strips: true, Forms: []Form{schemaForm}},
	{Name: "lmstudio", Strips: true, Dialect: "lmstudio", Forms: []Form{schemaForm}},
	{Name: "tgi", Strips: true, Forms: []Form{{Kind: JSONValue}}},
	{Name: "localai", Strips: true, Forms: []Form{grammarForm}},

	{Name: "openrouter", Host: "openrouter.ai", Strips: true, Forms: []Form{strictForm}},
	{Name: "groq", Host: "api.groq.com", Strips: true, Forms: []Form{{Kind: JSONSchema, Strict: true, Object: true, Whole: true}}},
	{Name: "fireworks", Host: "api.fireworks.ai", Strips: true, Forms: []Form{{Kind: GrammarFormat}, schemaForm}},
	{Name: "together", Host: "api.together.xyz", Strips: true, Forms: []Form{schemaForm}},
	{Name: "openai", Host: "api.openai.com", Strips: true, Dialect: "openai", Forms: []Form{strictForm}},
	{Name: "gemini", Host: "generativelanguage.googleapis.com", Strips: true, Dialect: "gemini"},
	{Name: "mistral", Host: "api.mistral.ai", Strips: true, Forms: []Form{{Kind: JSONSchema, Object: true}}},
	{Name: "cerebras", Host: "api.cerebras.ai", Strips: true, Forms: []Form{strictForm}},
	{Name: "deepseek", Host: "api.deepseek.com", Strips: true}, // json_object alone: nothing that holds a call
}

// ServerNames lists what a configuration may say.
func ServerNames() []string {
	names := make([]string, len(servers))
	for i, s := range servers {
		names[i] = s.Name
	}
	return names
}

// ServerNamed returns what is known of a kind of server: nothing, but for what
// is asked of its models, where the name isn't known.
func ServerNamed(name string) Server {
	for _, s := range servers {
		if s.Name == name {
			return s
		}
	}
	return Server{Syntax: ownMark, Strips: true}
}

// ServerAt names the kind of server that answers at a host, which may have a
// port; "" where that isn't certain.
func ServerAt(host string) string {
	host, _, _ = strings.Cut(strings.ToLower(host), ":")
	for _, s := range servers {
		if host != "" && s.Host == host {
			return s.Name
		}
	}
	return ""
}
