package constrain

import (
	"fmt"
	"strings"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/rawjson"
)

func asGrammar(q *chat.Request, c Constraint, fs []frame, _ profile.Form) (*chat.Request, bool) {
	if !c.Forced {
		return nil, false
	}
	return with(q, "grammar", rawjson.AppendString(nil, grammarOf(c, fs))), true
}

func asGrammarFormat(q *chat.Request, c Constraint, fs []frame, _ profile.Form) (*chat.Request, bool) {
	if !c.Forced {
		return nil, false
	}
	v := rawjson.AppendString([]byte(`{"type":"grammar","grammar":`), grammarOf(c, fs))
	return with(q, "response_format", append(v, '}')), true
}

// grammarOf is the GBNF grammar of an answer that is calls and nothing else, as
// the syntax writes them; as plain JSON where it doesn't write arguments so.
func grammarOf(c Constraint, fs []frame) string {
	g := &grammar{named: map[string]string{}}
	if !allKnown(fs) {
		fs = plainFrames(fs)
		c.Calls = 1
	}
	sep, follow := between(c, fs[0])
	if !follow {
		c.Calls = 1
	}
	calls := make([]string, len(fs))
	for i, f := range fs {
		calls[i] = literal(f.begin) + " " + g.arguments(f.tool) + literalBehind(f.end)
	}
	g.rule("call", strings.Join(calls, " | "))
	more := ""
	for range c.Calls - 1 {
		more = " (" + literalBehind(sep) + " call" + more + ")?"
	}
	g.rule("root", "call"+more)
	return g.String()
}

func plainFrames(fs []frame) []frame {
	out := make([]frame, len(fs))
	for i, f := range fs {
		begin, end, _ := strings.Cut(plainCall(f.tool.Name), mark)
		out[i] = frame{tool: f.tool, begin: begin, end: end}
	}
	return out
}

// maxRules bounds a grammar: a schema that takes more is left at any object.
const maxRules = 1000

// grammar is one that is being written.
type grammar struct {
	rules []string
	named map[string]string // by where a reference leads: the rule
	count int
	doc   []byte // the schema at hand
	tool  int
}

// common are the rules that every JSON grammar shares.
var common = []struct{ name, text string }{
	{"value", `object | array | string | number | "true" | "false" | "null"`},
	{"object", `"{" ws (string ":" ws value ("," ws string ":" ws value)*)? ws "}"`},
	{"array", `"[" ws (value ("," ws value)*)? ws "]"`},
	{"string", `"\"" char* "\""`},
	{"filled", `"\"" char char* "\""`},
	{"char", `[^"\\\x7F\x00-\x1F] | "\\" (["\\/bfnrt] | "u" hex hex hex hex)`},
	{"hex", `[0-9a-fA-F]`},
	{"number", `integer ("." digits)? ([eE] [-+]? [0-9] [0-9]?)?`},
	{"integer", `"-"? ("0" | [1-9] digits?)`},
	{"digits", digits(16)},
	{"ws", `" "?`}, // more, and a model may never stop writing it
}

// digits is at most n digits: a number has to end.
func digits(n int) string {
	s := ""
	for range n - 1 {
		s = " ([0-9]" + s + ")?"
	}
	return "[0-9]" + s
}

func (g *grammar) rule(name, text string) string {
	g.rules = append(g.rules, name+" ::= "+text)
	return name
}

// fresh names and adds a rule of its own.
func (g *grammar) fresh(text string) string {
	g.count++
	return g.rule(fmt.Sprintf("r%d", g.count), text)
}

func (g *grammar) String() string {
	var b strings.Builder
	for i := len(g.rules) - 1; i >= 0; i-- { // the root first, for people
		b.WriteString(g.rules[i] + "\n")
	}
	for _, r := range common {
		b.WriteString(r.name + " ::= " + r.text + "\n")
	}
	return b.String()
}

// arguments is the rule of a tool's arguments.
func (g *grammar) arguments(t chat.Tool) string {
	before, count := len(g.rules), g.count
	g.tool++
	g.doc = sourceOf(t.Schema)
	rule := g.schema(g.doc, 0)
	if g.count > maxRules || !g.isObject(g.doc, 0) {
		g.rules, g.count = g.rules[:before], count
		return "object"
	}
	return rule
}

// isObject reports whether a schema says that its values are objects.
func (g *grammar) isObject(s []byte, depth int) bool {
	if ref, ok := textAt(s, "$ref"); ok && depth < maxDepth {
		to, found := g.target(ref)
		return found && g.isObject(to, depth+1)
	}
	kind, _ := textAt(s, "type")
	return kind == "object" || kind == "" && has(s, "properties")
}

// literal is a text as the grammar quotes it.
func literal(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\x%02X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func literalBehind(s string) string {
	if s == "" {
		return ""
	}
	return " " + literal(s)
}
