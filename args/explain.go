package args

import (
	"bytes"
	"embed"
	"slices"
	"strings"
	"text/template"

	"github.com/ferrule/ferrule/chat"
)

// Verbosity says how much of an explanation a model gets.
type Verbosity uint8

const (
	Full  Verbosity = iota // every field, the signature, an example
	Short                  // the first fields, and an example
	Terse                  // one line
)

//go:embed explain/*.tmpl
var texts embed.FS

var explanations = template.Must(template.New("").Funcs(template.FuncMap{"join": strings.Join}).ParseFS(texts, "explain/*.tmpl"))

// lines is how many fields each verbosity tells of, tools how many names.
var layouts = map[Verbosity]struct {
	file         string
	lines, tools int
}{
	Full:  {"full.tmpl", 12, 60},
	Short: {"short.tmpl", 5, 20},
	Terse: {"terse.tmpl", 2, 8},
}

// maxExample is how long an example may be that is shown, in bytes. In place of
// a longer one stands the signature.
const maxExample = 1500

// Explain tells a model why its call wasn't run, so that the next one can be.
// show puts the example into the form in which the model is asked to call; nil
// shows the arguments alone. The model's own arguments appear only as single
// values of at most 60 characters, cut before whatever could begin a call.
func Explain(p *Problems, v Verbosity, show func(chat.Call) string) string {
	layout, ok := layouts[v]
	if !ok {
		layout = layouts[Full]
	}
	e := explanation{Problems: p, Name: named(cutTo(p.Tool, maxTool)), Why: words(p.Why), Fatal: p.Severity() == Fatal}
	if p.Written.Name != "" {
		e.Called = quote(p.Written.Name)
	}
	e.Tools = p.Tools[:min(len(p.Tools), layout.tools)]
	e.MoreTools = len(p.Tools) - len(e.Tools)
	e.Others = len(p.Tools) > 1
	lines := linesOf(p.List)
	e.Lines = lines[:min(len(lines), layout.lines)]
	e.MoreLines = len(lines) - len(e.Lines)
	e.AsJSON = p.Written.Params == nil && (show == nil || len(p.Written.JSON) > 0)
	e.Ending, e.Keys = endingOf(p), keysWrong(p)
	if e.example(show); e.Example == "" {
		e.Keys = true
	}
	e.Keys = e.Keys && p.Signature != ""
	var b bytes.Buffer
	if err := explanations.ExecuteTemplate(&b, layout.file, e); err != nil {
		return p.Class + ": " + p.Error() + ". Nothing was run."
	}
	return strings.TrimSpace(b.String())
}

type explanation struct {
	*Problems
	Name      string // the tool's
	Called    string // the name that the model wrote, quoted
	Why       string
	Fatal     bool
	Lines     []line
	MoreLines int
	Tools     []string
	MoreTools int
	Others    bool   // there is another tool to call
	AsJSON    bool   // the arguments are one JSON object as the model writes them
	Keys      bool   // a key is wrong: the signature helps
	Ending    string // what to do, where it isn't just to change these fields
	Example   string
}

// example sets what is shown of one that passes.
func (e *explanation) example(show func(chat.Call) string) {
	if len(e.Problems.Example) == 0 || len(e.Problems.Example) > maxExample || unhelpful(e.List) {
		return
	}
	e.Example = string(e.Problems.Example)
	if show != nil {
		e.Example = show(chat.Call{Name: e.Tool, Args: e.Problems.Example})
	}
}

// endings are what to do about problems of a keyword, by the name that the
// templates know it by.
var endings = map[string]string{"other_tool": "tool", "several": "one", "close": "whole"}

func endingOf(p *Problems) string {
	for _, q := range p.List {
		if e, ok := endings[q.Keyword]; ok {
			return e
		}
	}
	return ""
}

// aboutKeys are the keywords of problems for which the signature helps.
var aboutKeys = []string{
	"required", "additionalProperties", "propertyNames", "minProperties", "maxProperties",
	"anyOf", "oneOf", "loss", "schema_echo", "other_tool",
}

func keysWrong(p *Problems) bool {
	for _, q := range p.List {
		if q.Pointer == "" || slices.Contains(aboutKeys, q.Keyword) {
			return true
		}
	}
	return false
}
