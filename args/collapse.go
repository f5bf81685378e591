package args

import (
	"bytes"

	"github.com/ferrule/ferrule/rawjson"
)

// collapse writes keys that stand twice with equal values once. Where the
// values differ nothing is changed: which one is meant can't be told. b is valid
// JSON. (rawjson.Doubled compares each key with all before it; a model may write
// a hundred thousand.)
func collapse(b []byte) (out []byte, changed bool) {
	if !doubled(b) {
		return b, false
	}
	out, ok := once(nil, bytes.TrimSpace(b))
	if !ok {
		return b, false
	}
	return out, true
}

// doubled reports whether a key stands twice in any object of b.
func doubled(b []byte) (twice bool) {
	switch rawjson.Kind(b) {
	case '{':
		seen := map[string]struct{}{}
		_ = rawjson.Members(b, func(k, v []byte) bool {
			_, twice = seen[string(k)]
			seen[string(k)] = struct{}{}
			twice = twice || doubled(v)
			return !twice
		})
	case '[':
		_ = rawjson.Elements(b, func(v []byte) bool {
			twice = doubled(v)
			return !twice
		})
	}
	return twice
}

// once recurses as deep as the value nests, which its reader has bounded.
func once(dst, b []byte) ([]byte, bool) {
	ok := true
	switch rawjson.Kind(b) {
	case '{':
		seen := map[string][]byte{}
		first := true
		dst = append(dst, '{')
		_ = rawjson.Members(b, func(k, v []byte) bool {
			if before, twice := seen[string(k)]; twice {
				ok = rawjson.Same(before, v)
				return ok
			}
			seen[string(k)] = v
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst = append(rawjson.AppendString(dst, string(k)), ':')
			dst, ok = once(dst, v)
			return ok
		})
		return append(dst, '}'), ok
	case '[':
		first := true
		dst = append(dst, '[')
		_ = rawjson.Elements(b, func(v []byte) bool {
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst, ok = once(dst, v)
			return ok
		})
		return append(dst, ']'), ok
	}
	return append(dst, b...), true
}
