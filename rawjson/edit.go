package rawjson

import (
	"bytes"
	"fmt"
	"sort"
)

// Change sets the member Key of an object to Value, or takes it out when Value is nil.
type Change struct {
	Key   string
	Value []byte // JSON
}

// Edit returns a copy of the object b with the changes made and every other
// byte as it was. A member that isn't there yet is added at the end. Of doubled
// keys all are changed alike, so that no reader sees the old value.
func Edit(b []byte, changes ...Change) ([]byte, error) {
	open := bytes.IndexByte(b, '{')
	if open < 0 {
		return nil, &SyntaxError{0, "an object expected"}
	}
	done := make([]bool, len(changes))
	out := make([]byte, 0, len(b)+64)
	out = append(out, b[:open+1]...)
	at := open + 1 // b[:at] is written or dropped
	kept := false  // a member was written
	err := members(b, func(m Member) bool {
		// Each member carries the separator before it; the first one written has none.
		lead, value := b[at:m.Start], b[m.ValueStart:m.End]
		at = m.End
		for i := range changes {
			if string(m.Key) == changes[i].Key {
				value, done[i] = changes[i].Value, true
			}
		}
		if value == nil {
			return true
		}
		if !kept {
			lead = lead[bytes.IndexByte(lead, ',')+1:]
		}
		out = append(out, lead...)
		out = append(out, b[m.Start:m.ValueStart]...)
		out = append(out, value...)
		kept = true
		return true
	})
	if err != nil {
		return nil, fmt.Errorf("edit object: %w", err)
	}
	for i, c := range changes {
		if done[i] || c.Value == nil {
			continue
		}
		if kept {
			out = append(out, ',')
		}
		out = AppendString(out, c.Key)
		out = append(out, ':')
		out = append(out, c.Value...)
		kept = true
	}
	return append(out, b[at:]...), nil
}

// Canonical returns b with keys sorted, spaces gone, strings and numbers in one
// spelling, so that two values that mean the same have the same bytes: 1, 1.0
// and 1e0 are one number. Digits are never lost. Objects with doubled keys are an error.
func Canonical(b []byte) ([]byte, error) {
	if err := Valid(b, MaxDepth); err != nil {
		return nil, err
	}
	return canonical(make([]byte, 0, len(b)), b)
}

// Same reports whether two JSON values mean the same: keys in any order, numbers
// and strings in any spelling. What isn't JSON, or has doubled keys, is the same
// as nothing.
func Same(a, b []byte) bool {
	ca, errA := Canonical(a)
	cb, errB := Canonical(b)
	return errA == nil && errB == nil && bytes.Equal(ca, cb)
}

// canonical recurses at most MaxDepth deep: Valid has seen to that.
func canonical(dst, b []byte) ([]byte, error) {
	b = bytes.TrimSpace(b)
	var err error
	switch Kind(b) {
	case '{':
		type member struct {
			key string
			val []byte
		}
		var ms []member
		if err = Members(b, func(k, v []byte) bool {
			ms = append(ms, member{string(k), v})
			return true
		}); err != nil {
			return nil, err
		}
		sort.Slice(ms, func(i, j int) bool { return ms[i].key < ms[j].key })
		dst = append(dst, '{')
		for i, m := range ms {
			if i > 0 {
				if m.key == ms[i-1].key {
					return nil, fmt.Errorf("the key %q stands twice", m.key)
				}
				dst = append(dst, ',')
			}
			dst = append(AppendString(dst, m.key), ':')
			if dst, err = canonical(dst, m.val); err != nil {
				return nil, err
			}
		}
		return append(dst, '}'), nil
	case '[':
		dst = append(dst, '[')
		first := true
		var inner error
		if err = Elements(b, func(v []byte) bool {
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst, inner = canonical(dst, v)
			return inner == nil
		}); err != nil {
			return nil, err
		}
		if inner != nil {
			return nil, inner
		}
		return append(dst, ']'), nil
	case '"':
		s, err := String(b)
		if err != nil {
			return nil, err
		}
		return AppendString(dst, s), nil
	case '0':
		return appendNumber(dst, b), nil
	}
	return append(dst, b...), nil
}

// appendNumber writes a number as digits and an exponent of ten, without
// trailing zeros, and as plain digits where it is a whole number of at most 21 digits.
func appendNumber(dst, b []byte) []byte {
	if b[0] == '-' {
		dst = append(dst, '-')
		b = b[1:]
	}
	exp := 0
	if i := bytes.IndexAny(b, "eE"); i >= 0 {
		sign := 1
		for _, c := range b[i+1:] {
			switch {
			case c == '-':
				sign = -1
			case c != '+' && exp < 1<<30:
				exp = exp*10 + int(c-'0')
			}
		}
		exp *= sign
		b = b[:i]
	}
	digits := make([]byte, 0, len(b))
	if i := bytes.IndexByte(b, '.'); i >= 0 {
		digits = append(append(digits, b[:i]...), b[i+1:]...)
		exp -= len(b) - i - 1
	} else {
		digits = append(digits, b...)
	}
	digits = bytes.TrimLeft(digits, "0")
	for len(digits) > 0 && digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
		exp++
	}
	if len(digits) == 0 {
		// -0 and 0 are one number to a reader.
		return append(bytes.TrimSuffix(dst, []byte("-")), '0')
	}
	dst = append(dst, digits...)
	if exp > 0 && len(digits)+exp <= 21 {
		for ; exp > 0; exp-- {
			dst = append(dst, '0')
		}
	}
	if exp != 0 {
		dst = fmt.Appendf(dst, "e%d", exp)
	}
	return dst
}
