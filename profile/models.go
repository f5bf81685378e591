package profile

import (
	"cmp"
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

//go:embed models.yaml
var modelsFile []byte

// ModelsFile is what the table of models is called where one of its lines is named.
const ModelsFile = "models.yaml"

// Row is one row of the table: what is known of the models whose names fit.
type Row struct {
	Match        []string     `yaml:"match"`
	Syntax       string       `yaml:"syntax"` // of a syntax, or of a family that one is read for; noSyntax: trained on none
	Special      bool         `yaml:"special_tokens"`
	Thinking     Thinking     `yaml:"thinking_calls"`
	Tokens       string       `yaml:"estimator"`
	Dialect      string       `yaml:"dialect"` // asked for once a schema is refused
	Descriptions Descriptions `yaml:"descriptions"`
	System       System       `yaml:"system"`
	History      string       `yaml:"history"`
	Arguments    Arguments    `yaml:"arguments"`
	Repairs      []string     `yaml:"repairs_off"`
	Tags         []string     `yaml:"reasoning_tags"`
	Examples     *bool        `yaml:"examples"`
	Context      int          `yaml:"context"` // tokens
	Why          string       `yaml:"why"`
	Line         int          `yaml:"-"` // in the table
}

// Field is one of the things that a row may say.
type Field uint8

// The fields of a row, but for its reason.
const (
	SyntaxField Field = iota
	ThinkingField
	TokensField
	DialectField
	DescriptionsField
	SystemField
	HistoryField
	ArgumentsField
	RepairsField
	TagsField
	ExamplesField
	ContextField
	fieldCount
)

// Fields lists them.
func Fields() []Field {
	fs := make([]Field, fieldCount)
	for i := range fs {
		fs[i] = Field(i)
	}
	return fs
}

// says tells whether a row speaks of a field.
var says = [fieldCount]func(*Row) bool{
	SyntaxField:       func(r *Row) bool { return r.Syntax != "" },
	ThinkingField:     func(r *Row) bool { return r.Thinking != "" },
	TokensField:       func(r *Row) bool { return r.Tokens != "" },
	DialectField:      func(r *Row) bool { return r.Dialect != "" },
	DescriptionsField: func(r *Row) bool { return r.Descriptions != "" },
	SystemField:       func(r *Row) bool { return r.System != "" },
	HistoryField:      func(r *Row) bool { return r.History != "" },
	ArgumentsField:    func(r *Row) bool { return r.Arguments != "" },
	RepairsField:      func(r *Row) bool { return r.Repairs != nil },
	TagsField:         func(r *Row) bool { return r.Tags != nil },
	ExamplesField:     func(r *Row) bool { return r.Examples != nil },
	ContextField:      func(r *Row) bool { return r.Context > 0 },
}

// Says reports whether a row speaks of a field.
func (r *Row) Says(f Field) bool { return says[f](r) }

const noSyntax = "none"

const maxName = 1 << 10 // no glob is longer

// Models reads the table, in its order.
func Models() ([]Row, error) {
	file, err := parser.ParseBytes(modelsFile, 0)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", ModelsFile, err)
	}
	list, ok := file.Docs[0].Body.(*ast.SequenceNode)
	if !ok {
		return nil, fmt.Errorf("read %s: it is no list", ModelsFile)
	}
	rows := make([]Row, len(list.Values))
	for i, node := range list.Values {
		if err := yaml.NodeToValue(node, &rows[i], yaml.Strict()); err != nil {
			return nil, fmt.Errorf("read %s: %w", ModelsFile, err)
		}
		rows[i].Line = node.GetToken().Position.Line
	}
	return rows, nil
}

// models is the table, read once. A test holds it to being readable.
var models = sync.OnceValue(func() []Row {
	rows, _ := Models()
	return rows
})

// Known is what the table says of one model.
type Known struct{ rows [fieldCount]*Row }

// Row is the row that says something of a field; nil where none does.
func (k Known) Row(f Field) *Row { return k.rows[f] }

// row is the same, with an empty row where none does.
func (k Known) row(f Field) *Row {
	if r := k.rows[f]; r != nil {
		return r
	}
	return &Row{}
}

// About looks a model up by its name.
func About(model string) Known {
	model = plainName(model)
	var k Known
	var best [fieldCount]int // how well the globs fit that said it
	rows := models()
	for i := range rows {
		r := &rows[i]
		for _, glob := range r.Match {
			if !Matches(glob, model) {
				continue
			}
			weight := len(glob)
			if !strings.Contains(glob, "*") {
				weight = maxName // the name itself
			}
			for f := range fieldCount {
				if weight >= best[f] && r.Says(f) {
					best[f], k.rows[f] = weight, r
				}
			}
		}
	}
	return k
}

// syntax names what the model was trained to write; "" where that isn't known.
func (k Known) syntax() string {
	if s := k.row(SyntaxField).Syntax; s != noSyntax {
		return s
	}
	return ""
}

// Of returns p with what the table says of a model wherever p says nothing. The
// dialect isn't among it: schemas go as they came until one is refused.
func (p Profile) Of(model string) Profile {
	k := About(model)
	p.Descriptions = cmp.Or(p.Descriptions, k.row(DescriptionsField).Descriptions)
	p.System = cmp.Or(p.System, k.row(SystemField).System)
	p.History = cmp.Or(p.History, k.row(HistoryField).History)
	p.Arguments = cmp.Or(p.Arguments, k.row(ArgumentsField).Arguments)
	p.Examples = cmp.Or(p.Examples, k.row(ExamplesField).Examples)
	p.Context = cmp.Or(p.Context, k.row(ContextField).Context)
	if p.Tags == nil {
		p.Tags = k.row(TagsField).Tags
	}
	if names := k.row(RepairsField).Repairs; names != nil {
		off := map[string]bool{}
		for _, name := range names {
			off[name] = false
		}
		p.Repairs = over(off, p.Repairs)
	}
	return p
}

// Refused is the dialect of schemas to try once one was refused: the server's,
// the model's; "" where neither is known.
func (p Profile) Refused(model string) string {
	return cmp.Or(ServerNamed(p.Server).Dialect, About(model).row(DialectField).Dialect)
}
