// Package store keeps what outlives the process: what was learned of models, how
// their calls ended, and what must go back with a call, in a SQLite file. Several processes may share one file.
package store

import (
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	_ "modernc.org/sqlite" // the driver, in Go

	"github.com/ferrule/ferrule/profile"
)

// lives are how long a fact holds, by how often it was met again after it had
// run out (security.md D2).
var lives = []time.Duration{time.Hour, 6 * time.Hour, 24 * time.Hour, 168 * time.Hour}

// kept is how long a fact is remembered after it has run out, so that meeting it
// again confirms it.
const kept = 30 * 24 * time.Hour

// fresh is how long what was read is taken for what the file holds.
const fresh = 2 * time.Second

const layout = `
CREATE TABLE IF NOT EXISTS facts (
	owner TEXT NOT NULL, provider TEXT NOT NULL, model TEXT NOT NULL,
	field TEXT NOT NULL, tools TEXT NOT NULL,
	value TEXT NOT NULL, why TEXT NOT NULL, url TEXT NOT NULL,
	confirmed INTEGER NOT NULL, learned INTEGER NOT NULL, until INTEGER NOT NULL,
	PRIMARY KEY (owner, provider, model, field, tools)
) STRICT;`

// Fact is one row of the file.
type Fact struct {
	profile.Place
	profile.Fact
	URL       string    // of the provider when it was learned
	Confirmed int       // how often it was met again
	Learned   time.Time // last
	Until     time.Time
}

// Store is what the file holds. It is safe for concurrent use. What can't be
// read or written is as if nothing had been learned, and told to Failed.
type Store struct {
	Now    func() time.Time // nil: time.Now
	Failed func(error)      // nil: nobody hears

	db   *sql.DB
	urls map[string]string

	mu      sync.Mutex
	facts   map[profile.Place][]Fact
	version int64     // of the file when it was read
	read    time.Time // when that was

	counts  map[countKey]int // that aren't written yet
	writing *time.Timer      // nil: none are
}

// ErrBroken says that the file was no store any more. It stands aside under
// another name, and a new one was made.
var ErrBroken = errors.New("the file of what was learned was broken")

// Open opens a file, or makes it. urls are the providers' addresses: what was
// learned at another one is forgotten. With ErrBroken the store is there too.
func Open(path string, urls map[string]string) (*Store, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("open the store: %w", err)
	}
	s, err := open(path, urls)
	if err == nil {
		return s, nil
	}
	if _, missing := os.Stat(path); missing != nil || !broken(err) {
		return nil, fmt.Errorf("open the store %s: %w", path, err)
	}
	aside := path + ".broken"
	if merr := os.Rename(path, aside); merr != nil {
		return nil, fmt.Errorf("open the store: %w", errors.Join(err, merr))
	}
	_ = os.Remove(path + "-wal")
	_ = os.Remove(path + "-shm")
	if s, err = open(path, urls); err != nil {
		return nil, fmt.Errorf("open the store %s: %w", path, err)
	}
	return s, fmt.Errorf("%w: it is %s now", ErrBroken, aside)
}

func open(path string, urls map[string]string) (*Store, error) {
	q := url.Values{"_pragma": {"busy_timeout(5000)", "journal_mode(WAL)", "synchronous(NORMAL)"}, "_txlock": {"immediate"}}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?"+q.Encode())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	s := &Store{db: db, urls: urls}
	var sound string
	if err = db.QueryRow("PRAGMA quick_check(1)").Scan(&sound); err == nil && sound != "ok" {
		err = fmt.Errorf("%w: %s", errUnsound, sound)
	}
	if err == nil {
		_, err = db.Exec(layout + memoryLayout + countsLayout)
	}
	if err == nil {
		err = s.load()
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return s, nil
}

// Close writes what waits and gives the file back.
func (s *Store) Close() error {
	s.mu.Lock()
	if s.writing != nil {
		s.writing.Stop()
	}
	s.mu.Unlock()
	return errors.Join(s.writeCounts(), s.db.Close())
}

func (s *Store) now() time.Time {
	if s.Now != nil {
		return s.Now()
	}
	return time.Now()
}

func (s *Store) failed(doing string, err error) {
	if err != nil && s.Failed != nil {
		s.Failed(fmt.Errorf("%s: %w", doing, err))
	}
}
