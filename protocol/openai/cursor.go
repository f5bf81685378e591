package openai

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"

	"github.com/ferrule/ferrule/rawjson"
)

// cursor reads one JSON text in a single pass, because the chunks of a stream
// are small and many. It knows exact keys, and sees at every depth whether an
// object has the same key twice. After the first thing that isn't JSON it
// reads nothing more.
type cursor struct {
	b       []byte
	i       int
	depth   int
	keys    [][]byte // of the objects that are open
	doubled bool     // an object has a key twice, or so many that nobody looked
	broken  bool     // not JSON
	notUTF8 bool     // a string holds bytes that aren't UTF-8
}

// manyKeys bounds the search for doubled keys; no reply has objects that large.
const manyKeys = 512

func (c *cursor) reset(b []byte) {
	*c = cursor{b: b, keys: c.keys[:0]}
}

// clean reports whether everything was read, was strict JSON and had no key twice.
func (c *cursor) clean() bool { return !c.broken && !c.doubled && !c.notUTF8 }

// end checks that nothing but space follows.
func (c *cursor) end() {
	if c.space(); c.i != len(c.b) {
		c.broken = true
	}
}

func (c *cursor) space() {
	for c.i < len(c.b) && (c.b[c.i] == ' ' || c.b[c.i] == '\n' || c.b[c.i] == '\r' || c.b[c.i] == '\t') {
		c.i++
	}
}

// peek returns the first byte of the value ahead, 0 where there is none.
func (c *cursor) peek() byte {
	if c.broken {
		return 0
	}
	if c.i < len(c.b) && c.b[c.i] > ' ' {
		return c.b[c.i]
	}
	if c.space(); c.i < len(c.b) {
		return c.b[c.i]
	}
	return 0
}

func (c *cursor) fail() bool {
	c.broken = true
	return false
}

// container is an object or an array that is being read.
type container struct {
	key    []byte // of the member ahead, unescaped
	base   int    // where its keys begin in cursor.keys
	inside bool
}

// open enters the object or array ahead if it begins with the given bracket;
// else it skips the value, and the container has no members.
func (c *cursor) open(bracket byte) container {
	if c.peek() != bracket {
		c.skip()
		return container{base: -1}
	}
	if c.depth++; c.depth > rawjson.MaxDepth {
		c.fail()
	}
	c.i++
	return container{base: len(c.keys)}
}

// member moves to the next member of an object, up to its value, which the
// caller must read or skip. It is false behind the last one.
func (c *cursor) member(o *container) bool {
	if !c.more(o, '}') {
		return false
	}
	if c.peek() != '"' {
		return c.fail()
	}
	k, escaped := c.quoted()
	if c.broken || c.peek() != ':' {
		return c.fail()
	}
	c.i++
	o.key = k[1 : len(k)-1]
	if escaped {
		o.key, _ = rawjson.AppendUnquoted(nil, k)
	}
	if mine := c.keys[o.base:]; len(mine) >= manyKeys {
		c.doubled = true
		return true
	} else if !c.doubled {
		for i := range mine {
			// Go's own decoder takes a key in any case for the same key.
			if bytes.EqualFold(mine[i], o.key) {
				c.doubled = true
			}
		}
	}
	c.keys = append(c.keys, o.key)
	return true
}

// element moves to the next element of an array, which the caller must read or skip.
func (c *cursor) element(a *container) bool { return c.more(a, ']') }

func (c *cursor) more(o *container, closer byte) bool {
	if o.base < 0 || c.broken {
		return false
	}
	b := c.peek()
	switch {
	case b == closer:
		c.i++
		c.depth--
		c.keys = c.keys[:o.base]
		o.base = -1
		return false
	case !o.inside:
		o.inside = true
		return b != 0 || c.fail()
	case b != ',':
		return c.fail()
	}
	c.i++
	return true
}

// skip reads over the value ahead. Its recursion is bounded by rawjson.MaxDepth.
func (c *cursor) skip() {
	switch c.peek() {
	case '{':
		for o := c.open('{'); c.member(&o); {
			c.skip()
		}
	case '[':
		for a := c.open('['); c.element(&a); {
			c.skip()
		}
	case '"':
		c.quoted()
	default:
		c.scalar()
	}
}

// raw reads over the value ahead and returns it as it stands; nil for null.
func (c *cursor) raw() []byte {
	c.peek()
	from := c.i
	c.skip()
	if c.broken || c.b[from] == 'n' {
		return nil
	}
	return c.b[from:c.i]
}

// text is raw for a string that isn't empty; nil for anything else.
func (c *cursor) text() []byte {
	if v := c.raw(); len(v) > 2 && v[0] == '"' {
		return v
	}
	return nil
}

// integer returns the whole number ahead; ok is false for anything else.
func (c *cursor) integer() (n int64, ok bool) {
	v := c.raw()
	return integer(v)
}

// integer reads a whole number, written plainly or with a fraction of zeros.
func integer(v []byte) (n int64, ok bool) {
	neg := len(v) > 0 && v[0] == '-'
	if neg {
		v = v[1:]
	}
	if i := bytes.IndexByte(v, '.'); i >= 0 && len(bytes.Trim(v[i+1:], "0")) == 0 {
		v = v[:i]
	}
	if len(v) == 0 || len(v) > 18 {
		return 0, false
	}
	for _, d := range v {
		if d < '0' || d > '9' {
			return 0, false
		}
		n = n*10 + int64(d-'0')
	}
	if neg {
		n = -n
	}
	return n, true
}

func (c *cursor) scalar() {
	if c.broken {
		return
	}
	rest := c.b[c.i:]
	if len(rest) >= 4 && string(rest[:4]) == "null" {
		c.i += 4
		return
	}
	_, n, err := rawjson.Prefix(rest)
	if err != nil {
		c.fail()
		return
	}
	c.i += n
}

// plain marks the bytes of a string that need no look: printable ASCII but the
// quote and the backslash.
var plain = func() (t [256]bool) {
	for i := ' '; i < utf8.RuneSelf; i++ {
		t[i] = i != '"' && i != '\\'
	}
	return t
}()

// plain8 reports whether eight bytes are all plain. It may say no of plain ones.
func plain8(v uint64) bool {
	const each = 0x0101010101010101
	special := v | (v - each*' ') | ((v ^ each*'"') - each) | ((v ^ each*'\\') - each)
	return special&(each*0x80) == 0
}

// quoted reads the string ahead and returns it with its quotes.
func (c *cursor) quoted() (s []byte, escaped bool) {
	b, i := c.b, c.i+1
	for {
		for i+8 <= len(b) && plain8(binary.LittleEndian.Uint64(b[i:])) {
			i += 8
		}
		for i < len(b) && plain[b[i]] {
			i++
		}
		if i >= len(b) {
			break
		}
		switch ch := b[i]; {
		case ch == '"':
			s = b[c.i : i+1]
			c.i = i + 1
			return s, escaped
		case ch == '\\':
			escaped = true
			n := escape(b[i:])
			if n == 0 {
				c.fail()
				return nil, true
			}
			i += n
		case ch < ' ':
			c.fail()
			return nil, escaped
		default:
			r, n := utf8.DecodeRune(b[i:])
			if r == utf8.RuneError && n == 1 {
				c.notUTF8 = true
			}
			i += n
		}
	}
	c.fail()
	return nil, escaped
}

// escape returns the length of the escape that b begins with, 0 if it is none.
func escape(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if len(b) < 6 {
			return 0
		}
		for _, h := range b[2:6] {
			if !(h >= '0' && h <= '9' || h >= 'a' && h <= 'f' || h >= 'A' && h <= 'F') {
				return 0
			}
		}
		return 6
	}
	return 0
}
