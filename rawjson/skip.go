package rawjson

import (
	"encoding/binary"
	"unicode/utf8"
)

func space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

// skipString returns the offset behind the string that begins at b[i] and
// whether it holds escapes.
func skipString(b []byte, i int) (end int, escaped bool, err error) {
	for j := i + 1; j < len(b); {
		for j+8 <= len(b) && plain8(binary.LittleEndian.Uint64(b[j:])) {
			j += 8
		}
		if j >= len(b) {
			break
		}
		switch c := b[j]; {
		case c == '"':
			return j + 1, escaped, nil
		case c == '\\':
			escaped = true
			if j+1 >= len(b) {
				return 0, true, &SyntaxError{len(b), "the string isn't closed"}
			}
			switch b[j+1] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
				j += 2
			case 'u':
				if j+6 > len(b) {
					return 0, true, &SyntaxError{len(b), "the string isn't closed"}
				}
				for _, h := range b[j+2 : j+6] {
					if !(h >= '0' && h <= '9' || h >= 'a' && h <= 'f' || h >= 'A' && h <= 'F') {
						return 0, true, &SyntaxError{j, "a bad \\u escape"}
					}
				}
				j += 6
			default:
				return 0, true, &SyntaxError{j, "a bad escape"}
			}
		case c < ' ':
			return 0, escaped, &SyntaxError{j, "a control character in a string"}
		case c < utf8.RuneSelf:
			j++
		default:
			r, n := utf8.DecodeRune(b[j:])
			if r == utf8.RuneError && n <= 1 {
				return 0, escaped, &SyntaxError{j, "a byte that isn't UTF-8"}
			}
			j += n
		}
	}
	return 0, escaped, &SyntaxError{len(b), "the string isn't closed"}
}

// skip returns the offset behind the value that begins at b[i]. It keeps the
// open brackets in a stack of its own.
func skip(b []byte, i, max int) (int, error) {
	var few [64]byte
	stack := few[:0]
	for {
		// A value begins at i.
		if i >= len(b) {
			return 0, &SyntaxError{i, "a value expected"}
		}
		switch c := b[i]; c {
		case '{', '[':
			if len(stack) >= max {
				return 0, &depthError{SyntaxError{i, ErrDepth.Error()}}
			}
			i = space(b, i+1)
			if i < len(b) && b[i] == c+2 { // ASCII: the closers stand two behind the openers
				i++
				break
			}
			stack = append(stack, c)
			if c == '{' {
				var err error
				if i, err = skipKey(b, i); err != nil {
					return 0, err
				}
			}
			continue
		case '"':
			e, _, err := skipString(b, i)
			if err != nil {
				return 0, err
			}
			i = e
		default:
			e, err := skipScalar(b, i)
			if err != nil {
				return 0, err
			}
			i = e
		}
		// A value ended at i: close what it closes.
		for {
			if len(stack) == 0 {
				return i, nil
			}
			i = space(b, i)
			if i >= len(b) {
				return 0, &SyntaxError{i, "the input ends inside a value"}
			}
			top := stack[len(stack)-1]
			if b[i] == top+2 {
				stack = stack[:len(stack)-1]
				i++
				continue
			}
			if b[i] != ',' {
				return 0, &SyntaxError{i, "a comma or a closer expected"}
			}
			i = space(b, i+1)
			if top == '{' {
				var err error
				if i, err = skipKey(b, i); err != nil {
					return 0, err
				}
			}
			break
		}
	}
}

// skipKey returns the offset of the value behind the key that begins at b[i].
func skipKey(b []byte, i int) (int, error) {
	if i >= len(b) || b[i] != '"' {
		return 0, &SyntaxError{i, "a key expected"}
	}
	e, _, err := skipString(b, i)
	if err != nil {
		return 0, err
	}
	i = space(b, e)
	if i >= len(b) || b[i] != ':' {
		return 0, &SyntaxError{i, "a colon expected"}
	}
	return space(b, i+1), nil
}

func skipScalar(b []byte, i int) (int, error) {
	for _, word := range [...]string{"true", "false", "null"} {
		if b[i] == word[0] {
			if len(b)-i >= len(word) && string(b[i:i+len(word)]) == word {
				return i + len(word), nil
			}
			return 0, &SyntaxError{i, "not a JSON value"}
		}
	}
	start := i
	if b[i] == '-' {
		i++
	}
	digits := func() bool {
		from := i
		for i < len(b) && b[i] >= '0' && b[i] <= '9' {
			i++
		}
		return i > from
	}
	if i < len(b) && b[i] == '0' {
		i++
	} else if !digits() {
		return 0, &SyntaxError{start, "not a JSON value"}
	}
	if i < len(b) && b[i] == '.' {
		i++
		if !digits() {
			return 0, &SyntaxError{start, "a bad number"}
		}
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		if !digits() {
			return 0, &SyntaxError{start, "a bad number"}
		}
	}
	return i, nil
}

// plain8 reports whether eight bytes are all printable ASCII but the quote and
// the backslash. It may say no of bytes that are.
func plain8(v uint64) bool {
	const each = 0x0101010101010101
	special := v | (v - each*' ') | ((v ^ each*'"') - each) | ((v ^ each*'\\') - each)
	return special&(each*0x80) == 0
}
