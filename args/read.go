package args

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/near"
	"github.com/ferrule/ferrule/rawjson"
	"github.com/ferrule/ferrule/schema"
)

// Reading is what a written call turned out to be: Calls that passed every
// check, or Problems.
type Reading struct {
	Calls    []chat.Call
	Repairs  []string // what was set right, by name, the reader's own first
	Notes    []string // sentences that the model should read with the call's result
	Problems *Problems
}

// Read reads one written call. Arguments that pass come out as the model wrote
// them, to the byte. A call with neither JSON nor Params has no arguments; Params
// that isn't nil says that the syntax writes arguments as text, be there some or not.
// Several argument objects can be several calls; only the first keeps the id.
func (s *Set) Read(w chat.Written) Reading {
	out := s.read(w)
	if name := s.offIn(out.Repairs); name != "" && out.Problems == nil {
		out.Problems = s.unmended(w, out.Calls[0].Name)
		out.Calls, out.Notes, out.Repairs = nil, nil, slices.Clone(w.Repairs)
	}
	return out
}

// unmended tells what is wrong with a call to a tool as it was written.
func (s *Set) unmended(w chat.Written, tool string) *Problems {
	if w.Name != tool {
		p := s.fail(w, -1, NotFound, BucketName)
		p.Near = []string{tool}
		return p
	}
	i := slices.Index(s.names, tool)
	if rawjson.Valid(w.JSON, schema.MaxNesting) == nil {
		if bad := s.tools[i].schema.Check(w.JSON); len(bad) > 0 {
			return s.invalid(w, i, w.JSON, bad)
		}
	}
	p := s.fail(w, i, Unreadable, BucketJSON)
	p.Why = "the arguments aren't one valid JSON object"
	return p
}

// offIn is the first of these repairs that is switched off; "" for none.
func (s *Set) offIn(repairs []string) string {
	for _, r := range repairs {
		if name, _, _ := strings.Cut(r, ":"); s.off[name] {
			return name
		}
	}
	return ""
}

func (s *Set) read(w chat.Written) Reading {
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
	t := &s.tools[i]
	if t.Kind != "" && t.Kind != chat.ToolFunction {
		out.Calls = []chat.Call{{ID: w.ID, Name: t.Name, Args: w.JSON}}
		return out
	}
	r := reader{set: s, i: i, tool: t, w: w}
	r.read()
	if out.Problems = r.problems; out.Problems != nil {
		out.Repairs = append(out.Repairs, namesOf(r.done)...)
		return out
	}
	out.Repairs = append(out.Repairs, namesOf(r.done)...)
	for _, d := range r.done {
		if n := d.note(); n != "" && !slices.Contains(out.Notes, n) {
			out.Notes = append(out.Notes, n)
		}
	}
	for n, v := range r.values {
		c := chat.Call{Name: t.Name, Args: v}
		if n == 0 {
			c.ID = w.ID
		}
		out.Calls = append(out.Calls, c)
	}
	return out
}

// namesOf lists repairs by name, each once.
func namesOf(done []made) []string {
	var out []string
	for _, d := range done {
		if !slices.Contains(out, d.repair) {
			out = append(out, d.repair)
		}
	}
	return out
}

// reader reads the arguments of one call.
type reader struct {
	set  *Set
	i    int
	tool *tool
	w    chat.Written

	done     []made
	values   [][]byte // of the calls that it is
	problems *Problems
}

func (r *reader) did(repair, path string) { r.done = append(r.done, made{repair: repair, path: path}) }

func (r *reader) read() {
	roots, ok := r.roots()
	switch {
	case !ok:
	case len(roots) == 1:
		v := r.value(roots[0])
		r.done = append(r.done, v.done...)
		if v.bad == nil {
			v.bad = r.unsafe()
		}
		r.settle(v)
	default:
		r.several(roots)
	}
}

// settle ends with one object that passed, or with what is wrong with it.
func (r *reader) settle(v value) {
	if len(v.bad) > 0 {
		r.problems = r.set.invalid(r.w, r.i, v.args, v.bad)
		return
	}
	r.values = [][]byte{v.args}
}

// value is one argument object, read.
type value struct {
	args []byte
	done []made
	bad  []schema.Problem // nil: it passed
}

// value checks one JSON value, sets right what doesn't fit, and checks again.
func (r *reader) value(b []byte) value {
	v := value{args: r.withoutKey(b)}
	sc := r.tool.schema
	if inner, ok := unwrap(v.args, sc); ok {
		v.args, v.done = r.withoutKey(inner), append(v.done, made{repair: RepairUnwrap})
	}
	if one, changed := collapse(v.args); changed {
		v.args, v.done = one, append(v.done, made{repair: RepairDuplicate})
	}
	f := fitter{set: r.set, tool: r.tool, keys: r.keys()}
	if f.knows() {
		v.args = f.known(v.args, sc.Spot(), "")
	}
	switch v.bad = sc.Check(v.args); {
	case len(v.bad) == 0 && r.w.JSON == nil:
		v.args = f.wrapped(v.args, sc.Spot())
	case len(v.bad) > 0 && !hopeless(v.bad):
		// What comes out right was checked as a whole.
		switch fitted, ok := f.right(v.args, sc.Spot(), ""); {
		case ok:
			v.args, v.bad = fitted, nil
		case f.stop != nil:
			v.bad = []schema.Problem{*f.stop}
		default:
			v.args, v.bad = r.nearest(v)
		}
	}
	v.done = append(v.done, f.done...)
	if len(v.bad) == 0 {
		v.bad = sc.MadeUp(v.args)
	}
	if len(v.bad) == 0 {
		v.bad = guarded(v.args, r.tool.rule.Guards, r.set.seen)
	}
	return v
}

// withoutKey takes out the key that proves a call meant: the field, whatever its
// name, that holds exactly the key which the reader saw.
func (r *reader) withoutKey(b []byte) []byte {
	if !r.w.Live || r.w.Key == "" || !bytes.Contains(b, []byte(r.w.Key)) || rawjson.Kind(b) != '{' {
		return b
	}
	var drop []rawjson.Change
	_ = rawjson.Members(b, func(k, v []byte) bool { // an error is told later
		if t, err := rawjson.String(v); err == nil && rawjson.Kind(v) == '"' && t == r.w.Key {
			drop = append(drop, rawjson.Change{Key: string(k)})
		}
		return true
	})
	if out, err := rawjson.Edit(b, drop...); err == nil && len(drop) > 0 {
		return out
	}
	return b
}

// nearest is what is wrong once the rest is set right: only that is to be told.
// Unknown fields are: one may have been meant for a field that is missing.
func (r *reader) nearest(v value) ([]byte, []schema.Problem) {
	f := fitter{set: r.set, tool: r.tool, keep: true}
	fitted, _ := f.right(v.args, r.tool.schema.Spot(), "")
	if bad := r.tool.schema.Check(fitted); len(bad) > 0 {
		return fitted, bad
	}
	return v.args, v.bad
}

// keys are the other names of fields, those that come with the tool's alias among them.
func (r *reader) keys() map[string]string {
	alias := r.set.aliases[r.w.Name]
	if r.w.Name == r.tool.Name || alias.Tool != r.tool.Name || len(alias.Keys) == 0 {
		return r.tool.rule.Keys
	}
	keys := maps.Clone(alias.Keys)
	maps.Copy(keys, r.tool.rule.Keys)
	return keys
}

// hopeless reports whether a value can't be looked at by its schema.
func hopeless(bad []schema.Problem) bool {
	return slices.ContainsFunc(bad, func(p schema.Problem) bool {
		return slices.Contains([]string{"json", "number", "duplicate", "too_complex"}, p.Keyword)
	})
}

// unsafe tells what a tool that writes doesn't take: a call that lost a part,
// or that was joined from several.
func (r *reader) unsafe() []schema.Problem {
	if !r.tool.rule.Writes {
		return nil
	}
	var out []schema.Problem
	for _, d := range r.done {
		if !d.refusedWhenWriting() {
			continue
		}
		keyword := "loss"
		if classes[d.repair].class == joined {
			keyword = "join"
		}
		p := schema.Problem{Path: d.path, Pointer: pointer(d.path), Keyword: keyword, Got: shown(d.lost)}
		if keyword == "loss" {
			p.Allowed = r.tool.schema.Spot().Fields()
		}
		out = append(out, p)
	}
	return out
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
	sc := s.tools[i].schema
	p.List, p.Signature = ps, sc.SignatureFor(args)
	// Of what the model wrote an example holds only what the schema itself
	// offers: repeated in a call's shape, more could be taken for a call.
	p.Example = sc.Example(sc.Offered(args))
	return p
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
