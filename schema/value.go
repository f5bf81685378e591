package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/ferrule/ferrule/rawjson"
)

const (
	maxNumber   = 40  // characters of a number
	maxExponent = 300 // of ten
)

const wantNumber = "a number of at most 40 characters and an exponent of at most 300"

// maxValueNodes is how many values a value may hold in all.
const maxValueNodes = 200_000

var errNumber = errors.New("not " + wantNumber)

// modest reports whether a number may be computed with: 1e1000000 is seven
// bytes and takes a million digits.
func modest(b []byte) bool {
	if len(b) > maxNumber {
		return false
	}
	i := bytes.IndexAny(b, "eE")
	if i < 0 {
		return true
	}
	e, err := strconv.Atoi(string(b[i+1:]))
	return err == nil && e >= -maxExponent && e <= maxExponent
}

// reading turns JSON into what the library reads, and sees what it wouldn't.
type reading struct {
	nodes int
	twice int // keys that stood before
	bad   []Problem
}

// maxTwice bounds how often a key that stood before is compared.
const maxTwice = 100

func readValue(b []byte) (v any, nodes int, bad []Problem) {
	if err := rawjson.Valid(b, MaxNesting); err != nil {
		p := Problem{Keyword: "json", Want: "one JSON value", Got: err.Error()}
		if errors.Is(err, rawjson.ErrDepth) {
			p.Want = fmt.Sprintf("JSON nested at most %d deep", MaxNesting)
		}
		return nil, 0, []Problem{p}
	}
	var r reading
	v = r.value(bytes.TrimSpace(b), nil)
	if r.nodes > maxValueNodes {
		return nil, r.nodes, []Problem{tooComplex(b)}
	}
	return v, r.nodes, r.bad
}

// value recurses at most MaxNesting deep.
func (r *reading) value(b []byte, at []string) any {
	if r.nodes++; r.nodes > maxValueNodes {
		return nil
	}
	switch rawjson.Kind(b) {
	case '{':
		m := map[string]any{}
		_ = rawjson.Members(b, func(k, v []byte) bool {
			if _, twice := m[string(k)]; twice {
				if r.twice++; r.twice > maxTwice {
					r.add(append(at, string(k)), "duplicate", "one value", "the same keys again and again")
					return false
				}
				if before := first(b, k); !rawjson.Same(before, v) {
					r.add(append(at, string(k)), "duplicate", "one value", show(before)+" and "+show(v))
				}
				return true
			}
			key := string(k)
			m[key] = r.value(v, append(at, key))
			return r.nodes <= maxValueNodes
		})
		return m
	case '[':
		l := []any{}
		_ = rawjson.Elements(b, func(v []byte) bool {
			l = append(l, r.value(v, append(at, strconv.Itoa(len(l)))))
			return r.nodes <= maxValueNodes
		})
		return l
	case '"':
		s, _ := rawjson.String(b)
		return s
	case '0':
		if !modest(b) {
			r.add(at, "number", wantNumber, show(b))
			return json.Number("0")
		}
		return json.Number(b)
	case 't', 'f':
		return b[0] == 't'
	}
	return nil
}

// first returns the first of an object's members with a key.
func first(b, key []byte) (value []byte) {
	_ = rawjson.Members(b, func(k, v []byte) bool {
		if value == nil && bytes.Equal(k, key) {
			value = v
		}
		return value == nil
	})
	return value
}

func (r *reading) add(at []string, keyword, want, got string) {
	if len(r.bad) < maxProblems {
		r.bad = append(r.bad, problemAt(at, keyword, want, got))
	}
}

// at returns the value that stands at a place, or nil.
func at(b []byte, place []string) []byte {
	for _, tok := range place {
		var found []byte
		if rawjson.Kind(b) == '[' {
			i, want := 0, -1
			if n, err := strconv.Atoi(tok); err == nil {
				want = n
			}
			_ = rawjson.Elements(b, func(v []byte) bool {
				if i == want {
					found = v
				}
				i++
				return found == nil
			})
		} else {
			found, _ = rawjson.Get(b, tok)
		}
		if found == nil {
			return nil
		}
		b = found
	}
	return bytes.TrimSpace(b)
}

// objects calls f with every object in b and where it stands.
func objects(b []byte, place []string, f func(place []string, object []byte)) {
	switch rawjson.Kind(b) {
	case '{':
		f(place, b)
		_ = rawjson.Members(b, func(k, v []byte) bool {
			objects(v, append(place, string(k)), f)
			return true
		})
	case '[':
		i := 0
		_ = rawjson.Elements(b, func(v []byte) bool {
			objects(v, append(place, strconv.Itoa(i)), f)
			i++
			return true
		})
	}
}

// maxShown is how much of a value an explanation shows, in characters.
const maxShown = 60

// show cuts a value to what an explanation shows of it.
func show(b []byte) string {
	const ellipsis = "…"
	n := 0
	for i := range string(b[:min(len(b), 4*maxShown+4)]) {
		if n == maxShown {
			for i > 0 && !utf8.RuneStart(b[i]) {
				i--
			}
			return string(b[:i]) + ellipsis
		}
		n++
	}
	if len(b) > 4*maxShown+4 {
		return string(b[:4*maxShown]) + ellipsis
	}
	return string(b)
}
