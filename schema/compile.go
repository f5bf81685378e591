package schema

import (
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// compile hands a normalised document to the library.
func compile(doc any, g *guard) (*jsonschema.Schema, error) {
	c := newCompiler(g)
	if err := c.AddResource(home, doc); err != nil {
		return nil, err
	}
	return c.Compile(home)
}

// newCompiler makes a compiler that loads nothing and whose schemas report to g.
func newCompiler(g *guard) *jsonschema.Compiler {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(nothing{})
	c.UseRegexpEngine(func(src string) (jsonschema.Regexp, error) {
		p, err := compilePattern(src)
		if err != nil {
			return nil, err
		}
		p.guard = g
		return p, nil
	})
	c.RegisterVocabulary(&jsonschema.Vocabulary{
		URL: "urn:ferrule:steps",
		Compile: func(_ *jsonschema.CompilerContext, obj map[string]any) (jsonschema.SchemaExt, error) {
			if leaf(obj) {
				return nil, nil // its parent counts it
			}
			return newStep(g, obj), nil
		},
	})
	c.AssertVocabs()
	return c
}

// nothing loads nothing: a schema is what its document says.
type nothing struct{}

func (nothing) Load(uri string) (any, error) {
	return nil, fmt.Errorf("%.80q is outside the document", uri)
}
