package store

import (
	"maps"
	"sync"
)

// What a Memory keeps at most.
const (
	maxKept      = 20_000   // things
	maxKeptBytes = 64 << 20 // of all of them
	maxOne       = 1 << 20  // of one
	trimEvery    = 256      // times that something is put
)

const memoryLayout = `
CREATE TABLE IF NOT EXISTS kept (
	id TEXT NOT NULL, name TEXT NOT NULL, value BLOB NOT NULL, at INTEGER NOT NULL,
	PRIMARY KEY (id, name)
) STRICT;`

// Memory keeps opaque things by call id: at most 20,000 and 64 MB, of which the
// oldest go. What can't be read or written is as if it had been forgotten.
type Memory struct {
	s *Store

	mu  sync.Mutex
	ids map[string]bool // what there is: most calls have nothing, and are asked for with each request
	put int
}

// Memory returns what the file keeps by call id.
func (s *Store) Memory() (*Memory, error) {
	m := &Memory{s: s, ids: map[string]bool{}}
	rows, err := s.db.Query("SELECT DISTINCT id FROM kept")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		m.ids[id] = true
	}
	return m, rows.Err()
}

// Get returns what is kept under an id, nil where that is nothing. What another
// process put since this one began isn't seen.
func (m *Memory) Get(callID string) map[string][]byte {
	m.mu.Lock()
	there := m.ids[callID]
	m.mu.Unlock()
	if !there {
		return nil
	}
	kept, err := m.read(callID)
	m.s.failed("read what is kept of a call", err)
	return kept
}

func (m *Memory) read(callID string) (map[string][]byte, error) {
	rows, err := m.s.db.Query("SELECT name, value FROM kept WHERE id=?", callID)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	kept := map[string][]byte{}
	for rows.Next() {
		var name string
		var value []byte
		if err := rows.Scan(&name, &value); err != nil {
			return nil, err
		}
		kept[name] = value
	}
	return kept, rows.Err()
}

// Put keeps things under an id, beside what is kept there under other names.
// What is larger than 1 MB isn't kept.
func (m *Memory) Put(callID string, things map[string][]byte) {
	for name, value := range maps.All(things) {
		if len(value) > maxOne {
			continue
		}
		_, err := m.s.db.Exec("INSERT OR REPLACE INTO kept (id, name, value, at) VALUES (?,?,?,?)", callID, name, value, m.s.now().UnixNano())
		if m.s.failed("keep something of a call", err); err != nil {
			return
		}
	}
	m.mu.Lock()
	m.ids[callID] = true
	m.put++
	trim := m.put%trimEvery == 0
	m.mu.Unlock()
	if trim {
		m.s.failed("forget the oldest of what is kept", m.trim())
	}
}

// trim forgets the oldest beyond what is kept at most.
func (m *Memory) trim() error {
	_, err := m.s.db.Exec(`DELETE FROM kept WHERE (id, name) IN (
		SELECT id, name FROM (
			SELECT id, name, row_number() OVER newest AS n, sum(length(value)) OVER newest AS size
			FROM kept WINDOW newest AS (ORDER BY at DESC, id, name)
		) WHERE n > ? OR size > ?)`, maxKept, maxKeptBytes)
	return err
}
