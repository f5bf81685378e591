package profile

import (
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
	Match    []string `yaml:"match"`
	Syntax   string   `yaml:"syntax"` // of a syntax, or of a family that one is read for; noSyntax: trained on none
	Special  bool     `yaml:"special_tokens"`
	Thinking Thinking `yaml:"thinking_calls"`
	Tokens   string   `yaml:"estimator"`
	Why      string   `yaml:"why"`
	Line     int      `yaml:"-"` // in the table
}

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

// Known is what the table says of one model: each field's row, nil where none does.
type Known struct{ Syntax, Thinking, Tokens *Row }

// About looks a model up by its name.
func About(model string) Known {
	model = plainName(model)
	var k Known
	var syntax, thinking, tokens int // how well the globs fit that said it
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
			take := func(says bool, best *int, of **Row) {
				if says && weight >= *best {
					*best, *of = weight, r
				}
			}
			take(r.Syntax != "", &syntax, &k.Syntax)
			take(r.Thinking != "", &thinking, &k.Thinking)
			take(r.Tokens != "", &tokens, &k.Tokens)
		}
	}
	return k
}

// syntax names what the model was trained to write; "" where that isn't known.
func (k Known) syntax() string {
	if k.Syntax == nil || k.Syntax.Syntax == noSyntax {
		return ""
	}
	return k.Syntax.Syntax
}
