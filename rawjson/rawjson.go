// Package rawjson reads strict JSON where it lies: exact keys, doubled keys
// seen, values as slices of the input, edits that leave every other byte as it
// came. encoding/json matches keys in any case and lets the last of two win,
// so a gateway that judges with it and forwards the bytes judges something
// else than its client runs.
//
// Nothing here recurses, allocates per value or changes its input. Depth is
// bounded by MaxDepth wherever a value is skipped.
package rawjson

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// MaxDepth is how deep arrays and objects may nest unless a caller asks for less.
const MaxDepth = 512

// SyntaxError says where the input stops being JSON.
type SyntaxError struct {
	Offset int // in bytes
	Msg    string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("%s at byte %d", e.Msg, e.Offset) }

// ErrDepth is wrapped by the SyntaxError of a value that nests too deep.
var ErrDepth = errors.New("nested too deep")

type depthError struct{ SyntaxError }

func (e *depthError) Unwrap() error { return ErrDepth }

// Valid checks that b is one JSON value and white space, nested at most max deep.
func Valid(b []byte, max int) error {
	end, err := skip(b, space(b, 0), max)
	if err != nil {
		return err
	}
	if end = space(b, end); end != len(b) {
		return &SyntaxError{end, "text after the value"}
	}
	return nil
}

// Prefix returns the first JSON value of b, without the space around it, and
// the offset behind it.
func Prefix(b []byte) (value []byte, end int, err error) {
	i := space(b, 0)
	end, err = skip(b, i, MaxDepth)
	if err != nil {
		return nil, 0, err
	}
	return b[i:end], end, nil
}

// Members calls f with each member of the object b, in order, until f returns
// false. The key is unescaped; the value is a slice of b. Valid tells whether b
// is JSON; Members itself only reads as far as f lets it.
func Members(b []byte, f func(key, value []byte) bool) error {
	return members(b, func(m Member) bool { return f(m.Key, b[m.ValueStart:m.End]) })
}

// Member is where one member of an object stands.
type Member struct {
	Key               []byte // unescaped
	Start, ValueStart int    // of the key's quote, of the value
	End               int    // behind the value
}

func members(b []byte, f func(Member) bool) error {
	i := space(b, 0)
	if i >= len(b) || b[i] != '{' {
		return &SyntaxError{i, "an object expected"}
	}
	i = space(b, i+1)
	if i < len(b) && b[i] == '}' {
		return nil
	}
	for {
		if i >= len(b) || b[i] != '"' {
			return &SyntaxError{i, "a key expected"}
		}
		m := Member{Start: i}
		e, esc, err := skipString(b, i)
		if err != nil {
			return err
		}
		if esc {
			if m.Key, err = appendUnquoted(nil, b[i:e]); err != nil {
				return err
			}
		} else {
			m.Key = b[i+1 : e-1]
		}
		i = space(b, e)
		if i >= len(b) || b[i] != ':' {
			return &SyntaxError{i, "a colon expected"}
		}
		m.ValueStart = space(b, i+1)
		if m.End, err = skip(b, m.ValueStart, MaxDepth); err != nil {
			return err
		}
		if !f(m) {
			return nil
		}
		i = space(b, m.End)
		if i >= len(b) {
			return &SyntaxError{i, "the object isn't closed"}
		}
		switch b[i] {
		case '}':
			return nil
		case ',':
			i = space(b, i+1)
		default:
			return &SyntaxError{i, "a comma or a closing brace expected"}
		}
	}
}

// Elements calls f with each element of the array b, in order, until f returns false.
func Elements(b []byte, f func(value []byte) bool) error {
	i := space(b, 0)
	if i >= len(b) || b[i] != '[' {
		return &SyntaxError{i, "an array expected"}
	}
	i = space(b, i+1)
	if i < len(b) && b[i] == ']' {
		return nil
	}
	for {
		e, err := skip(b, i, MaxDepth)
		if err != nil {
			return err
		}
		if !f(b[i:e]) {
			return nil
		}
		i = space(b, e)
		if i >= len(b) {
			return &SyntaxError{i, "the array isn't closed"}
		}
		switch b[i] {
		case ']':
			return nil
		case ',':
			i = space(b, i+1)
		default:
			return &SyntaxError{i, "a comma or a closing bracket expected"}
		}
	}
}

// Get follows a path of exact keys through objects. Of doubled keys the last counts.
func Get(b []byte, path ...string) (value []byte, ok bool) {
	for _, want := range path {
		ok = false
		err := Members(b, func(k, v []byte) bool {
			if string(k) == want {
				value, ok = v, true
			}
			return true
		})
		if err != nil || !ok {
			return nil, false
		}
		b = value
	}
	return value, ok
}

// Doubled reports whether any object in b, at any depth, has two members with
// the same key, and names the first such key.
func Doubled(b []byte) (key string, doubled bool) {
	var open []level
	for i := 0; i < len(b); {
		switch b[i] {
		case '{', '[':
			open = append(open, level{object: b[i] == '{'})
			i++
		case '}', ']':
			if n := len(open); n > 0 {
				open = open[:n-1]
			}
			i++
		case '"':
			e, esc, err := skipString(b, i)
			if err != nil {
				return "", false
			}
			n := space(b, e)
			if n >= len(b) || b[n] != ':' || len(open) == 0 || !open[len(open)-1].object {
				i = e
				continue
			}
			k := b[i+1 : e-1]
			if esc {
				if k, err = appendUnquoted(nil, b[i:e]); err != nil {
					return "", false
				}
			}
			if open[len(open)-1].has(k) {
				return string(k), true
			}
			i = n + 1
		default:
			i++
		}
	}
	return "", false
}

// level is one open array or object and the keys that it has had. A few keys
// are compared one by one; from fewKeys on a map keeps the work linear.
type level struct {
	object bool
	few    [][]byte
	many   map[string]struct{}
}

const fewKeys = 16

// has reports whether k was there already, and keeps it.
func (l *level) has(k []byte) bool {
	if l.many != nil {
		_, ok := l.many[string(k)]
		l.many[string(k)] = struct{}{}
		return ok
	}
	for _, o := range l.few {
		if bytes.Equal(o, k) {
			return true
		}
	}
	if l.few = append(l.few, k); len(l.few) == fewKeys {
		l.many = make(map[string]struct{}, 4*fewKeys)
		for _, o := range l.few {
			l.many[string(o)] = struct{}{}
		}
	}
	return false
}

// Kind tells what a value is by its first byte: one of { [ " t f n 0, or 0 for none.
func Kind(b []byte) byte {
	i := space(b, 0)
	if i >= len(b) {
		return 0
	}
	switch c := b[i]; c {
	case '{', '[', '"', 't', 'f', 'n':
		return c
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return '0'
	}
	return 0
}

// String returns the text of the JSON string b.
func String(b []byte) (string, error) {
	t, err := AppendUnquoted(nil, b)
	return string(t), err
}

// AppendUnquoted appends the text of the JSON string b. A lone surrogate
// becomes U+FFFD.
func AppendUnquoted(dst, b []byte) ([]byte, error) {
	i := space(b, 0)
	if i >= len(b) || b[i] != '"' {
		return dst, &SyntaxError{i, "a string expected"}
	}
	e, _, err := skipString(b, i)
	if err != nil {
		return dst, err
	}
	return appendUnquoted(dst, b[i:e])
}

func appendUnquoted(dst, quoted []byte) ([]byte, error) {
	s := quoted[1 : len(quoted)-1]
	for {
		i := bytes.IndexByte(s, '\\')
		if i < 0 {
			return append(dst, s...), nil
		}
		dst = append(dst, s[:i]...)
		c := s[i+1]
		s = s[i+2:]
		switch c {
		case 'b':
			dst = append(dst, '\b')
		case 'f':
			dst = append(dst, '\f')
		case 'n':
			dst = append(dst, '\n')
		case 'r':
			dst = append(dst, '\r')
		case 't':
			dst = append(dst, '\t')
		case 'u':
			r := hex4(s)
			s = s[4:]
			if utf16.IsSurrogate(r) {
				low := rune(-1)
				if len(s) >= 6 && s[0] == '\\' && s[1] == 'u' {
					low = hex4(s[2:])
				}
				if p := utf16.DecodeRune(r, low); p != utf8.RuneError {
					r, s = p, s[6:]
				} else {
					r = utf8.RuneError
				}
			}
			dst = utf8.AppendRune(dst, r)
		default:
			dst = append(dst, c)
		}
	}
}

func hex4(b []byte) rune {
	n, err := strconv.ParseUint(string(b[:4]), 16, 32)
	if err != nil {
		return -1
	}
	return rune(n)
}

const hexDigits = "0123456789abcdef"

// AppendString appends s as a JSON string. Only what JSON asks for is escaped;
// bytes that aren't UTF-8 become U+FFFD.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				dst = append(dst, s[from:i]...)
				dst = append(dst, "\ufffd"...)
				from = i + 1
			}
			i += n
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' {
			i++
			continue
		}
		dst = append(dst, s[from:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
		i++
		from = i
	}
	dst = append(dst, s[from:]...)
	return append(dst, '"')
}
