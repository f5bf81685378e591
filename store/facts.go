package store

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/ferrule/ferrule/profile"
)

var errUnsound = errors.New("the check of the file found")

// broken reports whether an error says that the file is no database any more.
func broken(err error) bool {
	text := err.Error()
	return errors.Is(err, errUnsound) || strings.Contains(text, "malformed") || strings.Contains(text, "not a database")
}

// load reads the file.
func (s *Store) load() error {
	var version int64
	if err := s.db.QueryRow("PRAGMA data_version").Scan(&version); err != nil {
		return err
	}
	rows, err := s.db.Query("SELECT owner, provider, model, field, tools, value, why, url, confirmed, learned, until FROM facts ORDER BY learned DESC")
	if err != nil {
		return err
	}
	defer rows.Close()
	facts := map[profile.Place][]Fact{}
	for rows.Next() {
		var f Fact
		var learned, until int64
		if err := rows.Scan(&f.Owner, &f.Provider, &f.Model, &f.Field, &f.Tools, &f.Value, &f.Why, &f.URL, &f.Confirmed, &learned, &until); err != nil {
			return err
		}
		f.Learned, f.Until = time.Unix(learned, 0), time.Unix(until, 0)
		facts[f.Place] = append(facts[f.Place], f)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	s.facts, s.version, s.read = facts, version, s.now()
	return nil
}

// refresh reads the file again where another process wrote to it: asked for
// every few seconds, not for every request.
func (s *Store) refresh() {
	if s.now().Sub(s.read) < fresh {
		return
	}
	var version int64
	err := s.db.QueryRow("PRAGMA data_version").Scan(&version)
	if err == nil && version != s.version {
		err = s.load()
	}
	s.read = s.now()
	s.failed("read what was learned", err)
}

// Learned returns what holds at a place: its owner's, and everybody's.
func (s *Store) Learned(at profile.Place) []profile.Fact {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	var out []profile.Fact
	take := func(at profile.Place) {
		for _, f := range s.facts[at] {
			if s.holds(f) {
				out = append(out, f.Fact)
			}
		}
	}
	if take(at); at.Owner != "" {
		at.Owner = ""
		take(at)
	}
	return out
}

// holds reports whether a fact counts now: it hasn't run out, and its provider
// is where it was.
func (s *Store) holds(f Fact) bool {
	return s.now().Before(f.Until) && s.urls[f.Provider] == f.URL
}

// Learn keeps a fact. One that had run out is confirmed by being met again, and
// holds longer; one that still holds isn't, since requests meet it together.
func (s *Store) Learn(at profile.Place, fact profile.Fact) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := Fact{Place: at, Fact: fact, URL: s.urls[at.Provider], Learned: s.now()}
	had := s.facts[at]
	for _, o := range had {
		if o.Field != f.Field || o.Tools != f.Tools || o.Value != f.Value || o.URL != f.URL {
			continue
		}
		if f.Confirmed = o.Confirmed; s.holds(o) {
			f.Until = o.Until
		} else {
			f.Confirmed++
		}
	}
	if f.Until.IsZero() {
		f.Until = f.Learned.Add(lives[min(f.Confirmed, len(lives)-1)])
	}
	facts := slices.DeleteFunc(slices.Clone(had), func(o Fact) bool { return o.Field == f.Field && o.Tools == f.Tools })
	s.facts[at] = append([]Fact{f}, facts...)
	_, err := s.db.Exec("INSERT OR REPLACE INTO facts (owner, provider, model, field, tools, value, why, url, confirmed, learned, until) VALUES (?,?,?,?,?,?,?,?,?,?,?)",
		f.Owner, f.Provider, f.Model, f.Field, f.Tools, f.Value, f.Why, f.URL, f.Confirmed, f.Learned.Unix(), f.Until.Unix())
	if err == nil {
		_, err = s.db.Exec("DELETE FROM facts WHERE until < ?", s.now().Add(-kept).Unix())
	}
	s.failed("keep what was learned", err)
}

// Unlearn forgets a field at a place, for its owner.
func (s *Store) Unlearn(at profile.Place, field string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	is := func(f Fact) bool { return f.Field == field }
	if !slices.ContainsFunc(s.facts[at], is) {
		return // nothing is written for most requests
	}
	s.facts[at] = slices.DeleteFunc(slices.Clone(s.facts[at]), is)
	_, err := s.db.Exec("DELETE FROM facts WHERE owner=? AND provider=? AND model=? AND field=?", at.Owner, at.Provider, at.Model, field)
	s.failed("forget what was learned", err)
}

// All lists what the file holds and what of it still counts, the newest first.
func (s *Store) All() (facts []Fact, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.load(); err != nil {
		return nil, err
	}
	for _, fs := range s.facts {
		facts = append(facts, fs...)
	}
	slices.SortFunc(facts, func(a, b Fact) int {
		if c := b.Learned.Compare(a.Learned); c != 0 {
			return c
		}
		return strings.Compare(a.Provider+"/"+a.Model+"/"+a.Field+a.Owner, b.Provider+"/"+b.Model+"/"+b.Field+b.Owner)
	})
	return facts, nil
}

// Clear forgets what was learned of a model, as provider/model or by its own
// name, or of all where none is named, and returns how much that was.
func (s *Store) Clear(model string) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.db.Exec("DELETE FROM counts WHERE ?='' OR model=? OR provider||'/'||model=?", model, model, model); err != nil {
		return 0, err
	}
	r, err := s.db.Exec("DELETE FROM facts WHERE ?='' OR model=? OR provider||'/'||model=?", model, model, model)
	if err != nil {
		return 0, err
	}
	n, err := r.RowsAffected()
	if err != nil {
		return 0, err
	}
	return int(n), s.load()
}
