package jsonmend

import (
	"bytes"
	"hash/maphash"

	"github.com/ferrule/ferrule/rawjson"
)

// checker walks strict JSON and looks for what the grammar lets through:
// conflicting keys, half surrogates, numbers beyond the limits.
type checker struct {
	b      []byte
	i      int
	stack  []level
	keys   []member // of the open objects
	plain  []byte   // keys that had escapes, without them
	seed   maphash.Seed
	seeded bool
}

// level is one open container.
type level struct {
	object bool
	key    bool    // the next string is a key
	base   int     // of its keys in checker.keys
	same   int     // the key that the current one repeats, or -1
	table  []int32 // hashed positions in keys plus one, from fewKeys on
}

// member is a key and its value, as places in the text.
type member struct {
	from, to   int32 // of the key's letters
	start, end int32 // of the value
	at         int32 // of the key
	escaped    bool  // the letters are in checker.plain
}

const fewKeys = 16

// check returns where the valid JSON b is wrong, and what is.
func check(b []byte) (int, error) {
	var few [8]level
	var fewMembers [fewKeys]member
	c := checker{b: b, stack: few[:0], keys: fewMembers[:0]}
	for c.i < len(b) {
		at := c.i
		switch b[c.i] {
		case '{', '[':
			c.begin()
			object := b[c.i] == '{'
			c.stack = append(c.stack, level{object: object, key: object, base: len(c.keys), same: -1})
			c.i++
		case '}', ']':
			c.keys = c.keys[:c.stack[len(c.stack)-1].base]
			c.stack = c.stack[:len(c.stack)-1]
			c.i++
			if at, err := c.ended(); err != nil {
				return at, err
			}
		case '"':
			if err := c.string(); err != nil {
				return at, err
			}
			if at, err := c.ended(); err != nil {
				return at, err
			}
		case ',':
			if n := len(c.stack); c.stack[n-1].object {
				c.stack[n-1].key = true
			}
			if c.i++; b[c.i] == ' ' {
				c.i++
			}
		case ' ', '\n', '\r', '\t', ':':
			c.i++
		default:
			c.begin()
			for c.i < len(b) && scalarByte[b[c.i]] {
				c.i++
			}
			if tooLong(b[at:c.i]) {
				return at, ErrTooLong
			}
			if at, err := c.ended(); err != nil {
				return at, err
			}
		}
	}
	return 0, nil
}

var scalarByte = func() (t [256]bool) {
	for _, c := range "+-.0123456789aeflnrstuE" {
		t[c] = true
	}
	return t
}()

// begin notes where a member's value begins.
func (c *checker) begin() {
	if n := len(c.stack); n > 0 && c.stack[n-1].object {
		c.keys[len(c.keys)-1].start = int32(c.i)
	}
}

// ended notes where a member's value ends, and compares it with an earlier one.
func (c *checker) ended() (int, error) {
	n := len(c.stack)
	if n == 0 || !c.stack[n-1].object || c.stack[n-1].key {
		return 0, nil
	}
	l, k := &c.stack[n-1], &c.keys[len(c.keys)-1]
	if k.start == 0 {
		return 0, nil // the key itself
	}
	k.end = int32(c.i)
	if l.same >= 0 {
		first := c.keys[l.same]
		if !bytes.Equal(c.b[first.start:first.end], c.b[k.start:k.end]) {
			return int(k.at), ErrDuplicate
		}
		l.same = -1
	}
	return 0, nil
}

// string passes over a string and, if it is a key, looks whether it was there.
func (c *checker) string() error {
	n := len(c.stack)
	isKey := n > 0 && c.stack[n-1].key
	if !isKey {
		c.begin()
	}
	from := c.i + 1
	escaped := false
	j := from
	for b := c.b; b[j] != '"'; {
		if b[j] != '\\' {
			j++
			continue
		}
		escaped = true
		if b[j+1] != 'u' {
			j += 2
			continue
		}
		size, ok := escape(b[j:])
		if !ok {
			return ErrSurrogate
		}
		j += size
	}
	c.i = j + 1
	if !isKey {
		return nil
	}
	c.stack[n-1].key = false
	if c.b[c.i] == ':' {
		if c.i++; c.b[c.i] == ' ' {
			c.i++
		}
	}
	k := member{from: int32(from), to: int32(j), at: int32(from - 1), escaped: escaped}
	if escaped {
		k.from = int32(len(c.plain))
		c.plain, _ = rawjson.AppendUnquoted(c.plain, c.b[from-1:j+1])
		k.to = int32(len(c.plain))
	}
	return c.add(&c.stack[n-1], k)
}

// escape returns the size of the \u escape that s begins with: of both, where
// two make one character.
func escape(s []byte) (int, bool) {
	switch surrogate(s[2:6]) {
	case high:
		if len(s) >= 12 && s[6] == '\\' && s[7] == 'u' && surrogate(s[8:12]) == low {
			return 12, true
		}
		return 0, false
	case low:
		return 0, false
	}
	return 6, true
}

const (
	high = 1 + iota
	low
)

func surrogate(hex []byte) int {
	if hex[0] != 'd' && hex[0] != 'D' {
		return 0
	}
	switch c := hex[1] | 0x20; {
	case c == '8' || c == '9' || c == 'a' || c == 'b':
		return high
	case c >= 'c' && c <= 'f':
		return low
	}
	return 0
}

func (c *checker) letters(k member) []byte {
	if k.escaped {
		return c.plain[k.from:k.to]
	}
	return c.b[k.from:k.to]
}

// add keeps a key. Few keys are compared one by one, many through a table.
func (c *checker) add(l *level, k member) error {
	c.keys = append(c.keys, k)
	mine := c.keys[l.base:]
	last := len(mine) - 1
	if len(mine) > MaxKeys {
		return ErrTooMany
	}
	l.same = -1
	if len(mine) <= fewKeys {
		for i, o := range mine[:last] {
			if o.to-o.from == k.to-k.from && bytes.Equal(c.letters(o), c.letters(k)) {
				l.same = l.base + i
				break
			}
		}
		return nil
	}
	if 2*len(mine) > len(l.table) {
		if !c.seeded {
			c.seed, c.seeded = maphash.MakeSeed(), true
		}
		l.table = make([]int32, max(4*len(l.table), 8*fewKeys))
		for i := range mine[:last] {
			c.place(l.table, mine, i)
		}
	}
	if i := c.place(l.table, mine, last); i != last {
		l.same = l.base + i
	}
	return nil
}

// place puts key i into the table and returns the equal one that was there, or i.
func (c *checker) place(table []int32, mine []member, i int) int {
	k := c.letters(mine[i])
	mask := uint64(len(table) - 1)
	for h := maphash.Bytes(c.seed, k); ; h++ {
		switch o := int(table[h&mask]) - 1; {
		case o < 0:
			table[h&mask] = int32(i + 1)
			return i
		case bytes.Equal(c.letters(mine[o]), k):
			return o
		}
	}
}
