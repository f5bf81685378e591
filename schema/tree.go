package schema

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/ferrule/ferrule/rawjson"
)

// MaxNesting is how deep a schema, and a value that is checked, may nest.
const MaxNesting = 64

// node is a JSON value that keeps the order of its keys. Of doubled keys the
// last counts.
type node struct {
	kind byte // as rawjson.Kind: { [ " 0 t f n
	raw  []byte
	str  string // of a string
	keys []string
	vals []*node // an object's values, a list's elements
	base string  // of a subschema: the URI that its references start from
}

func parse(src []byte) (*node, error) {
	if err := rawjson.Valid(src, MaxNesting); err != nil {
		return nil, err
	}
	return parseValid(bytes.TrimSpace(src))
}

// parseValid recurses at most MaxNesting deep: Valid has seen to that.
func parseValid(b []byte) (*node, error) {
	n := &node{kind: rawjson.Kind(b), raw: b}
	var inner error
	switch n.kind {
	case '{':
		n.raw = nil
		where := map[string]int{}
		err := rawjson.Members(b, func(k, v []byte) bool {
			c, err := parseValid(v)
			if err != nil {
				inner = err
				return false
			}
			if i, ok := where[string(k)]; ok {
				n.vals[i] = c
				return true
			}
			where[string(k)] = len(n.keys)
			n.keys, n.vals = append(n.keys, string(k)), append(n.vals, c)
			return true
		})
		if err != nil {
			return nil, err
		}
	case '[':
		n.raw = nil
		err := rawjson.Elements(b, func(v []byte) bool {
			c, err := parseValid(v)
			inner = err
			n.vals = append(n.vals, c)
			return err == nil
		})
		if err != nil {
			return nil, err
		}
	case '"':
		s, err := rawjson.String(b)
		if err != nil {
			return nil, err
		}
		n.str = s
	case '0':
		if !modest(b) {
			return nil, fmt.Errorf("%w: %s", errNumber, show(b))
		}
	}
	return n, inner
}

func anyObject() *node {
	n := &node{kind: '{'}
	n.set("type", text("object"))
	return n
}

func text(s string) *node {
	return &node{kind: '"', raw: rawjson.AppendString(nil, s), str: s}
}

func array(vals ...*node) *node { return &node{kind: '[', vals: vals} }

func isTrue(n *node) bool  { return n != nil && n.kind == 't' }
func isFalse(n *node) bool { return n != nil && n.kind == 'f' }

// get returns a member, or nil.
func (n *node) get(key string) *node {
	if n == nil || n.kind != '{' {
		return nil
	}
	for i, k := range n.keys {
		if k == key {
			return n.vals[i]
		}
	}
	return nil
}

// word returns a string member, or "".
func (n *node) word(key string) string {
	if c := n.get(key); c != nil && c.kind == '"' {
		return c.str
	}
	return ""
}

func (n *node) set(key string, v *node) {
	for i, k := range n.keys {
		if k == key {
			n.vals[i] = v
			return
		}
	}
	n.keys, n.vals = append(n.keys, key), append(n.vals, v)
}

func (n *node) drop(key string) {
	for i, k := range n.keys {
		if k == key {
			n.keys = append(n.keys[:i:i], n.keys[i+1:]...)
			n.vals = append(n.vals[:i:i], n.vals[i+1:]...)
			return
		}
	}
}

// json appends the node as compact JSON.
func (n *node) json(b []byte) []byte {
	switch n.kind {
	case '{':
		b = append(b, '{')
		for i, k := range n.keys {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(rawjson.AppendString(b, k), ':')
			b = n.vals[i].json(b)
		}
		return append(b, '}')
	case '[':
		b = append(b, '[')
		for i, v := range n.vals {
			if i > 0 {
				b = append(b, ',')
			}
			b = v.json(b)
		}
		return append(b, ']')
	}
	return append(b, n.raw...)
}

// plain returns the node in the form that the library reads.
func (n *node) plain() any {
	switch n.kind {
	case '{':
		m := make(map[string]any, len(n.keys))
		for i, k := range n.keys {
			m[k] = n.vals[i].plain()
		}
		return m
	case '[':
		l := make([]any, len(n.vals))
		for i, v := range n.vals {
			l[i] = v.plain()
		}
		return l
	case '"':
		return n.str
	case '0':
		return json.Number(n.raw)
	case 't', 'f':
		return n.kind == 't'
	}
	return nil
}
