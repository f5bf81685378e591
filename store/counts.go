package store

import (
	"slices"
	"strings"
	"time"
)

const countsLayout = `
CREATE TABLE IF NOT EXISTS counts (
	provider TEXT NOT NULL, model TEXT NOT NULL, url TEXT NOT NULL,
	how TEXT NOT NULL, calls INTEGER NOT NULL,
	PRIMARY KEY (provider, model, url, how)
) STRICT;`

// counted is how long counts wait until they are written together.
const counted = 10 * time.Second

type countKey struct{ provider, model, how string }

// Count adds calls of a model, by how they ended. They are written within ten
// seconds, or at Close.
func (s *Store) Count(provider, model, how string, calls int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.counts == nil {
		s.counts = map[countKey]int{}
	}
	s.counts[countKey{provider, model, how}] += calls
	if s.writing == nil {
		s.writing = time.AfterFunc(counted, func() { s.failed("keep how calls ended", s.writeCounts()) })
	}
}

func (s *Store) writeCounts() error {
	s.mu.Lock()
	counts := s.counts
	s.counts, s.writing = nil, nil
	s.mu.Unlock()
	if len(counts) == 0 {
		return nil
	}
	tx, err := s.db.Begin()
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	for k, n := range counts {
		_, err := tx.Exec(`INSERT INTO counts (provider, model, url, how, calls) VALUES (?,?,?,?,?)
			ON CONFLICT DO UPDATE SET calls = calls + excluded.calls`, k.provider, k.model, s.urls[k.provider], k.how, n)
		if err != nil {
			return err
		}
	}
	return tx.Commit()
}

// Counted is how the calls of one model ended, at the address that its provider
// has now.
type Counted struct {
	Provider, Model string
	Calls           map[string]int // by how they ended
}

// Counts lists how calls ended, by provider and model.
func (s *Store) Counts() ([]Counted, error) {
	if err := s.writeCounts(); err != nil {
		return nil, err
	}
	rows, err := s.db.Query("SELECT provider, model, url, how, calls FROM counts")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	all := map[[2]string]map[string]int{}
	for rows.Next() {
		var provider, model, url, how string
		var n int
		if err := rows.Scan(&provider, &model, &url, &how, &n); err != nil {
			return nil, err
		}
		if url != s.urls[provider] {
			continue
		}
		at := [2]string{provider, model}
		if all[at] == nil {
			all[at] = map[string]int{}
		}
		all[at][how] += n
	}
	var out []Counted
	for at, calls := range all {
		out = append(out, Counted{at[0], at[1], calls})
	}
	slices.SortFunc(out, func(a, b Counted) int { return strings.Compare(a.Provider+"/"+a.Model, b.Provider+"/"+b.Model) })
	return out, rows.Err()
}
