package args

import (
	"bytes"
	"embed"
	"strconv"
	"strings"
	"text/template"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/near"
	"github.com/ferrule/ferrule/rawjson"
	"github.com/ferrule/ferrule/schema"
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

// Explain tells a model why its call wasn't run, so that the next one can be.
// show puts the example into the form in which the model is asked to call; nil
// shows the arguments alone. The model's own arguments appear only as single
// values of at most 60 characters, never within a call.
func Explain(p *Problems, v Verbosity, show func(chat.Call) string) string {
	layout, ok := layouts[v]
	if !ok {
		layout = layouts[Full]
	}
	e := explanation{Problems: p, Called: quote(p.Written.Name), MoreTools: max(len(p.Tools)-layout.tools, 0)}
	if p.Tool == "" && p.Written.Name == "" {
		e.Called = ""
	}
	e.Tools = p.Tools[:min(len(p.Tools), layout.tools)]
	lines := linesOf(p.List)
	e.Lines = lines[:min(len(lines), layout.lines)]
	e.MoreLines = len(lines) - len(e.Lines)
	for _, q := range p.List {
		if q.Keyword == "required" || q.Keyword == "additionalProperties" || q.Keyword == "oneOf" || q.Pointer == "" {
			e.Keys = true
		}
	}
	if p.Example != nil {
		e.Example = string(p.Example)
		if show != nil {
			e.Example = show(chat.Call{Name: p.Tool, Args: p.Example})
		}
	}
	var b bytes.Buffer
	if err := explanations.ExecuteTemplate(&b, layout.file, e); err != nil {
		return p.Class + ": " + p.Error() + ". Nothing was run."
	}
	return strings.TrimSpace(b.String())
}

type explanation struct {
	*Problems
	Called    string // the name that the model wrote, quoted
	Lines     []line
	MoreLines int
	Tools     []string
	MoreTools int
	Keys      bool // a key is wrong: the signature helps
	Example   string
}

// line is one problem in words. Text follows Name as it is.
type line struct {
	Name, Text string
	more       int // names gathered in it
}

// linesOf gathers the names that an object doesn't have in one line, where none
// of them is like one that it has.
func linesOf(ps []schema.Problem) []line {
	var out []line
	at := map[string]int{} // by the object's pointer
	for _, p := range ps {
		l := lineOf(p)
		if p.Keyword == "additionalProperties" && len(near.Names(lastToken(p), p.Allowed, 1)) == 0 {
			object := p.Pointer[:strings.LastIndexByte(p.Pointer, '/')]
			if i, ok := at[object]; ok {
				switch out[i].more++; {
				case out[i].more < 8:
					out[i].Name += ", " + l.Name
				case out[i].more == 8:
					out[i].Name += ", …"
				}
				out[i].Text = strings.Replace(l.Text, " is not a field of", " are not fields of", 1)
				continue
			}
			at[object] = len(out)
		}
		out = append(out, l)
	}
	return out
}

func lastToken(p schema.Problem) string {
	return p.Pointer[strings.LastIndexByte(p.Pointer, '/')+1:]
}

// phrases are what problems of a keyword say; the others say wanted and sent.
var phrases = map[string]func(schema.Problem) string{
	"required": func(p schema.Problem) string { return " is missing, wanted " + p.Want },
	"additionalProperties": func(p schema.Problem) string {
		return " is not a field of this tool" + instead(p)
	},
	"duplicate": func(p schema.Problem) string { return " stands twice with different values: " + p.Got + "; send one" },
	"placeholder": func(p schema.Problem) string {
		return " holds the example's own words " + p.Got + "; send a real value"
	},
	"too_complex": func(schema.Problem) string { return " is too large to check; send less" },
	"false":       func(schema.Problem) string { return " is not taken here; leave it out" },
}

func lineOf(p schema.Problem) line {
	l := line{Name: harmless(p.Path)}
	if l.Name == "" {
		l.Name = "the arguments"
	}
	if phrase, ok := phrases[p.Keyword]; ok {
		l.Text = phrase(p)
		return l
	}
	want := p.Want
	if p.Pointer == "" && p.Keyword == "type" {
		want = "one object with the tool's fields"
	}
	switch n := len(p.Allowed); {
	case n > maxOptions:
		want = "one of " + strings.Join(p.Allowed[:maxOptions], ", ") + " and " + strconv.Itoa(n-maxOptions) + " more"
	case n > 1:
		want = "one of " + strings.Join(p.Allowed, ", ")
	}
	l.Text = ": wanted " + want + ", got " + sent(p.Got)
	return l
}

// maxOptions is how many options a line lists.
const maxOptions = 20

// instead names the fields that an unknown one may have meant.
func instead(p schema.Problem) string {
	if like := near.Names(lastToken(p), p.Allowed, 2); len(like) > 0 {
		return "; did you mean " + strings.Join(like, " or ") + "?"
	}
	switch n := len(p.Allowed); {
	case n == 0:
		return "; leave it out"
	case n <= 20:
		return "; its fields are " + strings.Join(p.Allowed, ", ")
	default:
		return "; its fields are " + strings.Join(p.Allowed[:20], ", ") + ", …"
	}
}

// sent shows a value that the model sent. Of an object or a list only the kind
// is told: written out, it could look like a call.
func sent(got string) string {
	switch rawjson.Kind([]byte(got)) {
	case '{':
		return "an object"
	case '[':
		return "a list"
	}
	return got
}

// quote shows a name that a model wrote.
func quote(name string) string {
	name = strings.NewReplacer(`"`, "", `\`, "", "[", "", "]", "").Replace(harmless(name))
	if r := []rune(name); len(r) > 60 {
		name = string(r[:60]) + "…"
	}
	return strconv.Quote(name)
}

// harmless takes out of a name what could make a call of it.
func harmless(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune("<>{}|`", r) {
			return -1
		}
		return r
	}, name)
}
