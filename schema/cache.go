package schema

import (
	"container/list"
	"crypto/sha256"
	"sync"
)

const (
	defaultEntries = 512
	maxCacheBytes  = 32 << 20 // of sources
)

// Cache keeps compiled schemas, the latest used ones, at most Entries and 32 MB
// of source. Its zero value is ready; it is safe for concurrent use. The key is
// the source's bytes as they came: two orders of the same fields have two
// signatures.
type Cache struct {
	Entries int // 0: 512

	mu    sync.Mutex
	order list.List // of *cached, the latest used in front
	by    map[[sha256.Size]byte]*list.Element
	bytes int
}

type cached struct {
	key    [sha256.Size]byte
	size   int
	schema *Schema
}

// Compile is schema.Compile with memory. A nil Cache remembers nothing. What
// can't be compiled isn't kept.
func (c *Cache) Compile(src []byte) (*Schema, error) { return c.get(src, 'c', Compile) }

// Loose is schema.Loose with memory.
func (c *Cache) Loose(src []byte) *Schema {
	s, _ := c.get(src, 'l', func(src []byte) (*Schema, error) { return Loose(src), nil })
	return s
}

func (c *Cache) get(src []byte, kind byte, build func([]byte) (*Schema, error)) (*Schema, error) {
	if c == nil {
		return build(src)
	}
	h := sha256.New()
	h.Write([]byte{kind})
	h.Write(src)
	key := [sha256.Size]byte(h.Sum(nil))
	c.mu.Lock()
	if e, ok := c.by[key]; ok {
		c.order.MoveToFront(e)
		s := e.Value.(*cached).schema
		c.mu.Unlock()
		return s, nil
	}
	c.mu.Unlock()
	s, err := build(src)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.by[key]; !ok {
		c.put(&cached{key, len(src), s})
	}
	return s, nil
}

func (c *Cache) put(e *cached) {
	if c.by == nil {
		c.by = map[[sha256.Size]byte]*list.Element{}
	}
	entries := c.Entries
	if entries <= 0 {
		entries = defaultEntries
	}
	c.by[e.key] = c.order.PushFront(e)
	c.bytes += e.size
	for c.order.Len() > 1 && (c.order.Len() > entries || c.bytes > maxCacheBytes) {
		last := c.order.Back()
		old := c.order.Remove(last).(*cached)
		delete(c.by, old.key)
		c.bytes -= old.size
	}
}
