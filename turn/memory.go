package turn

import (
	queue "container/list"
	"maps"
	"sync"
)

// What LocalMemory keeps at most.
const (
	maxMemories    = 10_000
	maxMemoryBytes = 8 << 20
)

// LocalMemory keeps things by call id while the process lives: at most 10,000
// ids and 8 MB. What wasn't asked for the longest is forgotten first. It is
// safe for concurrent use.
type LocalMemory struct {
	mu    sync.Mutex
	kept  map[string]*queue.Element // of *memory
	order *queue.List               // the next to be forgotten first
	bytes int
}

type memory struct {
	id   string
	m    map[string][]byte
	size int
}

var _ Memory = (*LocalMemory)(nil)

// Get returns what is kept under an id, nil where that is nothing. The caller
// doesn't change it.
func (l *LocalMemory) Get(callID string) map[string][]byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	e, ok := l.kept[callID]
	if !ok {
		return nil
	}
	l.order.MoveToBack(e)
	return e.Value.(*memory).m
}

// Put keeps m under an id, beside what is kept there under other names. What
// is larger than the whole memory isn't kept.
func (l *LocalMemory) Put(callID string, m map[string][]byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.kept == nil {
		l.kept, l.order = map[string]*queue.Element{}, queue.New()
	}
	fresh := &memory{id: callID, m: make(map[string][]byte, len(m))}
	if e, ok := l.kept[callID]; ok {
		maps.Copy(fresh.m, e.Value.(*memory).m) // what Get gave out stays as it was
		l.forget(e)
	}
	maps.Copy(fresh.m, m)
	fresh.size = len(callID)
	for k, v := range fresh.m {
		fresh.size += len(k) + len(v)
	}
	if fresh.size > maxMemoryBytes {
		return
	}
	l.kept[callID] = l.order.PushBack(fresh)
	for l.bytes += fresh.size; l.order.Len() > maxMemories || l.bytes > maxMemoryBytes; {
		l.forget(l.order.Front())
	}
}

func (l *LocalMemory) forget(e *queue.Element) {
	m := l.order.Remove(e).(*memory)
	delete(l.kept, m.id)
	l.bytes -= m.size
}
