package schema

import (
	"fmt"
	"regexp"
	"regexp/syntax"
)

const (
	maxPattern      = 1000 // bytes of a pattern
	maxPatternInsts = 2000 // of its program
)

// pattern is an RE2 program whose matches are counted. RE2 doesn't go back: a
// match takes at most text × instructions.
type pattern struct {
	re    *regexp.Regexp
	insts int
	guard *guard
}

func (p *pattern) String() string { return p.re.String() }

func (p *pattern) MatchString(s string) bool {
	p.guard.matching(len(s), p.insts)
	return p.re.MatchString(s)
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
	return &pattern{re: re, insts: len(prog.Inst)}, nil
}
