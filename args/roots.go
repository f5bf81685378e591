package args

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/ferrule/ferrule/jsonmend"
	"github.com/ferrule/ferrule/rawjson"
	"github.com/ferrule/ferrule/schema"
)

// roots reads what the model wrote as JSON values: one, or several that stand
// one behind the other.
func (r *reader) roots() (roots [][]byte, ok bool) {
	b := r.w.JSON
	if len(bytes.TrimSpace(b)) == 0 {
		if r.w.Params != nil {
			b, repairs := fromText(r.w.Params, r.tool.schema)
			for _, name := range repairs {
				r.did(name, "")
			}
			return [][]byte{b}, true
		}
		r.did(RepairEmpty, "")
		return [][]byte{[]byte("{}")}, true
	}
	if rawjson.Valid(b, schema.MaxNesting) == nil {
		return [][]byte{b}, true
	}
	m, err := jsonmend.Mend(b, jsonmend.Options{
		Stopped: r.w.Stopped && !r.tool.rule.Writes, // a tool that writes takes no closing (security.md H2)
		Object:  r.tool.schema.Object(),
		Keys:    r.tool.schema.Spot().Fields(),
	})
	var bad *jsonmend.Error
	if errors.As(err, &bad) {
		return r.refused(bad)
	}
	for _, d := range m.Repairs {
		if d.Repair == jsonmend.StripCall && !r.calls(d.Dropped) {
			r.problems = r.set.invalid(r.w, r.i, nil, []schema.Problem{{
				Keyword: "other_tool", Want: "the arguments of " + r.tool.Name + " alone", Got: shown(rawjson.AppendString(nil, d.Dropped)),
			}})
			return nil, false
		}
		r.did(string(d.Repair), "")
	}
	return [][]byte{m.Value}, true
}

// calls reports whether a name that stood around the arguments is this tool's.
func (r *reader) calls(name string) bool {
	i, _, _ := r.set.find(strings.TrimRight(name, "( "))
	return i == r.i
}

// cuts are the reasons that mean that the text ended too early.
var cuts = []error{jsonmend.ErrCutString, jsonmend.ErrCutNumber, jsonmend.ErrCut}

func (r *reader) refused(bad *jsonmend.Error) (roots [][]byte, ok bool) {
	if errors.Is(bad, jsonmend.ErrRoots) && len(bad.Roots) > 1 {
		return bad.Roots, true
	}
	class, bucket := Unreadable, BucketJSON
	if slices.ContainsFunc(cuts, func(c error) bool { return errors.Is(bad, c) }) {
		class, bucket = Cut, BucketTruncated
	}
	r.problems = r.set.fail(r.w, r.i, class, bucket)
	r.problems.Why = bad.Error()
	return nil, false
}

// several reads more than one argument object. Equal ones are one; such as each
// fit are that many calls, or the first where one may be made; such as have no
// field in common and fit only together are one.
func (r *reader) several(roots [][]byte) {
	if !slices.ContainsFunc(roots[1:], func(b []byte) bool { return !rawjson.Same(roots[0], b) }) {
		r.did(RepairSameRoots, "")
		v := r.value(roots[0])
		r.done = append(r.done, v.done...)
		if v.bad == nil {
			v.bad = r.unsafe()
		}
		r.settle(v)
		return
	}
	var good []value
	for _, b := range roots {
		if v := r.value(b); len(v.bad) == 0 && rawjson.Kind(b) == '{' {
			good = append(good, v)
		}
	}
	switch {
	case len(good) == len(roots):
		r.eachFits(good)
	case len(good) == 0 && disjoint(roots):
		r.together(roots)
	default:
		r.refuse("several", "one object with the tool's fields")
	}
}

func (r *reader) refuse(keyword, want string) {
	r.problems = r.set.invalid(r.w, r.i, nil, []schema.Problem{{Keyword: keyword, Want: want}})
}

func (r *reader) eachFits(vs []value) {
	switch {
	case r.set.parallel:
		r.did(RepairSplit, "")
	case r.tool.rule.Writes:
		r.refuse("several", "one call at a time")
		return
	default:
		vs = vs[:1]
		r.did(RepairFirst, "")
	}
	for _, v := range vs {
		r.done = append(r.done, v.done...)
		r.values = append(r.values, v.args)
	}
	if bad := r.unsafe(); len(bad) > 0 {
		r.problems = r.set.invalid(r.w, r.i, nil, bad)
	}
}

func (r *reader) together(roots [][]byte) {
	one := []byte{'{'}
	for _, b := range roots {
		inner := bytes.TrimSpace(b)
		if inner = bytes.TrimSpace(inner[1 : len(inner)-1]); len(inner) == 0 {
			continue
		}
		if len(one) > 1 {
			one = append(one, ',')
		}
		one = append(one, inner...)
	}
	v := r.value(append(one, '}'))
	if len(v.bad) > 0 {
		r.refuse("several", "one object with the tool's fields")
		return
	}
	r.did(RepairJoin, "")
	r.done = append(r.done, v.done...)
	v.bad = r.unsafe()
	r.settle(v)
}

// disjoint reports whether all are objects and no field stands in two of them.
func disjoint(roots [][]byte) bool {
	seen := map[string]bool{}
	for _, b := range roots {
		if rawjson.Kind(b) != '{' {
			return false
		}
		twice := false
		_ = rawjson.Members(b, func(k, _ []byte) bool {
			twice = twice || seen[fold(string(k))]
			seen[fold(string(k))] = true
			return true
		})
		if twice {
			return false
		}
	}
	return true
}
