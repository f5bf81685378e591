package schema

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// compile hands a normalised document to the library. guarded adds a count of
// the steps of each validation.
func compile(doc any, guarded bool) (*jsonschema.Schema, *guard, error) {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(nothing{})
	c.UseRegexpEngine(func(p string) (jsonschema.Regexp, error) { return compilePattern(p) })
	var g *guard
	if guarded {
		g = &guard{}
		c.RegisterVocabulary(&jsonschema.Vocabulary{
			URL: "urn:ferrule:steps",
			Compile: func(*jsonschema.CompilerContext, map[string]any) (jsonschema.SchemaExt, error) {
				return g, nil
			},
		})
		c.AssertVocabs()
	}
	if err := c.AddResource(home, doc); err != nil {
		return nil, nil, err
	}
	lib, err := c.Compile(home)
	return lib, g, err
}

// nothing loads nothing: a schema is what its document says.
type nothing struct{}

func (nothing) Load(uri string) (any, error) {
	return nil, fmt.Errorf("%.80q is outside the document", uri)
}

// guard stops a validation that goes round in a schema that refers to itself:
// with two branches a level its steps double with each level of the value. The
// library calls it at each step; a guarded schema validates one value at a time.
type guard struct {
	mu    sync.Mutex
	steps int
}

const maxGuardedSteps = 100_000

var errSteps = errors.New("too many steps")

// Validate is called by the library, which has no way to be stopped but a panic.
func (g *guard) Validate(*jsonschema.ValidatorContext, any) {
	if g.steps++; g.steps > maxGuardedSteps {
		panic(errSteps)
	}
}

func (s *Schema) validate(v any) (err error) {
	if s.guard == nil {
		return s.lib.Validate(v)
	}
	s.guard.mu.Lock()
	defer s.guard.mu.Unlock()
	s.guard.steps = 0
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(error)
			if !ok || !errors.Is(e, errSteps) {
				panic(r)
			}
			err = e
		}
	}()
	return s.lib.Validate(v)
}

const (
	maxPattern      = 1000      // bytes of a pattern
	maxPatternInsts = 2000      // of its program
	maxPatternWork  = 1_000_000 // text bytes × instructions / 64
)

// pattern is an RE2 program with a bound on what a match may cost.
type pattern struct {
	re    *regexp.Regexp
	insts int
}

func (p *pattern) String() string { return p.re.String() }

// MatchString refuses a text that would take too long to match.
func (p *pattern) MatchString(s string) bool {
	return len(s)/64*p.insts <= maxPatternWork && p.re.MatchString(s)
}

func compilePattern(src string) (*pattern, error) {
	if len(src) > maxPattern {
		return nil, fmt.Errorf("it is longer than %d bytes", maxPattern)
	}
	tree, err := syntax.Parse(src, syntax.Perl)
	if err != nil {
		return nil, err
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, err
	}
	if len(prog.Inst) > maxPatternInsts {
		return nil, fmt.Errorf("its program is larger than %d steps", maxPatternInsts)
	}
	re, err := regexp.Compile(src)
	if err != nil {
		return nil, err
	}
	return &pattern{re, len(prog.Inst)}, nil
}
