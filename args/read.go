package args

import (
	"bytes"
	"slices"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/near"
	"github.com/ferrule/ferrule/rawjson"
	"github.com/ferrule/ferrule/schema"
)

// The names of what is set right in arguments.
const (
	RepairEmpty     = "empty_to_object"       // nothing written: {}
	RepairUnwrap    = "unwrap_double_encoded" // the object came as JSON text
	RepairDuplicate = "duplicate_key_equal"   // a key stood twice with equal values
	RepairPython    = "python_literal"        // True, False, None
)

// Reading is what a written call turned out to be: Calls that passed every
// check, or Problems.
type Reading struct {
	Calls    []chat.Call
	Repairs  []string // what was set right, by name, the reader's own first
	Notes    []string // what the model should know of it
	Problems *Problems
}

// Read reads one written call. Arguments that pass come out as the model wrote
// them, to the byte. A call with neither JSON nor Params has no arguments; Params
// that isn't nil says that the syntax writes arguments as text, be there some or not.
func (s *Set) Read(w chat.Written) Reading {
	out := Reading{Repairs: slices.Clone(w.Repairs)}
	if w.Cut {
		out.Problems = s.fail(w, -1, Cut, BucketTruncated)
		return out
	}
	i, repair, several := s.find(w.Name)
	switch {
	case w.Why != "" && (i >= 0 || w.Name == ""):
		out.Problems = s.fail(w, i, Unreadable, BucketFrame)
		out.Problems.Why = w.Why
		return out
	case i < 0:
		p := s.fail(w, -1, NotFound, BucketName)
		p.Near, p.Ambiguous = several, len(several) > 0
		if !p.Ambiguous {
			p.Near = near.Names(w.Name, s.names, 3)
		}
		out.Problems = p
		return out
	case repair != "":
		out.Repairs = append(out.Repairs, repair)
	}
	t := s.tools[i]
	args := w.JSON
	if t.Kind == "" || t.Kind == chat.ToolFunction {
		var repairs []string
		args, repairs = fit(w, t.schema)
		out.Repairs = append(out.Repairs, repairs...)
		if ps := t.schema.Check(args); len(ps) > 0 {
			out.Problems = s.invalid(w, i, args, ps)
			return out
		}
		if ps := t.schema.MadeUp(args); len(ps) > 0 {
			out.Problems = s.invalid(w, i, args, ps)
			return out
		}
	}
	out.Calls = []chat.Call{{ID: w.ID, Name: t.Name, Args: args}}
	return out
}

// fit returns the arguments as one JSON text, set right in form only.
func fit(w chat.Written, sc *schema.Schema) (args []byte, repairs []string) {
	args = w.JSON
	switch empty := len(bytes.TrimSpace(args)) == 0; {
	case empty && w.Params != nil:
		args, repairs = fromText(w.Params, sc)
	case empty:
		return []byte("{}"), []string{RepairEmpty}
	}
	if rawjson.Valid(args, schema.MaxNesting) != nil {
		return args, repairs
	}
	if inner, ok := unwrap(args, sc); ok {
		args, repairs = inner, append(repairs, RepairUnwrap)
	}
	if one, changed := collapse(args); changed {
		args, repairs = one, append(repairs, RepairDuplicate)
	}
	return args, repairs
}

// unwrap takes an object out of the JSON text that it came as, one level deep.
func unwrap(b []byte, sc *schema.Schema) ([]byte, bool) {
	if rawjson.Kind(b) != '"' || !sc.Object() {
		return nil, false
	}
	inner, err := rawjson.AppendUnquoted(nil, b)
	if err != nil || rawjson.Kind(inner) != '{' || rawjson.Valid(inner, schema.MaxNesting) != nil {
		return nil, false
	}
	return inner, true
}

func (s *Set) invalid(w chat.Written, i int, args []byte, ps []schema.Problem) *Problems {
	p := s.fail(w, i, Invalid, BucketSchema)
	if ps[0].Keyword == "json" {
		p.Class, p.Bucket, p.Why = Unreadable, BucketJSON, ps[0].Got
		p.Example = s.tools[i].schema.Example(nil)
		return p
	}
	p.List = ps
	p.Example = s.tools[i].schema.Example(chosen(args, s.tools[i].schema))
	return p
}

// chosen keeps of a model's arguments what the schema itself offers, options
// and booleans. An example holds nothing else that the model wrote: repeated in
// a call's shape, it could be taken for a call.
func chosen(args []byte, sc *schema.Schema) []byte {
	if rawjson.Valid(args, schema.MaxNesting) != nil {
		return nil
	}
	kept := []byte("{}")
	_ = rawjson.Members(args, func(k, v []byte) bool {
		p, ok := sc.Property(string(k))
		if ok && (len(p.Options) > 0 || slices.Equal(p.Types, []string{"boolean"})) {
			if with, err := rawjson.Edit(kept, rawjson.Change{Key: string(k), Value: v}); err == nil {
				kept = with
			}
		}
		return true
	})
	return kept
}

func (s *Set) fail(w chat.Written, i int, class, bucket string) *Problems {
	p := &Problems{Class: class, Bucket: bucket, Written: w, Tools: s.names}
	if i >= 0 {
		sc := s.tools[i].schema
		p.Tool, p.Signature = s.tools[i].Name, sc.Signature()
		if class == Unreadable {
			p.Example = sc.Example(nil)
		}
	}
	return p
}

// NotGranted is the problem of a call to a tool that exists and may not be
// called here; granted names those that may.
func (s *Set) NotGranted(w chat.Written, granted []string) *Problems {
	p := s.fail(w, -1, NotGranted, BucketName)
	p.Tool, p.Tools = w.Name, granted
	if i, _, _ := s.find(w.Name); i >= 0 {
		p.Tool = s.names[i]
	}
	return p
}
