package args

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/ferrule/ferrule/rawjson"
	"github.com/ferrule/ferrule/schema"
)

// list sets the elements of a list right, or makes a list of one value.
func (f *fitter) list(v []byte, p schema.Spot, path string) ([]byte, bool) {
	switch rawjson.Kind(v) {
	case '[':
		if f.oneOfLists(v, p) {
			return v, false
		}
		return f.elements(v, p, path)
	case '"':
		if inner, ok := f.decode(v, path); ok {
			return f.fit(inner, p, path)
		}
		if s, err := rawjson.String(v); err != nil || manyInText(s) {
			return v, false
		}
	case 'n':
		return v, false
	}
	f.did(RepairWrap, path)
	return f.fit(slices.Concat([]byte("["), bytes.TrimSpace(v), []byte("]")), p, path)
}

// oneOfLists reports whether a list may be meant as the one element of a list
// of lists as well as for several of them: [1, 2] is [[1], [2]] or [[1, 2]].
func (f *fitter) oneOfLists(v []byte, p schema.Spot) bool {
	if !slices.Contains(p.Item(0).Types(), "array") {
		return false
	}
	n, flat := 0, false
	_ = rawjson.Elements(v, func(e []byte) bool {
		n++
		flat = flat || rawjson.Kind(e) != '['
		return n < 2 || !flat
	})
	return n > 1 && flat
}

// manyInText reports whether a text may be meant as several values, or as
// none: a list that somebody wrote out isn't one of its elements.
func manyInText(s string) bool {
	s = strings.TrimSpace(s)
	return s == "" || s == "null" || strings.ContainsAny(s, ",;\n") || strings.ContainsAny(s[:1], "[{(")
}

func (f *fitter) elements(v []byte, p schema.Spot, path string) ([]byte, bool) {
	out := []byte{'['}
	all, i := true, 0
	_ = rawjson.Elements(v, func(e []byte) bool {
		if i > 0 {
			out = append(out, ',')
		}
		fitted, ok := f.fit(e, p.Item(i), path+"["+strconv.Itoa(i)+"]")
		out = append(out, bytes.TrimSpace(fitted)...)
		all = all && ok
		i++
		return f.steps <= maxSteps
	})
	if f.steps > maxSteps {
		return v, false
	}
	return append(out, ']'), all
}

// single takes the only element out of a list where one value is wanted.
func (f *fitter) single(v []byte, p schema.Spot, path string) ([]byte, bool) {
	e, ok := onlyElement(v)
	if !ok || rawjson.Kind(e) == '[' || rawjson.Kind(e) == 'n' {
		return v, false
	}
	f.did(RepairUnlist, path)
	return f.fit(e, p, path)
}

func onlyElement(v []byte) (only []byte, ok bool) {
	n := 0
	_ = rawjson.Elements(v, func(e []byte) bool {
		only = bytes.TrimSpace(e)
		n++
		return n < 2
	})
	return only, n == 1
}

// joins reports whether a text field may come in chunks.
func (f *fitter) joins(path string) bool { return slices.Contains(f.tool.rule.Join, places(path)) }

// places is a path without the numbers of its elements: edits[2].new is edits.new.
func places(path string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(path, "[")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		_, path, _ = strings.Cut(rest, "]")
	}
}

// chunks joins a list of texts. They are lines, unless each but the last ends
// its own.
func chunks(v []byte) ([]byte, bool) {
	var parts []string
	ok := true
	_ = rawjson.Elements(v, func(e []byte) bool {
		s, err := rawjson.String(e)
		ok = rawjson.Kind(e) == '"' && err == nil
		parts = append(parts, s)
		return ok
	})
	if !ok || len(parts) == 0 {
		return nil, false
	}
	between := ""
	for _, s := range parts[:len(parts)-1] {
		if !strings.HasSuffix(s, "\n") {
			between = "\n"
		}
	}
	return rawjson.AppendString(nil, strings.Join(parts, between)), true
}
