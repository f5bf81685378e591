package jsonmend

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/bits"
)

// errNotStrict says that the grammar of JSON doesn't hold.
var errNotStrict = errors.New("not strict JSON")

// scanner reads strict JSON once. Beside the grammar it looks for what that lets
// through: conflicting keys, half surrogates, numbers beyond the limits.
type scanner struct {
	b     []byte
	at    int   // where it is wrong
	kind  error // and what is
	known keys
	stack [MaxDepth]level
	depth int32
}

// level is one open container.
type level struct {
	open byte
	base int32 // of its keys in keys.all
	same int32 // the key that the current one repeats, or -1
}

// strict returns where b, which is UTF-8, is wrong and what is: errNotStrict if
// it isn't JSON.
func strict(b []byte) (int, error) {
	var s scanner
	return s.strict(b)
}

// strict can be called again.
func (s *scanner) strict(b []byte) (int, error) {
	s.b, s.at, s.kind, s.depth = b, 0, nil, 0
	s.known.reset(b)
	if end := s.value(blanks(b, 0)); s.kind == nil && blanks(b, end) < len(b) {
		return end, errNotStrict
	}
	return s.at, s.kind
}

func blanks(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

func (s *scanner) fail(at int, kind error) int {
	if s.kind == nil {
		s.at, s.kind = at, kind
	}
	return len(s.b)
}

// value returns the offset behind the value that begins at i.
func (s *scanner) value(i int) int {
	b := s.b
	for i < len(b) {
		at := i
		switch c := b[i]; c {
		case '{', '[':
			if s.depth >= MaxDepth {
				return s.fail(i, ErrTooDeep)
			}
			i = blanks(b, i+1)
			if i < len(b) && b[i] == closerOf(c) {
				i++
				break
			}
			s.stack[s.depth] = level{open: c, base: int32(len(s.known.all)), same: -1}
			s.depth++
			if c == '{' {
				i = s.key(i)
			}
			continue
		case '"':
			i, _ = s.text(i)
		case 't':
			i = s.word(i, "true")
		case 'f':
			i = s.word(i, "false")
		case 'n':
			i = s.word(i, "null")
		default:
			i = s.number(i)
		}
		if i, at = s.ended(at, i); at < 0 {
			return i
		}
	}
	return s.fail(i, errNotStrict)
}

// ended closes what ends behind the value at from, to. It returns where the next
// value begins, and -1 if none does.
func (s *scanner) ended(from, to int) (next, more int) {
	b, i := s.b, to
	for s.kind == nil {
		if s.depth == 0 {
			return i, -1
		}
		l := &s.stack[s.depth-1]
		if l.open == '{' {
			if at := s.known.ended(l, i); at >= 0 {
				return s.fail(at, ErrDuplicate), -1
			}
		}
		if i < len(b) && b[i] != ',' {
			i = blanks(b, i)
		}
		switch {
		case i >= len(b):
			return s.fail(i, errNotStrict), -1
		case b[i] == closerOf(l.open):
			s.known.all = s.known.all[:l.base]
			s.depth--
			i++
			continue
		case b[i] != ',':
			return s.fail(i, errNotStrict), -1
		}
		i = blanks(b, i+1)
		if l.open == '{' {
			i = s.key(i)
		}
		return i, 0
	}
	return i, -1
}

// key returns the offset of the value behind the key at i.
func (s *scanner) key(i int) int {
	if i >= len(s.b) || s.b[i] != '"' {
		return s.fail(i, errNotStrict)
	}
	end, escaped := s.text(i)
	next := blanks(s.b, end)
	if next >= len(s.b) || s.b[next] != ':' {
		return s.fail(next, errNotStrict)
	}
	next = blanks(s.b, next+1)
	if !s.known.add(s.depth-1, &s.stack[s.depth-1], i, end, next, escaped) {
		return s.fail(i, ErrTooMany)
	}
	return next
}

// text returns the offset behind the string at i, and whether it has escapes.
func (s *scanner) text(i int) (end int, escaped bool) {
	b := s.b
	for j := i + 1; ; {
		if j+8 <= len(b) {
			n := special8(binary.LittleEndian.Uint64(b[j:]))
			j += n
			if n == 8 {
				continue
			}
		}
		if j >= len(b) {
			break
		}
		switch c := b[j]; {
		case c == '"':
			return j + 1, escaped
		case c == '\\' && j+1 < len(b):
			escaped = true
			n, kind := escapeSize(b[j:])
			if kind != nil {
				return s.fail(i, kind), true
			}
			j += n
		case c < ' ', c == '\\':
			return s.fail(j, errNotStrict), escaped
		default:
			j++
		}
	}
	return s.fail(len(b), errNotStrict), escaped
}

// special8 returns how many of eight bytes stand before the first quote,
// backslash or control character. Where a byte borrows from the next, the first
// one found is right all the same.
func special8(v uint64) int {
	const each, top = 0x0101010101010101, 0x8080808080808080
	quote, slash := v^each*'"', v^each*'\\'
	found := ((v - each*' ') | (quote - each) | (slash - each)) &^ v & top
	return bits.TrailingZeros64(found) >> 3
}

// escapeSize returns the size of the escape that s begins with: of both, where
// two make one character.
func escapeSize(s []byte) (int, error) {
	switch s[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2, nil
	case 'u':
		if len(s) >= 6 && isHex(s[2]) && isHex(s[3]) && isHex(s[4]) && isHex(s[5]) {
			break
		}
		fallthrough
	default:
		return 0, errNotStrict
	}
	switch surrogate(s[2:6]) {
	case high:
		if len(s) >= 12 && s[6] == '\\' && s[7] == 'u' && surrogate(s[8:12]) == low {
			return 12, nil
		}
		fallthrough
	case low:
		return 0, ErrSurrogate
	}
	return 6, nil
}

const (
	high = 1 + iota
	low
)

// surrogate tells which half of a pair four digits are, 0 for none.
func surrogate(hex []byte) int {
	if hex[0]|0x20 != 'd' || !isHex(hex[2]) || !isHex(hex[3]) {
		return 0
	}
	switch c := hex[1] | 0x20; {
	case c == '8', c == '9', c == 'a', c == 'b':
		return high
	case c >= 'c' && c <= 'f':
		return low
	}
	return 0
}

func (s *scanner) word(i int, w string) int {
	if !hasPrefix(s.b[i:], w) {
		return s.fail(i, errNotStrict)
	}
	return i + len(w)
}

// number returns the offset behind the number at i.
func (s *scanner) number(i int) int {
	end := numberEnd(s.b, i)
	switch {
	case end < 0:
		return s.fail(i, errNotStrict)
	case tooLong(s.b[i:end]):
		return s.fail(i, ErrTooLong)
	}
	return end
}

// numberEnd returns the offset behind the number at i, or -1.
func numberEnd(b []byte, i int) int {
	if i < len(b) && b[i] == '-' {
		i++
	}
	whole := digitsEnd(b, i)
	if whole == i || b[i] == '0' && whole > i+1 {
		return -1
	}
	i = whole
	if i < len(b) && b[i] == '.' {
		if i = digitsEnd(b, i+1); b[i-1] == '.' {
			return -1
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		power := digitsEnd(b, i)
		if power == i {
			return -1
		}
		i = power
	}
	return i
}

func digitsEnd(b []byte, i int) int {
	for i < len(b) && isDigit(b[i]) {
		i++
	}
	return i
}

// tooLong holds a number to the limits.
func tooLong(n []byte) bool {
	if len(n) > MaxNumber {
		return true
	}
	if len(n) < len("1e301") {
		return false
	}
	e := bytes.IndexAny(n, "eE")
	power := 0
	if e > 0 {
		for _, c := range n[e+1:] {
			if isDigit(c) {
				power = min(10*power+int(c-'0'), MaxExponent+1)
			}
		}
	}
	return power > MaxExponent
}
