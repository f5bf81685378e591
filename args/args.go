// Package args reads a call's name and arguments: it finds the tool that is
// meant, reads what the model wrote, checks it against the tool's schema, and
// explains what is wrong in words that a small model can act on.
//
// What was right is never changed: a call's arguments are the model's bytes.
// What is set right is form only, under a name that goes into the report. The
// name of a tool is never guessed by likeness.
package args

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/schema"
)

// Options say how a set of tools is compiled. The zero value is strict.
type Options struct {
	Cache    *schema.Cache // nil: every schema is compiled anew
	Parallel bool          // an answer may hold several calls
	// Loose takes schemas that are beyond a limit and checks them only for
	// plain mistakes, where a request with them can't be refused.
	Loose bool
	// DropUnknown leaves fields out that a schema neither names nor rules out.
	DropUnknown bool
	Aliases     map[string]Alias // what models call tools, by exact name
	Rules       map[string]Rule  // by the tool's name
	Off         map[string]bool  // repairs, by name, that aren't made: what needs one is bad
	Seen        *Seen            // the conversation so far, for guards; nil: nothing
}

// maxSize bounds the parts of all schemas of a set together.
const maxSize = 40_000

// Set is a request's tools, ready to be called. It is safe for concurrent use.
type Set struct {
	tools    []tool
	names    []string
	folded   map[string][]int // by name without case and separators
	bare     map[string][]int // the same, without namespace
	aliases  map[string]Alias
	parallel bool
	off      map[string]bool
	seen     *Seen
}

type tool struct {
	chat.Tool
	schema      *schema.Schema
	rule        Rule
	refs        bool // some of its fields may be references
	dropUnknown bool
}

// CompileError is a tool whose schema is refused.
type CompileError struct {
	Tool  string
	Limit string // the limit's name, as schema lists them
	Err   error
}

func (e *CompileError) Error() string { return fmt.Sprintf("tool %q: %v", e.Tool, e.Err) }

func (e *CompileError) Unwrap() error { return e.Err }

// Compile readies tools for reading calls to them. A schema that doesn't
// compile is checked only for plain mistakes: it is the client's own and no
// reason to refuse its request. One that is beyond a limit is a *CompileError,
// unless o.Loose is set.
func Compile(tools []chat.Tool, o Options) (*Set, error) {
	s := &Set{folded: map[string][]int{}, bare: map[string][]int{}, aliases: o.Aliases, parallel: o.Parallel, off: o.Off, seen: o.Seen}
	size := 0
	for _, t := range tools {
		sc, err := compile(t, o)
		if err != nil {
			return nil, err
		}
		if size += sc.Size(); size > maxSize {
			if !o.Loose {
				err := &schema.LimitError{Limit: schema.LimitComplex, Text: "the tools' schemas together are too large"}
				return nil, &CompileError{t.Name, err.Limit, err}
			}
			sc = o.Cache.Loose(t.Schema)
		}
		rule := o.Rules[t.Name]
		s.add(tool{
			Tool: t, schema: sc, rule: rule, dropUnknown: o.DropUnknown && !rule.Lenient,
			refs: len(rule.Refs) > 0 || bytes.Contains(t.Schema, []byte(`"x-ferrule-ref"`)),
		})
	}
	return s, nil
}

func compile(t chat.Tool, o Options) (*schema.Schema, error) {
	if o.Rules[t.Name].Lenient {
		return o.Cache.Loose(t.Schema), nil
	}
	sc, err := o.Cache.Compile(t.Schema)
	if err == nil {
		return sc, nil
	}
	var limit *schema.LimitError
	if errors.As(err, &limit) && !o.Loose {
		return nil, &CompileError{t.Name, limit.Limit, err}
	}
	return o.Cache.Loose(t.Schema), nil
}

func (s *Set) add(t tool) {
	i := len(s.tools)
	s.tools = append(s.tools, t)
	s.names = append(s.names, t.Name)
	key := fold(t.Name)
	s.folded[key] = append(s.folded[key], i)
	if rest, ok := withoutNamespace(t.Name); ok {
		key = fold(rest)
		s.bare[key] = append(s.bare[key], i)
	}
}

// Schema returns the schema of an offered tool, by its exact name.
func (s *Set) Schema(name string) (*schema.Schema, bool) {
	for i, n := range s.names {
		if n == name {
			return s.tools[i].schema, true
		}
	}
	return nil, false
}

// Notes tells what of the tools' schemas isn't checked, by tool.
func (s *Set) Notes() []string {
	var out []string
	for _, t := range s.tools {
		for _, n := range t.schema.Notes() {
			out = append(out, t.Name+": "+n)
		}
	}
	return out
}
