// Package jsonmend reads the almost-JSON that models write as the arguments of
// a call, and gives strict JSON back, with a list of what was mended.
//
// Strict comes first: what is JSON already comes back as it is, to the byte. A
// string that is well formed is never trimmed, unescaped or split, a number is
// never converted, and no string comes out that wasn't in the input. What has
// two readings is refused, and so is what was cut: a missing call can be asked
// for again, a wrong one can't be taken back.
//
// It is one pass with a stack of its own, without recursion, and bounded whatever
// the input holds: by the limits below, by 8 looks at each byte, and by 20 times
// the input's size in memory. It looks ahead only where a quotation mark may not
// be the end of its string, or a comma may be missing.
package jsonmend

import (
	"bytes"
	"unicode/utf8"

	"github.com/ferrule/ferrule/rawjson"
)

// Limits that hold for all input, broken or not.
const (
	DefaultMaxBytes = 1 << 20
	MaxDepth        = 64     // of arrays and objects
	MaxNumber       = 40     // characters of a number
	MaxExponent     = 300    // of a number, either way
	MaxKeys         = 10_000 // of one object
	maxRoots        = 64     // that an Error carries
	maxMended       = 1000   // repairs that a Result lists, and
	fewMended       = 32     // that it lists of the smallest text
)

// Options say what is known of the text and what may be done to it. The zero
// value trusts nothing: what isn't closed is refused as cut.
type Options struct {
	// Stopped says that the model ended by itself (finish "stop", usage below
	// the limit). Only then may containers be closed that the text leaves open.
	// A string or a number that isn't finished is refused all the same.
	Stopped bool
	// Object says that an object is wanted: a root string whose whole text is a
	// JSON object is then taken for one that was encoded twice.
	Object bool
	// Keys are the names that the object may have. Text that could hold one of
	// them as a member is not taken for the inside of a string or a comment, and
	// an object further inside that has one isn't closed for a text that ends.
	Keys []string
	// Off switches repairs off by name. What would need one is refused.
	Off map[Repair]bool
	// MaxBytes bounds the input; 0 is DefaultMaxBytes.
	MaxBytes int
}

// Result is a strict JSON value.
type Result struct {
	Value   []byte   // the input itself where it was strict
	Repairs []Mended // in the order of the input; none where it was strict. Of very many it lists some, and the first of each name
	Cut     bool     // containers were closed that the text left open
}

// Mended is one repair that was made.
type Mended struct {
	Repair  Repair
	Offset  int    // of the input, in bytes
	Dropped string // the words or the name that stood around the value and were left out
}

// Mend returns b as strict JSON. Every error is an *Error.
func Mend(b []byte, o Options) (Result, error) {
	if o.MaxBytes == 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	r, err := mend(b, o, new(int))
	if err != nil {
		return Result{}, err
	}
	return r, nil
}

// mend counts in steps how often the tokenizer looks at a byte.
func mend(b []byte, o Options, steps *int) (Result, *Error) {
	if len(b) > o.MaxBytes {
		return Result{}, refuse(ErrTooLarge, b, o.MaxBytes)
	}
	if at := notUTF8(b); at < len(b) {
		return Result{}, refuse(encoding(b[at:]), b, at)
	}
	*steps += len(b)
	var s scanner
	at, kind := s.strict(b)
	if kind == nil {
		return unwrap(b, Result{Value: b}, o)
	}
	if kind != errNotStrict {
		*steps += len(b)
		if kind == ErrTooDeep || rawjson.Valid(b, MaxDepth) == nil {
			return Result{}, refuse(kind, b, at)
		}
	}
	if inner, ok := unescape(b, steps); ok {
		return once(b, inner, o)
	}
	m := newMender(b, o)
	m.scan.known.all = s.known.all // its room
	r, err := m.run()
	*steps += m.steps
	if err != nil {
		return r, err
	}
	return unwrap(b, r, o)
}

// notUTF8 returns where b stops being UTF-8.
func notUTF8(b []byte) int {
	if utf8.Valid(b) {
		return len(b)
	}
	i := 0
	for {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n <= 1 {
			return i
		}
		i += n
	}
}

// encoding tells a character that was cut from bytes that aren't one.
func encoding(b []byte) error {
	if utf8.FullRune(b) {
		return ErrEncoding
	}
	return ErrCut
}

// unwrap opens a root string that holds an object, where one is wanted.
func unwrap(b []byte, r Result, o Options) (Result, *Error) {
	if !o.Object || o.Off[UnwrapDoubleEncoded] || rawjson.Kind(r.Value) != '"' {
		return r, nil
	}
	text, err := rawjson.AppendUnquoted(nil, r.Value)
	if err != nil || rawjson.Kind(text) != '{' || rawjson.Valid(text, MaxDepth) != nil {
		return r, nil
	}
	w, e := once(b, text, o)
	w.Repairs = append(r.Repairs, w.Repairs...)
	return w, e
}

// unescape reads {\"a\": 1}, an object that was encoded twice and lost its
// outer quotes. It says no of anything else.
func unescape(b []byte, steps *int) ([]byte, bool) {
	t := bytes.TrimSpace(b)
	if len(t) < 2 || t[0] != '{' || !bytes.HasPrefix(bytes.TrimLeft(t[1:], " \t\r\n"), []byte(`\"`)) {
		return nil, false
	}
	quoted := make([]byte, 0, len(t)+2)
	quoted = append(append(append(quoted, '"'), t...), '"')
	text, err := rawjson.AppendUnquoted(nil, quoted)
	*steps += 2 * len(b)
	if err != nil || rawjson.Valid(quoted, 1) != nil || rawjson.Valid(text, MaxDepth) != nil {
		return nil, false
	}
	return text, true
}

func once(b, text []byte, o Options) (Result, *Error) {
	if o.Off[UnwrapDoubleEncoded] {
		e := refuse(ErrOff, b, 0)
		e.Repair = UnwrapDoubleEncoded
		return Result{}, e
	}
	if _, kind := strict(text); kind != nil {
		return Result{}, refuse(kind, b, 0)
	}
	return Result{Value: text, Repairs: []Mended{{Repair: UnwrapDoubleEncoded}}}, nil
}
